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
