// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @conv1d_c1(%a: tensor<2x6x8xf32>, %b: tensor<4x6x3xf16>) {
  // expected-error@below {{conv1d_c1: element types must be equal, got f32 and f16}}
  %0 = relax.nn.conv1d %a, %b : (tensor<2x6x8xf32>, tensor<4x6x3xf16>) -> tensor<2x6x8xf32>
  return
}

// -----

func.func @conv1d_c2(%a: tensor<2x6x8xf32>, %b: tensor<4x6x3xf32>) {
  // expected-error@below {{conv1d_c2: data_layout must be a permutation of NCW, got 'NC'}}
  %0 = relax.nn.conv1d %a, %b {data_layout = "NC"} : (tensor<2x6x8xf32>, tensor<4x6x3xf32>) -> tensor<2x6x8xf32>
  return
}

// -----

func.func @conv1d_c3(%a: tensor<2x6x8xf32>, %b: tensor<4x6x3xf32>) {
  // expected-error@below {{conv1d_c3: strides must be at least 1, got [0]}}
  %0 = relax.nn.conv1d %a, %b {strides = array<i64: 0>} : (tensor<2x6x8xf32>, tensor<4x6x3xf32>) -> tensor<2x6x8xf32>
  return
}

// -----

func.func @conv1d_c4(%a: tensor<2x6x8xf32>, %b: tensor<4x6xf32>) {
  // expected-error@below {{conv1d_c4: kernel must have rank 3, got [4, 6]}}
  %0 = relax.nn.conv1d %a, %b : (tensor<2x6x8xf32>, tensor<4x6xf32>) -> tensor<2x6x8xf32>
  return
}

// -----

func.func @conv1d_transpose_c1(%a: tensor<2x6x8xf32>, %b: tensor<6x4x3xf16>) {
  // expected-error@below {{conv1d_transpose_c1: element types must be equal, got f32 and f16}}
  %0 = relax.nn.conv1d_transpose %a, %b : (tensor<2x6x8xf32>, tensor<6x4x3xf16>) -> tensor<2x6x8xf32>
  return
}

// -----

func.func @conv1d_transpose_c2(%a: tensor<2x6x8xf32>, %b: tensor<6x4x3xf32>) {
  // expected-error@below {{conv1d_transpose_c2: data_layout must be a permutation of NCW, got 'NC'}}
  %0 = relax.nn.conv1d_transpose %a, %b {data_layout = "NC"} : (tensor<2x6x8xf32>, tensor<6x4x3xf32>) -> tensor<2x6x8xf32>
  return
}

// -----

func.func @conv1d_transpose_c3(%a: tensor<2x6x8xf32>, %b: tensor<6x4x3xf32>) {
  // expected-error@below {{conv1d_transpose_c3: strides must be at least 1, got [0]}}
  %0 = relax.nn.conv1d_transpose %a, %b {strides = array<i64: 0>} : (tensor<2x6x8xf32>, tensor<6x4x3xf32>) -> tensor<2x6x8xf32>
  return
}

// -----

func.func @conv1d_transpose_c4(%a: tensor<2x6x8xf32>, %b: tensor<4x6xf32>) {
  // expected-error@below {{conv1d_transpose_c4: kernel must have rank 3, got [4, 6]}}
  %0 = relax.nn.conv1d_transpose %a, %b : (tensor<2x6x8xf32>, tensor<4x6xf32>) -> tensor<2x6x8xf32>
  return
}

// -----

func.func @conv1d_c5(%a: tensor<2x6x8xf32>, %b: tensor<4x6x3xf32>) {
  // expected-error@below {{conv1d_c5: data must have 12 channels (groups * kernel's), got 6}}
  %0 = relax.nn.conv1d %a, %b {groups = 2 : i64} : (tensor<2x6x8xf32>, tensor<4x6x3xf32>) -> tensor<2x6x8xf32>
  return
}

// -----

func.func @conv1d_c6(%a: tensor<2x6x8xf32>, %b: tensor<4x2x3xf32>) {
  // expected-error@below {{conv1d_c6: groups must divide the 4 output channels, got 3}}
  %0 = relax.nn.conv1d %a, %b {groups = 3 : i64} : (tensor<2x6x8xf32>, tensor<4x2x3xf32>) -> tensor<2x6x8xf32>
  return
}

// -----

func.func @conv1d_c7(%a: tensor<2x6x8xf32>, %b: tensor<4x6x3xf32>) {
  // expected-error@below {{conv1d_c7: a window of 9 does not fit into the padded size 8}}
  %0 = relax.nn.conv1d %a, %b {dilation = array<i64: 4>} : (tensor<2x6x8xf32>, tensor<4x6x3xf32>) -> tensor<2x6x8xf32>
  return
}

