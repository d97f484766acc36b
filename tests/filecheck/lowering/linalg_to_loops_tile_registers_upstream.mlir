// REQUIRES: mlir-opt, mlir-translate
// RUN: relax-opt %s -p 'schedule-linalg{target=sapphirerapids},linalg-to-loops' --print-op-generic | mlir-opt --allow-unregistered-dialect | filecheck %s
// RUN: relax-opt %s -p 'schedule-linalg{target=sapphirerapids},linalg-to-loops,expand-math,outline-parallel,convert-to-llvm' --print-op-generic | mlir-translate --mlir-to-llvmir | filecheck %s --check-prefix LLVM

// Upstream knows the intrinsics, and their types.
// CHECK-DAG: llvm.call_intrinsic "llvm.x86.ldtilecfg"
// CHECK-DAG: llvm.call_intrinsic "llvm.x86.tdpbuud"
// LLVM-DAG: call void @llvm.x86.ldtilecfg(ptr
// LLVM-DAG: call void @llvm.x86.tileloadd64(i8 4, ptr
// LLVM-DAG: call void @llvm.x86.tdpbuud(i8 0, i8 4, i8 6)
func.func @product(%a: memref<30x66xi8>, %b: memref<66x128xi8>, %c: memref<30x128xi32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<30x66xi8>, memref<66x128xi8>) outs(%c : memref<30x128xi32>) {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extui %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  func.return
}
