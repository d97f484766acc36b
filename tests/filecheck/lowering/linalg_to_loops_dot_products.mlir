// RUN: relax-opt %s -p linalg-to-loops | filecheck %s

// Of eight rows of B at a time, the lines of the rows sixteen further on are fetched with each that is read.
// CHECK-LABEL: func.func @dot_products(
// CHECK:         func.call @relax.contract.dot.1x8.16.{{[a-z0-9._]*}}ahead16(
// CHECK-LABEL: func.func private @relax.contract.dot.1x8.16.{{.*}}ahead16(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-COUNT-8:     llvm.call_intrinsic "llvm.prefetch.p0"({{.*}}
// CHECK-NOT:         llvm.prefetch
// CHECK:             vector.load
// CHECK-COUNT-8:     vector.fma
// CHECK-NOT:         llvm.prefetch
// CHECK:             scf.yield
func.func @dot_products(%a: memref<2000xf32>, %b: memref<300x2000xf32>, %c: memref<300xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (n, k)>, affine_map<(n, k) -> (n)>], iterator_types = ["parallel", "reduction"]} ins(%a, %b : memref<2000xf32>, memref<300x2000xf32>) outs(%c : memref<300xf32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1], lanes = 16, skinny = <rows = [1], unroll = [8], columns = 16, width = 64, fetched = 16, grain = 3>>} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
