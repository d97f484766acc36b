// RUN: relax-opt %s -p relax-kill-after-last-use | filecheck %s
// RUN: relax-opt %s -p 'relax-kill-after-last-use,relax-kill-after-last-use' | filecheck %s

// A tensor ends after the last call that uses it, a storage after the last tensor in it; first tensors, then storages.
// CHECK-LABEL: func.func @chain(
// CHECK: %[[S:.*]] = relax.memory.alloc_storage
// CHECK: %[[A:.*]] = relax.memory.alloc_tensor %[[S]],
// CHECK-NEXT: relax.memory.kill_storage %[[S]]
// CHECK-NEXT: relax.call_dps %x, %[[A]]
// CHECK: relax.call_dps %[[A]], %[[B:.*]] {callee
// CHECK-NEXT: relax.memory.kill_tensor %[[A]]
// CHECK-NEXT: func.return %[[B]]
func.func @chain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %bytes = relax.shape : () -> !relax.shape<[16]>
  %s = relax.shape : () -> !relax.shape<[4]>
  %storage = relax.memory.alloc_storage %bytes {dtype = f32} : (!relax.shape<[16]>) -> !relax.object
  %a = relax.memory.alloc_tensor %storage, %s {dtype = f32} : (!relax.object, !relax.shape<[4]>) -> tensor<4xf32>
  relax.call_dps %x, %a {callee = @negate} : (tensor<4xf32>, tensor<4xf32>) -> ()
  %b = relax.builtin.alloc_tensor %s {dtype = f32} : (!relax.shape<[4]>) -> tensor<4xf32>
  relax.call_dps %a, %b {callee = @negate} : (tensor<4xf32>, tensor<4xf32>) -> ()
  return %b : tensor<4xf32>
}

// A reshaped tensor is a value of its own; values that end together end in the order of definition, objects last.
// CHECK-LABEL: func.func @order(
// CHECK: %[[O:.*]] = relax.call_packed
// CHECK: %[[A:.*]] = relax.builtin.alloc_tensor
// CHECK: %[[R:.*]] = relax.reshape %[[A]]
// CHECK-NEXT: relax.call_packed %[[O]], %[[R]], %[[A]]
// CHECK-NEXT: relax.memory.kill_tensor %[[A]]
// CHECK-NEXT: relax.memory.kill_tensor %[[R]]
// CHECK-NEXT: relax.vm.kill_object %[[O]]
func.func @order(%x: tensor<4xf32>) {
  %o = relax.call_packed {callee = "f"} : () -> !relax.object
  %s = relax.shape : () -> !relax.shape<[4]>
  %a = relax.builtin.alloc_tensor %s {dtype = f32} : (!relax.shape<[4]>) -> tensor<4xf32>
  relax.call_dps %x, %a {callee = @negate} : (tensor<4xf32>, tensor<4xf32>) -> ()
  %r = relax.reshape %a, %s : (tensor<4xf32>, !relax.shape<[4]>) -> tensor<4xf32>
  relax.call_packed %o, %r, %a {callee = "g"} : (!relax.object, tensor<4xf32>, tensor<4xf32>) -> ()
  return
}

// What only a branch reads ends after the branch, what a branch makes inside of it.
// CHECK-LABEL: func.func @branch(
// CHECK: %[[A:.*]] = relax.builtin.alloc_tensor
// CHECK: scf.if
// CHECK: %[[B:.*]] = relax.builtin.alloc_tensor
// CHECK: relax.call_packed %[[B]]
// CHECK-NEXT: relax.memory.kill_tensor %[[B]]
// CHECK-NEXT: }
// CHECK-NEXT: relax.memory.kill_tensor %[[A]]
func.func @branch(%c: i1, %x: tensor<4xf32>) {
  %s = relax.shape : () -> !relax.shape<[4]>
  %a = relax.builtin.alloc_tensor %s {dtype = f32} : (!relax.shape<[4]>) -> tensor<4xf32>
  relax.call_dps %x, %a {callee = @negate} : (tensor<4xf32>, tensor<4xf32>) -> ()
  scf.if %c {
    %b = relax.builtin.alloc_tensor %s {dtype = f32} : (!relax.shape<[4]>) -> tensor<4xf32>
    relax.call_dps %a, %b {callee = @negate} : (tensor<4xf32>, tensor<4xf32>) -> ()
    relax.call_packed %b {callee = "g"} : (tensor<4xf32>) -> ()
  }
  return
}

// Not twice.
// CHECK-LABEL: func.func @dead_already(
// CHECK: relax.memory.kill_tensor
// CHECK-NEXT: func.return
func.func @dead_already(%x: tensor<4xf32>) {
  %s = relax.shape : () -> !relax.shape<[4]>
  %a = relax.builtin.alloc_tensor %s {dtype = f32} : (!relax.shape<[4]>) -> tensor<4xf32>
  relax.call_dps %x, %a {callee = @negate} : (tensor<4xf32>, tensor<4xf32>) -> ()
  relax.memory.kill_tensor %a : (tensor<4xf32>) -> ()
  return
}

// Not: arguments, results also in a tuple, constants, what nobody uses, the inside of dataflow blocks.
// CHECK-LABEL: func.func @left_alone(
// CHECK-NOT: kill
// CHECK: func.return
func.func @left_alone(%x: tensor<4xf32>) -> (tensor<4xf32>, tuple<tensor<4xf32>, tensor<4xf32>>) {
  %s = relax.shape : () -> !relax.shape<[4]>
  %k = relax.constant {value = dense<1.0> : tensor<4xf32>} : () -> tensor<4xf32>
  %unused = relax.builtin.alloc_tensor %s {dtype = f32} : (!relax.shape<[4]>) -> tensor<4xf32>
  %r = relax.dataflow {
    %0 = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.add %0, %k : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %1 : tensor<4xf32>
  } : tensor<4xf32>
  %b = relax.builtin.alloc_tensor %s {dtype = f32} : (!relax.shape<[4]>) -> tensor<4xf32>
  relax.call_dps %x, %b {callee = @negate} : (tensor<4xf32>, tensor<4xf32>) -> ()
  %t = relax.tuple %b, %r : (tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  return %r, %t : tensor<4xf32>, tuple<tensor<4xf32>, tensor<4xf32>>
}

func.func private @negate(%x: tensor<4xf32>) -> tensor<4xf32>

// A tuple made for one reader is a list of arguments: it is not killed, and its fields end after the reader.
// CHECK-LABEL: func.func @argument_tuple(
// CHECK: %[[Y:.*]] = relax.exp
// CHECK-NEXT: %[[T:.*]] = relax.tuple %x, %[[Y]]
// CHECK-NEXT: relax.call_packed %[[T]]
// CHECK-NEXT: relax.memory.kill_tensor %[[Y]]
// CHECK-NEXT: func.return
func.func @argument_tuple(%x: tensor<4xf32>) {
  %y = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %t = relax.tuple %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  relax.call_packed %t {callee = "g"} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> ()
  return
}

// A tuple with two readers ends after the second one, and its fields with it.
// CHECK-LABEL: func.func @tuple_value(
// CHECK: relax.call_packed %[[T:.*]] {callee = "g"}
// CHECK-NEXT: relax.call_packed %[[T]] {callee = "h"}
// CHECK-NEXT: relax.memory.kill_tensor
// CHECK-NEXT: relax.vm.kill_object %[[T]]
func.func @tuple_value(%x: tensor<4xf32>) {
  %y = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %t = relax.tuple %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  relax.call_packed %t {callee = "g"} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> ()
  relax.call_packed %t {callee = "h"} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> ()
  return
}
