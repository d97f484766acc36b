// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: func.func @max_pool1d(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.max_pool1d %[[A]] {pool_size = array<i64: 3>, strides = array<i64: 2>, padding = array<i64: 1>} : (tensor<2x3x?xi8, #relax.sym<w>>) -> tensor<2x3x?xi8, #relax.sym<(w - 1) floordiv 2 + 1>>
func.func @max_pool1d(%a: tensor<2x3x?xi8, #relax.sym<w>>) -> (tensor<2x3x?xi8, #relax.sym<(w - 1) floordiv 2 + 1>>) {
  %r = relax.nn.max_pool1d %a {pool_size = array<i64: 3>, strides = array<i64: 2>, padding = array<i64: 1>} : (tensor<2x3x?xi8, #relax.sym<w>>) -> tensor<2x3x?xi8, #relax.sym<(w - 1) floordiv 2 + 1>>
  return %r : tensor<2x3x?xi8, #relax.sym<(w - 1) floordiv 2 + 1>>
}

// CHECK-LABEL: func.func @max_pool2d(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.max_pool2d %[[A]] : (tensor<?x3x?x?xf32, #relax.sym<n, h, w>>) -> tensor<?x3x?x?xf32, #relax.sym<n, h, w>>
func.func @max_pool2d(%a: tensor<?x3x?x?xf32, #relax.sym<n, h, w>>) -> (tensor<?x3x?x?xf32, #relax.sym<n, h, w>>) {
  %r = relax.nn.max_pool2d %a : (tensor<?x3x?x?xf32, #relax.sym<n, h, w>>) -> tensor<?x3x?x?xf32, #relax.sym<n, h, w>>
  return %r : tensor<?x3x?x?xf32, #relax.sym<n, h, w>>
}

// CHECK-LABEL: func.func @max_pool2d_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.max_pool2d %[[A]] {pool_size = array<i64: 3>, strides = array<i64: 2>, padding = array<i64: 1>} : (tensor<?x3x?x?xf32, #relax.sym<n, h, w>>) -> tensor<?x3x?x?xf32, #relax.sym<n, (h - 1) floordiv 2 + 1, (w - 1) floordiv 2 + 1>>
func.func @max_pool2d_2(%a: tensor<?x3x?x?xf32, #relax.sym<n, h, w>>) -> (tensor<?x3x?x?xf32, #relax.sym<n, (h - 1) floordiv 2 + 1, (w - 1) floordiv 2 + 1>>) {
  %r = relax.nn.max_pool2d %a {pool_size = array<i64: 3>, strides = array<i64: 2>, padding = array<i64: 1>} : (tensor<?x3x?x?xf32, #relax.sym<n, h, w>>) -> tensor<?x3x?x?xf32, #relax.sym<n, (h - 1) floordiv 2 + 1, (w - 1) floordiv 2 + 1>>
  return %r : tensor<?x3x?x?xf32, #relax.sym<n, (h - 1) floordiv 2 + 1, (w - 1) floordiv 2 + 1>>
}

// CHECK-LABEL: func.func @max_pool2d_3(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.max_pool2d %[[A]] {pool_size = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, ceil_mode = true} : (tensor<?x3x?x?xf32, #relax.sym<n, h, w>>) -> tensor<?x3x?x?xf32, #relax.sym<n, h floordiv 2 + 1, w floordiv 2 + 1>>
func.func @max_pool2d_3(%a: tensor<?x3x?x?xf32, #relax.sym<n, h, w>>) -> (tensor<?x3x?x?xf32, #relax.sym<n, min((h + 1) floordiv 2 + 1, h floordiv 2 + 1), min((w + 1) floordiv 2 + 1, w floordiv 2 + 1)>>) {
  %r = relax.nn.max_pool2d %a {pool_size = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, ceil_mode = true} : (tensor<?x3x?x?xf32, #relax.sym<n, h, w>>) -> tensor<?x3x?x?xf32, #relax.sym<n, min((h + 1) floordiv 2 + 1, h floordiv 2 + 1), min((w + 1) floordiv 2 + 1, w floordiv 2 + 1)>>
  return %r : tensor<?x3x?x?xf32, #relax.sym<n, min((h + 1) floordiv 2 + 1, h floordiv 2 + 1), min((w + 1) floordiv 2 + 1, w floordiv 2 + 1)>>
}

// CHECK-LABEL: func.func @max_pool3d(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.max_pool3d %[[A]] {pool_size = array<i64: 2>, layout = "NDHWC", out_layout = "NCDHW"} : (tensor<1x8x8x8x2xf32>) -> tensor<1x2x7x7x7xf32>
func.func @max_pool3d(%a: tensor<1x8x8x8x2xf32>) -> (tensor<1x2x7x7x7xf32>) {
  %r = relax.nn.max_pool3d %a {pool_size = array<i64: 2>, layout = "NDHWC", out_layout = "NCDHW"} : (tensor<1x8x8x8x2xf32>) -> tensor<1x2x7x7x7xf32>
  return %r : tensor<1x2x7x7x7xf32>
}

// CHECK-LABEL: func.func @avg_pool1d(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.avg_pool1d %[[A]] {pool_size = array<i64: 3>, strides = array<i64: 2>, padding = array<i64: 1>} : (tensor<2x3x9xf32>) -> tensor<2x3x5xf32>
func.func @avg_pool1d(%a: tensor<2x3x9xf32>) -> (tensor<2x3x5xf32>) {
  %r = relax.nn.avg_pool1d %a {pool_size = array<i64: 3>, strides = array<i64: 2>, padding = array<i64: 1>} : (tensor<2x3x9xf32>) -> tensor<2x3x5xf32>
  return %r : tensor<2x3x5xf32>
}

// CHECK-LABEL: func.func @avg_pool2d(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.avg_pool2d %[[A]] {pool_size = array<i64: 3>, padding = array<i64: 1>, dilation = array<i64: 2>, count_include_pad = true, layout = "NHWC"} : (tensor<2x9x9x3xf16>) -> tensor<2x7x7x3xf16>
func.func @avg_pool2d(%a: tensor<2x9x9x3xf16>) -> (tensor<2x7x7x3xf16>) {
  %r = relax.nn.avg_pool2d %a {pool_size = array<i64: 3>, padding = array<i64: 1>, dilation = array<i64: 2>, count_include_pad = true, layout = "NHWC"} : (tensor<2x9x9x3xf16>) -> tensor<2x7x7x3xf16>
  return %r : tensor<2x7x7x3xf16>
}

// CHECK-LABEL: func.func @avg_pool3d(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.avg_pool3d %[[A]] {pool_size = array<i64: 2>} : (tensor<1x2x4x4x4xui8>) -> tensor<1x2x3x3x3xui8>
func.func @avg_pool3d(%a: tensor<1x2x4x4x4xui8>) -> (tensor<1x2x3x3x3xui8>) {
  %r = relax.nn.avg_pool3d %a {pool_size = array<i64: 2>} : (tensor<1x2x4x4x4xui8>) -> tensor<1x2x3x3x3xui8>
  return %r : tensor<1x2x3x3x3xui8>
}

// CHECK-LABEL: func.func @adaptive_avg_pool1d(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.adaptive_avg_pool1d %[[A]] {output_size = array<i64: 4>} : (tensor<2x3x9xf32>) -> tensor<2x3x4xf32>
func.func @adaptive_avg_pool1d(%a: tensor<2x3x9xf32>) -> (tensor<2x3x4xf32>) {
  %r = relax.nn.adaptive_avg_pool1d %a {output_size = array<i64: 4>} : (tensor<2x3x9xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @adaptive_avg_pool2d(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.adaptive_avg_pool2d %[[A]] {output_size = array<i64: 1, 2>} : (tensor<?x3x?x?xf32, #relax.sym<n, h, w>>) -> tensor<?x3x1x2xf32, #relax.sym<n>>
func.func @adaptive_avg_pool2d(%a: tensor<?x3x?x?xf32, #relax.sym<n, h, w>>) -> (tensor<?x3x1x2xf32, #relax.sym<n>>) {
  %r = relax.nn.adaptive_avg_pool2d %a {output_size = array<i64: 1, 2>} : (tensor<?x3x?x?xf32, #relax.sym<n, h, w>>) -> tensor<?x3x1x2xf32, #relax.sym<n>>
  return %r : tensor<?x3x1x2xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @adaptive_avg_pool2d_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.adaptive_avg_pool2d %[[A]] : (tensor<?x3x?x?xf32, #relax.sym<n, h, w>>) -> tensor<?x3x?x?xf32, #relax.sym<n, h, w>>
func.func @adaptive_avg_pool2d_2(%a: tensor<?x3x?x?xf32, #relax.sym<n, h, w>>) -> (tensor<?x3x?x?xf32, #relax.sym<n, h, w>>) {
  %r = relax.nn.adaptive_avg_pool2d %a : (tensor<?x3x?x?xf32, #relax.sym<n, h, w>>) -> tensor<?x3x?x?xf32, #relax.sym<n, h, w>>
  return %r : tensor<?x3x?x?xf32, #relax.sym<n, h, w>>
}

// CHECK-LABEL: func.func @adaptive_avg_pool3d(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.adaptive_avg_pool3d %[[A]] {output_size = array<i64: 2>, layout = "NDHWC"} : (tensor<1x8x8x8x2xf32>) -> tensor<1x2x2x2x2xf32>
func.func @adaptive_avg_pool3d(%a: tensor<1x8x8x8x2xf32>) -> (tensor<1x2x2x2x2xf32>) {
  %r = relax.nn.adaptive_avg_pool3d %a {output_size = array<i64: 2>, layout = "NDHWC"} : (tensor<1x8x8x8x2xf32>) -> tensor<1x2x2x2x2xf32>
  return %r : tensor<1x2x2x2x2xf32>
}