// -----

func.func @conv1d_transpose_c5(%a: tensor<2x6x8xf32>, %b: tensor<4x6x3xf32>) {
  // expected-error@below {{conv1d_transpose_c5: data must have the kernel's 4 input channels, got 6}}
  %0 = relax.nn.conv1d_transpose %a, %b : (tensor<2x6x8xf32>, tensor<4x6x3xf32>) -> tensor<2x6x8xf32>
  return
}

// -----

func.func @conv1d_transpose_c6(%a: tensor<2x6x8xf32>, %b: tensor<6x4x3xf32>) {
  // expected-error@below {{conv1d_transpose_c6: groups must divide the 6 input channels, got 4}}
  %0 = relax.nn.conv1d_transpose %a, %b {groups = 4 : i64} : (tensor<2x6x8xf32>, tensor<6x4x3xf32>) -> tensor<2x6x8xf32>
  return
}

// -----

func.func @conv1d_transpose_c7(%a: tensor<2x6x8xf32>, %b: tensor<6x4x3xf32>) {
  // expected-error@below {{conv1d_transpose_c7: output_padding must be less than 1, the larger of stride and dilation, got 1}}
  %0 = relax.nn.conv1d_transpose %a, %b {output_padding = array<i64: 1>} : (tensor<2x6x8xf32>, tensor<6x4x3xf32>) -> tensor<2x6x8xf32>
  return
}

// -----

func.func @conv1d_transpose_c8(%a: tensor<2x6x8xf32>, %b: tensor<6x4x3xf32>) {
  // expected-error@below {{conv1d_transpose_c8: the result must have no negative size, got -2}}
  %0 = relax.nn.conv1d_transpose %a, %b {padding = array<i64: 6>} : (tensor<2x6x8xf32>, tensor<6x4x3xf32>) -> tensor<2x6x8xf32>
  return
}

// -----

func.func @conv3d_c1(%a: tensor<2x6x8x8x8xf32>, %b: tensor<4x6x3x3x3xf16>) {
  // expected-error@below {{conv3d_c1: element types must be equal, got f32 and f16}}
  %0 = relax.nn.conv3d %a, %b : (tensor<2x6x8x8x8xf32>, tensor<4x6x3x3x3xf16>) -> tensor<2x6x8x8x8xf32>
  return
}

// -----

func.func @conv3d_c2(%a: tensor<2x6x8x8x8xf32>, %b: tensor<4x6x3x3x3xf32>) {
  // expected-error@below {{conv3d_c2: data_layout must be a permutation of NCDHW, got 'NC'}}
  %0 = relax.nn.conv3d %a, %b {data_layout = "NC"} : (tensor<2x6x8x8x8xf32>, tensor<4x6x3x3x3xf32>) -> tensor<2x6x8x8x8xf32>
  return
}

// -----

func.func @conv3d_c3(%a: tensor<2x6x8x8x8xf32>, %b: tensor<4x6x3x3x3xf32>) {
  // expected-error@below {{conv3d_c3: strides must be at least 1, got [0]}}
  %0 = relax.nn.conv3d %a, %b {strides = array<i64: 0>} : (tensor<2x6x8x8x8xf32>, tensor<4x6x3x3x3xf32>) -> tensor<2x6x8x8x8xf32>
  return
}

// -----

func.func @conv3d_c4(%a: tensor<2x6x8x8x8xf32>, %b: tensor<4x6xf32>) {
  // expected-error@below {{conv3d_c4: kernel must have rank 5, got [4, 6]}}
  %0 = relax.nn.conv3d %a, %b : (tensor<2x6x8x8x8xf32>, tensor<4x6xf32>) -> tensor<2x6x8x8x8xf32>
  return
}

// -----

func.func @conv3d_transpose_c1(%a: tensor<2x6x8x8x8xf32>, %b: tensor<6x4x3x3x3xf16>) {
  // expected-error@below {{conv3d_transpose_c1: element types must be equal, got f32 and f16}}
  %0 = relax.nn.conv3d_transpose %a, %b : (tensor<2x6x8x8x8xf32>, tensor<6x4x3x3x3xf16>) -> tensor<2x6x8x8x8xf32>
  return
}

// -----

func.func @conv3d_transpose_c2(%a: tensor<2x6x8x8x8xf32>, %b: tensor<6x4x3x3x3xf32>) {
  // expected-error@below {{conv3d_transpose_c2: data_layout must be a permutation of NCDHW, got 'NC'}}
  %0 = relax.nn.conv3d_transpose %a, %b {data_layout = "NC"} : (tensor<2x6x8x8x8xf32>, tensor<6x4x3x3x3xf32>) -> tensor<2x6x8x8x8xf32>
  return
}

