// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @conv2d_c1(%a: tensor<2x6x8x8xf32>, %b: tensor<4x6x3x3xf16>) {
  // expected-error@below {{conv2d_c1: element types must be equal, got f32 and f16}}
  %0 = relax.nn.conv2d %a, %b : (tensor<2x6x8x8xf32>, tensor<4x6x3x3xf16>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv2d_c1(%a: tensor<2x6x8x8xf32>, %b: tensor<4x6x3x3xf32>) {
  // expected-error@below {{conv2d_c1: out_dtype must be floating-point for operands of f32, got i32}}
  %0 = relax.nn.conv2d %a, %b {out_dtype = i32} : (tensor<2x6x8x8xf32>, tensor<4x6x3x3xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv2d_c2(%a: tensor<2x6x8x8xf32>, %b: tensor<4x6x3x3xf32>) {
  // expected-error@below {{conv2d_c2: data_layout must be a permutation of NCHW, got 'NCHW4c'}}
  %0 = relax.nn.conv2d %a, %b {data_layout = "NCHW4c"} : (tensor<2x6x8x8xf32>, tensor<4x6x3x3xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv2d_c2(%a: tensor<2x6x8x8xf32>, %b: tensor<4x6x3x3x16xf32>) {
  // expected-error@below {{conv2d_c2: kernel_layout must be a permutation of OIHW, got 'OIW'}}
  %0 = relax.nn.conv2d %a, %b {kernel_layout = "OIW16o"} : (tensor<2x6x8x8xf32>, tensor<4x6x3x3x16xf32>) -> tensor<2x64x6x6xf32>
  return
}

// -----

func.func @conv2d_c2(%a: tensor<2x6x8x8xf32>, %b: tensor<4x6x3x3x16xf32>) {
  // expected-error@below {{conv2d_c2: kernel_layout must be a permutation of OIHW, got 'OIHW4i4o'}}
  %0 = relax.nn.conv2d %a, %b {kernel_layout = "OIHW4i4o"} : (tensor<2x6x8x8xf32>, tensor<4x6x3x3x16xf32>) -> tensor<2x64x6x6xf32>
  return
}

// -----

func.func @conv2d_c4(%a: tensor<2x6x8x8xf32>, %b: tensor<4x6x3x3xf32>) {
  // expected-error@below {{conv2d_c4: kernel must have rank 5, got [4, 6, 3, 3]}}
  %0 = relax.nn.conv2d %a, %b {kernel_layout = "OIHW16o"} : (tensor<2x6x8x8xf32>, tensor<4x6x3x3xf32>) -> tensor<2x64x6x6xf32>
  return
}

// -----

func.func @conv2d_c4(%a: tensor<2x6x8x8xf32>, %b: tensor<4x6x3x3x8xf32>) {
  // expected-error@below {{conv2d_c4: the last dim of the kernel must be its block of 16, got 8}}
  %0 = relax.nn.conv2d %a, %b {kernel_layout = "OIHW16o"} : (tensor<2x6x8x8xf32>, tensor<4x6x3x3x8xf32>) -> tensor<2x64x6x6xf32>
  return
}

// -----

func.func @conv2d_c4(%a: tensor<2x8x8x8xf32>, %b: tensor<4x2x3x3x16xf32>) {
  // expected-error@below {{conv2d_c4: kernel must have rank 6, got [4, 2, 3, 3, 16]}}
  %0 = relax.nn.conv2d %a, %b {kernel_layout = "OIHW16o4i"} : (tensor<2x8x8x8xf32>, tensor<4x2x3x3x16xf32>) -> tensor<2x64x6x6xf32>
  return
}

// -----

func.func @conv2d_c4(%a: tensor<2x8x8x8xf32>, %b: tensor<4x2x3x3x16x3xf32>) {
  // expected-error@below {{conv2d_c4: the last dims of the kernel must be 16 and 4, got 16 and 3}}
  %0 = relax.nn.conv2d %a, %b {kernel_layout = "OIHW16o4i"} : (tensor<2x8x8x8xf32>, tensor<4x2x3x3x16x3xf32>) -> tensor<2x64x6x6xf32>
  return
}

// -----

func.func @conv2d_c4(%a: tensor<2x8x8x8xf32>, %b: tensor<4x2x3x3x4x16xf32>) {
  // expected-error@below {{conv2d_c4: the last dims of the kernel must be 16 and 4, got 4 and 16}}
  %0 = relax.nn.conv2d %a, %b {kernel_layout = "OIHW16o4i"} : (tensor<2x8x8x8xf32>, tensor<4x2x3x3x4x16xf32>) -> tensor<2x64x6x6xf32>
  return
}

// -----

func.func @conv2d_c5(%a: tensor<2x8x8x8xf32>, %b: tensor<4x3x3x3x16x4xf32>) {
  // expected-error@below {{conv2d_c5: data must have 12 channels (groups * kernel's), got 8}}
  %0 = relax.nn.conv2d %a, %b {kernel_layout = "OIHW16o4i"} : (tensor<2x8x8x8xf32>, tensor<4x3x3x3x16x4xf32>) -> tensor<2x64x6x6xf32>
  return
}

// -----

func.func @conv2d_c6(%a: tensor<2x6x8x8xf32>, %b: tensor<3x3x3x3x16x2xf32>) {
  // expected-error@below {{conv2d_c6: groups must divide the 3 blocks of output channels, got 2}}
  %0 = relax.nn.conv2d %a, %b {kernel_layout = "OHWI16o2i", groups = 2 : i64} : (tensor<2x6x8x8xf32>, tensor<3x3x3x3x16x2xf32>) -> tensor<2x64x6x6xf32>
  return
}

// -----

func.func @conv2d_c2(%a: tensor<2x8x8x8xf32>, %b: tensor<4x2x3x3x16x4xf32>) {
  // expected-error@below {{conv2d_c2: kernel_layout must be a permutation of OIHW, got 'OIHW16o0i'}}
  %0 = relax.nn.conv2d %a, %b {kernel_layout = "OIHW16o0i"} : (tensor<2x8x8x8xf32>, tensor<4x2x3x3x16x4xf32>) -> tensor<2x64x6x6xf32>
  return
}

// -----

func.func @conv2d_c2(%a: tensor<2x8x8x8xf32>, %b: tensor<4x2x3x3x4x16xf32>) {
  // expected-error@below {{conv2d_c2: kernel_layout must be a permutation of OIHW, got 'OIHW4i16o'}}
  %0 = relax.nn.conv2d %a, %b {kernel_layout = "OIHW4i16o"} : (tensor<2x8x8x8xf32>, tensor<4x2x3x3x4x16xf32>) -> tensor<2x64x6x6xf32>
  return
}

// -----

func.func @conv2d_c6(%a: tensor<2x6x8x8xf32>, %b: tensor<3x3x3x3x16xf32>) {
  // expected-error@below {{conv2d_c6: groups must divide the 3 blocks of output channels, got 2}}
  %0 = relax.nn.conv2d %a, %b {kernel_layout = "OIHW16o", groups = 2 : i64} : (tensor<2x6x8x8xf32>, tensor<3x3x3x3x16xf32>) -> tensor<2x48x6x6xf32>
  return
}

// -----

func.func @conv2d_c2(%a: tensor<2x6x8x8xf32>, %b: tensor<4x6x3x3xf32>) {
  // expected-error@below {{conv2d_c2: kernel_layout must be a permutation of OIHW, got 'OIW'}}
  %0 = relax.nn.conv2d %a, %b {kernel_layout = "OIW"} : (tensor<2x6x8x8xf32>, tensor<4x6x3x3xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv2d_c2(%a: tensor<2x6x8x8xf32>, %b: tensor<4x6x3x3xf32>) {
  // expected-error@below {{conv2d_c2: out_layout must be a permutation of NCHW, got 'NHWN'}}
  %0 = relax.nn.conv2d %a, %b {out_layout = "NHWN"} : (tensor<2x6x8x8xf32>, tensor<4x6x3x3xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv2d_c3(%a: tensor<2x6x8x8xf32>, %b: tensor<4x6x3x3xf32>) {
  // expected-error@below {{conv2d_c3: strides must have 1 or 2 values, got 3}}
  %0 = relax.nn.conv2d %a, %b {strides = array<i64: 1, 1, 1>} : (tensor<2x6x8x8xf32>, tensor<4x6x3x3xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv2d_c3(%a: tensor<2x6x8x8xf32>, %b: tensor<4x6x3x3xf32>) {
  // expected-error@below {{conv2d_c3: dilation must be at least 1, got [0]}}
  %0 = relax.nn.conv2d %a, %b {dilation = array<i64: 0>} : (tensor<2x6x8x8xf32>, tensor<4x6x3x3xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv2d_c3(%a: tensor<2x6x8x8xf32>, %b: tensor<4x6x3x3xf32>) {
  // expected-error@below {{conv2d_c3: padding must have 1 or 2 or 4 values, got 3}}
  %0 = relax.nn.conv2d %a, %b {padding = array<i64: 1, 1, 1>} : (tensor<2x6x8x8xf32>, tensor<4x6x3x3xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv2d_c3(%a: tensor<2x6x8x8xf32>, %b: tensor<4x6x3x3xf32>) {
  // expected-error@below {{conv2d_c3: padding must not be negative, got [-1]}}
  %0 = relax.nn.conv2d %a, %b {padding = array<i64: -1>} : (tensor<2x6x8x8xf32>, tensor<4x6x3x3xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv2d_c4(%a: tensor<2x6x8xf32>, %b: tensor<4x6x3x3xf32>) {
  // expected-error@below {{conv2d_c4: data must have rank 4, got [2, 6, 8]}}
  %0 = relax.nn.conv2d %a, %b : (tensor<2x6x8xf32>, tensor<4x6x3x3xf32>) -> tensor<2x6x8xf32>
  return
}

// -----

func.func @conv2d_c4(%a: tensor<2x6x8x8xf32>, %b: tensor<4x6x3xf32>) {
  // expected-error@below {{conv2d_c4: kernel must have rank 4, got [4, 6, 3]}}
  %0 = relax.nn.conv2d %a, %b : (tensor<2x6x8x8xf32>, tensor<4x6x3xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv2d_c6(%a: tensor<2x6x8x8xf32>, %b: tensor<4x6x3x3xf32>) {
  // expected-error@below {{conv2d_c6: groups must be positive, got 0}}
  %0 = relax.nn.conv2d %a, %b {groups = 0 : i64} : (tensor<2x6x8x8xf32>, tensor<4x6x3x3xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv2d_c5(%a: tensor<2x6x8x8xf32>, %b: tensor<4x6x3x3xf32>) {
  // expected-error@below {{conv2d_c5: data must have 12 channels (groups * kernel's), got 6}}
  %0 = relax.nn.conv2d %a, %b {groups = 2 : i64} : (tensor<2x6x8x8xf32>, tensor<4x6x3x3xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv2d_c6(%a: tensor<2x6x8x8xf32>, %b: tensor<4x2x3x3xf32>) {
  // expected-error@below {{conv2d_c6: groups must divide the 4 output channels, got 3}}
  %0 = relax.nn.conv2d %a, %b {groups = 3 : i64} : (tensor<2x6x8x8xf32>, tensor<4x2x3x3xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv2d_c7(%a: tensor<2x6x8x8xf32>, %b: tensor<4x6x3x3xf32>) {
  // expected-error@below {{conv2d_c7: a window of 9 does not fit into the padded size 8}}
  %0 = relax.nn.conv2d %a, %b {dilation = array<i64: 4>} : (tensor<2x6x8x8xf32>, tensor<4x6x3x3xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv1d_c4(%a: tensor<2x6x8x8xf32>, %b: tensor<4x6x3xf32>) {
  // expected-error@below {{conv1d_c4: data must have rank 3, got [2, 6, 8, 8]}}
  %0 = relax.nn.conv1d %a, %b : (tensor<2x6x8x8xf32>, tensor<4x6x3xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv3d_c3(%a: tensor<1x2x4x4x4xf32>, %b: tensor<2x2x3x3x3xf32>) {
  // expected-error@below {{conv3d_c3: padding must have 1 or 3 or 6 values, got 2}}
  %0 = relax.nn.conv3d %a, %b {padding = array<i64: 1, 1>} : (tensor<1x2x4x4x4xf32>, tensor<2x2x3x3x3xf32>) -> tensor<1x2x4x4x4xf32>
  return
}

// -----

func.func @conv2d_transpose_c1(%a: tensor<2x6x8x8xf32>, %b: tensor<6x4x3x3xf16>) {
  // expected-error@below {{conv2d_transpose_c1: element types must be equal, got f32 and f16}}
  %0 = relax.nn.conv2d_transpose %a, %b : (tensor<2x6x8x8xf32>, tensor<6x4x3x3xf16>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv2d_transpose_c1(%a: tensor<2x6x8x8xf32>, %b: tensor<6x4x3x3xf32>) {
  // expected-error@below {{conv2d_transpose_c1: out_dtype must be floating-point for operands of f32, got i32}}
  %0 = relax.nn.conv2d_transpose %a, %b {out_dtype = i32} : (tensor<2x6x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv2d_transpose_c2(%a: tensor<2x6x8x8xf32>, %b: tensor<6x4x3x3xf32>) {
  // expected-error@below {{conv2d_transpose_c2: data_layout must be a permutation of NCHW, got 'NCHW4c'}}
  %0 = relax.nn.conv2d_transpose %a, %b {data_layout = "NCHW4c"} : (tensor<2x6x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv2d_transpose_c2(%a: tensor<2x6x8x8xf32>, %b: tensor<6x4x3x3xf32>) {
  // expected-error@below {{conv2d_transpose_c2: kernel_layout must be a permutation of IOHW, got 'IOW'}}
  %0 = relax.nn.conv2d_transpose %a, %b {kernel_layout = "IOW"} : (tensor<2x6x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv2d_transpose_c2(%a: tensor<2x6x8x8xf32>, %b: tensor<6x4x3x3xf32>) {
  // expected-error@below {{conv2d_transpose_c2: out_layout must be a permutation of NCHW, got 'NHWN'}}
  %0 = relax.nn.conv2d_transpose %a, %b {out_layout = "NHWN"} : (tensor<2x6x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv2d_transpose_c3(%a: tensor<2x6x8x8xf32>, %b: tensor<6x4x3x3xf32>) {
  // expected-error@below {{conv2d_transpose_c3: strides must have 1 or 2 values, got 3}}
  %0 = relax.nn.conv2d_transpose %a, %b {strides = array<i64: 1, 1, 1>} : (tensor<2x6x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv2d_transpose_c3(%a: tensor<2x6x8x8xf32>, %b: tensor<6x4x3x3xf32>) {
  // expected-error@below {{conv2d_transpose_c3: dilation must be at least 1, got [0]}}
  %0 = relax.nn.conv2d_transpose %a, %b {dilation = array<i64: 0>} : (tensor<2x6x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv2d_transpose_c3(%a: tensor<2x6x8x8xf32>, %b: tensor<6x4x3x3xf32>) {
  // expected-error@below {{conv2d_transpose_c3: padding must have 1 or 2 or 4 values, got 3}}
  %0 = relax.nn.conv2d_transpose %a, %b {padding = array<i64: 1, 1, 1>} : (tensor<2x6x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv2d_transpose_c3(%a: tensor<2x6x8x8xf32>, %b: tensor<6x4x3x3xf32>) {
  // expected-error@below {{conv2d_transpose_c3: padding must not be negative, got [-1]}}
  %0 = relax.nn.conv2d_transpose %a, %b {padding = array<i64: -1>} : (tensor<2x6x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv2d_transpose_c4(%a: tensor<2x6x8xf32>, %b: tensor<6x4x3x3xf32>) {
  // expected-error@below {{conv2d_transpose_c4: data must have rank 4, got [2, 6, 8]}}
  %0 = relax.nn.conv2d_transpose %a, %b : (tensor<2x6x8xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x8xf32>
  return
}

// -----

func.func @conv2d_transpose_c4(%a: tensor<2x6x8x8xf32>, %b: tensor<4x6x3xf32>) {
  // expected-error@below {{conv2d_transpose_c4: kernel must have rank 4, got [4, 6, 3]}}
  %0 = relax.nn.conv2d_transpose %a, %b : (tensor<2x6x8x8xf32>, tensor<4x6x3xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv2d_transpose_c6(%a: tensor<2x6x8x8xf32>, %b: tensor<6x4x3x3xf32>) {
  // expected-error@below {{conv2d_transpose_c6: groups must be positive, got 0}}
  %0 = relax.nn.conv2d_transpose %a, %b {groups = 0 : i64} : (tensor<2x6x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv2d_transpose_c5(%a: tensor<2x6x8x8xf32>, %b: tensor<4x6x3x3xf32>) {
  // expected-error@below {{conv2d_transpose_c5: data must have the kernel's 4 input channels, got 6}}
  %0 = relax.nn.conv2d_transpose %a, %b : (tensor<2x6x8x8xf32>, tensor<4x6x3x3xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv2d_transpose_c6(%a: tensor<2x6x8x8xf32>, %b: tensor<6x4x3x3xf32>) {
  // expected-error@below {{conv2d_transpose_c6: groups must divide the 6 input channels, got 4}}
  %0 = relax.nn.conv2d_transpose %a, %b {groups = 4 : i64} : (tensor<2x6x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv2d_transpose_c7(%a: tensor<2x6x8x8xf32>, %b: tensor<6x4x3x3xf32>) {
  // expected-error@below {{conv2d_transpose_c7: output_padding must be less than 1, the larger of stride and dilation, got 1}}
  %0 = relax.nn.conv2d_transpose %a, %b {output_padding = array<i64: 1>} : (tensor<2x6x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv2d_transpose_c7(%a: tensor<2x6x8x8xf32>, %b: tensor<6x4x3x3xf32>) {
  // expected-error@below {{conv2d_transpose_c7: output_padding must be at least 0, got [-1]}}
  %0 = relax.nn.conv2d_transpose %a, %b {output_padding = array<i64: -1>} : (tensor<2x6x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv2d_transpose_c8(%a: tensor<2x6x8x8xf32>, %b: tensor<6x4x3x3xf32>) {
  // expected-error@below {{conv2d_transpose_c8: the result must have no negative size, got -2}}
  %0 = relax.nn.conv2d_transpose %a, %b {padding = array<i64: 6>} : (tensor<2x6x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x8x8xf32>
  return
}

// -----

func.func @conv1d_transpose_c2(%a: tensor<2x3x8xf32>, %b: tensor<3x4x3xf32>) {
  // expected-error@below {{conv1d_transpose_c2: kernel_layout must be a permutation of IOW, got 'IOHW'}}
  %0 = relax.nn.conv1d_transpose %a, %b {kernel_layout = "IOHW"} : (tensor<2x3x8xf32>, tensor<3x4x3xf32>) -> tensor<2x3x8xf32>
  return
}

// -----

func.func @conv3d_transpose_c3(%a: tensor<1x2x4x4x4xf32>, %b: tensor<2x2x3x3x3xf32>) {
  // expected-error@below {{conv3d_transpose_c3: strides must have 1 or 3 values, got 2}}
  %0 = relax.nn.conv3d_transpose %a, %b {strides = array<i64: 2, 2>} : (tensor<1x2x4x4x4xf32>, tensor<2x2x3x3x3xf32>) -> tensor<1x2x4x4x4xf32>
  return
}
