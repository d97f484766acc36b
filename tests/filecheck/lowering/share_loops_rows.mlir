// RUN: relax-opt %s -p loops | filecheck %s

// Rows of scans and of sorts are shared among threads, each share with scratch of its own.
// CHECK-LABEL: func.func private @cumsum(
// CHECK:         func.call @cumsum.parallel({{.*}}) {relax.parallel = 0 : i64}
// CHECK-LABEL: func.func private @argsort(
// CHECK-SAME:    relax.workspace
// CHECK:         func.call @argsort.parallel({{.*}}) {relax.parallel = 0 : i64}
// CHECK-LABEL: func.func private @argsort.parallel(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             memref.view
func.func @main(%x: tensor<64x4096xf32>) -> (tensor<64x4096xf32>, tensor<64x4096xi32>) {
  %0 = relax.cumsum %x {axis = 1 : i64} : (tensor<64x4096xf32>) -> tensor<64x4096xf32>
  %1 = relax.argsort %0 {axis = 1 : i64, dtype = i32} : (tensor<64x4096xf32>) -> tensor<64x4096xi32>
  return %0, %1 : tensor<64x4096xf32>, tensor<64x4096xi32>
}
