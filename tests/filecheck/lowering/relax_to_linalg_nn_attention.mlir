// RUN: relax-opt %s -p relax-to-linalg | filecheck %s

// Two contractions with the softmax of the rows between them; no map but projections.
// CHECK-LABEL: func.func @attention(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x?x4x8xf16> {{.*}}, %[[K:[a-z0-9]+]]: tensor<?x?x4x8xf16> {{.*}}, %[[V:[a-z0-9]+]]: tensor<?x?x4x8xf16>
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%[[Q]], %[[K]] :
// CHECK:           arith.mulf
// CHECK-NEXT:      arith.addf
// CHECK:           arith.cmpf ogt
// CHECK:         %[[E:.*]] = linalg.generic
// CHECK:           math.exp %{{.*}} {relax.not_positive} : f32
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>]{{.*}} ins(%[[E]], %[[V]] : tensor<?x4x?x?xf32>, tensor<?x?x4x8xf16>)
// CHECK:           arith.divf
// CHECK-NEXT:      arith.truncf %{{.*}} : f32 to f16
func.func @attention(%q: tensor<?x?x4x8xf16, #relax.sym<b, s>>, %k: tensor<?x?x4x8xf16, #relax.sym<b, t>>, %v: tensor<?x?x4x8xf16, #relax.sym<b, t>>) -> tensor<?x?x4x8xf16, #relax.sym<b, s>> {
  %r = relax.nn.attention %q, %k, %v : (tensor<?x?x4x8xf16, #relax.sym<b, s>>, tensor<?x?x4x8xf16, #relax.sym<b, t>>, tensor<?x?x4x8xf16, #relax.sym<b, t>>) -> tensor<?x?x4x8xf16, #relax.sym<b, s>>
  return %r : tensor<?x?x4x8xf16, #relax.sym<b, s>>
}

// The query heads of a key head are a dim of their own.
// CHECK-LABEL: func.func @grouped(
// CHECK-SAME:    %[[Q:.*]]: tensor<1x5x6x8xf32>, %[[K:.*]]: tensor<1x7x2x8xf32>, %[[V:.*]]: tensor<1x7x2x8xf32>)
// CHECK:         %[[SPLIT:.*]] = tensor.expand_shape %[[Q]] {{.*}} : tensor<1x5x6x8xf32> into tensor<1x5x2x3x8xf32>
// CHECK:         ins(%[[SPLIT]], %[[K]] : tensor<1x5x2x3x8xf32>, tensor<1x7x2x8xf32>) outs(%{{.*}} : tensor<1x2x3x5x7xf32>)
// CHECK:         tensor.collapse_shape %{{.*}} : tensor<1x5x2x3x8xf32> into tensor<1x5x6x8xf32>
func.func @grouped(%q: tensor<1x5x6x8xf32>, %k: tensor<1x7x2x8xf32>, %v: tensor<1x7x2x8xf32>) -> tensor<1x5x6x8xf32> {
  %r = relax.nn.attention %q, %k, %v : (tensor<1x5x6x8xf32>, tensor<1x7x2x8xf32>, tensor<1x7x2x8xf32>) -> tensor<1x5x6x8xf32>
  return %r : tensor<1x5x6x8xf32>
}

// CHECK-LABEL: func.func @causal(
// CHECK:         linalg.index 3
// CHECK:         linalg.index 2
// CHECK:         %[[SEEN:.*]] = arith.cmpi sle
// CHECK:         %[[NEVER:.*]] = arith.constant 0xff800000 : f32
// CHECK-NEXT:    arith.select %[[SEEN]], %{{.*}}, %[[NEVER]] {relax.weightless} : f32
func.func @causal(%q: tensor<1x5x2x8xf32>, %k: tensor<1x5x2x8xf32>, %v: tensor<1x5x2x8xf32>) -> tensor<1x5x2x8xf32> {
  %r = relax.nn.attention %q, %k, %v {causal_mask = "TopLeft"} : (tensor<1x5x2x8xf32>, tensor<1x5x2x8xf32>, tensor<1x5x2x8xf32>) -> tensor<1x5x2x8xf32>
  return %r : tensor<1x5x2x8xf32>
}

// A bias of size 1 is read at 0.
// CHECK-LABEL: func.func @bias(
// CHECK-SAME:    %{{.*}}: tensor<1x5x2x8xf32>, %{{.*}}: tensor<1x5x2x8xf32>, %{{.*}}: tensor<1x5x2x8xf32>, %[[B:.*]]: tensor<1x1x1x5xf32>)
// CHECK:         affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>{{.*}} ins(%{{.*}}, %[[B]] :
func.func @bias(%q: tensor<1x5x2x8xf32>, %k: tensor<1x5x2x8xf32>, %v: tensor<1x5x2x8xf32>, %b: tensor<1x1x1x5xf32>) -> tensor<1x5x2x8xf32> {
  %r = relax.nn.attention_bias %q, %k, %v, %b : (tensor<1x5x2x8xf32>, tensor<1x5x2x8xf32>, tensor<1x5x2x8xf32>, tensor<1x1x1x5xf32>) -> tensor<1x5x2x8xf32>
  return %r : tensor<1x5x2x8xf32>
}
