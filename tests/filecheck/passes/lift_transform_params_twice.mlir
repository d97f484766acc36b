// RUN: relax-opt %s -p relax-lift-transform-params -o %t.once
// RUN: relax-opt %s -p relax-lift-transform-params,relax-lift-transform-params | diff - %t.once
// RUN: relax-opt %s -p 'relax-lift-transform-params{shared=true},relax-lift-transform-params{shared=true private=true}' | filecheck %s
// RUN: relax-opt %s -p 'relax-lift-transform-params{shared=true bundle=true},relax-lift-transform-params{shared=true private=true}' | filecheck %s --check-prefix=BUNDLE
// RUN: relax-opt %s -p 'relax-lift-transform-params{shared=true},relax-lift-transform-params' | filecheck %s --check-prefix=LOCAL

// A second run composes: what it lifts follows what is there, and the parameters stay those of the first.
// CHECK-LABEL: func.func @transform_params(
// CHECK-SAME: %[[W1:[^:]+]]: tensor<4xf32> {relax.name = "w1"}, %[[W2:[^:]+]]: tensor<4xf32> {relax.name = "w2"})
// CHECK-SAME: -> (tensor<4xf32> {relax.name = "a"}, tensor<4xf32> {relax.name = "b"})
// CHECK: relax.dataflow {
// CHECK-NEXT: %[[A:.*]] = relax.negative %[[W1]]
// CHECK-NEXT: %[[B:.*]] = relax.abs %[[W2]]
// CHECK-NEXT: relax.output %[[A]], %[[B]]
// CHECK-NOT: @transform_params_1

// A bundled transform stays bundled.
// BUNDLE-LABEL: func.func @transform_params(
// BUNDLE-SAME: %[[P:[^:]+]]: tuple<tensor<4xf32>, tensor<4xf32>> {relax.names = ["w1", "w2"]}) -> (tuple<tensor<4xf32>, tensor<4xf32>> {relax.names = ["a", "b"]})

// Lifting from one function alone starts from what they share, which then nobody needs.
// LOCAL-NOT: @transform_params(
// LOCAL: func.func @f_transform_params(
// LOCAL: relax.negative
// LOCAL: relax.abs
// LOCAL: func.func @f(
// LOCAL-SAME: relax.params_from = @f_transform_params
// LOCAL: func.func @g_transform_params(
// LOCAL: relax.negative
// LOCAL-NOT: relax.abs
// LOCAL: func.func @g(
// LOCAL-SAME: relax.params_from = @g_transform_params
func.func @f(%x: tensor<4xf32>, %w1: tensor<4xf32> {relax.name = "w1"}, %w2: tensor<4xf32> {relax.name = "w2"}) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %a = relax.negative %w1 : (tensor<4xf32>) -> tensor<4xf32>
    %b = relax.abs %w2 : (tensor<4xf32>) -> tensor<4xf32>
    %0 = relax.add %x, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.add %0, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %1 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @g(%x: tensor<4xf32>, %w1: tensor<4xf32> {relax.name = "w1"}, %w2: tensor<4xf32> {relax.name = "w2"}) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %a = relax.negative %w1 : (tensor<4xf32>) -> tensor<4xf32>
    %0 = relax.add %x, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %0 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
