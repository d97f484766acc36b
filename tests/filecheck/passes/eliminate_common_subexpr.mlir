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
// CALLS-COUNT-3: relax.permute_dims
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

// A block sees what was computed before it, not what another block computed inside.
// CHECK-LABEL: func.func @blocks(
// CHECK: %[[N:.*]] = relax.negative
// CHECK-NEXT: relax.dataflow {
// CHECK-NEXT: relax.abs %[[N]]
// CHECK: relax.abs %[[N]]
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
