// RUN: relax-opt %s -p relax-lazy-get-input | filecheck %s

// Each parameter is loaded where it is first read, by its position and name; the function that loads follows the inputs.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[^:]+]]: tensor<4xf32>, %[[F:[^:]+]]: !relax.object) -> tensor<4xf32> attributes {relax.num_input = 2 : i64}
// CHECK-NEXT: relax.dataflow {
// CHECK-NEXT: %[[N:.*]] = relax.negative %[[X]]
// CHECK-NEXT: %[[I:.*]] = arith.constant 1 : i64
// CHECK-NEXT: %[[O:.*]] = relax.invoke_pure_closure %[[F]], %[[I]] {literals = {"1" = "b.weight"}} : (!relax.object, i64) -> !relax.object
// CHECK-NEXT: %[[W:.*]] = relax.match_cast %[[O]] : (!relax.object) -> tensor<4xf32>
// CHECK-NEXT: %[[S:.*]] = relax.add %[[N]], %[[W]]
// CHECK-NEXT: relax.add %[[S]], %[[W]]
// CHECK-NOT: relax.invoke_pure_closure
// CHECK: return
func.func @main(%x: tensor<4xf32>, %unused: tensor<4xf32>, %w: tensor<4xf32> {relax.name = "b.weight"}) -> tensor<4xf32>
    attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %n = relax.negative %x : (tensor<4xf32>) -> tensor<4xf32>
    %s = relax.add %n, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %t = relax.add %s, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %t : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// A size that only a parameter tells is loaded first of all, and unknown to callers.
// CHECK-LABEL: func.func @size(
// CHECK-SAME: -> tensor<?xf32>
// CHECK-NEXT: arith.constant 0 : i64
// CHECK-NEXT: relax.invoke_pure_closure
// CHECK-NEXT: %[[W:.*]] = relax.match_cast %{{.*}} : (!relax.object) -> tensor<?xf32, #relax.sym<n>>
// CHECK-NEXT: %[[E:.*]] = relax.match_cast %[[W]] : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32>
// CHECK-NEXT: return %[[E]]
func.func @size(%w: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>> attributes {relax.num_input = 0 : i64} {
  return %w : tensor<?xf32, #relax.sym<n>>
}

// A private function keeps its parameters.
// CHECK-LABEL: func.func private @private(
// CHECK-NOT: !relax.object
func.func private @private(%w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 0 : i64} {
  return %w : tensor<4xf32>
}

// A parameter that nothing reads is loaded only if no other tells its size.
// CHECK-LABEL: func.func @unread(
// CHECK-NEXT: %[[I:.*]] = arith.constant 1 : i64
// CHECK-NEXT: %{{.*}} = relax.invoke_pure_closure %fget_param, %[[I]] {literals = {"1" = "v"}}
// CHECK-NOT: relax.invoke_pure_closure
// CHECK: return
func.func @unread(%w: tensor<?x4xf32, #relax.sym<n>>, %v: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>> attributes {relax.num_input = 0 : i64} {
  %r = relax.abs %v : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
  return %r : tensor<?xf32, #relax.sym<n>>
}
// CHECK-LABEL: func.func @told(
// CHECK: relax.invoke_pure_closure %fget_param, %{{.*}} {literals = {"1" = "w"}}
// CHECK: relax.invoke_pure_closure %fget_param, %{{.*}} {literals = {"1" = "v"}}
func.func @told(%w: tensor<?x4xf32, #relax.sym<n>>, %v: tensor<?xf32, #relax.sym<2 * n>>) -> tensor<?xf32, #relax.sym<2 * n>> attributes {relax.num_input = 0 : i64} {
  %r = relax.abs %v : (tensor<?xf32, #relax.sym<2 * n>>) -> tensor<?xf32, #relax.sym<2 * n>>
  return %r : tensor<?xf32, #relax.sym<2 * n>>
}

// Without relax.num_input all arguments are parameters.
// CHECK-LABEL: func.func @plain(
// CHECK-SAME: %fget_param: !relax.object) -> tensor<4xf32> attributes {relax.num_input = 1 : i64}
func.func @plain(%w: tensor<4xf32>) -> tensor<4xf32> {
  return %w : tensor<4xf32>
}
