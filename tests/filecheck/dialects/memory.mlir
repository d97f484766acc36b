// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: func.func @main(
// CHECK: %[[BYTES:.*]] = relax.shape : () -> !relax.shape<[16 * n]>
// CHECK: %[[STORAGE:.*]] = relax.memory.alloc_storage %[[BYTES]] {dtype = f32} : (!relax.shape<[16 * n]>) -> !relax.object
// CHECK: %[[T:.*]] = relax.memory.alloc_tensor %[[STORAGE]], %{{.*}} {dtype = f32} : (!relax.object, !relax.shape<[n, 4]>) -> tensor<?x4xf32, #relax.sym<n>>
// CHECK: relax.memory.kill_storage %[[STORAGE]] : (!relax.object) -> ()
// CHECK: relax.call_dps %{{.*}}, %[[T]] {callee = @exp} : (tensor<?x4xf32, #relax.sym<n>>, tensor<?x4xf32, #relax.sym<n>>) -> ()
// CHECK: %[[A:.*]] = relax.builtin.alloc_tensor %{{.*}} {dtype = f32, storage_scope = "local", runtime_device_index = 1 : i64} :
// CHECK: relax.call_dps %[[T]], %[[A]], %{{.*}} {callee = @both, num_outputs = 2 : i64} :
// CHECK: relax.memory.kill_tensor %[[T]] : (tensor<?x4xf32, #relax.sym<n>>) -> ()
func.func @main(%x: tensor<?x4xf32, #relax.sym<n>>) -> (tensor<?x4xf32, #relax.sym<n>>, tensor<?x4xf32, #relax.sym<n>>) {
  %shape = relax.shape : () -> !relax.shape<[n, 4]>
  %bytes = relax.shape : () -> !relax.shape<[16 * n]>
  %storage = relax.memory.alloc_storage %bytes {dtype = f32} : (!relax.shape<[16 * n]>) -> !relax.object
  %t = relax.memory.alloc_tensor %storage, %shape {dtype = f32} : (!relax.object, !relax.shape<[n, 4]>) -> tensor<?x4xf32, #relax.sym<n>>
  relax.memory.kill_storage %storage : (!relax.object) -> ()
  relax.call_dps %x, %t {callee = @exp} : (tensor<?x4xf32, #relax.sym<n>>, tensor<?x4xf32, #relax.sym<n>>) -> ()
  %a = relax.builtin.alloc_tensor %shape {dtype = f32, storage_scope = "local", runtime_device_index = 1 : i64} : (!relax.shape<[n, 4]>) -> tensor<?x4xf32, #relax.sym<n>>
  %b = relax.builtin.alloc_tensor %shape {dtype = f32} : (!relax.shape<[n, 4]>) -> tensor<?x4xf32, #relax.sym<n>>
  relax.call_dps %t, %a, %b {callee = @both, num_outputs = 2 : i64} : (tensor<?x4xf32, #relax.sym<n>>, tensor<?x4xf32, #relax.sym<n>>, tensor<?x4xf32, #relax.sym<n>>) -> ()
  relax.memory.kill_tensor %t : (tensor<?x4xf32, #relax.sym<n>>) -> ()
  return %a, %b : tensor<?x4xf32, #relax.sym<n>>, tensor<?x4xf32, #relax.sym<n>>
}
// The callee names its sizes as it likes.
func.func private @exp(%x: tensor<?x4xf32, #relax.sym<m>>) -> tensor<?x4xf32, #relax.sym<m>> attributes {relax.primitive} {
  %0 = relax.exp %x : (tensor<?x4xf32, #relax.sym<m>>) -> tensor<?x4xf32, #relax.sym<m>>
  return %0 : tensor<?x4xf32, #relax.sym<m>>
}
func.func private @both(%x: tensor<?x4xf32, #relax.sym<m>>) -> (tensor<?x4xf32, #relax.sym<m>>, tensor<?x4xf32, #relax.sym<m>>) attributes {relax.primitive} {
  %0 = relax.exp %x : (tensor<?x4xf32, #relax.sym<m>>) -> tensor<?x4xf32, #relax.sym<m>>
  return %0, %x : tensor<?x4xf32, #relax.sym<m>>, tensor<?x4xf32, #relax.sym<m>>
}
