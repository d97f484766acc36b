// RUN: relax-opt %s -p relax-eliminate-common-subexpr | filecheck %s
// RUN: relax-opt %s -p 'relax-eliminate-common-subexpr{call_only=true}' | filecheck %s --check-prefix=CALLS

// Equal computations are one, inside a dataflow block and after it; other attributes make a difference.
// CHECK-LABEL: func.func @equal(
// CHECK: %[[A:.*]] = relax.permute_dims %[[W:.*]] {axes = array<i64: 1, 0>}
// CHECK-NEXT: %[[B:.*]] = relax.permute_dims %[[W]] {axes = array<i64: 0, 1>}
// CHECK-NEXT: relax.add %[[A]], %[[A]]
// CHECK-NOT: relax.permute_dims
// CHECK: return
// CALLS-LABEL: func.func @equal(
// CALLS-COUNT-2: relax.permute_dims
// CALLS-NOT: relax.permute_dims
// CALLS: relax.add
func.func @equal(%w: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %r, %s = relax.dataflow {
    %a = relax.permute_dims %w {axes = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %b = relax.permute_dims %w {axes = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %c = relax.permute_dims %w {axes = array<i64: 0, 1>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %d = relax.add %a, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    relax.output %d, %c : tensor<4x4xf32>, tensor<4x4xf32>
  } : tensor<4x4xf32>, tensor<4x4xf32>
  return %r, %s : tensor<4x4xf32>, tensor<4x4xf32>
}

// A block sees what was computed before it, and what leaves a dataflow block before it.
// CHECK-LABEL: func.func @blocks(
// CHECK: %[[N:.*]] = relax.negative
// CHECK-NEXT: %[[R:.*]] = relax.dataflow {
// CHECK-NEXT: relax.abs %[[N]]
// CHECK-NOT: relax.abs
// CHECK: func.return %[[R]], %[[R]]
func.func @blocks(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %n = relax.negative %x : (tensor<4xf32>) -> tensor<4xf32>
  %r = relax.dataflow {
    %m = relax.negative %x : (tensor<4xf32>) -> tensor<4xf32>
    %a = relax.abs %m : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %a : tensor<4xf32>
  } : tensor<4xf32>
  %b = relax.abs %n : (tensor<4xf32>) -> tensor<4xf32>
  return %r, %b : tensor<4xf32>, tensor<4xf32>
}

// A chain that leaves a block is seen behind it, also by a second block.
// CHECK-LABEL: func.func @behind(
// CHECK: relax.dataflow {
// CHECK: relax.exp
// CHECK: relax.abs
// CHECK-NOT: relax.exp
// CHECK-NOT: relax.abs
// CHECK: func.return
func.func @behind(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %r, %s = relax.dataflow {
    %a = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %b = relax.abs %a : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %a, %b : tensor<4xf32>, tensor<4xf32>
  } : tensor<4xf32>, tensor<4xf32>
  %c = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %t = relax.dataflow {
    %d = relax.abs %c : (tensor<4xf32>) -> tensor<4xf32>
    %e = relax.add %d, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %e : tensor<4xf32>
  } : tensor<4xf32>
  return %r, %s, %t : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// What stays inside of a block, or needs what stays there, is computed again behind it.
// CHECK-LABEL: func.func @inside(
// CHECK: relax.exp
// CHECK: relax.abs
// CHECK: }
// CHECK-NEXT: %[[C:.*]] = relax.exp
// CHECK-NEXT: relax.abs %[[C]]
func.func @inside(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r = relax.dataflow {
    %a = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %b = relax.abs %a : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %b : tensor<4xf32>
  } : tensor<4xf32>
  %c = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %d = relax.abs %c : (tensor<4xf32>) -> tensor<4xf32>
  return %r, %d : tensor<4xf32>, tensor<4xf32>
}

// Equal outputs leave a block once; different ones stay.
// CHECK-LABEL: func.func @outputs(
// CHECK-NEXT: %[[R:.*]], %[[S:.*]] = relax.dataflow {
// CHECK: relax.output %[[A:.*]], %[[C:.*]] : tensor<4xf32>, tensor<4xf32>
// CHECK: func.return %[[R]], %[[R]], %[[S]]
func.func @outputs(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %r, %s, %t = relax.dataflow {
    %a = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %b = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %c = relax.abs %a : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  } : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  return %r, %s, %t : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Calls with effects are not compared; pure ones are.
// CHECK-LABEL: func.func @calls(
// CHECK-COUNT-2: relax.call_packed %{{.*}} {callee = "random"}
// CHECK-COUNT-1: relax.call_packed %{{.*}} {callee = "copy", pure = true}
// CHECK-NOT: relax.call_packed
// CHECK: func.call @pure
// CHECK-NOT: func.call
// CHECK: return
// CALLS-LABEL: func.func @calls(
// CALLS: func.call @pure
// CALLS-NOT: func.call
// CALLS: return
func.func @calls(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a = relax.call_packed %x {callee = "random"} : (tensor<4xf32>) -> tensor<4xf32>
  %b = relax.call_packed %x {callee = "random"} : (tensor<4xf32>) -> tensor<4xf32>
  %c = relax.call_packed %x {callee = "copy", pure = true} : (tensor<4xf32>) -> tensor<4xf32>
  %d = relax.call_packed %x {callee = "copy", pure = true} : (tensor<4xf32>) -> tensor<4xf32>
  %e = func.call @pure(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %f = func.call @pure(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %a, %b, %c, %d, %e, %f : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
func.func private @pure(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// Constants, shapes, tuples, fields and casts are no calls; calls that differ in equal constants and shapes alone are equal.
// CHECK-LABEL: func.func @no_calls(
// CHECK-COUNT-1: relax.constant
// CHECK-NOT: relax.constant
// CHECK-COUNT-1: relax.shape :
// CHECK-NOT: relax.shape :
// CHECK-COUNT-1: relax.tuple %
// CHECK-NOT: relax.tuple %
// CHECK: func.return
// CALLS-LABEL: func.func @no_calls(
// CALLS-COUNT-2: relax.constant
// CALLS-COUNT-2: relax.shape :
// CALLS-COUNT-2: relax.tuple %
// CALLS-COUNT-1: relax.zeros
// CALLS-NOT: relax.zeros
// CALLS: func.return
func.func @no_calls(%x: tensor<4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<4xf32>, tensor<2x2xf32>) {
  %a = relax.constant {value = dense<1.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %b = relax.constant {value = dense<1.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %s = relax.shape : () -> !relax.shape<[2, 2]>
  %t = relax.shape : () -> !relax.shape<[2, 2]>
  %p = relax.tuple %a, %x : (tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  %q = relax.tuple %a, %x : (tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  %c = relax.tuple_get_item %p {index = 0 : i64} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
  %d = relax.tuple_get_item %q {index = 1 : i64} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
  %e = relax.reshape %c, %s : (tensor<4xf32>, !relax.shape<[2, 2]>) -> tensor<2x2xf32>
  %f = relax.reshape %d, %t : (tensor<4xf32>, !relax.shape<[2, 2]>) -> tensor<2x2xf32>
  %z = relax.zeros %s {dtype = f32} : (!relax.shape<[2, 2]>) -> tensor<2x2xf32>
  %o = relax.zeros %t {dtype = f32} : (!relax.shape<[2, 2]>) -> tensor<2x2xf32>
  %p2 = relax.add %z, %o : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %e, %f, %b, %p2 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<4xf32>, tensor<2x2xf32>
}
