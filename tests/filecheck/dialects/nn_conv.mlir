// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: func.func @conv1d(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.conv1d %[[A]], %[[B]] {padding = array<i64: 1, 2>} : (tensor<2x3x16xf32>, tensor<4x3x3xf32>) -> tensor<2x4x17xf32>
func.func @conv1d(%a: tensor<2x3x16xf32>, %b: tensor<4x3x3xf32>) -> (tensor<2x4x17xf32>) {
  %r = relax.nn.conv1d %a, %b {padding = array<i64: 1, 2>} : (tensor<2x3x16xf32>, tensor<4x3x3xf32>) -> tensor<2x4x17xf32>
  return %r : tensor<2x4x17xf32>
}

// CHECK-LABEL: func.func @conv2d(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.conv2d %[[A]], %[[B]] : (tensor<?x3x?x?xf32, #relax.sym<n, h, w>>, tensor<4x3x3x3xf32>) -> tensor<?x4x?x?xf32, #relax.sym<n, h - 2, w - 2>>
func.func @conv2d(%a: tensor<?x3x?x?xf32, #relax.sym<n, h, w>>, %b: tensor<4x3x3x3xf32>) -> (tensor<?x4x?x?xf32, #relax.sym<n, h - 2, w - 2>>) {
  %r = relax.nn.conv2d %a, %b : (tensor<?x3x?x?xf32, #relax.sym<n, h, w>>, tensor<4x3x3x3xf32>) -> tensor<?x4x?x?xf32, #relax.sym<n, h - 2, w - 2>>
  return %r : tensor<?x4x?x?xf32, #relax.sym<n, h - 2, w - 2>>
}

// CHECK-LABEL: func.func @conv2d_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.conv2d %[[A]], %[[B]] {strides = array<i64: 2>, padding = array<i64: 1, 1>, dilation = array<i64: 1, 2>} : (tensor<?x3x?x?xf32, #relax.sym<n, h, w>>, tensor<4x3x3x3xf32>) -> tensor<?x4x?x?xf32, #relax.sym<n, (h - 1) floordiv 2 + 1, (w - 3) floordiv 2 + 1>>
func.func @conv2d_2(%a: tensor<?x3x?x?xf32, #relax.sym<n, h, w>>, %b: tensor<4x3x3x3xf32>) -> (tensor<?x4x?x?xf32, #relax.sym<n, (h - 1) floordiv 2 + 1, (w - 3) floordiv 2 + 1>>) {
  %r = relax.nn.conv2d %a, %b {strides = array<i64: 2>, padding = array<i64: 1, 1>, dilation = array<i64: 1, 2>} : (tensor<?x3x?x?xf32, #relax.sym<n, h, w>>, tensor<4x3x3x3xf32>) -> tensor<?x4x?x?xf32, #relax.sym<n, (h - 1) floordiv 2 + 1, (w - 3) floordiv 2 + 1>>
  return %r : tensor<?x4x?x?xf32, #relax.sym<n, (h - 1) floordiv 2 + 1, (w - 3) floordiv 2 + 1>>
}

// CHECK-LABEL: func.func @conv2d_3(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.conv2d %[[A]], %[[B]] {padding = array<i64: 0, 1, 2, 3>, groups = 2 : i64, data_layout = "NHWC", kernel_layout = "HWIO", out_layout = "NCHW", out_dtype = i32} : (tensor<2x8x8x6xi8>, tensor<3x3x3x4xi8>) -> tensor<2x4x8x10xi32>
func.func @conv2d_3(%a: tensor<2x8x8x6xi8>, %b: tensor<3x3x3x4xi8>) -> (tensor<2x4x8x10xi32>) {
  %r = relax.nn.conv2d %a, %b {padding = array<i64: 0, 1, 2, 3>, groups = 2 : i64, data_layout = "NHWC", kernel_layout = "HWIO", out_layout = "NCHW", out_dtype = i32} : (tensor<2x8x8x6xi8>, tensor<3x3x3x4xi8>) -> tensor<2x4x8x10xi32>
  return %r : tensor<2x4x8x10xi32>
}

// CHECK-LABEL: func.func @conv3d(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.conv3d %[[A]], %[[B]] {data_layout = "NDHWC", out_dtype = f32} : (tensor<1x8x8x8x2xf16>, tensor<4x2x3x3x3xf16>) -> tensor<1x6x6x6x4xf32>
func.func @conv3d(%a: tensor<1x8x8x8x2xf16>, %b: tensor<4x2x3x3x3xf16>) -> (tensor<1x6x6x6x4xf32>) {
  %r = relax.nn.conv3d %a, %b {data_layout = "NDHWC", out_dtype = f32} : (tensor<1x8x8x8x2xf16>, tensor<4x2x3x3x3xf16>) -> tensor<1x6x6x6x4xf32>
  return %r : tensor<1x6x6x6x4xf32>
}

// CHECK-LABEL: func.func @conv1d_transpose(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.conv1d_transpose %[[A]], %[[B]] {strides = array<i64: 2>, padding = array<i64: 1>, output_padding = array<i64: 1>} : (tensor<2x3x?xf32, #relax.sym<w>>, tensor<3x4x3xf32>) -> tensor<2x4x?xf32, #relax.sym<2 * w>>
func.func @conv1d_transpose(%a: tensor<2x3x?xf32, #relax.sym<w>>, %b: tensor<3x4x3xf32>) -> (tensor<2x4x?xf32, #relax.sym<2 * w>>) {
  %r = relax.nn.conv1d_transpose %a, %b {strides = array<i64: 2>, padding = array<i64: 1>, output_padding = array<i64: 1>} : (tensor<2x3x?xf32, #relax.sym<w>>, tensor<3x4x3xf32>) -> tensor<2x4x?xf32, #relax.sym<2 * w>>
  return %r : tensor<2x4x?xf32, #relax.sym<2 * w>>
}

// CHECK-LABEL: func.func @conv2d_transpose(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.conv2d_transpose %[[A]], %[[B]] {strides = array<i64: 2, 3>, dilation = array<i64: 2>} : (tensor<?x3x?x?xf32, #relax.sym<n, h, w>>, tensor<3x4x2x2xf32>) -> tensor<?x4x?x?xf32, #relax.sym<n, 2 * h + 1, 3 * w>>
func.func @conv2d_transpose(%a: tensor<?x3x?x?xf32, #relax.sym<n, h, w>>, %b: tensor<3x4x2x2xf32>) -> (tensor<?x4x?x?xf32, #relax.sym<n, 2 * h + 1, 3 * w>>) {
  %r = relax.nn.conv2d_transpose %a, %b {strides = array<i64: 2, 3>, dilation = array<i64: 2>} : (tensor<?x3x?x?xf32, #relax.sym<n, h, w>>, tensor<3x4x2x2xf32>) -> tensor<?x4x?x?xf32, #relax.sym<n, 2 * h + 1, 3 * w>>
  return %r : tensor<?x4x?x?xf32, #relax.sym<n, 2 * h + 1, 3 * w>>
}

// CHECK-LABEL: func.func @conv2d_transpose_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.conv2d_transpose %[[A]], %[[B]] {groups = 2 : i64, data_layout = "NHWC", kernel_layout = "HWOI"} : (tensor<2x8x8x6xf32>, tensor<3x3x2x6xf32>) -> tensor<2x10x10x4xf32>
func.func @conv2d_transpose_2(%a: tensor<2x8x8x6xf32>, %b: tensor<3x3x2x6xf32>) -> (tensor<2x10x10x4xf32>) {
  %r = relax.nn.conv2d_transpose %a, %b {groups = 2 : i64, data_layout = "NHWC", kernel_layout = "HWOI"} : (tensor<2x8x8x6xf32>, tensor<3x3x2x6xf32>) -> tensor<2x10x10x4xf32>
  return %r : tensor<2x10x10x4xf32>
}

// CHECK-LABEL: func.func @conv3d_transpose(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.conv3d_transpose %[[A]], %[[B]] {strides = array<i64: 2>} : (tensor<1x2x4x4x4xf64>, tensor<2x3x3x3x3xf64>) -> tensor<1x3x9x9x9xf64>
func.func @conv3d_transpose(%a: tensor<1x2x4x4x4xf64>, %b: tensor<2x3x3x3x3xf64>) -> (tensor<1x3x9x9x9xf64>) {
  %r = relax.nn.conv3d_transpose %a, %b {strides = array<i64: 2>} : (tensor<1x2x4x4x4xf64>, tensor<2x3x3x3x3xf64>) -> tensor<1x3x9x9x9xf64>
  return %r : tensor<1x3x9x9x9xf64>
}

// CHECK-LABEL: func.func @conv2d_packed(
// CHECK:         relax.nn.conv2d %{{.*}}, %{{.*}} {data_layout = "NHWC", kernel_layout = "OHWI16o4i", out_dtype = i32} : (tensor<?x8x8x8xui8, #relax.sym<n>>, tensor<2x3x3x2x16x4xi8>) -> tensor<?x6x6x32xi32, #relax.sym<n>>
func.func @conv2d_packed(%a: tensor<?x8x8x8xui8, #relax.sym<n>>, %b: tensor<2x3x3x2x16x4xi8>) -> tensor<?x6x6x32xi32, #relax.sym<n>> {
  %r = relax.nn.conv2d %a, %b {data_layout = "NHWC", kernel_layout = "OHWI16o4i", out_dtype = i32} : (tensor<?x8x8x8xui8, #relax.sym<n>>, tensor<2x3x3x2x16x4xi8>) -> tensor<?x6x6x32xi32, #relax.sym<n>>
  return %r : tensor<?x6x6x32xi32, #relax.sym<n>>
}
