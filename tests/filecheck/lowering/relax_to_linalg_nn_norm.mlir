// RUN: relax-opt %s -p relax-to-linalg | filecheck %s

// CHECK-LABEL: func.func @rms_norm(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x16xf16> {{.*}}, %[[W:[a-z0-9]+]]: tensor<16xf16>)
// CHECK:         %[[SQUARES:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%[[X]] : tensor<?x16xf16>) outs(%{{.*}} : tensor<?xf32>)
// CHECK:         %[[FACTOR:.*]] = linalg.generic {{.*}}iterator_types = ["parallel"]} ins(%[[SQUARES]] : tensor<?xf32>)
// CHECK:           math.sqrt %{{.*}} : f32
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>]{{.*}} ins(%[[X]], %[[FACTOR]], %[[W]] :
// CHECK:           arith.truncf %{{.*}} : f32 to f16
func.func @rms_norm(%x: tensor<?x16xf16, #relax.sym<n>>, %w: tensor<16xf16>) -> tensor<?x16xf16, #relax.sym<n>> {
  %r = relax.nn.rms_norm %x, %w {axes = array<i64: -1>} : (tensor<?x16xf16, #relax.sym<n>>, tensor<16xf16>) -> tensor<?x16xf16, #relax.sym<n>>
  return %r : tensor<?x16xf16, #relax.sym<n>>
}

// The sum of squares is bounded from below.
// CHECK-LABEL: func.func @l2_normalize(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4x8xf32>)
// CHECK:         %[[SQUARES:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%[[X]] : tensor<4x8xf32>)
// CHECK:         %[[FACTOR:.*]] = linalg.generic {{.*}}iterator_types = ["parallel"]} ins(%[[SQUARES]] : tensor<4xf32>)
// CHECK:           arith.maximumf
// CHECK:           math.sqrt %{{.*}} : f32
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%[[X]], %[[FACTOR]] :
func.func @l2_normalize(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = relax.nn.l2_normalize %x {eps = 1.0e-12 : f64, axis = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// The number of items in a row is computed from the symbols.
// CHECK-LABEL: func.func @layer_norm(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4x?xf32> {{.*}}, %[[G:[a-z0-9]+]]: tensor<?xf32> {{.*}}, %[[B:[a-z0-9]+]]: tensor<?xf32>
// CHECK:         %[[D:.*]] = tensor.dim %[[X]]
// CHECK:         %[[TOTAL:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%[[X]] :
// CHECK:         %[[INT:.*]] = arith.index_cast %[[D]] : index to i64
// CHECK:         %[[COUNT:.*]] = arith.sitofp %[[INT]] : i64 to f32
// CHECK:         %[[MEAN:.*]] = linalg.generic {{.*}}iterator_types = ["parallel"]} ins(%[[TOTAL]] :
// CHECK:           arith.divf %{{.*}}, %[[COUNT]] : f32
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%[[X]], %[[MEAN]] :
// CHECK:         %[[FACTOR:.*]] = linalg.generic {{.*}}iterator_types = ["parallel"]}
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%[[X]], %[[MEAN]], %[[FACTOR]], %[[G]], %[[B]] :
func.func @layer_norm(%x: tensor<4x?xf32, #relax.sym<d>>, %g: tensor<?xf32, #relax.sym<d>>, %b: tensor<?xf32, #relax.sym<d>>) -> tensor<4x?xf32, #relax.sym<d>> {
  %r = relax.nn.layer_norm %x, %g, %b {axes = array<i64: 1>} : (tensor<4x?xf32, #relax.sym<d>>, tensor<?xf32, #relax.sym<d>>, tensor<?xf32, #relax.sym<d>>) -> tensor<4x?xf32, #relax.sym<d>>
  return %r : tensor<4x?xf32, #relax.sym<d>>
}

// What center and scale leave out is not read.
// CHECK-LABEL: func.func @layer_norm_bare(
// CHECK-SAME:    %[[X:.*]]: tensor<4x8xf32>, %[[G:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>)
// CHECK-NOT:     ins({{.*}}%[[G]]
// CHECK-NOT:     ins({{.*}}%[[B]]
// CHECK:         func.return
func.func @layer_norm_bare(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %r = relax.nn.layer_norm %x, %g, %b {axes = array<i64: 1>, center = false, scale = false} : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @group_norm(
// CHECK:         tensor.expand_shape %{{.*}} : tensor<2x6x5xf32> into tensor<2x3x2x5xf32>
// CHECK:         iterator_types = ["parallel", "parallel", "reduction", "reduction"]
// CHECK:         tensor.collapse_shape %{{.*}} : tensor<2x3x2x5xf32> into tensor<2x6x5xf32>
func.func @group_norm(%x: tensor<2x6x5xf32>, %g: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<2x6x5xf32> {
  %r = relax.nn.group_norm %x, %g, %b {num_groups = 3 : i64, channel_axis = 1 : i64, axes = array<i64: 2>} : (tensor<2x6x5xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x5xf32>
  return %r : tensor<2x6x5xf32>
}

// At inference the moving statistics are used and returned.
// CHECK-LABEL: func.func @batch_norm(
// CHECK-SAME:    %[[X:.*]]: tensor<2x6x5xf32>, %[[G:.*]]: tensor<6xf32>, %[[B:.*]]: tensor<6xf32>, %[[M:.*]]: tensor<6xf32>, %[[V:.*]]: tensor<6xf32>)
// CHECK-NOT:     "reduction"
// CHECK:         func.return %{{.*}}, %[[M]], %[[V]]
func.func @batch_norm(%x: tensor<2x6x5xf32>, %g: tensor<6xf32>, %b: tensor<6xf32>, %m: tensor<6xf32>, %v: tensor<6xf32>) -> (tensor<2x6x5xf32>, tensor<6xf32>, tensor<6xf32>) {
  %r:3 = relax.nn.batch_norm %x, %g, %b, %m, %v {axis = 1 : i64, training = false} : (tensor<2x6x5xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> (tensor<2x6x5xf32>, tensor<6xf32>, tensor<6xf32>)
  return %r#0, %r#1, %r#2 : tensor<2x6x5xf32>, tensor<6xf32>, tensor<6xf32>
}
