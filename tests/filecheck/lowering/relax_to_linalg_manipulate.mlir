// RUN: relax-opt %s -p relax-to-linalg | filecheck %s

// Joined dims are a view.
// CHECK-LABEL: func.func @join(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x4x8xf32>
// CHECK:         %[[R:.*]] = tensor.collapse_shape %[[X]] {{\[}}[0 : i64], [1 : i64, 2 : i64]{{\]}} : tensor<?x4x8xf32> into tensor<?x32xf32>
// CHECK-NEXT:    func.return %[[R]]
func.func @join(%x: tensor<?x4x8xf32, #relax.sym<n>>) -> tensor<?x32xf32, #relax.sym<n>> {
  %s = relax.shape : () -> !relax.shape<[n, 32]>
  %y = relax.reshape %x, %s : (tensor<?x4x8xf32, #relax.sym<n>>, !relax.shape<[n, 32]>) -> tensor<?x32xf32, #relax.sym<n>>
  return %y : tensor<?x32xf32, #relax.sym<n>>
}

// So are cut dims, whose dynamic sizes are operands.
// CHECK-LABEL: func.func @cut(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x32xf32>
// CHECK:         %[[N:.*]] = tensor.dim %[[X]]
// CHECK:         tensor.expand_shape %[[X]] {{\[}}[0 : i64], [1 : i64, 2 : i64]{{\]}} output_shape [%[[N]], 4, 8] : tensor<?x32xf32> into tensor<?x4x8xf32>
// CHECK-NOT:     linalg.generic
// CHECK:         func.return
func.func @cut(%x: tensor<?x32xf32, #relax.sym<n>>) -> tensor<?x4x8xf32, #relax.sym<n>> {
  %s = relax.shape : () -> !relax.shape<[n, 4, 8]>
  %y = relax.reshape %x, %s : (tensor<?x32xf32, #relax.sym<n>>, !relax.shape<[n, 4, 8]>) -> tensor<?x4x8xf32, #relax.sym<n>>
  return %y : tensor<?x4x8xf32, #relax.sym<n>>
}

// Dims that cannot be grouped go through one dim.
// CHECK-LABEL: func.func @regroup(
// CHECK:         %[[FLAT:.*]] = tensor.collapse_shape %{{.*}} {{\[}}[0 : i64, 1 : i64]{{\]}} : tensor<4x6xf32> into tensor<24xf32>
// CHECK-NEXT:    tensor.expand_shape %[[FLAT]] {{\[}}[0 : i64, 1 : i64]{{\]}} output_shape [3, 8] : tensor<24xf32> into tensor<3x8xf32>
func.func @regroup(%x: tensor<4x6xf32>) -> tensor<3x8xf32> {
  %s = relax.shape : () -> !relax.shape<[3, 8]>
  %y = relax.reshape %x, %s : (tensor<4x6xf32>, !relax.shape<[3, 8]>) -> tensor<3x8xf32>
  return %y : tensor<3x8xf32>
}

// A tensor of rank 0 has no dims that a group of dims could stand for.
// CHECK-LABEL: func.func @from_rank_0(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<f32>
// CHECK:         tensor.expand_shape %[[X]] [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
func.func @from_rank_0(%x: tensor<f32>) -> tensor<1x1xf32> {
  %s = relax.shape : () -> !relax.shape<[1, 1]>
  %y = relax.reshape %x, %s : (tensor<f32>, !relax.shape<[1, 1]>) -> tensor<1x1xf32>
  return %y : tensor<1x1xf32>
}

// Shapes that may differ in size are copied, inside of the operand's bounds.
// CHECK-LABEL: func.func @unknown(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?xf32>
// CHECK:         %[[FILLED:.*]] = arith.cmpi slt
// CHECK:         scf.if %[[FILLED]]
// CHECK:           arith.minsi
// CHECK-NEXT:      tensor.extract %[[X]]
// CHECK-NOT:     tensor.expand_shape
func.func @unknown(%x: tensor<?xf32, #relax.sym<n>>, %s: !relax.shape<[m]>) -> tensor<?xf32, #relax.sym<m>> {
  %y = relax.reshape %x, %s : (tensor<?xf32, #relax.sym<n>>, !relax.shape<[m]>) -> tensor<?xf32, #relax.sym<m>>
  return %y : tensor<?xf32, #relax.sym<m>>
}

// CHECK-LABEL: func.func @concat(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x4xf32> {{.*}}, %[[Y:[a-z0-9]+]]: tensor<2x4xf32>
// CHECK:         %[[N:.*]] = tensor.dim %[[X]]
// CHECK:         %[[SUM:.*]] = arith.addi
// CHECK-NEXT:    %[[EMPTY:.*]] = tensor.empty(%[[SUM]])
// CHECK:         %[[FIRST:.*]] = tensor.insert_slice %[[X]] into %[[EMPTY]][0, 0]
// CHECK-NEXT:    tensor.insert_slice %[[Y]] into %[[FIRST]][%{{.*}}, 0] [2, 4] [1, 1]
func.func @concat(%x: tensor<?x4xf32, #relax.sym<n>>, %y: tensor<2x4xf32>) -> tensor<?x4xf32, #relax.sym<n + 2>> {
  %r = relax.concat %x, %y : (tensor<?x4xf32, #relax.sym<n>>, tensor<2x4xf32>) -> tensor<?x4xf32, #relax.sym<n + 2>>
  return %r : tensor<?x4xf32, #relax.sym<n + 2>>
}

// A repetition is an affine copy with a dim of its own, and a view.
// CHECK-LABEL: func.func @repeat(
// CHECK:         %[[COPY:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
// CHECK:         tensor.collapse_shape %[[COPY]] {{\[}}[0 : i64], [1 : i64, 2 : i64]{{\]}} : tensor<2x3x5xf32> into tensor<2x15xf32>
func.func @repeat(%x: tensor<2x3xf32>) -> tensor<2x15xf32> {
  %r = relax.repeat %x {repeats = 5 : i64, axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x15xf32>
  return %r : tensor<2x15xf32>
}

// One of 2 or 4 neighbors is an affine copy into its place.
// CHECK-LABEL: func.func @repeat_few(
// CHECK:         %[[COPY:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, (d1 floordiv 2))>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK:         func.return %[[COPY]] : tensor<2x6xf32>
func.func @repeat_few(%x: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %r = relax.repeat %x {repeats = 2 : i64, axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x6xf32>
  return %r : tensor<2x6xf32>
}

// CHECK-LABEL: func.func @pad(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2xf32>
// CHECK:         %[[VALUE:.*]] = arith.constant 5.000000e-01 : f32
// CHECK:         %[[FILL:.*]] = linalg.fill ins(%[[VALUE]] : f32)
// CHECK:         tensor.insert_slice %[[X]] into %[[FILL]][1] [2] [1]
func.func @pad(%x: tensor<2xf32>) -> tensor<4xf32> {
  %r = relax.nn.pad %x {pad_width = array<i64: 1, 1>, pad_value = 5.000000e-01 : f64} : (tensor<2xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @collapse_sum_to(
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1)>], iterator_types = ["reduction", "parallel", "reduction"]}
// CHECK:           arith.extf
// CHECK-NEXT:      arith.addf
// CHECK:         arith.truncf
// CHECK:         tensor.expand_shape %{{.*}} {{\[}}[0 : i64, 1 : i64]{{\]}} output_shape [3, 1]
func.func @collapse_sum_to(%x: tensor<2x3x4xf16>) -> tensor<3x1xf16> {
  %s = relax.shape : () -> !relax.shape<[3, 1]>
  %r = relax.collapse_sum_to %x, %s : (tensor<2x3x4xf16>, !relax.shape<[3, 1]>) -> tensor<3x1xf16>
  return %r : tensor<3x1xf16>
}
