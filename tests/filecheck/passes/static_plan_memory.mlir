// RUN: relax-opt %s -p relax-static-plan-memory | filecheck %s

// A chain needs two storages; a call never writes to what it reads. What is returned is no part of the plan.
// CHECK-LABEL: func.func @chain(
// CHECK: %[[S:.*]] = relax.memory.alloc_storage %{{.*}} {dtype = f32} : (!relax.shape<[32]>)
// CHECK-NEXT: %[[A:.*]] = relax.memory.alloc_tensor %[[S]], %{{.*}} {dtype = f32} : (!relax.object, !relax.shape<[8]>) -> tensor<8xf32>
// CHECK-NEXT: relax.call_dps %x, %[[A]]
// CHECK: %[[T:.*]] = relax.memory.alloc_storage
// CHECK-NEXT: %[[B:.*]] = relax.memory.alloc_tensor %[[T]],
// CHECK-NEXT: relax.call_dps %[[A]], %[[B]]
// CHECK: %[[C:.*]] = relax.memory.alloc_tensor %[[S]],
// CHECK-NEXT: relax.call_dps %[[B]], %[[C]]
// CHECK: %[[D:.*]] = relax.builtin.alloc_tensor
// CHECK-NEXT: relax.call_dps %[[C]], %[[D]]
// CHECK-NEXT: func.return %[[D]]
func.func @chain(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a_s = relax.shape : () -> !relax.shape<[8]>
  %a = relax.builtin.alloc_tensor %a_s {dtype = f32} : (!relax.shape<[8]>) -> tensor<8xf32>
  relax.call_dps %x, %a {callee = @f} : (tensor<8xf32>, tensor<8xf32>) -> ()
  %b_s = relax.shape : () -> !relax.shape<[8]>
  %b = relax.builtin.alloc_tensor %b_s {dtype = f32} : (!relax.shape<[8]>) -> tensor<8xf32>
  relax.call_dps %a, %b {callee = @f} : (tensor<8xf32>, tensor<8xf32>) -> ()
  %c_s = relax.shape : () -> !relax.shape<[8]>
  %c = relax.builtin.alloc_tensor %c_s {dtype = f32} : (!relax.shape<[8]>) -> tensor<8xf32>
  relax.call_dps %b, %c {callee = @f} : (tensor<8xf32>, tensor<8xf32>) -> ()
  %d_s = relax.shape : () -> !relax.shape<[8]>
  %d = relax.builtin.alloc_tensor %d_s {dtype = f32} : (!relax.shape<[8]>) -> tensor<8xf32>
  relax.call_dps %c, %d {callee = @f} : (tensor<8xf32>, tensor<8xf32>) -> ()
  return %d : tensor<8xf32>
}

// The smallest free storage that is large enough is taken, up to 16 times the size.
// CHECK-LABEL: func.func @larger(
// CHECK: %[[L:.*]] = relax.memory.alloc_storage %{{.*}} : (!relax.shape<[512]>)
// CHECK: %[[M:.*]] = relax.memory.alloc_storage %{{.*}} : (!relax.shape<[32]>)
// CHECK: relax.call_packed
// CHECK: %[[T:.*]] = relax.memory.alloc_tensor %[[M]], %{{.*}} : (!relax.object, !relax.shape<[8]>)
// CHECK: %[[U:.*]] = relax.memory.alloc_tensor %[[L]], %{{.*}} : (!relax.object, !relax.shape<[8]>)
// CHECK-NOT: alloc_storage
// CHECK: func.return
func.func @larger(%x: tensor<8xf32>) {
  %l_s = relax.shape : () -> !relax.shape<[128]>
  %l = relax.builtin.alloc_tensor %l_s {dtype = f32} : (!relax.shape<[128]>) -> tensor<128xf32>
  %m_s = relax.shape : () -> !relax.shape<[8]>
  %m = relax.builtin.alloc_tensor %m_s {dtype = f32} : (!relax.shape<[8]>) -> tensor<8xf32>
  relax.call_dps %x, %l {callee = @f128} : (tensor<8xf32>, tensor<128xf32>) -> ()
  relax.call_dps %x, %m {callee = @f} : (tensor<8xf32>, tensor<8xf32>) -> ()
  relax.call_packed %l, %m {callee = "g"} : (tensor<128xf32>, tensor<8xf32>) -> ()
  %t_s = relax.shape : () -> !relax.shape<[8]>
  %t = relax.builtin.alloc_tensor %t_s {dtype = f32} : (!relax.shape<[8]>) -> tensor<8xf32>
  relax.call_dps %x, %t {callee = @f} : (tensor<8xf32>, tensor<8xf32>) -> ()
  %u_s = relax.shape : () -> !relax.shape<[8]>
  %u = relax.builtin.alloc_tensor %u_s {dtype = f32} : (!relax.shape<[8]>) -> tensor<8xf32>
  relax.call_dps %t, %u {callee = @f} : (tensor<8xf32>, tensor<8xf32>) -> ()
  relax.call_packed %u {callee = "g"} : (tensor<8xf32>) -> ()
  return
}

