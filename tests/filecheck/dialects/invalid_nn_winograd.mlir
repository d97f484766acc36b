// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @winograd_conv2d_c1(%x: tensor<2x3x8x9xf16>, %k: tensor<4x4x3x5xf32>) {
  // expected-error@below {{winograd_conv2d_c1: element type must be one of f32, got f16}}
  %0 = relax.nn.winograd_conv2d %x, %k {padding = array<i64: 1, 1, 1, 1>} : (tensor<2x3x8x9xf16>, tensor<4x4x3x5xf32>) -> tensor<2x5x8x9xf32>
  return
}

// -----

func.func @winograd_conv2d_c1(%x: tensor<2x3x8x9xf32>, %k: tensor<4x4x5x3xf64>) {
  // expected-error@below {{winograd_conv2d_c1: element type must be one of f32, got f64}}
  %0 = relax.nn.winograd_conv2d %x, %k {padding = array<i64: 1, 1, 1, 1>} : (tensor<2x3x8x9xf32>, tensor<4x4x5x3xf64>) -> tensor<2x5x8x9xf32>
  return
}

// -----

func.func @winograd_conv2d_c2(%x: tensor<3x8x9xf32>, %k: tensor<4x4x3x5xf32>) {
  // expected-error@below {{winograd_conv2d_c2: data must have rank 4, got [3, 8, 9]}}
  %0 = relax.nn.winograd_conv2d %x, %k {padding = array<i64: 1, 1, 1, 1>} : (tensor<3x8x9xf32>, tensor<4x4x3x5xf32>) -> tensor<2x5x8x9xf32>
  return
}

// -----

func.func @winograd_conv2d_c2(%x: tensor<2x3x8x9xf32>, %k: tensor<16x5x3xf32>) {
  // expected-error@below {{winograd_conv2d_c2: kernel must have rank 4, got [16, 5, 3]}}
  %0 = relax.nn.winograd_conv2d %x, %k {padding = array<i64: 1, 1, 1, 1>} : (tensor<2x3x8x9xf32>, tensor<16x5x3xf32>) -> tensor<2x5x8x9xf32>
  return
}

// -----

func.func @winograd_conv2d_c3(%x: tensor<2x3x8x9xf32>, %k: tensor<5x3x3x3xf32>) {
  // expected-error@below {{winograd_conv2d_c3: kernel must be [4, 4, C, O] or [6, 6, C, O], got [5, 3, 3, 3]}}
  %0 = relax.nn.winograd_conv2d %x, %k {padding = array<i64: 1, 1, 1, 1>} : (tensor<2x3x8x9xf32>, tensor<5x3x3x3xf32>) -> tensor<2x5x8x9xf32>
  return
}

// -----

func.func @winograd_conv2d_c3(%x: tensor<2x3x8x9xf32>, %k: tensor<6x4x5x3xf32>) {
  // expected-error@below {{winograd_conv2d_c3: kernel must be [4, 4, C, O] or [6, 6, C, O], got [6, 4, 5, 3]}}
  %0 = relax.nn.winograd_conv2d %x, %k {padding = array<i64: 1, 1, 1, 1>} : (tensor<2x3x8x9xf32>, tensor<6x4x5x3xf32>) -> tensor<2x5x8x9xf32>
  return
}

// -----

func.func @winograd_conv2d_c3(%x: tensor<2x3x8x9xf32>, %k: tensor<?x?x5x3xf32>) {
  // expected-error@below {{winograd_conv2d_c3: kernel must be [4, 4, C, O] or [6, 6, C, O], got [?, ?, 5, 3]}}
  %0 = relax.nn.winograd_conv2d %x, %k {padding = array<i64: 1, 1, 1, 1>} : (tensor<2x3x8x9xf32>, tensor<?x?x5x3xf32>) -> tensor<2x5x8x9xf32>
  return
}

// -----

func.func @winograd_conv2d_c4(%x: tensor<2x3x8x9xf32>, %k: tensor<4x4x6x5xf32>) {
  // expected-error@below {{winograd_conv2d_c4: data must have the kernel's 6 input channels, got 3}}
  %0 = relax.nn.winograd_conv2d %x, %k {padding = array<i64: 1, 1, 1, 1>} : (tensor<2x3x8x9xf32>, tensor<4x4x6x5xf32>) -> tensor<2x5x8x9xf32>
  return
}

// -----

