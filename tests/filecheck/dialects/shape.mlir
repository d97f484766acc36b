// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: func.func @shape_of(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.shape_of %[[A]] : (tensor<?x4xf32, #relax.sym<n>>) -> !relax.shape<[n, 4]>
func.func @shape_of(%a: tensor<?x4xf32, #relax.sym<n>>) -> !relax.shape<[n, 4]> {
  %r = relax.shape_of %a : (tensor<?x4xf32, #relax.sym<n>>) -> !relax.shape<[n, 4]>
  return %r : !relax.shape<[n, 4]>
}

// CHECK-LABEL: func.func @shape_to_tensor(
// CHECK:         %[[A:.*]] = relax.shape : () -> !relax.shape<[n, 4]>
// CHECK:         = relax.shape_to_tensor %[[A]] : (!relax.shape<[n, 4]>) -> tensor<2xi64>
func.func @shape_to_tensor(%x: !relax.shape<[n]>) -> tensor<2xi64> {
  %a = relax.shape : () -> !relax.shape<[n, 4]>
  %r = relax.shape_to_tensor %a : (!relax.shape<[n, 4]>) -> tensor<2xi64>
  return %r : tensor<2xi64>
}

// CHECK-LABEL: func.func @tensor_to_shape(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.tensor_to_shape %[[A]] : (tensor<2xi64>) -> !relax.shape<[?, ?]>
func.func @tensor_to_shape(%a: tensor<2xi64>) -> !relax.shape<[?, ?]> {
  %r = relax.tensor_to_shape %a : (tensor<2xi64>) -> !relax.shape<[?, ?]>
  return %r : !relax.shape<[?, ?]>
}

// CHECK-LABEL: func.func @tensor_to_shape_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[X:[a-z0-9]+]]: {{.*}}
// CHECK:         %[[B:.*]] = relax.shape : () -> !relax.shape<[2 * n]>
// CHECK:         = relax.tensor_to_shape %[[A]], %[[B]] : (tensor<1xi64>, !relax.shape<[2 * n]>) -> !relax.shape<[?]>
func.func @tensor_to_shape_2(%a: tensor<1xi64>, %x: !relax.shape<[n]>) -> !relax.shape<[?]> {
  %b = relax.shape : () -> !relax.shape<[2 * n]>
  %r = relax.tensor_to_shape %a, %b : (tensor<1xi64>, !relax.shape<[2 * n]>) -> !relax.shape<[?]>
  return %r : !relax.shape<[?]>
}

// CHECK-LABEL: func.func @symbol_value(
// CHECK:         %[[A:.*]] = relax.shape : () -> !relax.shape<[2 * n]>
// CHECK:         = relax.symbol_value %[[A]] : (!relax.shape<[2 * n]>) -> tensor<i64>
func.func @symbol_value(%x: !relax.shape<[n]>) -> tensor<i64> {
  %a = relax.shape : () -> !relax.shape<[2 * n]>
  %r = relax.symbol_value %a : (!relax.shape<[2 * n]>) -> tensor<i64>
  return %r : tensor<i64>
}

// CHECK-LABEL: func.func @symbol_value_2(
// CHECK:         %[[A:.*]] = relax.shape : () -> !relax.shape<[n, 4]>
// CHECK:         = relax.symbol_value %[[A]] {index = 1 : i64, dtype = f32} : (!relax.shape<[n, 4]>) -> tensor<f32>
func.func @symbol_value_2(%x: !relax.shape<[n]>) -> tensor<f32> {
  %a = relax.shape : () -> !relax.shape<[n, 4]>
  %r = relax.symbol_value %a {index = 1 : i64, dtype = f32} : (!relax.shape<[n, 4]>) -> tensor<f32>
  return %r : tensor<f32>
}