// Not one of more than 16 times the size.
// CHECK-LABEL: func.func @too_large(
// CHECK: %[[L:.*]] = relax.memory.alloc_storage %{{.*}} : (!relax.shape<[512]>)
// CHECK: %[[S:.*]] = relax.memory.alloc_storage %{{.*}} : (!relax.shape<[28]>)
// CHECK-NEXT: relax.memory.alloc_tensor %[[S]],
func.func @too_large(%x: tensor<8xf32>) {
  %l_s = relax.shape : () -> !relax.shape<[128]>
  %l = relax.builtin.alloc_tensor %l_s {dtype = f32} : (!relax.shape<[128]>) -> tensor<128xf32>
  relax.call_dps %x, %l {callee = @f128} : (tensor<8xf32>, tensor<128xf32>) -> ()
  relax.call_packed %l {callee = "g"} : (tensor<128xf32>) -> ()
  %t_s = relax.shape : () -> !relax.shape<[7]>
  %t = relax.builtin.alloc_tensor %t_s {dtype = f32} : (!relax.shape<[7]>) -> tensor<7xf32>
  relax.call_dps %x, %t {callee = @f7} : (tensor<8xf32>, tensor<7xf32>) -> ()
  relax.call_packed %t {callee = "g"} : (tensor<7xf32>) -> ()
  return
}

// A smaller one, of a 16th at least, grows.
// CHECK-LABEL: func.func @smaller(
// CHECK: %[[S:.*]] = relax.memory.alloc_storage %{{.*}} : (!relax.shape<[512]>)
// CHECK: relax.memory.alloc_tensor %[[S]], %{{.*}} : (!relax.object, !relax.shape<[8]>)
// CHECK-NOT: alloc_storage
// CHECK: relax.memory.alloc_tensor %[[S]], %{{.*}} : (!relax.object, !relax.shape<[128]>)
func.func @smaller(%x: tensor<8xf32>) {
  %t_s = relax.shape : () -> !relax.shape<[8]>
  %t = relax.builtin.alloc_tensor %t_s {dtype = f32} : (!relax.shape<[8]>) -> tensor<8xf32>
  relax.call_dps %x, %t {callee = @f} : (tensor<8xf32>, tensor<8xf32>) -> ()
  relax.call_packed %t {callee = "g"} : (tensor<8xf32>) -> ()
  %l_s = relax.shape : () -> !relax.shape<[128]>
  %l = relax.builtin.alloc_tensor %l_s {dtype = f32} : (!relax.shape<[128]>) -> tensor<128xf32>
  relax.call_dps %x, %l {callee = @f128} : (tensor<8xf32>, tensor<128xf32>) -> ()
  relax.call_packed %l {callee = "g"} : (tensor<128xf32>) -> ()
  return
}

// Not one of less than a 16th.
// CHECK-LABEL: func.func @too_small(
// CHECK: relax.memory.alloc_storage %{{.*}} : (!relax.shape<[28]>)
// CHECK: relax.memory.alloc_storage %{{.*}} : (!relax.shape<[512]>)
func.func @too_small(%x: tensor<8xf32>) {
  %t_s = relax.shape : () -> !relax.shape<[7]>
  %t = relax.builtin.alloc_tensor %t_s {dtype = f32} : (!relax.shape<[7]>) -> tensor<7xf32>
  relax.call_dps %x, %t {callee = @f7} : (tensor<8xf32>, tensor<7xf32>) -> ()
  relax.call_packed %t {callee = "g"} : (tensor<7xf32>) -> ()
  %l_s = relax.shape : () -> !relax.shape<[128]>
  %l = relax.builtin.alloc_tensor %l_s {dtype = f32} : (!relax.shape<[128]>) -> tensor<128xf32>
  relax.call_dps %x, %l {callee = @f128} : (tensor<8xf32>, tensor<128xf32>) -> ()
  relax.call_packed %l {callee = "g"} : (tensor<128xf32>) -> ()
  return
}

