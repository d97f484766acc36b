// RUN: relax-opt %s -p relax-lift-transform-params | filecheck %s

// What a weight alone gives leaves the function; what takes an input stays.
// CHECK-LABEL: func.func @weight_only_transform_params(
// CHECK-SAME: %[[W:[^:]+]]: tensor<4x8xf32> {relax.name = "fc.weight"}) -> (tensor<8x4xf32> {relax.name = "w_t"}) attributes {relax.num_input = 0 : i64, relax.transform}
// CHECK-NEXT: %[[R:.*]] = relax.dataflow {
// CHECK-NEXT: %[[T:.*]] = relax.permute_dims %[[W]] :
// CHECK-NEXT: relax.output %[[T]] :
// CHECK: return %[[R]] : tensor<8x4xf32>
// CHECK-LABEL: func.func @weight_only(
// CHECK-SAME: %[[X:[^:]+]]: tensor<2x8xf32>, %[[WT:[^:]+]]: tensor<8x4xf32> {relax.name = "w_t"})
// CHECK-SAME: relax.num_input = 1 : i64, relax.params_from = @weight_only_transform_params}
// CHECK-NEXT: relax.dataflow {
// CHECK-NEXT: relax.matmul %[[X]], %[[WT]] :
// CHECK-NEXT: relax.output
func.func @weight_only(%x: tensor<2x8xf32>, %w: tensor<4x8xf32> {relax.name = "fc.weight"}) -> tensor<2x4xf32>
    attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %w_t = relax.permute_dims %w : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %y = relax.matmul %x, %w_t : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
    relax.output %y : tensor<2x4xf32>
  } : tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// Without relax.num_input nothing is known to be a weight.
// CHECK-NOT: @no_num_input_transform_params
// CHECK-LABEL: func.func @no_num_input(
// CHECK-SAME: %[[W:[^:]+]]: tensor<4x8xf32>) -> tensor<8x4xf32> {
// CHECK: relax.permute_dims %[[W]]
func.func @no_num_input(%w: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %r = relax.dataflow {
    %w_t = relax.permute_dims %w : (tensor<4x8xf32>) -> tensor<8x4xf32>
    relax.output %w_t : tensor<8x4xf32>
  } : tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// A chain leaves as a whole, and only its end comes back.
// CHECK-LABEL: func.func @chain_transform_params(
// CHECK: %[[A:.*]] = relax.permute_dims
// CHECK-NEXT: %[[B:.*]] = relax.negative %[[A]]
// CHECK-NEXT: relax.output %[[B]] :
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[X:[^:]+]]: tensor<8x4xf32>, %[[P:[^:]+]]: tensor<8x4xf32> {relax.name = "b"})
// CHECK-NEXT: relax.dataflow {
// CHECK-NEXT: relax.add %[[X]], %[[P]]
func.func @chain(%x: tensor<8x4xf32>, %w: tensor<4x8xf32>) -> tensor<8x4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %a = relax.permute_dims %w : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %b = relax.negative %a : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %y = relax.add %x, %b : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    relax.output %y : tensor<8x4xf32>
  } : tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// Outputs: the weights that are still read, in their order, then what was computed, in its order; a weight that nothing reads goes.
// CHECK-LABEL: func.func @order_transform_params(
// CHECK-SAME: %[[W0:[^:]+]]: tensor<4xf32> {{.*}}, %[[W1:[^:]+]]: tensor<4xf32> {{.*}}, %[[W2:[^:]+]]: tensor<4xf32> {{.*}}, %[[W3:[^:]+]]: tensor<4xf32>
// CHECK-SAME: -> (tensor<4xf32> {relax.name = "w1"}, tensor<4xf32> {relax.name = "w3"}, tensor<4xf32> {relax.name = "b"}, tensor<4xf32> {relax.name = "a"})
// CHECK: %[[B:.*]] = relax.negative %[[W3]]
// CHECK-NEXT: %[[A:.*]] = relax.negative %[[W0]]
// CHECK-NEXT: relax.output %[[B]], %[[A]] :
// CHECK: return %[[W1]], %[[W3]], %{{.*}}, %{{.*}} :
func.func @order(%x: tensor<4xf32>, %w0: tensor<4xf32> {relax.name = "w0"}, %w1: tensor<4xf32> {relax.name = "w1"},
    %w2: tensor<4xf32> {relax.name = "w2"}, %w3: tensor<4xf32> {relax.name = "w3"}) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %b = relax.negative %w3 : (tensor<4xf32>) -> tensor<4xf32>
    %a = relax.negative %w0 : (tensor<4xf32>) -> tensor<4xf32>
    %0 = relax.add %x, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.add %0, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = relax.add %1, %w3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %3 = relax.add %2, %w1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %3 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// Outside of dataflow blocks nothing is lifted.