// -----

func.func @conv3d_transpose_c3(%a: tensor<2x6x8x8x8xf32>, %b: tensor<6x4x3x3x3xf32>) {
  // expected-error@below {{conv3d_transpose_c3: strides must be at least 1, got [0]}}
  %0 = relax.nn.conv3d_transpose %a, %b {strides = array<i64: 0>} : (tensor<2x6x8x8x8xf32>, tensor<6x4x3x3x3xf32>) -> tensor<2x6x8x8x8xf32>
  return
}

// -----

func.func @conv3d_transpose_c4(%a: tensor<2x6x8x8x8xf32>, %b: tensor<4x6xf32>) {
  // expected-error@below {{conv3d_transpose_c4: kernel must have rank 5, got [4, 6]}}
  %0 = relax.nn.conv3d_transpose %a, %b : (tensor<2x6x8x8x8xf32>, tensor<4x6xf32>) -> tensor<2x6x8x8x8xf32>
  return
}

// -----

func.func @conv3d_c5(%a: tensor<2x6x8x8x8xf32>, %b: tensor<4x6x3x3x3xf32>) {
  // expected-error@below {{conv3d_c5: data must have 12 channels (groups * kernel's), got 6}}
  %0 = relax.nn.conv3d %a, %b {groups = 2 : i64} : (tensor<2x6x8x8x8xf32>, tensor<4x6x3x3x3xf32>) -> tensor<2x6x8x8x8xf32>
  return
}

// -----

func.func @conv3d_c6(%a: tensor<2x6x8x8x8xf32>, %b: tensor<4x2x3x3x3xf32>) {
  // expected-error@below {{conv3d_c6: groups must divide the 4 output channels, got 3}}
  %0 = relax.nn.conv3d %a, %b {groups = 3 : i64} : (tensor<2x6x8x8x8xf32>, tensor<4x2x3x3x3xf32>) -> tensor<2x6x8x8x8xf32>
  return
}

// -----

func.func @conv3d_c7(%a: tensor<2x6x8x8x8xf32>, %b: tensor<4x6x3x3x3xf32>) {
  // expected-error@below {{conv3d_c7: a window of 9 does not fit into the padded size 8}}
  %0 = relax.nn.conv3d %a, %b {dilation = array<i64: 4>} : (tensor<2x6x8x8x8xf32>, tensor<4x6x3x3x3xf32>) -> tensor<2x6x8x8x8xf32>
  return
}

// -----

func.func @conv3d_transpose_c5(%a: tensor<2x6x8x8x8xf32>, %b: tensor<4x6x3x3x3xf32>) {
  // expected-error@below {{conv3d_transpose_c5: data must have the kernel's 4 input channels, got 6}}
  %0 = relax.nn.conv3d_transpose %a, %b : (tensor<2x6x8x8x8xf32>, tensor<4x6x3x3x3xf32>) -> tensor<2x6x8x8x8xf32>
  return
}

// -----

func.func @conv3d_transpose_c6(%a: tensor<2x6x8x8x8xf32>, %b: tensor<6x4x3x3x3xf32>) {
  // expected-error@below {{conv3d_transpose_c6: groups must divide the 6 input channels, got 4}}
  %0 = relax.nn.conv3d_transpose %a, %b {groups = 4 : i64} : (tensor<2x6x8x8x8xf32>, tensor<6x4x3x3x3xf32>) -> tensor<2x6x8x8x8xf32>
  return
}

// -----

func.func @conv3d_transpose_c7(%a: tensor<2x6x8x8x8xf32>, %b: tensor<6x4x3x3x3xf32>) {
  // expected-error@below {{conv3d_transpose_c7: output_padding must be less than 1, the larger of stride and dilation, got 1}}
  %0 = relax.nn.conv3d_transpose %a, %b {output_padding = array<i64: 1>} : (tensor<2x6x8x8x8xf32>, tensor<6x4x3x3x3xf32>) -> tensor<2x6x8x8x8xf32>
  return
}

// -----

func.func @conv3d_transpose_c8(%a: tensor<2x6x8x8x8xf32>, %b: tensor<6x4x3x3x3xf32>) {
  // expected-error@below {{conv3d_transpose_c8: the result must have no negative size, got -2}}
  %0 = relax.nn.conv3d_transpose %a, %b {padding = array<i64: 6>} : (tensor<2x6x8x8x8xf32>, tensor<6x4x3x3x3xf32>) -> tensor<2x6x8x8x8xf32>
  return
}
