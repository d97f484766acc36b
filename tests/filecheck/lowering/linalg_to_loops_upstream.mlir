// REQUIRES: mlir-opt
// RUN: relax-opt %s -p schedule-linalg,linalg-to-loops --print-op-generic | mlir-opt --allow-unregistered-dialect | filecheck %s
// RUN: relax-opt %s -p schedule-linalg,linalg-to-loops --print-op-generic | mlir-opt --allow-unregistered-dialect --convert-scf-to-cf --convert-vector-to-llvm --expand-strided-metadata --lower-affine --convert-to-llvm --reconcile-unrealized-casts | filecheck %s --check-prefix LLVM

// Upstream accepts parallel loops, calls of kernels and vector code, and can go on to its own llvm dialect.

// CHECK-LABEL: func.func @row_mean
// CHECK:         scf.parallel
// CHECK:           scf.for
// CHECK:             vector.load
// CHECK:           scf.reduce
// CHECK-LABEL: func.func @matmul
// CHECK:         scf.if
// CHECK:           scf.parallel
// CHECK:             scf.index_switch
// CHECK:               call @[[FEW:relax.contract.columns[a-z0-9.]*]](
// CHECK:         else
// CHECK:           scf.parallel
// CHECK:             memref.alloca
// CHECK:             call @[[TILE:relax.contract.6x64[a-z0-9.]*]](
// CHECK:       func.func private @[[FEW]]
// CHECK:         vector.fma
// CHECK:       func.func private @[[TILE]]
// CHECK:         vector.fma

// LLVM-LABEL: llvm.func @row_mean
// LLVM-LABEL: llvm.func @matmul
// LLVM-NOT:     unrealized_conversion_cast
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#lhs = affine_map<(d0, d1, d2) -> (d0, d2)>
#rhs = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @row_mean(%x: memref<?x1000xf32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %size = arith.constant 1000.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<?xf32>)
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : memref<?x1000xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %q = arith.divf %a, %size : f32
    %r = arith.addf %acc, %q : f32
    linalg.yield %r : f32
  }
  func.return
}
func.func @matmul(%x: memref<?x64xf32>, %w: memref<64x5000xf32>, %y: memref<?x5000xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<?x5000xf32>)
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<?x64xf32>, memref<64x5000xf32>) outs(%y : memref<?x5000xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
