// RUN: relax-opt %s -p 'relax-lift-transform-params{shared=g,f}' | filecheck %s
// RUN: relax-opt %s -p 'relax-lift-transform-params{shared=true}' | filecheck %s --check-prefix=ALL

// Only the named functions share, and their order is that of the names: outputs are named after @g. @h, which would prevent it, is left alone.
// CHECK-LABEL: func.func @transform_params(
// CHECK-SAME: -> (tensor<4xf32> {relax.name = "w2"}, tensor<4xf32> {relax.name = "g_a"})
// CHECK-LABEL: func.func @f(
// CHECK-SAME: relax.params_from = @transform_params
// CHECK-LABEL: func.func @g(
// CHECK-SAME: relax.params_from = @transform_params
// CHECK-LABEL: func.func @h(
// CHECK-SAME: %w1: tensor<4xf32> {relax.name = "w1"}, %w2: tensor<4xf32> {relax.name = "w2"}) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {

// With all three nothing is common.
// ALL-LABEL: func.func @transform_params(
// ALL-NEXT: return
func.func @f(%x: tensor<4xf32>, %w1: tensor<4xf32> {relax.name = "w1"}, %w2: tensor<4xf32> {relax.name = "w2"}) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %f_a = relax.negative %w1 : (tensor<4xf32>) -> tensor<4xf32>
    %b = relax.abs %w2 : (tensor<4xf32>) -> tensor<4xf32>
    %0 = relax.add %x, %f_a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.add %0, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %1 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @g(%x: tensor<4xf32>, %w1: tensor<4xf32> {relax.name = "w1"}, %w2: tensor<4xf32> {relax.name = "w2"}) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %g_a = relax.negative %w1 : (tensor<4xf32>) -> tensor<4xf32>
    %0 = relax.add %x, %g_a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.add %0, %w2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %1 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @h(%x: tensor<4xf32>, %w1: tensor<4xf32> {relax.name = "w1"}, %w2: tensor<4xf32> {relax.name = "w2"}) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %0 = relax.add %x, %w1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.add %0, %w2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %1 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
