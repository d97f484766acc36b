// RUN: relax-opt %s -p bufferize,plan-arena,shape-functions | filecheck %s

// `n` is defined by argument 0; the rest is compared.
// CHECK-LABEL: func.func @f(
// CHECK: func.func @f.shape(%[[IN:in]]: memref<?xi64>, %[[OUT:out]]: memref<?xi64>) -> i64
// CHECK-SAME: relax.checks = {{\[\[0 : i64, 1 : i64, 8 : i64\], \[1 : i64, 0 : i64, \["\*", 2 : i64, "n"\]\], \[2 : i64, 0 : i64, "n"\]\]}}
// CHECK: arith.cmpi ne
// CHECK: arith.cmpi ne
// CHECK: arith.cmpi ne
// CHECK: memref.store %{{.*}}, %[[OUT]]
// CHECK-NOT: @f.dims
func.func @f(%x: tensor<?x8xf32> {relax.dims = ["n", 8]}, %y: tensor<?xf32> {relax.dims = [["*", 2, "n"]]}, %n: index {relax.dims = ["n"]}) -> tensor<?xf32> {
  %c2 = arith.constant 2 : index
  %m = arith.muli %n, %c2 : index
  %f = arith.constant 0.0 : f32
  %r = tensor.splat %f[%m] : tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-NOT: @kernel.shape
func.func private @kernel(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// A result of negative size is as large as an empty one: the function refuses it itself.
// CHECK-LABEL: func.func @negative.shape(
// CHECK: %[[SIZE:.*]] = arith.maxsi %{{.*}}, %{{.*}} : index
// CHECK: %[[STORED:.*]] = arith.index_cast %[[SIZE]] : index to i64
// CHECK: memref.store %[[STORED]]
func.func @negative(%x: tensor<?xf32> {relax.dims = ["n"]}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.subi %n, %c3 : index
  %f = arith.constant 0.0 : f32
  %r = tensor.splat %f[%m] : tensor<?xf32>
  return %r : tensor<?xf32>
}

// Dims of one symbol are one size, that of the first argument: what results need of it is computed and checked once.
// CHECK-LABEL: func.func @caches.shape(
// CHECK: %[[OTHER:.*]] = arith.cmpi ne
// CHECK: arith.index_cast %{{.*}} {relax.shown = ["dim(0,0)"]}
// CHECK-NOT: relax.shown
// CHECK: %[[STORED:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK: memref.store %[[STORED]]
// CHECK: memref.store %[[STORED]]
func.func @caches(%k: tensor<?xf32> {relax.dims = ["m"]}, %v: tensor<?xf32> {relax.dims = ["m"]}) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 0.0 : f32
  %a = tensor.dim %k, %c0 : tensor<?xf32>
  %b = tensor.dim %v, %c0 : tensor<?xf32>
  %a1 = arith.addi %a, %c1 : index
  %b1 = arith.addi %b, %c1 : index
  %r = tensor.splat %f[%a1] : tensor<?xf32>
  %s = tensor.splat %f[%b1] : tensor<?xf32>
  return %r, %s : tensor<?xf32>, tensor<?xf32>
}
