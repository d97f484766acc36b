// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @layer_norm_c1(%a: tensor<2x4xf32>, %b: tensor<4xf16>, %c: tensor<4xf32>) {
  // expected-error@below {{layer_norm_c1: element types must be equal, got f32 and f16}}
  %0 = relax.nn.layer_norm %a, %b, %c {axes = array<i64: -1>} : (tensor<2x4xf32>, tensor<4xf16>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @layer_norm_c2(%a: tensor<2x4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) {
  // expected-error@below {{layer_norm_c2: axis must be in [-2, 2) for rank 2, got 2}}
  %0 = relax.nn.layer_norm %a, %b, %c {axes = array<i64: 2>} : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @layer_norm_c2(%a: tensor<2x4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) {
  // expected-error@below {{layer_norm_c2: axes must list at least one axis, got none}}
  %0 = relax.nn.layer_norm %a, %b, %c {axes = array<i64>} : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @layer_norm_c3(%a: tensor<2x4xf32>, %b: tensor<4xf32>, %c: tensor<2xf32>) {
  // expected-error@below {{layer_norm_c3: beta must have shape [4], got [2]}}
  %0 = relax.nn.layer_norm %a, %b, %c {axes = array<i64: -1>} : (tensor<2x4xf32>, tensor<4xf32>, tensor<2xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @rms_norm_c1(%a: tensor<2x4xi32>, %b: tensor<4xi32>) {
  // expected-error@below {{rms_norm_c1: element type must be one of}}
  %0 = relax.nn.rms_norm %a, %b {axes = array<i64: -1>} : (tensor<2x4xi32>, tensor<4xi32>) -> tensor<2x4xi32>
  return
}

// -----

func.func @rms_norm_c2(%a: tensor<2x4xf32>, %b: tensor<4xf32>) {
  // expected-error@below {{rms_norm_c2: axes must not repeat, got [1, -1]}}
  %0 = relax.nn.rms_norm %a, %b {axes = array<i64: 1, -1>} : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @rms_norm_c3(%a: tensor<2x4xf32>, %b: tensor<1x4xf32>) {
  // expected-error@below {{rms_norm_c3: weight must have shape [4], got [1, 4]}}
  %0 = relax.nn.rms_norm %a, %b {axes = array<i64: -1>} : (tensor<2x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @l2_normalize_c1(%a: tensor<2x4xi32>) {
  // expected-error@below {{l2_normalize_c1: element type must be one of}}
  %0 = relax.nn.l2_normalize %a {eps = 1.0e-12 : f64, axis = array<i64: -1>} : (tensor<2x4xi32>) -> tensor<2x4xi32>
  return
}

// -----

func.func @l2_normalize_c2(%a: tensor<2x4xf32>) {
  // expected-error@below {{l2_normalize_c2: axes must not repeat, got [1, -1]}}
  %0 = relax.nn.l2_normalize %a {eps = 1.0e-12 : f64, axis = array<i64: 1, -1>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @group_norm_c1(%a: tensor<2x3x8x8xf32>, %b: tensor<3xf32>, %c: tensor<3xf64>) {
  // expected-error@below {{group_norm_c1: element types must be equal}}
  %0 = relax.nn.group_norm %a, %b, %c {num_groups = 3 : i64, channel_axis = 1 : i64, axes = array<i64: 2, 3>} : (tensor<2x3x8x8xf32>, tensor<3xf32>, tensor<3xf64>) -> tensor<2x3x8x8xf32>
  return
}

// -----

func.func @group_norm_c2(%a: tensor<2x3x8x8xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  // expected-error@below {{group_norm_c2: channel_axis 1 must not be in axes [1, 2]}}
  %0 = relax.nn.group_norm %a, %b, %c {num_groups = 3 : i64, channel_axis = 1 : i64, axes = array<i64: 1, 2>} : (tensor<2x3x8x8xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x8x8xf32>
  return
}

// -----

func.func @group_norm_c3(%a: tensor<2x3x8x8xf32>, %b: tensor<8xf32>, %c: tensor<3xf32>) {
  // expected-error@below {{group_norm_c3: gamma must have shape [3], got [8]}}
  %0 = relax.nn.group_norm %a, %b, %c {num_groups = 3 : i64, channel_axis = 1 : i64, axes = array<i64: 2, 3>} : (tensor<2x3x8x8xf32>, tensor<8xf32>, tensor<3xf32>) -> tensor<2x3x8x8xf32>
  return
}

// -----

func.func @group_norm_c5(%a: tensor<2x3x8x8xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  // expected-error@below {{group_norm_c5: num_groups must divide the 3 channels, got 2}}
  %0 = relax.nn.group_norm %a, %b, %c {num_groups = 2 : i64, channel_axis = 1 : i64, axes = array<i64: 2, 3>} : (tensor<2x3x8x8xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x8x8xf32>
  return
}

// -----

func.func @instance_norm_c1(%a: tensor<2x3x8x8xf32>, %b: tensor<3xf32>, %c: tensor<3xf64>) {
  // expected-error@below {{instance_norm_c1: element types must be equal}}
  %0 = relax.nn.instance_norm %a, %b, %c {channel_axis = 1 : i64, axes = array<i64: 2, 3>} : (tensor<2x3x8x8xf32>, tensor<3xf32>, tensor<3xf64>) -> tensor<2x3x8x8xf32>
  return
}

// -----

func.func @instance_norm_c2(%a: tensor<2x3x8x8xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  // expected-error@below {{instance_norm_c2: axis must be in [-4, 4) for rank 4, got 4}}
  %0 = relax.nn.instance_norm %a, %b, %c {channel_axis = 4 : i64, axes = array<i64: 2, 3>} : (tensor<2x3x8x8xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x8x8xf32>
  return
}

// -----

func.func @instance_norm_c3(%a: tensor<2x3x8x8xf32>, %b: tensor<3xf32>, %c: tensor<8xf32>) {
  // expected-error@below {{instance_norm_c3: beta must have shape [3], got [8]}}
  %0 = relax.nn.instance_norm %a, %b, %c {channel_axis = 1 : i64, axes = array<i64: 2, 3>} : (tensor<2x3x8x8xf32>, tensor<3xf32>, tensor<8xf32>) -> tensor<2x3x8x8xf32>
  return
}

// -----

func.func @batch_norm_c1(%a: tensor<2x3x8x8xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<3xf16>) {
  // expected-error@below {{batch_norm_c1: element types must be equal}}
  %0:3 = relax.nn.batch_norm %a, %b, %c, %d, %e {axis = 1 : i64} : (tensor<2x3x8x8xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf16>) -> (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>)
  return
}

// -----

func.func @batch_norm_c2(%a: tensor<2x3x8x8xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<3xf32>) {
  // expected-error@below {{batch_norm_c2: axis must be in [-4, 4) for rank 4, got 4}}
  %0:3 = relax.nn.batch_norm %a, %b, %c, %d, %e {axis = 4 : i64} : (tensor<2x3x8x8xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>)
  return
}

// -----

func.func @batch_norm_c3(%a: tensor<2x3x8x8xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<4xf32>, %e: tensor<3xf32>) {
  // expected-error@below {{batch_norm_c3: moving_mean must have shape [3], got [4]}}
  %0:3 = relax.nn.batch_norm %a, %b, %c, %d, %e {axis = 1 : i64} : (tensor<2x3x8x8xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4xf32>, tensor<3xf32>) -> (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>)
  return
}

// -----

func.func @batch_norm_c4(%a: tensor<2x3x8x8xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<3xf32>) {
  // expected-error@below {{batch_norm_c4: momentum must be in [0, 1], got 1.5}}
  %0:3 = relax.nn.batch_norm %a, %b, %c, %d, %e {axis = 1 : i64, momentum = 1.500000e+00 : f64} : (tensor<2x3x8x8xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>)
  return
}

// -----

func.func @layer_norm_c4(%a: tensor<2x4xf32>, %b: tensor<4xf32>) {
  // expected-error@below {{layer_norm_c4: epsilon must be finite and at least 0, got nan}}
  %0 = relax.nn.layer_norm %a, %b, %b {axes = array<i64: -1>, epsilon = 0x7FF8000000000000 : f64} : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @rms_norm_c4(%a: tensor<2x4xf32>, %b: tensor<4xf32>) {
  // expected-error@below {{rms_norm_c4: epsilon must be finite and at least 0, got inf}}
  %0 = relax.nn.rms_norm %a, %b {axes = array<i64: -1>, epsilon = 0x7FF0000000000000 : f64} : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @l2_normalize_c3(%a: tensor<2x4xf32>) {
  // expected-error@below {{l2_normalize_c3: eps must be finite and at least 0, got -1.0}}
  %0 = relax.nn.l2_normalize %a {eps = -1.0 : f64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @group_norm_c4(%a: tensor<2x3x8x8xf32>, %b: tensor<3xf32>) {
  // expected-error@below {{group_norm_c4: epsilon must be finite and at least 0, got -1e-05}}
  %0 = relax.nn.group_norm %a, %b, %b {num_groups = 3 : i64, channel_axis = 1 : i64, axes = array<i64: 2, 3>, epsilon = -1.0e-5 : f64} : (tensor<2x3x8x8xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x8x8xf32>
  return
}

// -----

func.func @instance_norm_c4(%a: tensor<2x3x8x8xf32>, %b: tensor<3xf32>) {
  // expected-error@below {{instance_norm_c4: epsilon must be finite and at least 0, got nan}}
  %0 = relax.nn.instance_norm %a, %b, %b {channel_axis = 1 : i64, axes = array<i64: 2, 3>, epsilon = 0x7FF8000000000000 : f64} : (tensor<2x3x8x8xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x8x8xf32>
  return
}

// -----

func.func @batch_norm_c5(%a: tensor<2x3x8x8xf32>, %b: tensor<3xf32>) {
  // expected-error@below {{batch_norm_c5: epsilon must be finite and at least 0, got inf}}
  %0:3 = relax.nn.batch_norm %a, %b, %b, %b, %b {axis = 1 : i64, epsilon = 0x7FF0000000000000 : f64} : (tensor<2x3x8x8xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x8x8xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
