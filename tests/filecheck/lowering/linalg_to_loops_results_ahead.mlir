// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v3}' | filecheck %s --check-prefix=SCHEDULE
// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v3},linalg-to-loops' | filecheck %s --check-prefix=LOOPS

// Stores would wait for lines of a result that no cache of their own holds: each tile fetches those of the next, two for each of six rows.
// SCHEDULE-LABEL: func.func @large
// SCHEDULE: tiles = <shape = [6, 16], pack = rhs, steps = 512, {{.*}}, ahead = 6>
// LOOPS-LABEL: func.func @large
// LOOPS-SAME: %[[RESULT:[a-z0-9]+]]: memref<96x12544xf32>)
// LOOPS-DAG: %[[TO_WRITE:.*]] = arith.constant 1 : i32
// LOOPS-DAG: %[[LEVEL:.*]] = arith.constant 3 : i32
// LOOPS-DAG: %[[FLAT:.*]] = memref.reinterpret_cast %[[RESULT]]
// LOOPS: memref.extract_aligned_pointer_as_index"(%[[FLAT]])
// LOOPS: llvm.call_intrinsic "llvm.prefetch.p0"(%{{.*}}, %[[TO_WRITE]], %[[LEVEL]], %[[TO_WRITE]])
// LOOPS: call @relax.contract
func.func @large(%a: memref<96x16xf32>, %b: memref<16x12544xf32>, %c: memref<96x12544xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<96x16xf32>, memref<16x12544xf32>) outs(%c : memref<96x12544xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// The second-level cache holds this one.
// SCHEDULE-LABEL: func.func @small
// SCHEDULE-NOT: ahead
// LOOPS-LABEL: func.func @small
// LOOPS-NOT: prefetch
// LOOPS: func.return
func.func @small(%a: memref<96x16xf32>, %b: memref<16x384xf32>, %c: memref<96x384xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<96x16xf32>, memref<16x384xf32>) outs(%c : memref<96x384xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
