// RUN: relax-opt %s -p relax-to-linalg | filecheck %s

// Tables of items and weights for both dims, then a reduction over the items of a place.
// CHECK-LABEL: func.func @linear(
// CHECK-SAME:    %[[X:.*]]: tensor<1x3x4x5xf32>)
// CHECK:         %[[COLUMNS:[0-9]+]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<7x2xi64>)
// CHECK:         %[[WIDTHS:[0-9]+]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<7x2xf32>)
// CHECK:         %[[WIDE:[0-9]+]] = linalg.generic {{.*}}affine_map<(d0, d1, d2, d3) -> (d3, 0)>, affine_map<(d0, d1, d2, d3) -> (d3, 1)>{{.*}} ins(%[[COLUMNS]], %[[COLUMNS]], %[[WIDTHS]], %[[WIDTHS]] : {{.*}} outs(%{{.*}} : tensor<1x3x4x7xf32>)
// CHECK-COUNT-2:   tensor.extract %[[X]]
// CHECK:         %[[ROWS:[0-9]+]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8x2xi64>)
// CHECK:         %[[HEIGHTS:[0-9]+]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8x2xf32>)
// CHECK:         %[[Y:[0-9]+]] = linalg.generic {{.*}} ins(%[[ROWS]], %[[ROWS]], %[[HEIGHTS]], %[[HEIGHTS]] :
// CHECK-COUNT-2:   tensor.extract %[[WIDE]]
// CHECK:         func.return %[[Y]]
func.func @linear(%x: tensor<1x3x4x5xf32>) -> tensor<1x3x8x7xf32> {
  %s = relax.shape : () -> !relax.shape<[8, 7]>
  %r = relax.image.resize2d %x, %s : (tensor<1x3x4x5xf32>, !relax.shape<[8, 7]>) -> tensor<1x3x8x7xf32>
  return %r : tensor<1x3x8x7xf32>
}

// The nearest item is copied.
// CHECK-LABEL: func.func @nearest(
// CHECK-SAME:    %[[X:.*]]: tensor<1x4x5x3xi8>)
// CHECK:         %[[COLUMNS:[0-9]+]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<7xi64>)
// CHECK:         %[[WIDE:[0-9]+]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d2)>, {{.*}} ins(%[[COLUMNS]] :
// CHECK-NOT:       arith.mulf
// CHECK:           %[[V:.*]] = tensor.extract %[[X]]
// CHECK-NEXT:      linalg.yield %[[V]]
// CHECK:         %[[ROWS:[0-9]+]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8xi64>)
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d1)>, {{.*}} ins(%[[ROWS]] :
// CHECK:           tensor.extract %[[WIDE]]
func.func @nearest(%x: tensor<1x4x5x3xi8>) -> tensor<1x8x7x3xi8> {
  %s = relax.shape : () -> !relax.shape<[8, 7]>
  %r = relax.image.resize2d %x, %s {layout = "NHWC", method = "nearest_neighbor"} : (tensor<1x4x5x3xi8>, !relax.shape<[8, 7]>) -> tensor<1x8x7x3xi8>
  return %r : tensor<1x8x7x3xi8>
}

// Places that are repetitions of neighbors read at quotients.
// CHECK-LABEL: func.func @doubled(
// CHECK-SAME:    %[[X:[a-z]+]]: tensor<1x3x4x?xf32> {
// CHECK-NOT:     tensor.extract
// CHECK:         %[[Y:[0-9]+]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, (d2 floordiv 2), (d3 floordiv 4))>, {{.*}} ins(%[[X]] :
// CHECK:         func.return %[[Y]]
func.func @doubled(%x: tensor<1x3x4x?xf32, #relax.sym<n>>) -> tensor<1x3x8x?xf32, #relax.sym<n * 4>> {
  %s = relax.shape : () -> !relax.shape<[8, n * 4]>
  %r = relax.image.resize2d %x, %s {method = "nearest_neighbor"} : (tensor<1x3x4x?xf32, #relax.sym<n>>, !relax.shape<[8, n * 4]>) -> tensor<1x3x8x?xf32, #relax.sym<n * 4>>
  return %r : tensor<1x3x8x?xf32, #relax.sym<n * 4>>
}