// Not one of another element type or memory scope.
// CHECK-LABEL: func.func @kinds(
// CHECK: relax.memory.alloc_storage %{{.*}} {dtype = f32} : (!relax.shape<[32]>)
// CHECK: relax.memory.alloc_storage %{{.*}} {dtype = i32} : (!relax.shape<[32]>)
// CHECK: relax.memory.alloc_storage %{{.*}} {dtype = f32, storage_scope = "local"} : (!relax.shape<[32]>)
func.func @kinds(%x: tensor<8xf32>) {
  %t_s = relax.shape : () -> !relax.shape<[8]>
  %t = relax.builtin.alloc_tensor %t_s {dtype = f32} : (!relax.shape<[8]>) -> tensor<8xf32>
  relax.call_dps %x, %t {callee = @f} : (tensor<8xf32>, tensor<8xf32>) -> ()
  relax.call_packed %t {callee = "g"} : (tensor<8xf32>) -> ()
  %u_s = relax.shape : () -> !relax.shape<[8]>
  %u = relax.builtin.alloc_tensor %u_s {dtype = i32} : (!relax.shape<[8]>) -> tensor<8xi32>
  relax.call_dps %x, %u {callee = @fi} : (tensor<8xf32>, tensor<8xi32>) -> ()
  relax.call_packed %u {callee = "g"} : (tensor<8xi32>) -> ()
  %v_s = relax.shape : () -> !relax.shape<[8]>
  %v = relax.builtin.alloc_tensor %v_s {dtype = f32, storage_scope = "local"} : (!relax.shape<[8]>) -> tensor<8xf32>
  relax.call_dps %x, %v {callee = @f} : (tensor<8xf32>, tensor<8xf32>) -> ()
  relax.call_packed %v {callee = "g"} : (tensor<8xf32>) -> ()
  return
}

