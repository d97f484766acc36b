// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @max_pool2d_c1(%a: tensor<1x2x4x4xi1>) {
  // expected-error@below {{max_pool2d_c1: element type must be one of}}
  %0 = relax.nn.max_pool2d %a : (tensor<1x2x4x4xi1>) -> tensor<1x2x4x4xi1>
  return
}

// -----

func.func @max_pool2d_c2(%a: tensor<2x3x8x8xf32>) {
  // expected-error@below {{max_pool2d_c2: layout must be a permutation of NCHW, got 'NCW'}}
  %0 = relax.nn.max_pool2d %a {layout = "NCW"} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  return
}

// -----

func.func @max_pool2d_c2(%a: tensor<2x3x8x8xf32>) {
  // expected-error@below {{max_pool2d_c2: out_layout must be a permutation of NCHW, got 'NCHW4c'}}
  %0 = relax.nn.max_pool2d %a {out_layout = "NCHW4c"} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  return
}

// -----

func.func @max_pool2d_c3(%a: tensor<2x3x8x8xf32>) {
  // expected-error@below {{max_pool2d_c3: pool_size must have 1 or 2 values, got 3}}
  %0 = relax.nn.max_pool2d %a {pool_size = array<i64: 1, 1, 1>} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  return
}

// -----

func.func @max_pool2d_c3(%a: tensor<2x3x8x8xf32>) {
  // expected-error@below {{max_pool2d_c3: strides must be at least 1, got [0]}}
  %0 = relax.nn.max_pool2d %a {strides = array<i64: 0>} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  return
}

// -----

func.func @max_pool2d_c3(%a: tensor<2x3x8x8xf32>) {
  // expected-error@below {{max_pool2d_c3: padding must have 1 or 2 or 4 values, got 3}}
  %0 = relax.nn.max_pool2d %a {padding = array<i64: 1, 1, 1>} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  return
}

// -----

func.func @max_pool2d_c4(%a: tensor<2x3xf32>) {
  // expected-error@below {{max_pool2d_c4: the operand must have rank 4, got [2, 3]}}
  %0 = relax.nn.max_pool2d %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @max_pool2d_c5(%a: tensor<2x3x8x8xf32>) {
  // expected-error@below {{max_pool2d_c5: a window of 9 does not fit into the padded size 8}}
  %0 = relax.nn.max_pool2d %a {pool_size = array<i64: 9>} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  return
}

// -----

func.func @max_pool2d_c5(%a: tensor<2x3x8x8xf32>) {
  // expected-error@below {{max_pool2d_c5: a window of 11 does not fit into the padded size 8 and 2 behind it}}
  %0 = relax.nn.max_pool2d %a {pool_size = array<i64: 11>, strides = array<i64: 3>, ceil_mode = true} : (tensor<2x3x8x8xf32>) -> tensor<2x3x1x1xf32>
  return
}

// -----

func.func @avg_pool1d_c4(%a: tensor<2x3xf32>) {
  // expected-error@below {{avg_pool1d_c4: the operand must have rank 3, got [2, 3]}}
  %0 = relax.nn.avg_pool1d %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @max_pool3d_c3(%a: tensor<1x2x4x4x4xf32>) {
  // expected-error@below {{max_pool3d_c3: dilation must have 1 or 3 values, got 2}}
  %0 = relax.nn.max_pool3d %a {dilation = array<i64: 1, 1>} : (tensor<1x2x4x4x4xf32>) -> tensor<1x2x4x4x4xf32>
  return
}

// -----

func.func @adaptive_avg_pool2d_c1(%a: tensor<1x2x4x4xi1>) {
  // expected-error@below {{adaptive_avg_pool2d_c1: element type must be one of}}
  %0 = relax.nn.adaptive_avg_pool2d %a : (tensor<1x2x4x4xi1>) -> tensor<1x2x4x4xi1>
  return
}

// -----

func.func @adaptive_avg_pool2d_c2(%a: tensor<2x3x8x8xf32>) {
  // expected-error@below {{adaptive_avg_pool2d_c2: layout must be a permutation of NCHW, got 'HWC'}}
  %0 = relax.nn.adaptive_avg_pool2d %a {layout = "HWC"} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  return
}

// -----

func.func @adaptive_avg_pool2d_c3(%a: tensor<2x3x8x8xf32>) {
  // expected-error@below {{adaptive_avg_pool2d_c3: output_size must be at least 1, got [0]}}
  %0 = relax.nn.adaptive_avg_pool2d %a {output_size = array<i64: 0>} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  return
}

// -----

func.func @adaptive_avg_pool2d_c4(%a: tensor<2x3xf32>) {
  // expected-error@below {{adaptive_avg_pool2d_c4: the operand must have rank 4, got [2, 3]}}
  %0 = relax.nn.adaptive_avg_pool2d %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
