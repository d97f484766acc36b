// RUN: relax-opt %s -p relax-lazy-transform-params | filecheck %s
// RUN: relax-opt %s -p 'relax-lazy-transform-params{get_item="my.load" set_item="my.store"}' | filecheck %s --check-prefix=NAMES
// RUN: relax-opt %s -p 'relax-bundle-model-params,relax-lazy-transform-params' | filecheck %s

// Loaded at the first use, stored when it is there, released after the last use; results that are parameters come first.
// CHECK-LABEL: func.func @main_transform_params() attributes {relax.num_input = 0 : i64, relax.transform} {
// CHECK-NEXT: %[[P:.*]] = arith.constant 1 : i64
// CHECK-NEXT: %[[J:.*]] = arith.constant 1 : i64
// CHECK-NEXT: %[[V:.*]] = relax.call_packed %[[J]] {callee = "get_item", pure = true} : (i64) -> tensor<4xf32>
// CHECK-NEXT: relax.call_packed %[[P]], %[[V]] {callee = "set_item"}
// CHECK-NEXT: relax.vm.kill_object %[[V]]
// CHECK-NEXT: %[[I:.*]] = arith.constant 0 : i64
// CHECK-NEXT: %[[W:.*]] = relax.call_packed %[[I]] {callee = "get_item", pure = true} : (i64) -> tensor<4x8xf32>
// CHECK-NEXT: %[[T:.*]] = relax.permute_dims %[[W]]
// CHECK-NEXT: relax.vm.kill_object %[[W]]
// CHECK-NEXT: %[[O:.*]] = arith.constant 0 : i64
// CHECK-NEXT: relax.call_packed %[[O]], %[[T]] {callee = "set_item"} : (i64, tensor<8x4xf32>) -> ()
// CHECK-NEXT: relax.vm.kill_object %[[T]]
// CHECK-NEXT: return
// NAMES: callee = "my.load"
// NAMES: callee = "my.store"
func.func @main_transform_params(%w: tensor<4x8xf32>, %v: tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>)
    attributes {relax.num_input = 0 : i64, relax.transform} {
  %r = relax.dataflow {
    %t = relax.permute_dims %w : (tensor<4x8xf32>) -> tensor<8x4xf32>
    relax.output %t : tensor<8x4xf32>
  } : tensor<8x4xf32>
  return %r, %v : tensor<8x4xf32>, tensor<4xf32>
}

// A size that a parameter tells is there from the start.
// CHECK-LABEL: func.func @size_transform_params(
// CHECK: %[[V:.*]] = relax.call_packed %{{.*}} {callee = "get_item", pure = true} : (i64) -> tensor<?xf32>
// CHECK: relax.match_cast %[[V]] : (tensor<?xf32>) -> tensor<?xf32, #relax.sym<n>>
func.func @size_transform_params(%v: tensor<?xf32, #relax.sym<n>>) -> !relax.shape<[n]> attributes {relax.num_input = 0 : i64, relax.transform} {
  %s = relax.shape : () -> !relax.shape<[n]>
  return %s : !relax.shape<[n]>
}

// Other functions are left alone.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: tensor<8x4xf32>
func.func @main(%w: tensor<8x4xf32>) -> tensor<8x4xf32> attributes {relax.num_input = 0 : i64} {
  return %w : tensor<8x4xf32>
}

// A transform without relax.num_input takes parameters alone; one tuple stands for all of them.
// CHECK-LABEL: func.func @tuple_transform_params() attributes {relax.transform, relax.num_input = 0 : i64} {
// CHECK: %[[J:.*]] = arith.constant 1 : i64
// CHECK-NEXT: %[[V:.*]] = relax.call_packed %[[J]] {callee = "get_item", pure = true} : (i64) -> tensor<4xf32>
// CHECK: %[[Y:.*]] = relax.exp %[[V]]
// CHECK: relax.call_packed %{{.*}}, %[[Y]] {callee = "set_item"} : (i64, tensor<4xf32>) -> ()
func.func @tuple_transform_params(%p: tuple<tensor<8xf32>, tensor<4xf32>>) -> tuple<tensor<4xf32>> attributes {relax.transform} {
  %v = relax.tuple_get_item %p {index = 1 : i64} : (tuple<tensor<8xf32>, tensor<4xf32>>) -> tensor<4xf32>
  %y = relax.exp %v : (tensor<4xf32>) -> tensor<4xf32>
  %t = relax.tuple %y : (tensor<4xf32>) -> tuple<tensor<4xf32>>
  return %t : tuple<tensor<4xf32>>
}

// One of several parameters may be a tuple: it is loaded whole.
// CHECK-LABEL: func.func @field_transform_params()
// CHECK: relax.call_packed %{{.*}} {callee = "get_item", pure = true} : (i64) -> tuple<tensor<8xf32>, tensor<4xf32>>
func.func @field_transform_params(%w: tensor<8xf32>, %p: tuple<tensor<8xf32>, tensor<4xf32>>) -> tensor<8xf32> attributes {relax.transform} {
  %v = relax.tuple_get_item %p {index = 0 : i64} : (tuple<tensor<8xf32>, tensor<4xf32>>) -> tensor<8xf32>
  %y = relax.add %v, %w : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
