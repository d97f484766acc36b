// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v4}' | filecheck %s --check-prefix=SCHEDULE
// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v4},linalg-to-loops' | filecheck %s --check-prefix=LOOPS
// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v3}' | filecheck %s --check-prefix=UNFETCHED

// A row of two vectors: what the first op writes and the last one replaces stays in registers; the sum is stored once.
// SCHEDULE-LABEL: func.func @short_rows
// SCHEDULE-NOT: ahead
// LOOPS-LABEL: func.func @short_rows
// LOOPS-SAME: (%[[X:.*]]: memref<64x32xf32>, %[[Y:.*]]: memref<64x32xf32>, %[[S:.*]]: memref<64xf32>)
// LOOPS: scf.for %[[I:.*]] =
// LOOPS-NEXT: %[[X0:.*]] = vector.load %[[X]][%[[I]], %{{.*}}]
// LOOPS-NEXT: %[[E0:.*]] = math.exp %[[X0]]
// LOOPS-NEXT: %[[X1:.*]] = vector.load %[[X]][%[[I]], %{{.*}}]
// LOOPS-NEXT: %[[E1:.*]] = math.exp %[[X1]]
// LOOPS-NOT: vector.store
// LOOPS-NOT: vector.load
// LOOPS: memref.store %[[TOTAL:.*]], %[[S]][%[[I]]]
// LOOPS-NOT: memref.load
// LOOPS: %[[Q0:.*]] = arith.divf %[[E0]], %{{.*}}
// LOOPS-NEXT: vector.store %[[Q0]], %[[Y]][%[[I]], %{{.*}}]
// LOOPS: %[[Q1:.*]] = arith.divf %[[E1]], %{{.*}}
// LOOPS-NEXT: vector.store %[[Q1]], %[[Y]][%[[I]], %{{.*}}]
// LOOPS-NEXT: }
func.func @short_rows(%x: memref<64x32xf32>, %y: memref<64x32xf32>, %s: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x32xf32>) outs(%y : memref<64x32xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  linalg.fill ins(%zero : f32) outs(%s : memref<64xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%y : memref<64x32xf32>) outs(%s : memref<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%y, %s : memref<64x32xf32>, memref<64xf32>) outs(%y : memref<64x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  }
  func.return
}

// Longer rows are loops, and go through memory.
// LOOPS-LABEL: func.func @long_rows
// LOOPS: vector.store
// LOOPS: vector.load
func.func @long_rows(%x: memref<64x512xf32>, %y: memref<64x512xf32>, %s: memref<64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x512xf32>) outs(%y : memref<64x512xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%y : memref<64x512xf32>) outs(%s : memref<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  }
  func.return
}

// What exceeds the caches is fetched ahead where the target gains from it, and written past them where it begins at vectors.
// UNFETCHED-LABEL: func.func @streamed_rows
// UNFETCHED: #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 8, parallel = 1, grain = {{[0-9]+}}, written_out = 16, stored = past_caches>
// SCHEDULE-LABEL: func.func @streamed_rows
// SCHEDULE: #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16, parallel = 1, grain = {{[0-9]+}}, written_out = 16, ahead = 128, stored = past_caches>
// SCHEDULE: #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16, joins = 1, written_out = 16, ahead = 128, stored = past_caches>
// LOOPS-LABEL: func.func @streamed_rows
// LOOPS: %[[ALIGNED:.*]] = arith.cmpi eq
// LOOPS-COUNT-4: llvm.call_intrinsic "llvm.prefetch.p0"
// LOOPS: scf.if %[[ALIGNED]] {
// LOOPS-NEXT: vector.store %[[A:.*]], %[[Y:.*]][%[[I:.*]], %[[J:.*]]] {alignment = 64 : i64, nontemporal = true}
// LOOPS: } else {
// LOOPS-NEXT: vector.store %[[A]], %[[Y]][%[[I]], %[[J]]] :
// LOOPS: llvm.call_intrinsic "llvm.x86.sse.sfence"
func.func @streamed_rows(%x: memref<262144x32xf32>, %y: memref<262144x32xf32>, %s: memref<262144xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<262144x32xf32>) outs(%y : memref<262144x32xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%y : memref<262144x32xf32>) outs(%s : memref<262144xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  }
  func.return
}

