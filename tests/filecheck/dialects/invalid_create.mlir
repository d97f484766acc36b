// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @zeros_c1() {
  %a = relax.shape : () -> !relax.shape<[2, 3]>
  // expected-error@below {{zeros_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1, got i4}}
  %r = relax.zeros %a {dtype = i4} : (!relax.shape<[2, 3]>) -> tensor<2x3xi4>
  return
}

// -----

func.func @zeros_c2() {
  %a = relax.shape : () -> !relax.shape<[2, -1]>
  // expected-error@below {{zeros_c2: sizes must not be negative, got [2, -1]}}
  %r = relax.zeros %a {dtype = f32} : (!relax.shape<[2, -1]>) -> tensor<2x3xf32>
  return
}

// -----

func.func @ones_c1() {
  %a = relax.shape : () -> !relax.shape<[2, 3]>
  // expected-error@below {{ones_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1, got i4}}
  %r = relax.ones %a {dtype = i4} : (!relax.shape<[2, 3]>) -> tensor<2x3xi4>
  return
}

// -----

func.func @ones_c2() {
  %a = relax.shape : () -> !relax.shape<[2, -1]>
  // expected-error@below {{ones_c2: sizes must not be negative, got [2, -1]}}
  %r = relax.ones %a {dtype = f32} : (!relax.shape<[2, -1]>) -> tensor<2x3xf32>
  return
}

// -----

func.func @zeros_like_c1(%a: tensor<2x3xf32>) {
  // expected-error@below {{zeros_like_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1, got i4}}
  %r = relax.zeros_like %a {dtype = i4} : (tensor<2x3xf32>) -> tensor<2x3xi4>
  return
}

// -----

func.func @ones_like_c1(%a: tensor<2x3xf32>) {
  // expected-error@below {{ones_like_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1, got i4}}
  %r = relax.ones_like %a {dtype = i4} : (tensor<2x3xf32>) -> tensor<2x3xi4>
  return
}

// -----

func.func @full_c1(%b: tensor<f32>) {
  %a = relax.shape : () -> !relax.shape<[2, 3]>
  // expected-error@below {{full_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1, got i4}}
  %r = relax.full %a, %b {dtype = i4} : (!relax.shape<[2, 3]>, tensor<f32>) -> tensor<2x3xi4>
  return
}

// -----

func.func @full_c2(%b: tensor<f32>) {
  %a = relax.shape : () -> !relax.shape<[2, -1]>
  // expected-error@below {{full_c2: sizes must not be negative, got [2, -1]}}
  %r = relax.full %a, %b : (!relax.shape<[2, -1]>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @full_c3(%b: tensor<1xf32>) {
  %a = relax.shape : () -> !relax.shape<[2, 3]>
  // expected-error@below {{full_c3: fill_value must be a scalar tensor, got shape [1]}}
  %r = relax.full %a, %b : (!relax.shape<[2, 3]>, tensor<1xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @full_like_c1(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@below {{full_like_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1, got i4}}
  %r = relax.full_like %a, %b {dtype = i4} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xi4>
  return
}

// -----

func.func @full_like_c2(%a: tensor<2x3xf32>, %b: tensor<1xf32>) {
  // expected-error@below {{full_like_c2: fill_value must be a scalar tensor, got shape [1]}}
  %r = relax.full_like %a, %b : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @arange_c1() {
  // expected-error@below {{arange_c1: end must be given, got neither an attribute nor a shape operand}}
  %r = relax.arange {start = 1 : i64} : () -> tensor<1xi64>
  return
}

// -----

func.func @arange_c1() {
  %a = relax.shape : () -> !relax.shape<[2, 3]>
  // expected-error@below {{arange_c1: a shape operand must be [start, end, step] and alone, got !relax.shape<[2, 3]>}}
  %r = relax.arange %a : (!relax.shape<[2, 3]>) -> tensor<1xi64>
  return
}

// -----

func.func @arange_c1() {
  %a = relax.shape : () -> !relax.shape<[0, 1, 1]>
  // expected-error@below {{arange_c1: a shape operand must be [start, end, step] and alone}}
  %r = relax.arange %a {end = 1 : i64} : (!relax.shape<[0, 1, 1]>) -> tensor<1xi64>
  return
}

// -----

func.func @arange_c2() {
  // expected-error@below {{arange_c2: step must be a number other than 0, got 0}}
  %r = relax.arange {end = 1 : i64, step = 0 : i64} : () -> tensor<1xi64>
  return
}

// -----

func.func @arange_c2() {
  // expected-error@below {{arange_c2: bounds must be finite, got 0 and inf}}
  %r = relax.arange {end = 0x7FF0000000000000 : f64} : () -> tensor<1xf32>
  return
}

// -----

func.func @arange_c3() {
  // expected-error@below {{arange_c3: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.arange {end = 1 : i64, dtype = i1} : () -> tensor<1xi1>
  return
}

// -----

func.func @eye_c1() {
  %a = relax.shape : () -> !relax.shape<[2, 3]>
  // expected-error@below {{eye_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1, got i4}}
  %r = relax.eye %a {dtype = i4} : (!relax.shape<[2, 3]>) -> tensor<2x3xi4>
  return
}

// -----

func.func @eye_c2() {
  %a = relax.shape : () -> !relax.shape<[2]>
  // expected-error@below {{eye_c2: the shape must have 2 entries, got [2]}}
  %r = relax.eye %a : (!relax.shape<[2]>) -> tensor<2x3xf32>
  return
}

// -----

func.func @eye_c2() {
  %a = relax.shape : () -> !relax.shape<[2, -1]>
  // expected-error@below {{eye_c2: sizes must not be negative, got [2, -1]}}
  %r = relax.eye %a : (!relax.shape<[2, -1]>) -> tensor<2x3xf32>
  return
}

// -----

func.func @eye_like_c1(%a: tensor<2x3xf32>) {
  // expected-error@below {{eye_like_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1, got i4}}
  %r = relax.eye_like %a {dtype = i4} : (tensor<2x3xf32>) -> tensor<2x3xi4>
  return
}

// -----

func.func @eye_like_c2(%a: tensor<3xf32>) {
  // expected-error@below {{eye_like_c2: the operand must have rank 2, got 1}}
  %r = relax.eye_like %a : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @tril_c1(%a: tensor<3xf32>) {
  // expected-error@below {{tril_c1: the operand must have rank 2 or more, got 1}}
  %r = relax.tril %a : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @triu_c1(%a: tensor<3xf32>) {
  // expected-error@below {{triu_c1: the operand must have rank 2 or more, got 1}}
  %r = relax.triu %a : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @hamming_window_c1() {
  %a = relax.shape : () -> !relax.shape<[3]>
  // expected-error@below {{hamming_window_c1: element type must be one of f64, f32, f16, bf16, got i32}}
  %r = relax.hamming_window %a {dtype = i32} : (!relax.shape<[3]>) -> tensor<3xi32>
  return
}

// -----

func.func @hamming_window_c2() {
  %a = relax.shape : () -> !relax.shape<[0]>
  // expected-error@below {{hamming_window_c2: the shape must be one size of at least 1, got [0]}}
  %r = relax.hamming_window %a {dtype = f32} : (!relax.shape<[0]>) -> tensor<0xf32>
  return
}

// -----

func.func @hamming_window_c2() {
  %a = relax.shape : () -> !relax.shape<[2, 3]>
  // expected-error@below {{hamming_window_c2: the shape must be one size of at least 1, got [2, 3]}}
  %r = relax.hamming_window %a {dtype = f32} : (!relax.shape<[2, 3]>) -> tensor<3xf32>
  return
}
