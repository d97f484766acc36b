// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @sum_c1(%a: tensor<2x3xi1>) {
  // expected-error@below {{sum_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.sum %a : (tensor<2x3xi1>) -> tensor<i1>
  return
}

// -----

func.func @sum_c2(%a: tensor<2x3xf32>) {
  // expected-error@below {{sum_c2: axis must be in [-2, 2) for rank 2, got 2}}
  %r = relax.sum %a {axis = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @prod_c1(%a: tensor<2x3xi1>) {
  // expected-error@below {{prod_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.prod %a : (tensor<2x3xi1>) -> tensor<i1>
  return
}

// -----

func.func @prod_c2(%a: tensor<2x3xf32>) {
  // expected-error@below {{prod_c2: axis must be in [-2, 2) for rank 2, got 2}}
  %r = relax.prod %a {axis = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @max_c1(%a: tensor<2x3xf128>) {
  // expected-error@below {{max_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1, got f128}}
  %r = relax.max %a : (tensor<2x3xf128>) -> tensor<f128>
  return
}

// -----

func.func @max_c2(%a: tensor<2x3xf32>) {
  // expected-error@below {{max_c2: axis must be in [-2, 2) for rank 2, got 2}}
  %r = relax.max %a {axis = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @min_c1(%a: tensor<2x3xf128>) {
  // expected-error@below {{min_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1, got f128}}
  %r = relax.min %a : (tensor<2x3xf128>) -> tensor<f128>
  return
}

// -----

func.func @min_c2(%a: tensor<2x3xf32>) {
  // expected-error@below {{min_c2: axis must be in [-2, 2) for rank 2, got 2}}
  %r = relax.min %a {axis = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @mean_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{mean_c1: element type must be one of f64, f32, f16, bf16, got i32}}
  %r = relax.mean %a : (tensor<2x3xi32>) -> tensor<i32>
  return
}

// -----

func.func @mean_c2(%a: tensor<2x3xf32>) {
  // expected-error@below {{mean_c2: axis must be in [-2, 2) for rank 2, got 2}}
  %r = relax.mean %a {axis = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @variance_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{variance_c1: element type must be one of f64, f32, f16, bf16, got i32}}
  %r = relax.variance %a : (tensor<2x3xi32>) -> tensor<i32>
  return
}

// -----

func.func @variance_c2(%a: tensor<2x3xf32>) {
  // expected-error@below {{variance_c2: axis must be in [-2, 2) for rank 2, got 2}}
  %r = relax.variance %a {axis = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @std_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{std_c1: element type must be one of f64, f32, f16, bf16, got i32}}
  %r = relax.std %a : (tensor<2x3xi32>) -> tensor<i32>
  return
}

// -----

func.func @std_c2(%a: tensor<2x3xf32>) {
  // expected-error@below {{std_c2: axis must be in [-2, 2) for rank 2, got 2}}
  %r = relax.std %a {axis = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @sum_c2(%a: tensor<2x3xf32>) {
  // expected-error@below {{sum_c2: axes must not repeat, got [1, -1]}}
  %r = relax.sum %a {axis = array<i64: 1, -1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @argmax_c1(%a: tensor<2x3xi1>) {
  // expected-error@below {{argmax_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.argmax %a : (tensor<2x3xi1>) -> tensor<i64>
  return
}

// -----

func.func @argmax_c2(%a: tensor<2x3xf32>) {
  // expected-error@below {{argmax_c2: axis must be in [-2, 2) for rank 2, got -3}}
  %r = relax.argmax %a {axis = -3 : i64} : (tensor<2x3xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @argmax_c2(%a: tensor<f32>) {
  // expected-error@below {{argmax_c2: a scalar tensor has no axis}}
  %r = relax.argmax %a {axis = 0 : i64} : (tensor<f32>) -> tensor<i64>
  return
}

// -----

func.func @argmin_c1(%a: tensor<2x3xi1>) {
  // expected-error@below {{argmin_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.argmin %a : (tensor<2x3xi1>) -> tensor<i64>
  return
}

// -----

func.func @argmin_c2(%a: tensor<2x3xf32>) {
  // expected-error@below {{argmin_c2: axis must be in [-2, 2) for rank 2, got -3}}
  %r = relax.argmin %a {axis = -3 : i64} : (tensor<2x3xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @argmin_c2(%a: tensor<f32>) {
  // expected-error@below {{argmin_c2: a scalar tensor has no axis}}
  %r = relax.argmin %a {axis = 0 : i64} : (tensor<f32>) -> tensor<i64>
  return
}
