// RUN: relax-opt %s -p 'relax-lift-transform-params{bundle=true}' | filecheck %s
// RUN: relax-opt %s -p 'relax-lift-transform-params{bundle=true consume=true}' | filecheck %s --check-prefix=CONSUME
// RUN: relax-opt %s -p 'relax-lift-transform-params{consume=true}' | filecheck %s --check-prefix=FLAT

// The transform takes and returns one tuple; the function keeps flat parameters.
// CHECK-LABEL: func.func @f_transform_params(
// CHECK-SAME: %[[P:[^:]+]]: tuple<tensor<4xf32>, tensor<4xf32>> {relax.names = ["w1", "w2"]}) -> (tuple<tensor<4xf32>, tensor<4xf32>> {relax.names = ["w2", "a"]})
// CHECK: %[[W1:.*]] = relax.tuple_get_item %[[P]] {index = 0 : i64}
// CHECK-NEXT: %[[A:.*]] = relax.negative %[[W1]]
// CHECK: %[[W2:.*]] = relax.tuple_get_item %[[P]] {index = 1 : i64}
// CHECK-NEXT: %[[R:.*]] = relax.tuple %[[W2]], %{{.*}} :
// CHECK-NEXT: return %[[R]]
// CHECK-LABEL: func.func @f(
// CHECK-SAME: {relax.name = "w2"}, {{.*}} {relax.name = "a"})

// consume: an item is released after it was first read.
// CONSUME-LABEL: func.func @f_transform_params(
// CONSUME-SAME: relax.consume_params
// CONSUME: relax.tuple_get_item %[[P:.*]] {index = 0 : i64}
// CONSUME-NEXT: %[[I:.*]] = arith.constant 0 : i64
// CONSUME-NEXT: relax.call_packed %[[P]], %[[I]] {callee = "vm.builtin.tuple_reset_item", pure = true}
// CONSUME-NEXT: relax.negative

// A flat transform says that it may release its arguments.
// FLAT-LABEL: func.func @f_transform_params(
// FLAT-SAME: relax.consume_params
// FLAT-NOT: relax.call_packed
func.func @f(%x: tensor<4xf32>, %w1: tensor<4xf32> {relax.name = "w1"}, %w2: tensor<4xf32> {relax.name = "w2"}) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %a = relax.negative %w1 : (tensor<4xf32>) -> tensor<4xf32>
    %0 = relax.add %x, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.add %0, %w2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %1 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
