// RUN: relax-opt %s -p relax-bundle-model-params | filecheck %s
// RUN: relax-opt %s -p 'relax-bundle-model-params{param_tuple_name="weights"}' | filecheck %s --check-prefix=NAME

// Each use of a weight is a field of its own, right before it; inputs stay.
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[X:[^:]+]]: tensor<4xf32>, %[[P:[^:]+]]: tuple<tensor<4xf32>, tensor<4xf32>> {relax.names = ["a.weight", "w2"]})
// CHECK-SAME: relax.num_input = 1 : i64
// CHECK-NEXT: relax.dataflow {
// CHECK-NEXT: %[[A:.*]] = relax.tuple_get_item %[[P]] {index = 0 : i64}
// CHECK-NEXT: %[[N:.*]] = relax.negative %[[A]]
// CHECK-NEXT: %[[B:.*]] = relax.tuple_get_item %[[P]] {index = 0 : i64}
// CHECK-NEXT: relax.add %[[N]], %[[B]]
// CHECK: %[[C:.*]] = relax.tuple_get_item %[[P]] {index = 1 : i64}
// CHECK-NEXT: return %{{.*}}, %[[C]]
// NAME-LABEL: func.func @f(
// NAME-SAME: %weights: tuple<
func.func @f(%x: tensor<4xf32>, %w1: tensor<4xf32> {relax.name = "a.weight"}, %w2: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %n = relax.negative %w1 : (tensor<4xf32>) -> tensor<4xf32>
    %y = relax.add %n, %w1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %y : tensor<4xf32>
  } : tensor<4xf32>
  return %r, %w2 : tensor<4xf32>, tensor<4xf32>
}

// Without weights the tuple is empty.
// CHECK-LABEL: func.func @no_weights(
// CHECK-SAME: %{{[^:]+}}: tensor<4xf32>, %{{[^:]+}}: tuple<>
func.func @no_weights(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  return %x : tensor<4xf32>
}

// A function without relax.num_input is left alone.
// CHECK-LABEL: func.func @no_num_input(
// CHECK-SAME: %{{[^:]+}}: tensor<4xf32>)
func.func @no_num_input(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
