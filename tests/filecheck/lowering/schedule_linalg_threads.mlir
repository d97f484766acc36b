// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v4}' | filecheck %s --check-prefixes=CHECK,UNKNOWN
// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v4 threads=1}' | filecheck %s --check-prefixes=CHECK,ALONE
// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v4 threads=2}' | filecheck %s --check-prefixes=CHECK,BOTH

// The columns of B are read in long streams: as many as one thread has, while its part of C stays in cache.
// CHECK-LABEL: func.func @vector_times_matrix
// UNKNOWN: skinny = <rows = [1], unroll = [8], columns = 1024
// ALONE: skinny = <rows = [1], unroll = [8], columns = 8192
// BOTH: skinny = <rows = [1], unroll = [8], columns = 3072
func.func @vector_times_matrix(%x: memref<1x4096xf32>, %w: memref<4096x6000xf32>, %y: memref<1x6000xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<1x4096xf32>, memref<4096x6000xf32>) outs(%y : memref<1x6000xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  func.return
}

// Four rows have a quarter of them each; columns in a number that is not known are shared by blocks.
// CHECK-LABEL: func.func @some_columns
// UNKNOWN: skinny = <rows = [4], unroll = [4], columns = 1024
// ALONE: skinny = <rows = [4], unroll = [4], columns = 2048
// BOTH: skinny = <rows = [4], unroll = [4], columns = 1024
func.func @some_columns(%x: memref<4x4096xf32>, %w: memref<4096x?xf32>, %y: memref<4x?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<4x4096xf32>, memref<4096x?xf32>) outs(%y : memref<4x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  func.return
}

// Blocks are whole pages, for any number of rows.
// CHECK-LABEL: func.func @three_rows
// UNKNOWN: skinny = <rows = [3], unroll = [8], columns = 1024
// ALONE: skinny = <rows = [3], unroll = [8], columns = 2048
// BOTH: skinny = <rows = [3], unroll = [8], columns = 2048
func.func @three_rows(%x: memref<3x4096xf32>, %w: memref<4096x6000xf32>, %y: memref<3x6000xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<3x4096xf32>, memref<4096x6000xf32>) outs(%y : memref<3x6000xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  func.return
}