func.func @winograd_conv2d_c5(%x: tensor<2x3x8x9xf32>, %k: tensor<4x4x3x5xf32>) {
  // expected-error@below {{winograd_conv2d_c5: padding must have 4 values, got 2}}
  %0 = relax.nn.winograd_conv2d %x, %k {padding = array<i64: 1, 1>} : (tensor<2x3x8x9xf32>, tensor<4x4x3x5xf32>) -> tensor<2x5x8x9xf32>
  return
}

// -----

func.func @winograd_conv2d_c5(%x: tensor<2x3x8x9xf32>, %k: tensor<4x4x3x5xf32>) {
  // expected-error@below {{winograd_conv2d_c5: padding must not be negative, got [1, 1, -1, 1]}}
  %0 = relax.nn.winograd_conv2d %x, %k {padding = array<i64: 1, 1, -1, 1>} : (tensor<2x3x8x9xf32>, tensor<4x4x3x5xf32>) -> tensor<2x5x8x9xf32>
  return
}

// -----

func.func @winograd_conv2d_c6(%x: tensor<2x3x8x1xf32>, %k: tensor<4x4x3x5xf32>) {
  // expected-error@below {{winograd_conv2d_c6: a window of 3 does not fit into the padded size 2}}
  %0 = relax.nn.winograd_conv2d %x, %k {padding = array<i64: 1, 1, 1, 0>} : (tensor<2x3x8x1xf32>, tensor<4x4x3x5xf32>) -> tensor<2x5x8x9xf32>
  return
}

// -----

func.func @integer_winograd_conv2d_c1(%x: tensor<2x8x9x6xf32>, %k: tensor<4x4x2x3x16x2xi16>) {
  // expected-error@below {{integer_winograd_conv2d_c1: element type must be one of i8, ui8, got f32}}
  %0 = relax.nn.integer_winograd_conv2d %x, %k {padding = array<i64: 1, 1, 1, 1>} : (tensor<2x8x9x6xf32>, tensor<4x4x2x3x16x2xi16>) -> tensor<2x8x9x32xi32>
  return
}

// -----

func.func @integer_winograd_conv2d_c1(%x: tensor<2x8x9x6xui8>, %k: tensor<4x4x2x3x16x2xi8>) {
  // expected-error@below {{integer_winograd_conv2d_c1: element type must be one of i16, got i8}}
  %0 = relax.nn.integer_winograd_conv2d %x, %k {padding = array<i64: 1, 1, 1, 1>} : (tensor<2x8x9x6xui8>, tensor<4x4x2x3x16x2xi8>) -> tensor<2x8x9x32xi32>
  return
}

// -----

func.func @integer_winograd_conv2d_c2(%x: tensor<8x9x6xui8>, %k: tensor<4x4x2x3x16x2xi16>) {
  // expected-error@below {{integer_winograd_conv2d_c2: data must have rank 4, got [8, 9, 6]}}
  %0 = relax.nn.integer_winograd_conv2d %x, %k {padding = array<i64: 1, 1, 1, 1>} : (tensor<8x9x6xui8>, tensor<4x4x2x3x16x2xi16>) -> tensor<2x8x9x32xi32>
  return
}

// -----

func.func @integer_winograd_conv2d_c2(%x: tensor<2x8x9x6xui8>, %k: tensor<4x4x6x32xi16>) {
  // expected-error@below {{integer_winograd_conv2d_c2: kernel must have rank 6, got [4, 4, 6, 32]}}
  %0 = relax.nn.integer_winograd_conv2d %x, %k {padding = array<i64: 1, 1, 1, 1>} : (tensor<2x8x9x6xui8>, tensor<4x4x6x32xi16>) -> tensor<2x8x9x32xi32>
  return
}

// -----

func.func @integer_winograd_conv2d_c3(%x: tensor<2x8x9x6xui8>, %k: tensor<6x6x2x3x16x2xi16>) {
  // expected-error@below {{integer_winograd_conv2d_c3: kernel must be [4, 4, O / p, C / 2, p, 2] with a known p, got [6, 6, 2, 3, 16, 2]}}
  %0 = relax.nn.integer_winograd_conv2d %x, %k {padding = array<i64: 1, 1, 1, 1>} : (tensor<2x8x9x6xui8>, tensor<6x6x2x3x16x2xi16>) -> tensor<2x8x9x32xi32>
  return
}

// -----

