// REQUIRES: mlir-opt, mlir-translate
// RUN: relax-opt %s -p 'schedule-linalg{target=znver4},linalg-to-loops' --print-op-generic | mlir-opt --allow-unregistered-dialect | filecheck %s
// RUN: relax-opt %s -p 'schedule-linalg{target=znver4},linalg-to-loops,expand-math,outline-parallel,convert-to-llvm' --print-op-generic | mlir-translate --mlir-to-llvmir | filecheck %s --check-prefix LLVM

// Upstream knows the intrinsics, and their types.
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// LLVM: call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> {{.*}}, <64 x i8> {{.*}}, <64 x i8> {{.*}})
// CHECK: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// LLVM: call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float> {{.*}}, <32 x bfloat> {{.*}}, <32 x bfloat> {{.*}})
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

func.func @product_of_bf16(%a: memref<30x67xbf16>, %b: memref<67x128xbf16>, %c: memref<30x128xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<30x67xbf16>, memref<67x128xbf16>) outs(%c : memref<30x128xf32>) {
  ^bb0(%x: bf16, %y: bf16, %acc: f32):
    %p = arith.extf %x : bf16 to f32
    %q = arith.extf %y : bf16 to f32
    %r = arith.mulf %p, %q : f32
    %s = arith.addf %acc, %r : f32
    linalg.yield %s : f32
  }
  func.return
}
