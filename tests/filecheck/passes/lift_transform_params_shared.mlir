// RUN: relax-opt %s --split-input-file -p 'relax-lift-transform-params{shared=true}' | filecheck %s
// RUN: relax-opt %s --split-input-file -p 'relax-lift-transform-params{shared=true lift_unused=true}' | filecheck %s --check-prefix=UNUSED

// What both functions compute is computed once; both take all outputs, named after the first function by name.
// CHECK-LABEL: func.func @transform_params(
// CHECK-SAME: %[[W:[^:]+]]: tensor<4x8xf32> {relax.name = "fc.weight"}) -> (tensor<8x4xf32> {relax.name = "v"})
// CHECK: relax.permute_dims %[[W]]
// CHECK-LABEL: func.func @prefill(
// CHECK-SAME: %[[X:[^:]+]]: tensor<?x8xf32, #relax.sym<s>>, %[[P:[^:]+]]: tensor<8x4xf32> {relax.name = "v"})
// CHECK-SAME: relax.params_from = @transform_params}
// CHECK: relax.matmul %[[X]], %[[P]]
// CHECK-LABEL: func.func @decode(
// CHECK-SAME: %[[Y:[^:]+]]: tensor<1x8xf32>, %[[Q:[^:]+]]: tensor<8x4xf32> {relax.name = "v"})
// CHECK-SAME: relax.params_from = @transform_params}
// CHECK: relax.matmul %[[Y]], %[[Q]]
func.func @prefill(%x: tensor<?x8xf32, #relax.sym<s>>, %w: tensor<4x8xf32> {relax.name = "fc.weight"}) -> tensor<?x4xf32, #relax.sym<s>>
    attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %w_t = relax.permute_dims %w : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %y = relax.matmul %x, %w_t : (tensor<?x8xf32, #relax.sym<s>>, tensor<8x4xf32>) -> tensor<?x4xf32, #relax.sym<s>>
    relax.output %y : tensor<?x4xf32, #relax.sym<s>>
  } : tensor<?x4xf32, #relax.sym<s>>
  return %r : tensor<?x4xf32, #relax.sym<s>>
}
func.func @decode(%x: tensor<1x8xf32>, %w: tensor<4x8xf32> {relax.name = "fc.weight"}) -> tensor<1x4xf32>
    attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %v = relax.permute_dims %w : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %y = relax.matmul %x, %v : (tensor<1x8xf32>, tensor<8x4xf32>) -> tensor<1x4xf32>
    relax.output %y : tensor<1x4xf32>
  } : tensor<1x4xf32>
  return %r : tensor<1x4xf32>
}

// -----

// What only one function computes stays there, and the weight is passed on, before what is computed; unless the other function never
// touches the weight and lift_unused asks for it.
// CHECK-LABEL: func.func @transform_params(
// CHECK-SAME: %[[W1:[^:]+]]: tensor<4xf32> {relax.name = "w1"}, %[[W2:[^:]+]]: tensor<4xf32> {relax.name = "w2"})
// CHECK-SAME: -> (tensor<4xf32> {relax.name = "w2"}, tensor<4xf32> {relax.name = "a"})
// CHECK: %[[A:.*]] = relax.negative %[[W1]]
// CHECK-NEXT: relax.output %[[A]] :
// CHECK: return %[[W2]], %{{.*}} :
// CHECK-LABEL: func.func @f(
// CHECK: relax.abs
// CHECK-LABEL: func.func @g(
// CHECK-SAME: %[[X:[^:]+]]: tensor<4xf32>, %[[U:[^:]+]]: tensor<4xf32> {relax.name = "w2"}, %[[P:[^:]+]]: tensor<4xf32> {relax.name = "a"})
// CHECK: relax.add %[[X]], %[[P]]

