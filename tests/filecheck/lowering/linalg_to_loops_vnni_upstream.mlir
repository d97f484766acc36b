// REQUIRES: mlir-opt, mlir-translate
// RUN: relax-opt %s -p 'schedule-linalg{target=sapphirerapids},linalg-to-loops' --print-op-generic | mlir-opt --allow-unregistered-dialect | filecheck %s
// RUN: relax-opt %s -p 'schedule-linalg{target=sapphirerapids},linalg-to-loops,expand-math,outline-parallel,convert-to-llvm' --print-op-generic | mlir-translate --mlir-to-llvmir | filecheck %s --check-prefix LLVM

// Upstream knows the intrinsic, and its types.
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// LLVM: call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> {{.*}}, <64 x i8> {{.*}}, <64 x i8> {{.*}})
func.func @product(%a: memref<30x66xi8>, %b: memref<66x128xi8>, %c: memref<30x128xi32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<30x66xi8>, memref<66x128xi8>) outs(%c : memref<30x128xi32>) {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  func.return
}
