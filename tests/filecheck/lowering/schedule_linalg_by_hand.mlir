// A schedule that is there stays; the ops around it are scheduled as if it were not there.
// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v4}' | filecheck %s
// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v4},linalg-to-loops' | filecheck %s --check-prefix=LOOPS

// CHECK-LABEL: @product(
// CHECK: linalg.fill {relax.schedule = #relax.schedule<vectors, {{.*}}lanes = 16
// CHECK: tiles = <shape = [2, 8], pack = rhs, steps = 7>>
// LOOPS-LABEL: @product(
// LOOPS: memref.alloca() {{.*}} : memref<60xf32>
// LOOPS: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %[[STEPS:.*]] {
// LOOPS: func.call @relax.contract.2x8.4.f32.f32.f32.whole(
func.func @product(%a: memref<32x64xf32>, %b: memref<64x64xf32>, %c: memref<32x64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<32x64xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<32x64xf32>, memref<64x64xf32>) outs(%c : memref<32x64xf32>) attrs = {relax.schedule = #relax.schedule<contraction, lanes = 4, loops = [0, 1, 2], row = 0, tiles = <shape = [2, 8], pack = rhs, steps = 7>>} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// The loops of the op in another order, four of them at a time.
// CHECK-LABEL: @swapped(
// CHECK: #relax.schedule<vectors, loops = [1, 0], along = 0, lanes = 4>
// LOOPS-LABEL: @swapped(
// LOOPS: vector<4xf32>
// LOOPS-NOT: vector<16xf32>
func.func @swapped(%x: memref<8x12xf32>, %y: memref<8x12xf32>) {
  linalg.copy {relax.schedule = #relax.schedule<vectors, loops = [1, 0], along = 0, lanes = 4>} ins(%x : memref<8x12xf32>) outs(%y : memref<8x12xf32>)
  return
}
