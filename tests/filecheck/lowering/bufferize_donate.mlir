// RUN: relax-opt %s -p bufferize | filecheck %s

// A kernel that changes an argument writes into it; its callers say which memory that is.
// CHECK-LABEL: func.func private @store(
// CHECK-SAME: %x: memref<?xf32> {relax.updated}, %p: index)
// CHECK-NOT: linalg.generic
// CHECK: memref.store %{{.*}}, %x[%p]
func.func private @store(%x: tensor<?xf32>, %p: index) -> tensor<?xf32> attributes {relax.primitive} {
  %f = arith.constant 2.0 : f32
  %r = tensor.insert %f into %x[%p] : tensor<?xf32>
  return %r : tensor<?xf32>
}

// The donated argument is the result.
// CHECK-LABEL: func.func @donated(
// CHECK-SAME: %x: memref<?xf32> {relax.updated}, %p: index)
// CHECK-NEXT: func.call @store(%x, %p) : (memref<?xf32>, index) -> ()
// CHECK-NEXT: func.call @store(%x, %p) : (memref<?xf32>, index) -> ()
// CHECK-NEXT: func.return
func.func @donated(%x: tensor<?xf32> {relax.donate = 0 : i64}, %p: index) -> tensor<?xf32> {
  %0 = func.call @store(%x, %p) : (tensor<?xf32>, index) -> tensor<?xf32>
  %1 = func.call @store(%0, %p) : (tensor<?xf32>, index) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// An argument that is not donated is copied once, into the result; the second call goes on there.
// CHECK-LABEL: func.func @not_donated(
// CHECK-SAME: %x: memref<?xf32>, %p: index, %[[R:[0-9a-z]+]]: memref<?xf32> {relax.result})
// CHECK: linalg.generic {{.*}} ins(%x : memref<?xf32>) outs(%[[R]] : memref<?xf32>)
// CHECK: func.call @store(%[[R]], %p)
// CHECK-NEXT: func.call @store(%[[R]], %p)
// CHECK-NEXT: func.return
func.func @not_donated(%x: tensor<?xf32>, %p: index) -> tensor<?xf32> {
  %0 = func.call @store(%x, %p) : (tensor<?xf32>, index) -> tensor<?xf32>
  %1 = func.call @store(%0, %p) : (tensor<?xf32>, index) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// A result that is made anew is made in memory that nobody reads from any more.
// CHECK-LABEL: func.func @lent(
// CHECK-SAME: %x: memref<4xf32> {relax.updated}, %f: f32)
// CHECK: memref.load %x
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%x : memref<4xf32>)
func.func @lent(%x: tensor<4xf32> {relax.donate = 0 : i64}, %f: f32) -> tensor<4xf32> {
  %c = arith.constant 1 : index
  %s = tensor.extract %x[%c] : tensor<4xf32>
  %g = arith.addf %s, %f : f32
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.fill ins(%g : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// An element-wise op overwrites what it reads, for the result that the argument is donated to alone.
// CHECK-LABEL: func.func @elementwise(
// CHECK-SAME: %x: memref<4xf32> {relax.updated}, %[[R:[0-9a-z]+]]: memref<4xf32> {relax.result})
// CHECK: linalg.generic {{.*}} ins(%x : memref<4xf32>) outs(%[[R]] : memref<4xf32>)
// CHECK: linalg.generic {{.*}} ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
func.func @elementwise(%x: tensor<4xf32> {relax.donate = 1 : i64}) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%0: f32, %1: f32):
    %s = arith.addf %0, %0 : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%0: f32, %1: f32):
    %s = arith.mulf %0, %0 : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
