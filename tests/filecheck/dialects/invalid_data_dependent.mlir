// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @unique_c1(%a: tensor<2x3xf32>) {
  // expected-error@below {{unique_c1: axis must be in [-2, 2) for rank 2, got 2}}
  %0 = relax.unique %a {axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @unique_c1(%a: tensor<f32>) {
  // expected-error@below {{unique_c1: a scalar tensor has no axis}}
  %0 = relax.unique %a {axis = 0 : i64} : (tensor<f32>) -> tensor<2x3xf32>
  return
}
