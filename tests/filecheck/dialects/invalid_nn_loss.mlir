// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @cross_entropy_with_logits_c1(%a: tensor<4x5xf32>, %b: tensor<4x5xf64>) {
  // expected-error@below {{cross_entropy_with_logits_c1: element types must be equal}}
  %0 = relax.nn.cross_entropy_with_logits %a, %b : (tensor<4x5xf32>, tensor<4x5xf64>) -> tensor<4x5xf32>
  return
}

// -----

func.func @cross_entropy_with_logits_c2(%a: tensor<f32>, %b: tensor<f32>) {
  // expected-error@below {{cross_entropy_with_logits_c2: the operands must have rank 1 or more, got 0}}
  %0 = relax.nn.cross_entropy_with_logits %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_with_logits_c3(%a: tensor<4x5xf32>, %b: tensor<4x6xf32>) {
  // expected-error@below {{cross_entropy_with_logits_c3: shapes must be equal, got [4, 5] and [4, 6]}}
  %0 = relax.nn.cross_entropy_with_logits %a, %b : (tensor<4x5xf32>, tensor<4x6xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @nll_loss_c1(%a: tensor<4x5xf32>, %b: tensor<4xi64>, %c: tensor<5xf16>) {
  // expected-error@below {{nll_loss_c1: element types must be equal, got f32 and f16}}
  %0 = relax.nn.nll_loss %a, %b, %c : (tensor<4x5xf32>, tensor<4xi64>, tensor<5xf16>) -> tensor<4x5xf32>
  return
}

// -----

func.func @nll_loss_c2(%a: tensor<4x5xf32>, %b: tensor<4xf32>) {
  // expected-error@below {{nll_loss_c2: element type must be one of}}
  %0 = relax.nn.nll_loss %a, %b : (tensor<4x5xf32>, tensor<4xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @nll_loss_c3(%a: tensor<4x5xf32>, %b: tensor<4x1xi64>) {
  // expected-error@below {{nll_loss_c3: targets must have rank 1, got 2}}
  %0 = relax.nn.nll_loss %a, %b : (tensor<4x5xf32>, tensor<4x1xi64>) -> tensor<4x5xf32>
  return
}

// -----

func.func @nll_loss_c4(%a: tensor<4x5xf32>, %b: tensor<5xi64>) {
  // expected-error@below {{nll_loss_c4: targets must have shape [4], got [5]}}
  %0 = relax.nn.nll_loss %a, %b : (tensor<4x5xf32>, tensor<5xi64>) -> tensor<4x5xf32>
  return
}

// -----

func.func @nll_loss_c5(%a: tensor<4x5xf32>, %b: tensor<4xi64>, %c: tensor<4xf32>) {
  // expected-error@below {{nll_loss_c5: weights must have shape [5], got [4]}}
  %0 = relax.nn.nll_loss %a, %b, %c : (tensor<4x5xf32>, tensor<4xi64>, tensor<4xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @nll_loss_c6(%a: tensor<4x5xf32>, %b: tensor<4xi64>) {
  // expected-error@below {{nll_loss_c6: reduction must be one of mean, sum, none, got 'max'}}
  %0 = relax.nn.nll_loss %a, %b {reduction = "max"} : (tensor<4x5xf32>, tensor<4xi64>) -> tensor<4x5xf32>
  return
}
