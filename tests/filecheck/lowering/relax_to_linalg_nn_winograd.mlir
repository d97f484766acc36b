// RUN: relax-opt %s -p relax-to-linalg | filecheck %s
// RUN: relax-opt %s -p relax-to-linalg | mlir-opt-22 -o /dev/null

// Padding to whole tiles, and one contraction with the matrices of both transforms.
// CHECK-LABEL: func.func @odd(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x3x7x8xf32> {{.*}}, %[[K:[a-z0-9]+]]: tensor<4x4x3x5xf32>)
// CHECK:         %[[N:.*]] = tensor.dim %[[X]]
// CHECK:         %[[FRAME:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<?x3x10x10xf32>)
// CHECK:         %[[P:.*]] = tensor.insert_slice %[[X]] into %[[FRAME]][0, 0, 1, 0] [%{{.*}}, 3, 7, 8] [1, 1, 1, 1]
// CHECK:         %[[A:.*]] = arith.constant dense<{{.*}}> : tensor<2x4xf32>
// CHECK:         %[[B:.*]] = arith.constant dense<{{.*}}> : tensor<4x4xf32>
// CHECK:         %[[ZERO:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<?x5x7x7xf32>)
// CHECK:         %[[Y:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, d4, (((d2 floordiv 2) * 2) + d7), (((d3 floordiv 2) * 2) + d8))>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d5, d6, d4, d1)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> ((d2 mod 2), d5)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> ((d3 mod 2), d6)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d5, d7)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d6, d8)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"]} ins(%[[P]], %[[K]], %[[A]], %[[A]], %[[B]], %[[B]] : {{.*}}) outs(%[[ZERO]] : tensor<?x5x7x7xf32>)
// CHECK-COUNT-5:   arith.mulf
// CHECK-NEXT:      arith.addf
// CHECK:         func.return %[[Y]]
func.func @odd(%x: tensor<?x3x7x8xf32, #relax.sym<n>>, %k: tensor<4x4x3x5xf32>) -> tensor<?x5x7x7xf32, #relax.sym<n>> {
  %y = relax.nn.winograd_conv2d %x, %k {padding = array<i64: 1, 0, 1, 1>} : (tensor<?x3x7x8xf32, #relax.sym<n>>, tensor<4x4x3x5xf32>) -> tensor<?x5x7x7xf32, #relax.sym<n>>
  return %y : tensor<?x5x7x7xf32, #relax.sym<n>>
}

// Without padding an even result reads the data as they are.
// CHECK-LABEL: func.func @even(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<1x3x8x10xf32>, %[[K:[a-z0-9]+]]: tensor<4x4x3x5xf32>)
// CHECK-NOT:     tensor.insert_slice
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %[[K]],
func.func @even(%x: tensor<1x3x8x10xf32>, %k: tensor<4x4x3x5xf32>) -> tensor<1x5x6x8xf32> {
  %y = relax.nn.winograd_conv2d %x, %k {padding = array<i64: 0, 0, 0, 0>} : (tensor<1x3x8x10xf32>, tensor<4x4x3x5xf32>) -> tensor<1x5x6x8xf32>
  return %y : tensor<1x5x6x8xf32>
}

// Tiles of 4x4 results have other matrices, and more padding.
// CHECK-LABEL: func.func @tiles_of_4x4(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<1x3x9x10xf32>, %[[K:[a-z0-9]+]]: tensor<6x6x3x5xf32>)
// CHECK:         %[[P:.*]] = tensor.insert_slice %[[X]] into %{{.*}}[0, 0, 1, 1] [1, 3, 9, 10] [1, 1, 1, 1] : tensor<1x3x9x10xf32> into tensor<1x3x14x14xf32>
// CHECK:         %[[A:.*]] = arith.constant dense<{{.*}}> : tensor<4x6xf32>
// CHECK:         %[[B:.*]] = arith.constant dense<{{.*}}> : tensor<6x6xf32>
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, d4, (((d2 floordiv 4) * 4) + d7), (((d3 floordiv 4) * 4) + d8))>, {{.*}} ((d2 mod 4), d5)>, {{.*}} ((d3 mod 4), d6)>, {{.*}} ins(%[[P]], %[[K]], %[[A]], %[[A]], %[[B]], %[[B]] :
func.func @tiles_of_4x4(%x: tensor<1x3x9x10xf32>, %k: tensor<6x6x3x5xf32>) -> tensor<1x5x9x10xf32> {
  %y = relax.nn.winograd_conv2d %x, %k {padding = array<i64: 1, 1, 1, 1>} : (tensor<1x3x9x10xf32>, tensor<6x6x3x5xf32>) -> tensor<1x5x9x10xf32>
  return %y : tensor<1x5x9x10xf32>
}

// Without channels a result is 0.
// CHECK-LABEL: func.func @no_channels(
// CHECK-NOT:     linalg.generic
// CHECK:         %[[Y:.*]] = linalg.fill {{.*}} -> tensor<1x5x6x8xf32>
// CHECK-NEXT:    func.return %[[Y]]
func.func @no_channels(%x: tensor<1x0x8x10xf32>, %k: tensor<4x4x0x5xf32>) -> tensor<1x5x6x8xf32> {
  %y = relax.nn.winograd_conv2d %x, %k {padding = array<i64: 0, 0, 0, 0>} : (tensor<1x0x8x10xf32>, tensor<4x4x0x5xf32>) -> tensor<1x5x6x8xf32>
  return %y : tensor<1x5x6x8xf32>
}

// Of bytes all factors are i32, and four times the result is shifted right.
// CHECK-LABEL: func.func @bytes(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x7x8x6xi8> {{.*}}, %[[K:[a-z0-9]+]]: tensor<4x4x2x3x16x2xi16>)
// CHECK:         %[[P:.*]] = tensor.insert_slice %[[X]] into %{{.*}}[0, 1, 0, 0] [%{{.*}}, 7, 8, 6] [1, 1, 1, 1] : tensor<?x7x8x6xi8> into tensor<?x10x10x6xi8>
// CHECK:         %[[A:.*]] = arith.constant dense<{{.*}}> : tensor<2x4xi32>
// CHECK:         %[[B:.*]] = arith.constant dense<{{.*}}> : tensor<4x4xi32>
// CHECK:         %[[Y:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, (((d1 floordiv 2) * 2) + d7), (((d2 floordiv 2) * 2) + d8), d4)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d5, d6, (d3 floordiv 16), (d4 floordiv 2), (d3 mod 16), (d4 mod 2))>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> ((d1 mod 2), d5)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> ((d2 mod 2), d6)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d5, d7)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d6, d8)>, affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, d1, d2, d3)>], {{.*}} ins(%[[P]], %[[K]], %[[A]], %[[A]], %[[B]], %[[B]] : {{.*}}) outs(%{{.*}} : tensor<?x7x7x32xi32>)
// CHECK:           arith.extui %{{.*}} : i8 to i32
// CHECK:           arith.extsi %{{.*}} : i16 to i32
// CHECK:           arith.addi
// CHECK:         linalg.generic {{.*}} ins(%[[Y]] : tensor<?x7x7x32xi32>)
// CHECK:           arith.shrsi %{{.*}}, %{{.*}} : i32
func.func @bytes(%x: tensor<?x7x8x6xui8, #relax.sym<n>>, %k: tensor<4x4x2x3x16x2xi16>) -> tensor<?x7x7x32xi32, #relax.sym<n>> {
  %y = relax.nn.integer_winograd_conv2d %x, %k {padding = array<i64: 1, 0, 1, 1>} : (tensor<?x7x8x6xui8, #relax.sym<n>>, tensor<4x4x2x3x16x2xi16>) -> tensor<?x7x7x32xi32, #relax.sym<n>>
  return %y : tensor<?x7x7x32xi32, #relax.sym<n>>
}
