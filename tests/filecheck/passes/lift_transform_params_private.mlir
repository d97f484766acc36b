// RUN: relax-opt %s -p 'relax-lift-transform-params{shared=true private=true}' | filecheck %s
// RUN: relax-opt %s -p 'relax-lift-transform-params{shared=true}' | filecheck %s --check-prefix=SHARED

// Everything that depends on weights alone is computed once, in one transform, and each function receives what it uses.
// CHECK-LABEL: func.func @transform_params(
// CHECK-SAME: -> (tensor<4xf32> {relax.name = "w2"}, tensor<4xf32> {relax.name = "common"}, tensor<4xf32> {relax.name = "only_f"}, tensor<4xf32> {relax.name = "only_g"})
// CHECK: relax.negative
// CHECK-NEXT: relax.abs
// CHECK-NEXT: relax.tanh
// CHECK-NEXT: relax.output
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[X:[^:]+]]: tensor<4xf32>, %[[A:[^:]+]]: tensor<4xf32> {relax.name = "common"}, %[[B:[^:]+]]: tensor<4xf32> {relax.name = "only_f"})
// CHECK-SAME: relax.params_index = array<i64: 1, 2>
// CHECK-NEXT: relax.dataflow {
// CHECK-NEXT: %[[S:.*]] = relax.add %[[X]], %[[A]]
// CHECK-NEXT: relax.add %[[S]], %[[B]]
// CHECK-LABEL: func.func @g(
// CHECK-SAME: {relax.name = "w2"}, {{.*}} {relax.name = "common"}, {{.*}} {relax.name = "only_g"})
// CHECK-SAME: relax.params_index = array<i64: 0, 1, 3>

// Without it, what only one function computes stays in it.
// SHARED-LABEL: func.func @f(
// SHARED-NOT: relax.params_index
// SHARED: relax.abs
// SHARED-LABEL: func.func @g(
// SHARED: relax.tanh
func.func @f(%x: tensor<4xf32>, %w1: tensor<4xf32> {relax.name = "w1"}, %w2: tensor<4xf32> {relax.name = "w2"}) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %common = relax.negative %w1 : (tensor<4xf32>) -> tensor<4xf32>
    %only_f = relax.abs %w2 : (tensor<4xf32>) -> tensor<4xf32>
    %0 = relax.add %x, %common : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.add %0, %only_f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %1 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @g(%x: tensor<4xf32>, %w1: tensor<4xf32> {relax.name = "w1"}, %w2: tensor<4xf32> {relax.name = "w2"}) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %common = relax.negative %w1 : (tensor<4xf32>) -> tensor<4xf32>
    %only_g = relax.tanh %common : (tensor<4xf32>) -> tensor<4xf32>
    %0 = relax.add %x, %common : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.add %0, %only_g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = relax.add %1, %w2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %2 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
