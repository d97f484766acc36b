// RUN: relax-opt %s -p relax-expand-tuple-arguments | filecheck %s

// The leaves of a tuple become arguments, recursively; what was only there for the tuple goes.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[A:[^:]+]]: tensor<4xf32>, %[[B:[^:]+]]: tensor<8xf32>)
// CHECK-NEXT: func.call @f(%[[A]], %[[B]], %[[A]]) : (tensor<4xf32>, tensor<8xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: return
func.func @main(%a: tensor<4xf32>, %b: tensor<8xf32>) -> tensor<4xf32> {
  %u = relax.tuple %b, %a : (tensor<8xf32>, tensor<4xf32>) -> tuple<tensor<8xf32>, tensor<4xf32>>
  %t = relax.tuple %a, %u : (tensor<4xf32>, tuple<tensor<8xf32>, tensor<4xf32>>) -> tuple<tensor<4xf32>, tuple<tensor<8xf32>, tensor<4xf32>>>
  %r = func.call @f(%t) : (tuple<tensor<4xf32>, tuple<tensor<8xf32>, tensor<4xf32>>>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
// CHECK-LABEL: func.func private @f(
// CHECK-SAME: %[[T0:[^:]+]]: tensor<4xf32>, %{{[^:]+}}: tensor<8xf32>, %{{[^:]+}}: tensor<4xf32>)
// CHECK-NEXT: relax.negative %[[T0]]
// CHECK-NEXT: return
func.func private @f(%t: tuple<tensor<4xf32>, tuple<tensor<8xf32>, tensor<4xf32>>>) -> tensor<4xf32> {
  %x = relax.tuple_get_item %t {index = 0 : i64} : (tuple<tensor<4xf32>, tuple<tensor<8xf32>, tensor<4xf32>>>) -> tensor<4xf32>
  %y = relax.negative %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// A caller that has the tuple from elsewhere passes its fields.
// CHECK-LABEL: func.func @given(
// CHECK-SAME: %[[T:[^:]+]]: tuple<
// CHECK-DAG: %[[A:.*]] = relax.tuple_get_item %[[T]] {index = 0 : i64}
// CHECK-DAG: %[[U:.*]] = relax.tuple_get_item %[[T]] {index = 1 : i64}
// CHECK: func.call @f(%[[A]], %{{.*}}, %{{.*}})
func.func @given(%t: tuple<tensor<4xf32>, tuple<tensor<8xf32>, tensor<4xf32>>>) -> tensor<4xf32> {
  %r = func.call @f(%t) : (tuple<tensor<4xf32>, tuple<tensor<8xf32>, tensor<4xf32>>>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// A public function keeps its tuple.
// CHECK-LABEL: func.func @public(
// CHECK-SAME: %{{[^:]+}}: tuple<tensor<4xf32>>)
func.func @public(%t: tuple<tensor<4xf32>>) -> tensor<4xf32> {
  %x = relax.tuple_get_item %t {index = 0 : i64} : (tuple<tensor<4xf32>>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}

// A private function that nothing reaches goes.
// CHECK-NOT: @unreached
func.func private @unreached(%t: tuple<tensor<4xf32>>) -> tuple<tensor<4xf32>> {
  return %t : tuple<tensor<4xf32>>
}
