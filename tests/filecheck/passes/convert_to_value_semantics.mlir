// RUN: relax-opt %s -p relax-convert-to-value-semantics | filecheck %s
// RUN: relax-opt %s -p 'relax-static-plan-memory,relax-kill-after-last-use,relax-convert-to-value-semantics' | filecheck %s

// Allocations, storages and kills disappear, and the calls return what they wrote.
// CHECK-LABEL: func.func @chain(
// CHECK-NEXT: %[[A:.*]] = func.call @negate(%x) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[B:.*]], %[[C:.*]] = func.call @halves(%[[A]]) : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
// CHECK-NEXT: func.return %[[C]], %[[B]]
func.func @chain(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %bytes = relax.shape : () -> !relax.shape<[16]>
  %s4 = relax.shape : () -> !relax.shape<[4]>
  %s2 = relax.shape : () -> !relax.shape<[2]>
  %storage = relax.memory.alloc_storage %bytes {dtype = f32} : (!relax.shape<[16]>) -> !relax.object
  %a = relax.memory.alloc_tensor %storage, %s4 {dtype = f32} : (!relax.object, !relax.shape<[4]>) -> tensor<4xf32>
  relax.memory.kill_storage %storage : (!relax.object) -> ()
  relax.call_dps %x, %a {callee = @negate} : (tensor<4xf32>, tensor<4xf32>) -> ()
  %b = relax.builtin.alloc_tensor %s2 {dtype = f32} : (!relax.shape<[2]>) -> tensor<2xf32>
  %c = relax.builtin.alloc_tensor %s2 {dtype = f32} : (!relax.shape<[2]>) -> tensor<2xf32>
  relax.call_dps %a, %b, %c {callee = @halves, num_outputs = 2 : i64} : (tensor<4xf32>, tensor<2xf32>, tensor<2xf32>) -> ()
  relax.memory.kill_tensor %a : (tensor<4xf32>) -> ()
  return %c, %b : tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @foreign(
// CHECK-NEXT: %[[A:.*]] = relax.call_dps_packed %x {callee = "f"} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: func.return %[[A]]
func.func @foreign(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = relax.shape : () -> !relax.shape<[4]>
  %a = relax.builtin.alloc_tensor %s {dtype = f32} : (!relax.shape<[4]>) -> tensor<4xf32>
  relax.call_packed %x, %a {callee = "f"} : (tensor<4xf32>, tensor<4xf32>) -> ()
  return %a : tensor<4xf32>
}

// An object that nobody reads stands for no result.
// CHECK-LABEL: func.func @foreign_object(
// CHECK-NEXT: %[[A:.*]] = relax.call_dps_packed %x {callee = "f"} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: func.return %[[A]]
func.func @foreign_object(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = relax.shape : () -> !relax.shape<[4]>
  %a = relax.builtin.alloc_tensor %s {dtype = f32} : (!relax.shape<[4]>) -> tensor<4xf32>
  %o = relax.call_packed %x, %a {callee = "f"} : (tensor<4xf32>, tensor<4xf32>) -> !relax.object
  return %a : tensor<4xf32>
}

// Not: packed calls that write to no allocated tensor, and sizes that others read.
// CHECK-LABEL: func.func @left_alone(
// CHECK: %[[S:.*]] = relax.shape
// CHECK: relax.call_packed %x {callee = "f"} : (tensor<4xf32>) -> ()
// CHECK: func.return %[[S]]
func.func @left_alone(%x: tensor<4xf32>) -> !relax.shape<[4]> {
  %s = relax.shape : () -> !relax.shape<[4]>
  %unused = relax.builtin.alloc_tensor %s {dtype = f32} : (!relax.shape<[4]>) -> tensor<4xf32>
  relax.call_packed %x {callee = "f"} : (tensor<4xf32>) -> ()
  return %s : !relax.shape<[4]>
}

func.func private @negate(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.primitive} {
  %0 = relax.negative %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @halves(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>) attributes {relax.primitive} {
  %0, %1 = relax.split %x {sections = 2 : i64} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}