// Panels that exceed a cache are read from beginning to end: the lines behind are fetched.
// SCHEDULE-LABEL: func.func @panels
// SCHEDULE: lanes = 16, unroll = 4, parallel = 1, grain = {{[0-9]+}}, fetched = 16>
// LOOPS-LABEL: func.func @panels
// LOOPS-COUNT-4: llvm.call_intrinsic "llvm.prefetch.p0"
// LOOPS-NOT: llvm.prefetch
func.func @panels(%x: memref<1024xf32>, %w: memref<16x1024x64xf32>, %y: memref<16x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(p, j, k) -> (k)>, affine_map<(p, j, k) -> (p, k, j)>, affine_map<(p, j, k) -> (p, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<1024xf32>, memref<16x1024x64xf32>) outs(%y : memref<16x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  func.return
}

// Smaller ones, and parts of rows, are not.
// SCHEDULE-LABEL: func.func @few_panels
// SCHEDULE-NOT: fetched
// LOOPS-LABEL: func.func @few_panels
// LOOPS-NOT: llvm.prefetch
func.func @few_panels(%x: memref<1024xf32>, %w: memref<3x1024x64xf32>, %y: memref<3x64xf32>, %v: memref<16x1024x80xf32>, %z: memref<16x80xf32>) {
  linalg.generic {indexing_maps = [affine_map<(p, j, k) -> (k)>, affine_map<(p, j, k) -> (p, k, j)>, affine_map<(p, j, k) -> (p, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<1024xf32>, memref<3x1024x64xf32>) outs(%y : memref<3x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(p, j, k) -> (k)>, affine_map<(p, j, k) -> (p, k, j)>, affine_map<(p, j, k) -> (p, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %v : memref<1024xf32>, memref<16x1024x80xf32>) outs(%z : memref<16x80xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  func.return
}

// What exceeds the second-level cache, of which each iteration needs a part of its own, is one part on the stack.
// SCHEDULE-LABEL: func.func @scratch
// SCHEDULE: linalg.fill {relax.schedule = #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16, parallel = 1, grain = {{[0-9]+}}, scratch = stack>}
// LOOPS-LABEL: func.func @scratch
// LOOPS: "scf.parallel"
// LOOPS-NEXT: (%[[I:.*]]: index):
// LOOPS-NEXT: %[[PART:.*]] = memref.alloca() {{.*}} : memref<1x4096xf32>
// LOOPS-NEXT: %[[ALL:.*]] = memref.reinterpret_cast %[[PART]] to offset: [0], sizes: [512, 4096], strides: [0, 1] : memref<1x4096xf32> to memref<512x4096xf32, strided<[0, 1]>>
// LOOPS-NEXT: %[[INSIDE:.*]] = memref.subview %[[ALL]][0, 1] [512, 4094] [1, 1] : memref<512x4096xf32, strided<[0, 1]>> to memref<512x4094xf32, strided<[0, 1], offset: 1>>
// LOOPS: vector.store %{{.*}}, %[[ALL]][%[[I]], %{{.*}}]
// LOOPS: vector.store %{{.*}}, %[[INSIDE]][%[[I]], %{{.*}}]
// LOOPS: vector.load %[[ALL]][%[[I]], %{{.*}}]
func.func @scratch(%x: memref<512x4094xf32>, %w: memref<3xf32>, %y: memref<512x4094xf32>, %workspace: memref<?xi8>) {
  %0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %1 = memref.view %workspace[%0][] : memref<?xi8> to memref<512x4096xf32>
  %2 = memref.subview %1[0, 1] [512, 4094] [1, 1] : memref<512x4096xf32> to memref<512x4094xf32, strided<[4096, 1], offset: 1>>
  linalg.fill ins(%zero : f32) outs(%1 : memref<512x4096xf32>)
  linalg.copy ins(%x : memref<512x4094xf32>) outs(%2 : memref<512x4094xf32, strided<[4096, 1], offset: 1>>)
  linalg.fill ins(%zero : f32) outs(%y : memref<512x4094xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j + k)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%1, %w : memref<512x4096xf32>, memref<3xf32>) outs(%y : memref<512x4094xf32>) {
  ^bb0(%a: f32, %c: f32, %b: f32):
    %p = arith.mulf %a, %c : f32
    %s = arith.addf %b, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
