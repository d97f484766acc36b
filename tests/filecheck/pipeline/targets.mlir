// RUN: relax-opt %s -p loops --target x86-64 | filecheck %s --check-prefixes=CHECK,SSE2
// RUN: relax-opt %s -p loops --target x86-64-v3 | filecheck %s --check-prefixes=CHECK,AVX2
// RUN: relax-opt %s -p loops --target x86-64-v4 | filecheck %s --check-prefixes=CHECK,AVX512
// RUN: relax-opt %s -p loops | filecheck %s --check-prefixes=CHECK,AVX512
// RUN: relax-opt %s -p loops --target aarch64-generic | filecheck %s --check-prefixes=CHECK,NEON
// RUN: relax-opt %s -p loops --target alderlake | filecheck %s --check-prefixes=CHECK,VNNI256
// RUN: relax-opt %s -p loops --target znver4 | filecheck %s --check-prefixes=CHECK,VNNI512
// RUN: relax-opt %s -p loops --target sapphirerapids | filecheck %s --check-prefixes=CHECK,AMX

// A vector is as wide as the target's, four of them where there are few registers, and the target multiplies and adds by one instruction or two.
// CHECK-LABEL: func.func private @exp(
// SSE2-NOT: math.fma
// SSE2: vector.store %{{.*}} : memref<1024xf32>, vector<16xf32>
// AVX2: math.fma %{{.*}} : vector<32xf32>
// AVX2: vector.store %{{.*}} : memref<1024xf32>, vector<32xf32>
// AVX512: math.fma %{{.*}} : vector<16xf32>
// AVX512: vector.store %{{.*}} : memref<1024xf32>, vector<16xf32>
// NEON: math.fma %{{.*}} : vector<4xf32>
// NEON: vector.store %{{.*}} : memref<1024xf32>, vector<4xf32>
func.func @elementwise(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %y = relax.exp %x : (tensor<1024xf32>) -> tensor<1024xf32>
  return %y : tensor<1024xf32>
}

// Contractions of bytes call the dot product of the target, if it has one.
// CHECK-LABEL: func.func private @matmul(
// SSE2-NOT: vpdpbusd
// AVX2-NOT: vpdpbusd
// AVX512-NOT: vpdpbusd
// NEON-NOT: vpdpbusd
// VNNI256: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"
// VNNI512: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
// AMX: llvm.call_intrinsic "llvm.x86.tdpbssd"
func.func @bytes(%x: tensor<32x64xi8>, %w: tensor<64x64xi8>) -> tensor<32x64xi32> {
  %y = relax.matmul %x, %w {out_dtype = i32} : (tensor<32x64xi8>, tensor<64x64xi8>) -> tensor<32x64xi32>
  return %y : tensor<32x64xi32>
}
