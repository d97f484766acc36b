// RUN: relax-opt %s -p relax-to-linalg | filecheck %s

// CHECK-LABEL: func.func @symbol_value(
// CHECK-SAME:    %[[S:[a-z0-9_]+]]: {{.*}}
// CHECK:         %[[V1:[a-z0-9_]+]] = arith.constant 2 : index
// CHECK:         %[[V2:[a-z0-9_]+]] = arith.muli %[[V1]], %[[S]] : index
// CHECK:         %[[V3:[a-z0-9_]+]] = arith.index_cast %[[V2]] : index to i64
// CHECK:         %[[V4:[a-z0-9_]+]] = arith.sitofp %[[V3]] : i64 to f32
// CHECK:         %[[V5:[a-z0-9_]+]] = tensor.from_elements %[[V4]] : tensor<f32>
// CHECK:         func.return %[[V5]] : tensor<f32>
func.func @symbol_value(%s: !relax.shape<[n]>) -> tensor<f32> {
  %d = relax.shape : () -> !relax.shape<[2 * n]>
  %r = relax.symbol_value %d {dtype = f32} : (!relax.shape<[2 * n]>) -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK-LABEL: func.func @shape_to_tensor(
// CHECK-SAME:    %[[S:[a-z0-9_]+]]: {{.*}}, %[[S_1:[a-z0-9_]+]]: {{.*}}
// CHECK:         %[[V2:[a-z0-9_]+]] = arith.index_cast %[[S]] : index to i64
// CHECK:         %[[V3:[a-z0-9_]+]] = arith.constant 4 : i64
// CHECK:         %[[V4:[a-z0-9_]+]] = tensor.from_elements %[[V2]], %[[V3]] : tensor<2xi64>
// CHECK:         func.return %[[V4]] : tensor<2xi64>
func.func @shape_to_tensor(%s: !relax.shape<[n, 4]>) -> tensor<2xi64> {
  %r = relax.shape_to_tensor %s : (!relax.shape<[n, 4]>) -> tensor<2xi64>
  return %r : tensor<2xi64>
}

// A size from data is checked, and held by its upper bound.
//
// CHECK-LABEL: func.func @sizes(
// CHECK-SAME:    %[[T:[a-z0-9_]+]]: {{.*}}, %[[A:[a-z0-9_]+]]: {{.*}}
// CHECK:         %[[V2:[a-z0-9_]+]] = arith.constant 0 : index
// CHECK:         %[[V3:[a-z0-9_]+]] = tensor.dim %[[A]], %[[V2]] : tensor<?xf32>
// CHECK:         %[[V4:[a-z0-9_]+]] = tensor.extract %[[T]][%[[V2]]] : tensor<1xi64>
// CHECK:         %[[V5:[a-z0-9_]+]] = arith.index_cast %[[V4]] : i64 to index
// CHECK:         %[[V6:[a-z0-9_]+]] = arith.cmpi sge, %[[V5]], %[[V2]] : index
// CHECK:         cf.assert %[[V6]], "tensor_to_shape: size 0 is negative"
// CHECK:         %[[V7:[a-z0-9_]+]] = arith.cmpi sle, %[[V5]], %[[V3]] : index
// CHECK:         cf.assert %[[V7]], "tensor_to_shape: size 0 exceeds its bound"
// CHECK:         %[[V8:[a-z0-9_]+]] = arith.minsi %[[V5]], %[[V3]] : index
// CHECK:         %[[V9:[a-z0-9_]+]] = arith.constant 1.000000e+00 : f32
// CHECK:         %[[V10:[a-z0-9_]+]] = tensor.empty(%[[V8]]) : tensor<?xf32>
// CHECK:         %[[V11:[a-z0-9_]+]] = linalg.fill ins(%[[V9]] : f32) outs(%[[V10]] : tensor<?xf32>) -> tensor<?xf32>
// CHECK:         %[[V12:[a-z0-9_]+]] = tensor.dim %[[V11]], %[[V2]] : tensor<?xf32>
// CHECK:         func.return %[[V11]] : tensor<?xf32>
func.func @sizes(%t: tensor<1xi64>, %a: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32> {
  %b = relax.shape_of %a : (tensor<?xf32, #relax.sym<n>>) -> !relax.shape<[n]>
  %s = relax.tensor_to_shape %t, %b : (tensor<1xi64>, !relax.shape<[n]>) -> !relax.shape<[?]>
  %m = relax.match_cast %s : (!relax.shape<[?]>) -> !relax.shape<[m]>
  %r = relax.ones %m {dtype = f32} : (!relax.shape<[m]>) -> tensor<?xf32, #relax.sym<m>>
  %q = relax.match_cast %r : (tensor<?xf32, #relax.sym<m>>) -> tensor<?xf32>
  return %q : tensor<?xf32>
}