// Symbolic sizes share a storage if they are provably equal, and not otherwise.
// CHECK-LABEL: func.func @symbolic(
// CHECK: %[[S:.*]] = relax.memory.alloc_storage %{{.*}} : (!relax.shape<[4 * n]>)
// CHECK: %[[T:.*]] = relax.memory.alloc_storage %{{.*}} : (!relax.shape<[8 * n]>)
// CHECK: relax.memory.alloc_tensor %[[S]], %{{.*}} : (!relax.object, !relax.shape<[n]>)
// CHECK-NOT: alloc_storage
// CHECK: func.return
func.func @symbolic(%x: tensor<?xf32, #relax.sym<n>>) {
  %a_s = relax.shape : () -> !relax.shape<[n]>
  %a = relax.builtin.alloc_tensor %a_s {dtype = f32} : (!relax.shape<[n]>) -> tensor<?xf32, #relax.sym<n>>
  relax.call_dps %x, %a {callee = @fn} : (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<n>>) -> ()
  relax.call_packed %a {callee = "g"} : (tensor<?xf32, #relax.sym<n>>) -> ()
  %b_s = relax.shape : () -> !relax.shape<[2 * n]>
  %b = relax.builtin.alloc_tensor %b_s {dtype = f32} : (!relax.shape<[2 * n]>) -> tensor<?xf32, #relax.sym<2 * n>>
  relax.call_dps %x, %b {callee = @f2n} : (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<2 * n>>) -> ()
  relax.call_packed %b {callee = "g"} : (tensor<?xf32, #relax.sym<2 * n>>) -> ()
  %c_s = relax.shape : () -> !relax.shape<[n]>
  %c = relax.builtin.alloc_tensor %c_s {dtype = f32} : (!relax.shape<[n]>) -> tensor<?xf32, #relax.sym<n>>
  relax.call_dps %x, %c {callee = @fn} : (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<n>>) -> ()
  relax.call_packed %c {callee = "g"} : (tensor<?xf32, #relax.sym<n>>) -> ()
  return
}

// With bounds they count with their largest value.
// CHECK-LABEL: func.func @bounded(
// CHECK: %[[S:.*]] = relax.memory.alloc_storage %{{.*}} : (!relax.shape<[72]>)
// CHECK: relax.memory.alloc_tensor %[[S]], %{{.*}} : (!relax.object, !relax.shape<[n]>)
// CHECK-NOT: alloc_storage
// CHECK: relax.memory.alloc_tensor %[[S]], %{{.*}} : (!relax.object, !relax.shape<[2 * n]>)
func.func @bounded(%x: tensor<?xf32, #relax.sym<n>>) attributes {relax.sym_upper_bounds = {n = 9 : i64}} {
  %a_s = relax.shape : () -> !relax.shape<[n]>
  %a = relax.builtin.alloc_tensor %a_s {dtype = f32} : (!relax.shape<[n]>) -> tensor<?xf32, #relax.sym<n>>
  relax.call_dps %x, %a {callee = @fn} : (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<n>>) -> ()
  relax.call_packed %a {callee = "g"} : (tensor<?xf32, #relax.sym<n>>) -> ()
  %b_s = relax.shape : () -> !relax.shape<[2 * n]>
  %b = relax.builtin.alloc_tensor %b_s {dtype = f32} : (!relax.shape<[2 * n]>) -> tensor<?xf32, #relax.sym<2 * n>>
  relax.call_dps %x, %b {callee = @f2n} : (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<2 * n>>) -> ()
  relax.call_packed %b {callee = "g"} : (tensor<?xf32, #relax.sym<2 * n>>) -> ()
  return
}

// Not those of symbols that are not in the signature.
// CHECK-LABEL: func.func @bound_of_another(
// CHECK: relax.memory.alloc_storage %{{.*}} : (!relax.shape<[4 * k]>)
func.func @bound_of_another(%y: tensor<?xf32>) attributes {relax.sym_upper_bounds = {k = 9 : i64}} {
  %x = relax.match_cast %y : (tensor<?xf32>) -> tensor<?xf32, #relax.sym<k>>
  %a_s = relax.shape : () -> !relax.shape<[k]>
  %a = relax.builtin.alloc_tensor %a_s {dtype = f32} : (!relax.shape<[k]>) -> tensor<?xf32, #relax.sym<k>>
  relax.call_dps %x, %a {callee = @fn} : (tensor<?xf32, #relax.sym<k>>, tensor<?xf32, #relax.sym<k>>) -> ()
  relax.call_packed %a {callee = "g"} : (tensor<?xf32, #relax.sym<k>>) -> ()
  return
}

// A reshaped tensor is in the same storage, which is not free before that is dead too.
// CHECK-LABEL: func.func @reshaped(
// CHECK: %[[S:.*]] = relax.memory.alloc_storage
// CHECK: %[[A:.*]] = relax.memory.alloc_tensor %[[S]],
// CHECK: relax.reshape %[[A]]
// CHECK: %[[T:.*]] = relax.memory.alloc_storage
// CHECK: relax.memory.alloc_tensor %[[T]],
func.func @reshaped(%x: tensor<8xf32>) {
  %a_s = relax.shape : () -> !relax.shape<[8]>
  %a = relax.builtin.alloc_tensor %a_s {dtype = f32} : (!relax.shape<[8]>) -> tensor<8xf32>
  relax.call_dps %x, %a {callee = @f} : (tensor<8xf32>, tensor<8xf32>) -> ()
  %s = relax.shape : () -> !relax.shape<[2, 4]>
  %r = relax.reshape %a, %s : (tensor<8xf32>, !relax.shape<[2, 4]>) -> tensor<2x4xf32>
  relax.call_packed %a {callee = "g"} : (tensor<8xf32>) -> ()
  %b_s = relax.shape : () -> !relax.shape<[8]>
  %b = relax.builtin.alloc_tensor %b_s {dtype = f32} : (!relax.shape<[8]>) -> tensor<8xf32>
  relax.call_dps %x, %b {callee = @f} : (tensor<8xf32>, tensor<8xf32>) -> ()
  relax.call_packed %b, %r {callee = "g"} : (tensor<8xf32>, tensor<2x4xf32>) -> ()
  return
}

// A tensor that nobody reads has a storage of its own.
// CHECK-LABEL: func.func @unused(
// CHECK: relax.memory.alloc_storage
// CHECK: relax.memory.alloc_storage
func.func @unused(%x: tensor<8xf32>) {
  %a_s = relax.shape : () -> !relax.shape<[8]>
  %a = relax.builtin.alloc_tensor %a_s {dtype = f32} : (!relax.shape<[8]>) -> tensor<8xf32>
  relax.call_dps %x, %a {callee = @f} : (tensor<8xf32>, tensor<8xf32>) -> ()
  relax.call_packed %a {callee = "g"} : (tensor<8xf32>) -> ()
  %b_s = relax.shape : () -> !relax.shape<[8]>
  %b = relax.builtin.alloc_tensor %b_s {dtype = f32} : (!relax.shape<[8]>) -> tensor<8xf32>
  return
}

// What a branch makes is not free outside of it; what is free before may be taken inside.
// CHECK-LABEL: func.func @branch(
// CHECK: %[[S:.*]] = relax.memory.alloc_storage
// CHECK: scf.if
// CHECK: %[[B:.*]] = relax.memory.alloc_tensor %[[S]],
// CHECK: %[[T:.*]] = relax.memory.alloc_storage
// CHECK: %[[C:.*]] = relax.memory.alloc_tensor %[[T]],
// CHECK: }
// CHECK: relax.memory.alloc_tensor %[[S]],
// CHECK: relax.memory.alloc_storage
func.func @branch(%cond: i1, %x: tensor<8xf32>) {
  %a_s = relax.shape : () -> !relax.shape<[8]>
  %a = relax.builtin.alloc_tensor %a_s {dtype = f32} : (!relax.shape<[8]>) -> tensor<8xf32>
  relax.call_dps %x, %a {callee = @f} : (tensor<8xf32>, tensor<8xf32>) -> ()
  relax.call_packed %a {callee = "g"} : (tensor<8xf32>) -> ()
  scf.if %cond {
  %b_s = relax.shape : () -> !relax.shape<[8]>
  %b = relax.builtin.alloc_tensor %b_s {dtype = f32} : (!relax.shape<[8]>) -> tensor<8xf32>
  relax.call_dps %x, %b {callee = @f} : (tensor<8xf32>, tensor<8xf32>) -> ()
  %c_s = relax.shape : () -> !relax.shape<[8]>
  %c = relax.builtin.alloc_tensor %c_s {dtype = f32} : (!relax.shape<[8]>) -> tensor<8xf32>
  relax.call_dps %b, %c {callee = @f} : (tensor<8xf32>, tensor<8xf32>) -> ()
  relax.call_packed %c {callee = "g"} : (tensor<8xf32>) -> ()
  }
  %d_s = relax.shape : () -> !relax.shape<[8]>
  %d = relax.builtin.alloc_tensor %d_s {dtype = f32} : (!relax.shape<[8]>) -> tensor<8xf32>
  relax.call_dps %x, %d {callee = @f} : (tensor<8xf32>, tensor<8xf32>) -> ()
  %e_s = relax.shape : () -> !relax.shape<[8]>
  %e = relax.builtin.alloc_tensor %e_s {dtype = f32} : (!relax.shape<[8]>) -> tensor<8xf32>
  relax.call_dps %d, %e {callee = @f} : (tensor<8xf32>, tensor<8xf32>) -> ()
  relax.call_packed %e {callee = "g"} : (tensor<8xf32>) -> ()
  return
}

// Not planned: what is returned, also reshaped or in a tuple, what another block reads, a branch yields, or a function that is no kernel is given.
// CHECK-LABEL: func.func @left_alone(
// CHECK-NOT: alloc_storage
// CHECK: func.return
func.func @left_alone(%cond: i1, %x: tensor<8xf32>) -> (tensor<2x4xf32>, tuple<tensor<8xf32>, tensor<8xf32>>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %a_s = relax.shape : () -> !relax.shape<[8]>
  %a = relax.builtin.alloc_tensor %a_s {dtype = f32} : (!relax.shape<[8]>) -> tensor<8xf32>
  relax.call_dps %x, %a {callee = @f} : (tensor<8xf32>, tensor<8xf32>) -> ()
  %s = relax.shape : () -> !relax.shape<[2, 4]>
  %r = relax.reshape %a, %s : (tensor<8xf32>, !relax.shape<[2, 4]>) -> tensor<2x4xf32>
  %b_s = relax.shape : () -> !relax.shape<[8]>
  %b = relax.builtin.alloc_tensor %b_s {dtype = f32} : (!relax.shape<[8]>) -> tensor<8xf32>
  relax.call_dps %x, %b {callee = @f} : (tensor<8xf32>, tensor<8xf32>) -> ()
  %t = relax.tuple %b, %x : (tensor<8xf32>, tensor<8xf32>) -> tuple<tensor<8xf32>, tensor<8xf32>>
  %c_s = relax.shape : () -> !relax.shape<[8]>
  %c = relax.builtin.alloc_tensor %c_s {dtype = f32} : (!relax.shape<[8]>) -> tensor<8xf32>
  relax.call_dps %x, %c {callee = @f} : (tensor<8xf32>, tensor<8xf32>) -> ()
  %i = scf.if %cond -> (tensor<8xf32>) {
  relax.call_packed %c {callee = "g"} : (tensor<8xf32>) -> ()
  %d_s = relax.shape : () -> !relax.shape<[8]>
  %d = relax.builtin.alloc_tensor %d_s {dtype = f32} : (!relax.shape<[8]>) -> tensor<8xf32>
  relax.call_dps %x, %d {callee = @f} : (tensor<8xf32>, tensor<8xf32>) -> ()
  scf.yield %d : tensor<8xf32>
  } else {
  scf.yield %x : tensor<8xf32>
  }
  %e_s = relax.shape : () -> !relax.shape<[8]>
  %e = relax.builtin.alloc_tensor %e_s {dtype = f32} : (!relax.shape<[8]>) -> tensor<8xf32>
  relax.call_dps %x, %e {callee = @f} : (tensor<8xf32>, tensor<8xf32>) -> ()
  %h = func.call @helper(%e) : (tensor<8xf32>) -> tensor<8xf32>
  %p_s = relax.shape : () -> !relax.shape<[8]>
  %p = relax.builtin.alloc_tensor %p_s {dtype = f32} : (!relax.shape<[8]>) -> tensor<8xf32>
  relax.call_dps %x, %p {callee = @f} : (tensor<8xf32>, tensor<8xf32>) -> ()
  %q = relax.call_packed %p {callee = "g", pure = true} : (tensor<8xf32>) -> tensor<8xf32>
  return %r, %t, %i, %h, %q : tensor<2x4xf32>, tuple<tensor<8xf32>, tensor<8xf32>>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// On demand, what is not planned has a storage of bounded size too, where its size is symbolic.
// CHECK-LABEL: func.func @dynamic_output(
// CHECK-SAME: attributes {relax.sym_upper_bounds = {n = 9 : i64}} {
// CHECK: %[[S:.*]] = relax.memory.alloc_storage %{{.*}} : (!relax.shape<[36]>)
// CHECK-NEXT: %[[A:.*]] = relax.memory.alloc_tensor %[[S]], %{{.*}} : (!relax.object, !relax.shape<[n]>)
// CHECK: relax.builtin.alloc_tensor %{{.*}} : (!relax.shape<[8]>)
// CHECK: func.return %[[A]]
func.func @dynamic_output(%x: tensor<?xf32, #relax.sym<n>>, %y: tensor<8xf32>) -> (tensor<?xf32, #relax.sym<n>>, tensor<8xf32>) attributes {relax.sym_upper_bounds = {n = 9 : i64}, relax.memory_plan_dynamic_func_output = true} {
  %a_s = relax.shape : () -> !relax.shape<[n]>
  %a = relax.builtin.alloc_tensor %a_s {dtype = f32} : (!relax.shape<[n]>) -> tensor<?xf32, #relax.sym<n>>
  relax.call_dps %x, %a {callee = @fn} : (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<n>>) -> ()
  %b_s = relax.shape : () -> !relax.shape<[8]>
  %b = relax.builtin.alloc_tensor %b_s {dtype = f32} : (!relax.shape<[8]>) -> tensor<8xf32>
  relax.call_dps %y, %b {callee = @f} : (tensor<8xf32>, tensor<8xf32>) -> ()
  return %a, %b : tensor<?xf32, #relax.sym<n>>, tensor<8xf32>
}

func.func private @f(%x: tensor<8xf32>) -> tensor<8xf32>
func.func private @f7(%x: tensor<8xf32>) -> tensor<7xf32>
func.func private @f128(%x: tensor<8xf32>) -> tensor<128xf32>
func.func private @fi(%x: tensor<8xf32>) -> tensor<8xi32>
func.func private @fn(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
func.func private @f2n(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<2 * n>>
func.func private @helper(%x: tensor<8xf32>) -> tensor<8xf32>
