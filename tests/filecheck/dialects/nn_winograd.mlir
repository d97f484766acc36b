// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: func.func @winograd_conv2d(
// CHECK: relax.nn.winograd_conv2d %x, %k {padding = array<i64: 1, 2, 3, 4>} : (tensor<2x3x8x9xf32>, tensor<4x4x3x5xf32>) -> tensor<2x5x10x13xf32>
func.func @winograd_conv2d(%x: tensor<2x3x8x9xf32>, %k: tensor<4x4x3x5xf32>) -> tensor<2x5x10x13xf32> {
  %0 = relax.nn.winograd_conv2d %x, %k {padding = array<i64: 1, 2, 3, 4>} : (tensor<2x3x8x9xf32>, tensor<4x4x3x5xf32>) -> tensor<2x5x10x13xf32>
  return %0 : tensor<2x5x10x13xf32>
}

// Tiles of 4x4 results have kernels of 6x6 products.
// CHECK-LABEL: func.func @tiles_of_4x4(
// CHECK: relax.nn.winograd_conv2d %x, %k {padding = array<i64: 1, 2, 3, 4>} : (tensor<2x3x8x9xf32>, tensor<6x6x3x5xf32>) -> tensor<2x5x10x13xf32>
func.func @tiles_of_4x4(%x: tensor<2x3x8x9xf32>, %k: tensor<6x6x3x5xf32>) -> tensor<2x5x10x13xf32> {
  %0 = relax.nn.winograd_conv2d %x, %k {padding = array<i64: 1, 2, 3, 4>} : (tensor<2x3x8x9xf32>, tensor<6x6x3x5xf32>) -> tensor<2x5x10x13xf32>
  return %0 : tensor<2x5x10x13xf32>
}

// CHECK-LABEL: func.func @symbolic(
// CHECK: relax.nn.winograd_conv2d %x, %k {padding = array<i64: 1, 0, 1, 0>}
// CHECK-SAME: -> tensor<?x?x?x?xf32, #relax.sym<n, o, h, w - 2>>
func.func @symbolic(%x: tensor<?x?x?x?xf32, #relax.sym<n, c, h, w>>, %k: tensor<4x4x?x?xf32, #relax.sym<c, o>>) -> tensor<?x?x?x?xf32, #relax.sym<n, o, h, w - 2>> {
  %0 = relax.nn.winograd_conv2d %x, %k {padding = array<i64: 1, 0, 1, 0>}
      : (tensor<?x?x?x?xf32, #relax.sym<n, c, h, w>>, tensor<4x4x?x?xf32, #relax.sym<c, o>>) -> tensor<?x?x?x?xf32, #relax.sym<n, o, h, w - 2>>
  return %0 : tensor<?x?x?x?xf32, #relax.sym<n, o, h, w - 2>>
}

// Of operands of unknown rank no sizes are known.
// CHECK-LABEL: func.func @unknown_rank(
// CHECK: relax.nn.winograd_conv2d %x, %k {padding = array<i64: 0, 0, 0, 0>} : (tensor<*xf32>, tensor<4x4x3x5xf32>) -> tensor<?x5x?x?xf32>
func.func @unknown_rank(%x: tensor<*xf32>, %k: tensor<4x4x3x5xf32>) -> tensor<?x5x?x?xf32> {
  %0 = relax.nn.winograd_conv2d %x, %k {padding = array<i64: 0, 0, 0, 0>} : (tensor<*xf32>, tensor<4x4x3x5xf32>) -> tensor<?x5x?x?xf32>
  return %0 : tensor<?x5x?x?xf32>
}

// Of bytes channels are last, and those of the kernel lie in pairs and blocks.
// CHECK-LABEL: func.func @bytes(
// CHECK: relax.nn.integer_winograd_conv2d %x, %k {padding = array<i64: 1, 2, 3, 4>} : (tensor<2x8x9x6xui8>, tensor<4x4x2x3x16x2xi16>) -> tensor<2x10x13x32xi32>
func.func @bytes(%x: tensor<2x8x9x6xui8>, %k: tensor<4x4x2x3x16x2xi16>) -> tensor<2x10x13x32xi32> {
  %0 = relax.nn.integer_winograd_conv2d %x, %k {padding = array<i64: 1, 2, 3, 4>} : (tensor<2x8x9x6xui8>, tensor<4x4x2x3x16x2xi16>) -> tensor<2x10x13x32xi32>
  return %0 : tensor<2x10x13x32xi32>
}

// CHECK-LABEL: func.func @symbolic_bytes(
// CHECK: relax.nn.integer_winograd_conv2d %x, %k {padding = array<i64: 1, 0, 1, 0>}
// CHECK-SAME: -> tensor<?x?x?x?xi32, #relax.sym<n, h, w - 2, 16 * o>>
func.func @symbolic_bytes(%x: tensor<?x?x?x?xi8, #relax.sym<n, h, w, 2 * c>>, %k: tensor<4x4x?x?x16x2xi16, #relax.sym<o, c>>) -> tensor<?x?x?x?xi32, #relax.sym<n, h, w - 2, 16 * o>> {
  %0 = relax.nn.integer_winograd_conv2d %x, %k {padding = array<i64: 1, 0, 1, 0>}
      : (tensor<?x?x?x?xi8, #relax.sym<n, h, w, 2 * c>>, tensor<4x4x?x?x16x2xi16, #relax.sym<o, c>>) -> tensor<?x?x?x?xi32, #relax.sym<n, h, w - 2, 16 * o>>
  return %0 : tensor<?x?x?x?xi32, #relax.sym<n, h, w - 2, 16 * o>>
}