// CHECK-LABEL: func.func @outside(
// CHECK-SAME: %[[X:[^:]+]]: tensor<4xf32>, %[[W:[^:]+]]: tensor<4xf32>
// CHECK: relax.negative %[[W]]
func.func @outside(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %n = relax.negative %w : (tensor<4xf32>) -> tensor<4xf32>
  return %n : tensor<4xf32>
}

// Lifting stops at stop_lift_params: its operand is lifted, what depends on it is not, and the op itself goes.
// CHECK-LABEL: func.func @stop_transform_params(
// CHECK: relax.negative
// CHECK-NOT: relax.abs
// CHECK: return
// CHECK-LABEL: func.func @stop(
// CHECK-SAME: %[[P:[^:]+]]: tensor<4xf32> {relax.name = "a", relax.stop_lift_params})
// CHECK-NEXT: relax.dataflow {
// CHECK-NEXT: relax.abs %[[P]]
func.func @stop(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %a = relax.negative %w : (tensor<4xf32>) -> tensor<4xf32>
    %s = relax.builtin.stop_lift_params %a : (tensor<4xf32>) -> tensor<4xf32>
    %b = relax.abs %s : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %b : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// A lifted value that the function returns is one of its parameters.
// CHECK-LABEL: func.func @returned(
// CHECK-SAME: %[[P:[^:]+]]: tensor<4xf32> {relax.name = "a"})
// CHECK-NEXT: return %[[P]] :
func.func @returned(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %a = relax.negative %w : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %a : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// An operator without parameters that only the transform needs leaves the function,
// CHECK-LABEL: func.func @constant_in_transform_transform_params(
// CHECK: relax.constant
// CHECK-LABEL: func.func @constant_in_transform(
// CHECK-NOT: relax.constant
// CHECK: return
func.func @constant_in_transform(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %c = relax.constant {value = dense<2.0> : tensor<4xf32>} : () -> tensor<4xf32>
    %a = relax.multiply %w, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %y = relax.add %x, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %y : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// one that both need is in both,
// CHECK-LABEL: func.func @constant_in_both_transform_params(
// CHECK: relax.constant
// CHECK-LABEL: func.func @constant_in_both(
// CHECK-SAME: %[[X:[^:]+]]: tensor<4xf32>, %[[A:[^:]+]]: tensor<4xf32> {relax.name = "a"})
// CHECK: relax.constant
func.func @constant_in_both(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %c = relax.constant {value = dense<2.0> : tensor<4xf32>} : () -> tensor<4xf32>
    %a = relax.multiply %w, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %y = relax.add %x, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %z = relax.add %y, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %z : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// and one that only the function needs is never passed through the transform.
// CHECK-LABEL: func.func @constant_at_run_time_transform_params(
// CHECK-NOT: relax.constant
// CHECK-LABEL: func.func @constant_at_run_time(
// CHECK: %[[C:.*]] = relax.constant
// CHECK-NEXT: %[[D:.*]] = relax.negative %[[C]]
// CHECK-NEXT: relax.add %{{.*}}, %[[D]]
func.func @constant_at_run_time(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %c = relax.constant {value = dense<2.0> : tensor<4xf32>} : () -> tensor<4xf32>
    %d = relax.negative %c : (tensor<4xf32>) -> tensor<4xf32>
    %y = relax.add %x, %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %y : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// A call of a private function can be lifted,
// CHECK-LABEL: func.func @call_transform_params(
// CHECK: func.call @twice(%{{.*}}) :
// CHECK-LABEL: func.func @call(
// CHECK-NOT: func.call
// CHECK: return
func.func @call(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %a = func.call @twice(%w) : (tensor<4xf32>) -> tensor<4xf32>
    %y = relax.add %x, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %y : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
// unless it also takes an input.
// CHECK-LABEL: func.func @call_with_input(
// CHECK: func.call @plus(
func.func @call_with_input(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %a = func.call @plus(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %a : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = relax.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @plus(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %y = relax.add %x, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
