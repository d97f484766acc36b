// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @sort_c1(%a: tensor<2x3xf32>) {
  // expected-error@below {{sort_c1: axis must be in [-2, 2) for rank 2, got 2}}
  %0 = relax.sort %a {axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @sort_c1(%a: tensor<f32>) {
  // expected-error@below {{sort_c1: a scalar tensor has no axis}}
  %0 = relax.sort %a : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @argsort_c1(%a: tensor<2x3xf32>) {
  // expected-error@below {{argsort_c1: axis must be in [-2, 2) for rank 2, got -3}}
  %0 = relax.argsort %a {axis = -3 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @argsort_c2(%a: tensor<2x3xf32>) {
  // expected-error@below {{argsort_c2: element type must be one of}}
  %0 = relax.argsort %a {dtype = f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @argsort_c3(%a: tensor<2x129xf32>) {
  // expected-error@below {{argsort_c3: i8 must hold the indices of a dim of size 129, it holds 127 at most}}
  %0 = relax.argsort %a {dtype = i8} : (tensor<2x129xf32>) -> tensor<2x129xi8>
  return
}

// -----

func.func @topk_c1(%a: tensor<2x3xf32>) {
  // expected-error@below {{topk_c1: axis must be in [-2, 2) for rank 2, got 2}}
  %0 = relax.topk %a {axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @topk_c2(%a: tensor<2x3xf32>) {
  // expected-error@below {{topk_c2: element type must be one of}}
  %0 = relax.topk %a {dtype = i1} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @topk_c3(%a: tensor<2x3xf32>) {
  // expected-error@below {{topk_c3: ret_type must be one of both, values, indices, got all}}
  %0 = relax.topk %a {ret_type = "all"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @topk_c4(%a: tensor<257x2xf32>) {
  // expected-error@below {{topk_c4: ui8 must hold the indices of a dim of size 257, it holds 255 at most}}
  %0, %1 = relax.topk %a {axis = 0 : i64, dtype = ui8} : (tensor<257x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xui8>)
  return
}
