// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @softmax_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{softmax_c1: element type must be one of}}
  %0 = relax.nn.softmax %a : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @log_softmax_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{log_softmax_c1: element type must be one of}}
  %0 = relax.nn.log_softmax %a : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @dropout_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{dropout_c1: element type must be one of}}
  %0:2 = relax.nn.dropout %a : (tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<2x3xi32>)
  return
}

// -----

func.func @softmax_c2(%a: tensor<2x3xf32>) {
  // expected-error@below {{softmax_c2: axis must be in [-2, 2) for rank 2, got -3}}
  %0 = relax.nn.softmax %a {axis = -3 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @log_softmax_c2(%a: tensor<2x3xf32>) {
  // expected-error@below {{log_softmax_c2: axis must be in [-2, 2) for rank 2, got -3}}
  %0 = relax.nn.log_softmax %a {axis = -3 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @dropout_c2(%a: tensor<2xf32>) {
  // expected-error@below {{dropout_c2: rate must be in [0, 1), got 1.0}}
  %0:2 = relax.nn.dropout %a {rate = 1.000000e+00 : f64} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}
