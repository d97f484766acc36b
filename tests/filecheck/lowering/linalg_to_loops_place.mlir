// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v3}' | filecheck %s --check-prefixes=SCHEDULE
// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v4}' | filecheck %s --check-prefixes=OTHER
// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v3},linalg-to-loops' | filecheck %s --check-prefix=LOOPS

// With few registers the greatest of a row is found block by block, and its place is looked for in one block; the rest is reduced behind it.
// SCHEDULE-LABEL: func.func @greatest
// SCHEDULE: #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 8, unroll = 4, parallel = 1, grain = 5, searched = 16>
// OTHER-NOT: searched
// LOOPS-LABEL: func.func @greatest
// LOOPS: %[[BEST:.*]], %[[START:.*]] = scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[B:.*]] = %{{.*}}, %[[S:.*]] = %{{.*}}) -> (f32, index)
// LOOPS-COUNT-2: vector.load
// LOOPS: arith.cmpf uno, %{{.*}}, %{{.*}} : vector<8xf32>
// LOOPS: %[[BS:.*]] = vector.broadcast %[[B]] : f32 to vector<8xf32>
// LOOPS-NEXT: arith.cmpf ugt, %{{.*}}, %[[BS]] : vector<8xf32>
// LOOPS: vector.reduction <or>
// LOOPS: arith.cmpf ord, %[[B]], %[[B]] : f32
// LOOPS: %[[R:.*]], %[[RS:.*]] = scf.if
// LOOPS: scf.yield %{{.*}}, %[[I]] : f32, index
// LOOPS: } else {
// LOOPS-NEXT: scf.yield %[[B]], %[[S]] : f32, index
// LOOPS: scf.yield %[[R]], %[[RS]] : f32, index
// LOOPS: %[[W:.*]] = vector.broadcast %[[BEST]] : f32 to vector<8xf32>
// LOOPS: arith.cmpf oeq, %{{.*}}, %[[W]] : vector<8xf32>
// LOOPS: vector.maskedload
func.func @greatest(%x: memref<64x1100xf32>, %m: memref<64xf32>, %p: memref<64xi32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<64x1100xf32>) outs(%m, %p : memref<64xf32>, memref<64xi32>) {
  ^bb0(%a: f32, %b: f32, %place: i32):
    %0 = arith.cmpf ugt, %a, %b : f32
    %1 = arith.cmpf ord, %b, %b : f32
    %2 = arith.andi %0, %1 : i1
    %3 = linalg.index 1 : index
    %4 = arith.index_cast %3 : index to i32
    %5 = arith.select %2, %a, %b : f32
    %6 = arith.select %2, %4, %place : i32
    linalg.yield %5, %6 : f32, i32
  }
  func.return
}

// Not in rows of few blocks, nor of integers; fewer accumulators fit the registers then.
// SCHEDULE-LABEL: func.func @short
// SCHEDULE: #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 8, unroll = 4, parallel = 1, grain = 6>
// OTHER-LABEL: func.func @short
func.func @short(%x: memref<64x1000xf32>, %m: memref<64xf32>, %p: memref<64xi32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<64x1000xf32>) outs(%m, %p : memref<64xf32>, memref<64xi32>) {
  ^bb0(%a: f32, %b: f32, %place: i32):
    %0 = arith.cmpf ugt, %a, %b : f32
    %1 = arith.cmpf ord, %b, %b : f32
    %2 = arith.andi %0, %1 : i1
    %3 = linalg.index 1 : index
    %4 = arith.index_cast %3 : index to i32
    %5 = arith.select %2, %a, %b : f32
    %6 = arith.select %2, %4, %place : i32
    linalg.yield %5, %6 : f32, i32
  }
  func.return
}

// SCHEDULE-LABEL: func.func @integers
// SCHEDULE: #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 8, unroll = 4, parallel = 1, grain = 6>
// OTHER-LABEL: func.func @integers
// OTHER: unroll = 8
func.func @integers(%x: memref<64x1100xi32>, %m: memref<64xi32>, %p: memref<64xi32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<64x1100xi32>) outs(%m, %p : memref<64xi32>, memref<64xi32>) {
  ^bb0(%a: i32, %b: i32, %place: i32):
    %0 = arith.cmpi sgt, %a, %b : i32
    %1 = linalg.index 1 : index
    %2 = arith.index_cast %1 : index to i32
    %3 = arith.select %0, %a, %b : i32
    %4 = arith.select %0, %2, %place : i32
    linalg.yield %3, %4 : i32, i32
  }
  func.return
}
