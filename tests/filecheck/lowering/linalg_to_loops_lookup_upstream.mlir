// REQUIRES: mlir-opt, mlir-translate
// RUN: relax-opt %s -p 'schedule-linalg{target=znver4},linalg-to-loops' --print-op-generic | mlir-opt --allow-unregistered-dialect | filecheck %s
// RUN: relax-opt %s -p 'schedule-linalg{target=znver4},linalg-to-loops,expand-math,outline-parallel,convert-to-llvm' --print-op-generic | mlir-translate --mlir-to-llvmir | filecheck %s --check-prefix LLVM

// Upstream knows the intrinsic, and its types.
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.qi.512"
// LLVM: call <64 x i8> @llvm.x86.avx512.vpermi2var.qi.512(<64 x i8> {{.*}}, <64 x i8> {{.*}}, <64 x i8> {{.*}})
func.func @bytes(%x: memref<1000xi8>, %t: memref<256xi8>, %y: memref<1000xi8>) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : memref<1000xi8>) outs(%y : memref<1000xi8>) {
  ^bb0(%b: i8, %old: i8):
    %w = arith.extui %b : i8 to i64
    %i = arith.index_cast %w : i64 to index
    %e = memref.load %t[%i] : memref<256xi8>
    linalg.yield %e : i8
  }
  func.return
}
