// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @permute_dims_c1(%a: tensor<2x3xf32>) {
  // expected-error@below {{permute_dims_c1: axes must not repeat, got [0, 0]}}
  %0 = relax.permute_dims %a {axes = array<i64: 0, 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @permute_dims_c1(%a: tensor<2x3xf32>) {
  // expected-error@below {{permute_dims_c1: axes must list 2 dims, got 1}}
  %0 = relax.permute_dims %a {axes = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @reshape_c1(%a: tensor<2x3xf32>, %b: !relax.shape<[-1, -1]>) {
  // expected-error@below {{reshape_c1: the shape must have at most one -1 and no other negative entry, got [-1, -1]}}
  %0 = relax.reshape %a, %b : (tensor<2x3xf32>, !relax.shape<[-1, -1]>) -> tensor<2x3xf32>
  return
}

// -----

func.func @reshape_c2(%a: tensor<2x3xf32>, %b: !relax.shape<[4, 2]>) {
  // expected-error@below {{reshape_c2: [2, 3] and [4, 2] differ in their number of elements}}
  %0 = relax.reshape %a, %b : (tensor<2x3xf32>, !relax.shape<[4, 2]>) -> tensor<4x2xf32>
  return
}

// -----

func.func @reshape_c2(%a: tensor<2x3xf32>, %b: !relax.shape<[4, -1]>) {
  // expected-error@below {{reshape_c2: 4 elements do not divide those of [2, 3]}}
  %0 = relax.reshape %a, %b : (tensor<2x3xf32>, !relax.shape<[4, -1]>) -> tensor<4x?xf32>
  return
}

// -----

func.func @expand_dims_c1(%a: tensor<2x3xf32>) {
  // expected-error@below {{expand_dims_c1: axis must be in [-3, 3) for rank 3, got 3}}
  %0 = relax.expand_dims %a {axis = array<i64: 3>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @squeeze_c1(%a: tensor<2x3xf32>) {
  // expected-error@below {{squeeze_c1: axis must be in [-2, 2) for rank 2, got 2}}
  %0 = relax.squeeze %a {axis = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @squeeze_c2(%a: tensor<2x3xf32>) {
  // expected-error@below {{squeeze_c2: dim 0 must be 1, got 2}}
  %0 = relax.squeeze %a {axis = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @squeeze_c2(%a: tensor<?x?xf32, #relax.sym<n, n + 2>>) {
  // expected-error@below {{squeeze_c2: dim 1 must be 1, got n + 2}}
  %0 = relax.squeeze %a {axis = array<i64: 0, 1>} : (tensor<?x?xf32, #relax.sym<n, n + 2>>) -> tensor<f32>
  return
}

// -----

func.func @concat_c1() {
  // expected-error@below {{concat_c1: expected at least one tensor}}
  %0 = relax.concat : () -> tensor<2x3xf32>
  return
}

// -----

func.func @concat_c1(%a: tensor<2x3xf32>, %b: tensor<2x3xf16>) {
  // expected-error@below {{concat_c1: element types must be equal, got f32 and f16}}
  %0 = relax.concat %a, %b : (tensor<2x3xf32>, tensor<2x3xf16>) -> tensor<2x3xf32>
  return
}

// -----

func.func @concat_c2(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error@below {{concat_c2: ranks must be equal, got [2, 3], [2]}}
  %0 = relax.concat %a, %b : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @concat_c2(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@below {{concat_c2: axis must be in [-2, 2) for rank 2, got 2}}
  %0 = relax.concat %a, %b {axis = 2 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @concat_c3(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@below {{concat_c3: dims must be equal, got 3 and 4}}
  %0 = relax.concat %a, %b : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @stack_c1(%a: tensor<2x3xf32>, %b: tensor<2x3xi32>) {
  // expected-error@below {{stack_c1: element types must be equal, got f32 and i32}}
  %0 = relax.stack %a, %b : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @stack_c2(%a: tensor<2x3xf32>, %b: tensor<3x3xf32>) {
  // expected-error@below {{stack_c2: dims must be equal, got 2 and 3}}
  %0 = relax.stack %a, %b : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @stack_c3(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@below {{stack_c3: axis must be in [-3, 3) for rank 3, got 3}}
  %0 = relax.stack %a, %b {axis = 3 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @split_c1(%a: tensor<2x3xf32>) {
  // expected-error@below {{split_c1: expected exactly one of indices and sections}}
  %0 = relax.split %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @split_c1(%a: tensor<2x3xf32>) {
  // expected-error@below {{split_c1: expected exactly one of indices and sections}}
  %0 = relax.split %a {indices = array<i64: 1>, sections = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @split_c2(%a: tensor<2x3xf32>) {
  // expected-error@below {{split_c2: sections must be from 1 to 4096, got 0}}
  %0 = relax.split %a {sections = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @split_c2(%a: tensor<2x3xf32>) {
  // expected-error@below {{split_c2: indices must not be negative and must ascend, got [2, 1]}}
  %0 = relax.split %a {indices = array<i64: 2, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @split_c3(%a: tensor<2x3xf32>) {
  // expected-error@below {{split_c3: axis must be in [-2, 2) for rank 2, got 2}}
  %0 = relax.split %a {sections = 2 : i64, axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_to_c1(%a: tensor<2x3xf32>, %b: !relax.shape<[3]>) {
  // expected-error@below {{broadcast_to_c1: [2, 3] has more dims than [3]}}
  %0 = relax.broadcast_to %a, %b : (tensor<2x3xf32>, !relax.shape<[3]>) -> tensor<3xf32>
  return
}

// -----

func.func @broadcast_to_c2(%a: tensor<2x3xf32>, %b: !relax.shape<[4, 3]>) {
  // expected-error@below {{broadcast_to_c2: [2, 3] does not broadcast to [4, 3]}}
  %0 = relax.broadcast_to %a, %b : (tensor<2x3xf32>, !relax.shape<[4, 3]>) -> tensor<4x3xf32>
  return
}

// -----

func.func @collapse_sum_to_c1(%a: tensor<2xi1>, %b: !relax.shape<[1]>) {
  // expected-error@below {{collapse_sum_to_c1: element type must be one of}}
  %0 = relax.collapse_sum_to %a, %b : (tensor<2xi1>, !relax.shape<[1]>) -> tensor<1xi1>
  return
}

// -----

func.func @collapse_sum_to_c2(%a: tensor<2x3xf32>, %b: !relax.shape<[2]>) {
  // expected-error@below {{collapse_sum_to_c2: [2] does not broadcast to [2, 3]}}
  %0 = relax.collapse_sum_to %a, %b : (tensor<2x3xf32>, !relax.shape<[2]>) -> tensor<2xf32>
  return
}

// -----

func.func @repeat_c1(%a: tensor<2x3xf32>) {
  // expected-error@below {{repeat_c1: repeats must not be negative, got -1}}
  %0 = relax.repeat %a {repeats = -1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @repeat_c2(%a: tensor<2x3xf32>) {
  // expected-error@below {{repeat_c2: axis must be in [-2, 2) for rank 2, got 2}}
  %0 = relax.repeat %a {repeats = 2 : i64, axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @tile_c1(%a: tensor<2x3xf32>) {
  // expected-error@below {{tile_c1: repeats must not be negative, got [2, -1]}}
  %0 = relax.tile %a {repeats = array<i64: 2, -1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @flip_c1(%a: tensor<2x3xf32>) {
  // expected-error@below {{flip_c1: axis must be in [-2, 2) for rank 2, got -3}}
  %0 = relax.flip %a {axis = -3 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @meshgrid_c1(%a: tensor<2xf32>, %b: tensor<2xf64>) {
  // expected-error@below {{meshgrid_c1: element types must be equal, got f32 and f64}}
  %0:2 = relax.meshgrid %a, %b : (tensor<2xf32>, tensor<2xf64>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @meshgrid_c2(%a: tensor<2x3xf32>) {
  // expected-error@below {{meshgrid_c2: tensors must have at most one dim, got [2, 3]}}
  %0 = relax.meshgrid %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @meshgrid_c3(%a: tensor<2xf32>) {
  // expected-error@below {{meshgrid_c3: indexing must be "ij" or "xy", got "yx"}}
  %0 = relax.meshgrid %a {indexing = "yx"} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @pad_c1(%a: tensor<2x3xf32>) {
  // expected-error@below {{pad_c1: pad_width must have 4 entries, none negative, got [1, 1]}}
  %0 = relax.nn.pad %a {pad_width = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @pad_c2(%a: tensor<2x3xf32>) {
  // expected-error@below {{pad_c2: pad_mode must be one of constant, reflect, replicate, circular, got edge}}
  %0 = relax.nn.pad %a {pad_width = array<i64: 0, 0, 1, 1>, pad_mode = "edge"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @pad_c3(%a: tensor<2x3xf32>) {
  // expected-error@below {{pad_c3: reflect padding by 3 needs a dim of at least 4, got 3}}
  %0 = relax.nn.pad %a {pad_width = array<i64: 0, 0, 3, 0>, pad_mode = "reflect"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