// UNUSED-LABEL: func.func @transform_params(
// UNUSED-SAME: relax.name = "fc.weight"
// UNUSED-LABEL: func.func @transform_params(
// UNUSED-SAME: -> (tensor<4xf32> {relax.name = "a"}, tensor<4xf32> {relax.name = "b"})
func.func @f(%x: tensor<4xf32>, %w1: tensor<4xf32> {relax.name = "w1"}, %w2: tensor<4xf32> {relax.name = "w2"}) -> tensor<4xf32>
    attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %a = relax.negative %w1 : (tensor<4xf32>) -> tensor<4xf32>
    %b = relax.abs %w2 : (tensor<4xf32>) -> tensor<4xf32>
    %0 = relax.add %x, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.add %0, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %1 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @g(%x: tensor<4xf32>, %w1: tensor<4xf32> {relax.name = "w1"}, %w2: tensor<4xf32> {relax.name = "w2"}) -> tensor<4xf32>
    attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %a = relax.negative %w1 : (tensor<4xf32>) -> tensor<4xf32>
    %0 = relax.add %x, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %0 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// The order of bindings and their names do not matter; the order of outputs is that of the first function by name.
// CHECK-LABEL: func.func @transform_params(
// CHECK-SAME: %[[W1:[^:]+]]: tensor<4xf32> {relax.name = "w1"}, %[[W2:[^:]+]]: tensor<4xf32> {relax.name = "w2"})
// CHECK-SAME: -> (tensor<4xf32> {relax.name = "b"}, tensor<4xf32> {relax.name = "a"})
// CHECK: %[[B:.*]] = relax.abs %[[W2]]
// CHECK-NEXT: %[[A:.*]] = relax.negative %[[W1]]
// CHECK-NEXT: relax.output %[[B]], %[[A]] :
// CHECK-LABEL: func.func @z(
// CHECK-SAME: %q: tensor<4xf32> {relax.name = "b"}, %p: tensor<4xf32> {relax.name = "a"})
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %b: tensor<4xf32> {relax.name = "b"}, %a: tensor<4xf32> {relax.name = "a"})
func.func @z(%x: tensor<4xf32>, %w1: tensor<4xf32> {relax.name = "w1"}, %w2: tensor<4xf32> {relax.name = "w2"}) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %p = relax.negative %w1 : (tensor<4xf32>) -> tensor<4xf32>
    %q = relax.abs %w2 : (tensor<4xf32>) -> tensor<4xf32>
    %0 = relax.add %x, %p : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.add %0, %q : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %1 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @f(%x: tensor<4xf32>, %w1: tensor<4xf32> {relax.name = "w1"}, %w2: tensor<4xf32> {relax.name = "w2"}) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %b = relax.abs %w2 : (tensor<4xf32>) -> tensor<4xf32>
    %a = relax.negative %w1 : (tensor<4xf32>) -> tensor<4xf32>
    %0 = relax.add %x, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.add %0, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %1 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// Functions that become equal stay two functions.
// CHECK-LABEL: func.func @transform_params(
// CHECK-LABEL: func.func @f(
// CHECK-LABEL: func.func @g(
func.func @f(%x: tensor<4xf32>, %w1: tensor<4xf32> {relax.name = "w1"}, %w2: tensor<4xf32> {relax.name = "w2"}) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %a = relax.negative %w1 : (tensor<4xf32>) -> tensor<4xf32>
    %0 = relax.add %x, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %0 : tensor<4xf32>
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

// -----

// With no weight in common, each function's preprocessing is lifted.
// CHECK-LABEL: func.func @transform_params(
// CHECK-SAME: %[[W1:[^:]+]]: tensor<4xf32> {relax.name = "w1"}, %[[W2:[^:]+]]: tensor<4xf32> {relax.name = "w2"})
// CHECK-SAME: -> (tensor<4xf32> {relax.name = "b"}, tensor<4xf32> {relax.name = "a"})
// CHECK: %[[B:.*]] = relax.abs %[[W2]]
// CHECK-NEXT: %[[A:.*]] = relax.negative %[[W1]]
// CHECK-LABEL: func.func @f(
// CHECK-NOT: relax.abs
// CHECK-LABEL: func.func @g(
// CHECK-NOT: relax.negative
// CHECK: return
func.func @f(%x: tensor<4xf32>, %w1: tensor<4xf32> {relax.name = "w1"}, %w2: tensor<4xf32> {relax.name = "w2"}) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %b = relax.abs %w2 : (tensor<4xf32>) -> tensor<4xf32>
    %0 = relax.add %x, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %0 : tensor<4xf32>
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

// -----

