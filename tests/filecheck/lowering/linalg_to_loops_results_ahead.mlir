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

// What the epilogue writes for good is fetched, each of its results; not the sums, which it reads.
// SCHEDULE-LABEL: func.func @results_of_epilogue
// SCHEDULE: #relax.schedule<contraction, {{.*}}, ahead = 6>
// SCHEDULE: #relax.schedule<epilogue
// SCHEDULE: #relax.schedule<epilogue
// LOOPS-LABEL: func.func @results_of_epilogue
// LOOPS: %first = memref.subview %d[0, 0, 0]
// LOOPS: %second = memref.subview %d[0, 1, 0]
// LOOPS: %[[META:[0-9]+]], {{.*}} = memref.extract_strided_metadata %first
// LOOPS: %[[FIRST:.*]] = memref.reinterpret_cast %[[META]]
// LOOPS-COUNT-6: memref.extract_aligned_pointer_as_index"(%[[FIRST]])
// LOOPS: %[[META2:[0-9]+]], {{.*}} = memref.extract_strided_metadata %second
// LOOPS: %[[SECOND:.*]] = memref.reinterpret_cast %[[META2]]
// LOOPS-COUNT-6: memref.extract_aligned_pointer_as_index"(%[[SECOND]])
// LOOPS: call @relax.contract
func.func @results_of_epilogue(%a: memref<96x16xf32>, %b: memref<16x12544xf32>, %sums: memref<96x12544xf32>, %copied: memref<96x12544xf32>, %d: memref<96x2x12544xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<96x16xf32>, memref<16x12544xf32>) outs(%sums : memref<96x12544xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  %first = memref.subview %d[0, 0, 0] [96, 1, 12544] [1, 1, 1] : memref<96x2x12544xf32> to memref<96x12544xf32, strided<[25088, 1]>>
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%sums : memref<96x12544xf32>) outs(%first : memref<96x12544xf32, strided<[25088, 1]>>) {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.negf %x : f32
    linalg.yield %0 : f32
  }
  %second = memref.subview %d[0, 1, 0] [96, 1, 12544] [1, 1, 1] : memref<96x2x12544xf32> to memref<96x12544xf32, strided<[25088, 1], offset: 12544>>
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%copied : memref<96x12544xf32>) outs(%second : memref<96x12544xf32, strided<[25088, 1], offset: 12544>>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  return
}
