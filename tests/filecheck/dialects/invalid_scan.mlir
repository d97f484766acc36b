// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @cumsum_c1(%a: tensor<2x3xf128>) {
  // expected-error@below {{cumsum_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1, got f128}}
  %r = relax.cumsum %a {axis = 0 : i64} : (tensor<2x3xf128>) -> tensor<2x3xf128>
  return
}

// -----

func.func @cumsum_c2(%a: tensor<2x3xf32>) {
  // expected-error@below {{cumsum_c2: axis must be in [-2, 2) for rank 2, got 2}}
  %r = relax.cumsum %a {axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @cumsum_c2(%a: tensor<f32>) {
  // expected-error@below {{cumsum_c2: a scalar tensor has no axis}}
  %r = relax.cumsum %a {axis = 0 : i64} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @cumprod_c1(%a: tensor<2x3xf128>) {
  // expected-error@below {{cumprod_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1, got f128}}
  %r = relax.cumprod %a {axis = 0 : i64} : (tensor<2x3xf128>) -> tensor<2x3xf128>
  return
}

// -----

func.func @cumprod_c2(%a: tensor<2x3xf32>) {
  // expected-error@below {{cumprod_c2: axis must be in [-2, 2) for rank 2, got 2}}
  %r = relax.cumprod %a {axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @cumprod_c2(%a: tensor<f32>) {
  // expected-error@below {{cumprod_c2: a scalar tensor has no axis}}
  %r = relax.cumprod %a {axis = 0 : i64} : (tensor<f32>) -> tensor<f32>
  return
}