func.func @integer_winograd_conv2d_c3(%x: tensor<2x8x9x6xui8>, %k: tensor<4x4x2x3x16x4xi16>) {
  // expected-error@below {{integer_winograd_conv2d_c3: kernel must be [4, 4, O / p, C / 2, p, 2] with a known p, got [4, 4, 2, 3, 16, 4]}}
  %0 = relax.nn.integer_winograd_conv2d %x, %k {padding = array<i64: 1, 1, 1, 1>} : (tensor<2x8x9x6xui8>, tensor<4x4x2x3x16x4xi16>) -> tensor<2x8x9x32xi32>
  return
}

// -----

func.func @integer_winograd_conv2d_c3(%x: tensor<2x8x9x6xui8>, %k: tensor<4x4x2x3x?x2xi16>) {
  // expected-error@below {{integer_winograd_conv2d_c3: kernel must be [4, 4, O / p, C / 2, p, 2] with a known p, got [4, 4, 2, 3, ?, 2]}}
  %0 = relax.nn.integer_winograd_conv2d %x, %k {padding = array<i64: 1, 1, 1, 1>} : (tensor<2x8x9x6xui8>, tensor<4x4x2x3x?x2xi16>) -> tensor<2x8x9x32xi32>
  return
}

// -----

func.func @integer_winograd_conv2d_c3(%x: tensor<2x8x9x6xui8>, %k: tensor<4x4x2x3x0x2xi16>) {
  // expected-error@below {{integer_winograd_conv2d_c3: kernel must be [4, 4, O / p, C / 2, p, 2] with a known p, got [4, 4, 2, 3, 0, 2]}}
  %0 = relax.nn.integer_winograd_conv2d %x, %k {padding = array<i64: 1, 1, 1, 1>} : (tensor<2x8x9x6xui8>, tensor<4x4x2x3x0x2xi16>) -> tensor<2x8x9x32xi32>
  return
}

// -----

func.func @integer_winograd_conv2d_c4(%x: tensor<2x8x9x6xui8>, %k: tensor<4x4x2x4x16x2xi16>) {
  // expected-error@below {{integer_winograd_conv2d_c4: data must have the kernel's 8 input channels, got 6}}
  %0 = relax.nn.integer_winograd_conv2d %x, %k {padding = array<i64: 1, 1, 1, 1>} : (tensor<2x8x9x6xui8>, tensor<4x4x2x4x16x2xi16>) -> tensor<2x8x9x32xi32>
  return
}

// -----

func.func @integer_winograd_conv2d_c4(%x: tensor<2x8x9x1828xui8>, %k: tensor<4x4x2x914x16x2xi16>) {
  // expected-error@below {{integer_winograd_conv2d_c4: kernel must have at most 1827 input channels, got 1828}}
  %0 = relax.nn.integer_winograd_conv2d %x, %k {padding = array<i64: 1, 1, 1, 1>} : (tensor<2x8x9x1828xui8>, tensor<4x4x2x914x16x2xi16>) -> tensor<2x8x9x32xi32>
  return
}

// -----

func.func @integer_winograd_conv2d_c5(%x: tensor<2x8x9x6xui8>, %k: tensor<4x4x2x3x16x2xi16>) {
  // expected-error@below {{integer_winograd_conv2d_c5: padding must have 4 values, got 1}}
  %0 = relax.nn.integer_winograd_conv2d %x, %k {padding = array<i64: 1>} : (tensor<2x8x9x6xui8>, tensor<4x4x2x3x16x2xi16>) -> tensor<2x8x9x32xi32>
  return
}

// -----

func.func @integer_winograd_conv2d_c5(%x: tensor<2x8x9x6xui8>, %k: tensor<4x4x2x3x16x2xi16>) {
  // expected-error@below {{integer_winograd_conv2d_c5: padding must not be negative, got [1, 1, 1, -1]}}
  %0 = relax.nn.integer_winograd_conv2d %x, %k {padding = array<i64: 1, 1, 1, -1>} : (tensor<2x8x9x6xui8>, tensor<4x4x2x3x16x2xi16>) -> tensor<2x8x9x32xi32>
  return
}

// -----

func.func @integer_winograd_conv2d_c6(%x: tensor<2x8x1x6xui8>, %k: tensor<4x4x2x3x16x2xi16>) {
  // expected-error@below {{integer_winograd_conv2d_c6: a window of 3 does not fit into the padded size 2}}
  %0 = relax.nn.integer_winograd_conv2d %x, %k {padding = array<i64: 1, 1, 1, 0>} : (tensor<2x8x1x6xui8>, tensor<4x4x2x3x16x2xi16>) -> tensor<2x8x9x32xi32>
  return
}