// An expression that appears twice in one function counts once; duplicates read the one output.
// CHECK-LABEL: func.func @transform_params(
// CHECK-SAME: -> (tensor<4xf32> {relax.name = "a"})
// CHECK: relax.negative
// CHECK-NOT: relax.negative
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[X:[^:]+]]: tensor<4xf32>, %[[P:[^:]+]]: tensor<4xf32> {relax.name = "a"})
// CHECK: %[[S:.*]] = relax.add %[[X]], %[[P]] :
// CHECK-NEXT: relax.add %[[S]], %[[P]] :
func.func @f(%x: tensor<4xf32>, %w1: tensor<4xf32> {relax.name = "w1"}, %w2: tensor<4xf32> {relax.name = "w2"}) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %a = relax.negative %w1 : (tensor<4xf32>) -> tensor<4xf32>
    %b = relax.negative %w1 : (tensor<4xf32>) -> tensor<4xf32>
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

// -----

// Twice in one function and never in the other is not shared.
// CHECK-LABEL: func.func @transform_params(
// CHECK-NOT: relax.negative
// CHECK-LABEL: func.func @f(
// CHECK: relax.negative
func.func @f(%x: tensor<4xf32>, %w1: tensor<4xf32> {relax.name = "w1"}, %w2: tensor<4xf32> {relax.name = "w2"}) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %a = relax.negative %w1 : (tensor<4xf32>) -> tensor<4xf32>
    %b = relax.negative %w1 : (tensor<4xf32>) -> tensor<4xf32>
    %0 = relax.add %x, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.add %0, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %1 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @g(%x: tensor<4xf32>, %w1: tensor<4xf32> {relax.name = "w1"}, %w2: tensor<4xf32> {relax.name = "w2"}) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %a = relax.abs %w1 : (tensor<4xf32>) -> tensor<4xf32>
    %0 = relax.add %x, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %0 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// An operator without parameters unifies as well, and stays where it is read.
// CHECK-LABEL: func.func @transform_params(
// CHECK: relax.constant
// CHECK: relax.multiply
// CHECK-LABEL: func.func @f(
// CHECK: %[[C:.*]] = relax.constant
// CHECK: relax.add %{{.*}}, %[[C]]
// CHECK-LABEL: func.func @g(
// CHECK-NOT: relax.constant
// CHECK: return
func.func @f(%x: tensor<4xf32>, %w1: tensor<4xf32> {relax.name = "w1"}, %w2: tensor<4xf32> {relax.name = "w2"}) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %c = relax.constant {value = dense<2.0> : tensor<4xf32>} : () -> tensor<4xf32>
    %a = relax.multiply %w1, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %0 = relax.add %x, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.add %0, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %1 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @g(%x: tensor<4xf32>, %w1: tensor<4xf32> {relax.name = "w1"}, %w2: tensor<4xf32> {relax.name = "w2"}) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %c = relax.constant {value = dense<2.0> : tensor<4xf32>} : () -> tensor<4xf32>
    %a = relax.multiply %w1, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %0 = relax.add %x, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %0 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// A function without parameters has nothing to share, and stays as it is.
// CHECK-LABEL: func.func @transform_params(
// CHECK: relax.abs
// CHECK-LABEL: func.func @f(
// CHECK-SAME: relax.params_from = @transform_params
// CHECK-LABEL: func.func @without(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
// CHECK: relax.negative
func.func @f(%x: tensor<4xf32>, %w: tensor<4xf32> {relax.name = "w"}) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %a = relax.abs %w : (tensor<4xf32>) -> tensor<4xf32>
    %0 = relax.add %x, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %0 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @without(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %0 = relax.negative %x : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %0 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// A tuple that stands for the parameters is taken apart: the transform and the functions take its fields by their names. A tuple that is
// an input stays.
// CHECK-LABEL: func.func @transform_params(
// CHECK-SAME: {relax.name = "a"}
// CHECK-SAME: {relax.name = "b"}
// CHECK: relax.abs
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %x: tuple<tensor<4xf32>, tensor<4xf32>>, %
// CHECK-SAME: relax.params_from = @transform_params
// CHECK-NOT: relax.abs
// CHECK: return
func.func @f(%x: tuple<tensor<4xf32>, tensor<4xf32>>, %params: tuple<tensor<4xf32>, tensor<4xf32>> {relax.names = ["a", "b"]}) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %x0 = relax.tuple_get_item %x {index = 0 : i64} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
    %a = relax.tuple_get_item %params {index = 0 : i64} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
    %b = relax.tuple_get_item %params {index = 1 : i64} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
    %0 = relax.abs %a : (tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.add %0, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = relax.add %x0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %2 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
