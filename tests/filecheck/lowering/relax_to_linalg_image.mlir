// RUN: relax-opt %s -p relax-to-linalg | filecheck %s

// Tables of items and weights for both dims, then a reduction over the items of a place.
// CHECK-LABEL: func.func @linear(
// CHECK-SAME:    %[[X:.*]]: tensor<1x3x4x5xf32>)
// CHECK:         %[[ROWS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8x2xi64>)
// CHECK:         %[[COLUMNS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<7x2xi64>)
// CHECK:         %[[HEIGHTS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8x2xf32>)
// CHECK:         %[[WIDTHS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<7x2xf32>)
// CHECK:         %[[Y:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%[[ROWS]], %[[COLUMNS]], %[[HEIGHTS]], %[[WIDTHS]] :
// CHECK:           tensor.extract %[[X]]
// CHECK:         func.return %[[Y]]
func.func @linear(%x: tensor<1x3x4x5xf32>) -> tensor<1x3x8x7xf32> {
  %s = relax.shape : () -> !relax.shape<[8, 7]>
  %r = relax.image.resize2d %x, %s : (tensor<1x3x4x5xf32>, !relax.shape<[8, 7]>) -> tensor<1x3x8x7xf32>
  return %r : tensor<1x3x8x7xf32>
}

// The nearest item is copied.
// CHECK-LABEL: func.func @nearest(
// CHECK-SAME:    %[[X:.*]]: tensor<1x4x5x3xi8>)
// CHECK:         %[[ROWS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<8xi64>)
// CHECK:         %[[COLUMNS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<7xi64>)
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d1)>, affine_map<(d0, d1, d2, d3) -> (d2)>, {{.*}} ins(%[[ROWS]], %[[COLUMNS]] :
// CHECK-NOT:       arith.mulf
// CHECK:           %[[V:.*]] = tensor.extract %[[X]]
// CHECK-NEXT:      linalg.yield %[[V]]
func.func @nearest(%x: tensor<1x4x5x3xi8>) -> tensor<1x8x7x3xi8> {
  %s = relax.shape : () -> !relax.shape<[8, 7]>
  %r = relax.image.resize2d %x, %s {layout = "NHWC", method = "nearest_neighbor"} : (tensor<1x4x5x3xi8>, !relax.shape<[8, 7]>) -> tensor<1x8x7x3xi8>
  return %r : tensor<1x8x7x3xi8>
}
