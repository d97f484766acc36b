// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v4}' | filecheck %s --check-prefixes=CHECK,UNKNOWN
// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v4 threads=1}' | filecheck %s --check-prefixes=CHECK,ALONE
// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v4 threads=2}' | filecheck %s --check-prefixes=CHECK,BOTH
// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v3 threads=2}' | filecheck %s --check-prefix=AVX2

"memref.global"() <{sym_name = "a", sym_visibility = "private", constant, type = memref<2x4xf32>, initial_value = dense<[[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, -1.0, -1.0]]> : tensor<2x4xf32>}> : () -> ()
"memref.global"() <{sym_name = "b", sym_visibility = "private", constant, type = memref<4x4xf32>, initial_value = dense<[[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, -1.0, 1.0, 0.0], [0.0, 1.0, 0.0, -1.0]]> : tensor<4x4xf32>}> : () -> ()
#image = affine_map<(n, o, y, x, c, u, v, i, j) -> (n, c, (y floordiv 2) * 2 + i, (x floordiv 2) * 2 + j)>
#kernel = affine_map<(n, o, y, x, c, u, v, i, j) -> (u, v, c, o)>
#a_row = affine_map<(n, o, y, x, c, u, v, i, j) -> (y mod 2, u)>
#a_column = affine_map<(n, o, y, x, c, u, v, i, j) -> (x mod 2, v)>
#b_row = affine_map<(n, o, y, x, c, u, v, i, j) -> (u, i)>
#b_column = affine_map<(n, o, y, x, c, u, v, i, j) -> (v, j)>
#result = affine_map<(n, o, y, x, c, u, v, i, j) -> (n, o, y, x)>

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

// Blocks of tiles are so many that threads have equally many, or each has some of the channels of those that are left over; few rows leave some
// of the channels to each, which transforms the data again.
// CHECK-LABEL: func.func @winograd
// UNKNOWN: block = [3, 14], channels = 64, grain = 1>
// ALONE: block = [3, 14], channels = 64, grain = 1>
// BOTH: block = [3, 14], channels = 64, shares = 2, grain = 1>
func.func @winograd(%x: memref<1x64x30x30xf32>, %k: memref<4x4x64x64xf32>, %y: memref<1x64x28x28xf32>) {
  %a = memref.get_global @a : memref<2x4xf32>
  %b = memref.get_global @b : memref<4x4xf32>
  linalg.generic {indexing_maps = [#image, #kernel, #a_row, #a_column, #b_row, #b_column, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"]} ins(%x, %k, %a, %a, %b, %b : memref<1x64x30x30xf32>, memref<4x4x64x64xf32>, memref<2x4xf32>, memref<2x4xf32>, memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<1x64x28x28xf32>) {
  ^bb0(%f0: f32, %f1: f32, %f2: f32, %f3: f32, %f4: f32, %f5: f32, %f6: f32):
    %m1 = arith.mulf %f0, %f1 : f32
    %m2 = arith.mulf %m1, %f2 : f32
    %m3 = arith.mulf %m2, %f3 : f32
    %m4 = arith.mulf %m3, %f4 : f32
    %m5 = arith.mulf %m4, %f5 : f32
    %s = arith.addf %f6, %m5 : f32
    linalg.yield %s : f32
  }
  return
}
// CHECK-LABEL: func.func @winograd_of_few_rows
// UNKNOWN: block = [1, 14], channels = 128, grain = 1>
// ALONE: block = [1, 14], channels = 256>
// BOTH: block = [1, 14], channels = 128, grain = 1>
func.func @winograd_of_few_rows(%x: memref<1x64x4x30xf32>, %k: memref<4x4x64x256xf32>, %y: memref<1x256x2x28xf32>) {
  %a = memref.get_global @a : memref<2x4xf32>
  %b = memref.get_global @b : memref<4x4xf32>
  linalg.generic {indexing_maps = [#image, #kernel, #a_row, #a_column, #b_row, #b_column, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"]} ins(%x, %k, %a, %a, %b, %b : memref<1x64x4x30xf32>, memref<4x4x64x256xf32>, memref<2x4xf32>, memref<2x4xf32>, memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<1x256x2x28xf32>) {
  ^bb0(%f0: f32, %f1: f32, %f2: f32, %f3: f32, %f4: f32, %f5: f32, %f6: f32):
    %m1 = arith.mulf %f0, %f1 : f32
    %m2 = arith.mulf %m1, %f2 : f32
    %m3 = arith.mulf %m2, %f3 : f32
    %m4 = arith.mulf %m3, %f4 : f32
    %m5 = arith.mulf %m4, %f5 : f32
    %s = arith.addf %f6, %m5 : f32
    linalg.yield %s : f32
  }
  return
}

// Of a few tiles of many channels, threads have some of the output channels each, also of each of some images; with 16 registers they transform
// the data together before.
// AVX2-LABEL: func.func @winograd_of_few_tiles
// AVX2: block = [5, 5], channels = 128, fetched = 1, staged = 128, grain = 1>
// AVX2-LABEL: func.func @winograd_of_images
// AVX2: block = [5, 5], channels = 128, fetched = 1, staged = 128, grain = 1>
// CHECK-LABEL: func.func @winograd_of_few_tiles
// UNKNOWN: block = [5, 5], channels = 128, fetched = 2, grain = 1>
// ALONE: block = [5, 5], channels = 256, fetched = 2>
// BOTH: block = [5, 5], channels = 128, fetched = 2, grain = 1>
func.func @winograd_of_few_tiles(%x: memref<1x256x12x12xf32>, %k: memref<4x4x256x256xf32>, %y: memref<1x256x9x9xf32>) {
  %a = memref.get_global @a : memref<2x4xf32>
  %b = memref.get_global @b : memref<4x4xf32>
  linalg.generic {indexing_maps = [#image, #kernel, #a_row, #a_column, #b_row, #b_column, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"]} ins(%x, %k, %a, %a, %b, %b : memref<1x256x12x12xf32>, memref<4x4x256x256xf32>, memref<2x4xf32>, memref<2x4xf32>, memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<1x256x9x9xf32>) {
  ^bb0(%f0: f32, %f1: f32, %f2: f32, %f3: f32, %f4: f32, %f5: f32, %f6: f32):
    %m1 = arith.mulf %f0, %f1 : f32
    %m2 = arith.mulf %m1, %f2 : f32
    %m3 = arith.mulf %m2, %f3 : f32
    %m4 = arith.mulf %m3, %f4 : f32
    %m5 = arith.mulf %m4, %f5 : f32
    %s = arith.addf %f6, %m5 : f32
    linalg.yield %s : f32
  }
  return
}
// CHECK-LABEL: func.func @winograd_of_images
// UNKNOWN: block = [5, 5], channels = 256, fetched = 2, grain = 1>
// ALONE: block = [5, 5], channels = 256, fetched = 2, grain = 1>
// BOTH: block = [5, 5], channels = 128, fetched = 2, grain = 1>
func.func @winograd_of_images(%x: memref<?x256x12x12xf32>, %k: memref<4x4x256x256xf32>, %y: memref<?x256x9x9xf32>) {
  %a = memref.get_global @a : memref<2x4xf32>
  %b = memref.get_global @b : memref<4x4xf32>
  linalg.generic {indexing_maps = [#image, #kernel, #a_row, #a_column, #b_row, #b_column, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"]} ins(%x, %k, %a, %a, %b, %b : memref<?x256x12x12xf32>, memref<4x4x256x256xf32>, memref<2x4xf32>, memref<2x4xf32>, memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<?x256x9x9xf32>) {
  ^bb0(%f0: f32, %f1: f32, %f2: f32, %f3: f32, %f4: f32, %f5: f32, %f6: f32):
    %m1 = arith.mulf %f0, %f1 : f32
    %m2 = arith.mulf %m1, %f2 : f32
    %m3 = arith.mulf %m2, %f3 : f32
    %m4 = arith.mulf %m3, %f4 : f32
    %m5 = arith.mulf %m4, %f5 : f32
    %s = arith.addf %f6, %m5 : f32
    linalg.yield %s : f32
  }
  return
}

// Two images are one for each thread.
// CHECK-LABEL: func.func @winograd_of_two_images
// BOTH: block = [5, 5], channels = 256, fetched = 2, grain = 1>
func.func @winograd_of_two_images(%x: memref<2x256x12x12xf32>, %k: memref<4x4x256x256xf32>, %y: memref<2x256x9x9xf32>) {
  %a = memref.get_global @a : memref<2x4xf32>
  %b = memref.get_global @b : memref<4x4xf32>
  linalg.generic {indexing_maps = [#image, #kernel, #a_row, #a_column, #b_row, #b_column, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"]} ins(%x, %k, %a, %a, %b, %b : memref<2x256x12x12xf32>, memref<4x4x256x256xf32>, memref<2x4xf32>, memref<2x4xf32>, memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<2x256x9x9xf32>) {
  ^bb0(%f0: f32, %f1: f32, %f2: f32, %f3: f32, %f4: f32, %f5: f32, %f6: f32):
    %m1 = arith.mulf %f0, %f1 : f32
    %m2 = arith.mulf %m1, %f2 : f32
    %m3 = arith.mulf %m2, %f3 : f32
    %m4 = arith.mulf %m3, %f4 : f32
    %m5 = arith.mulf %m4, %f5 : f32
    %s = arith.addf %f6, %m5 : f32
    linalg.yield %s : f32
  }
  return
}

// Of 171 tiles of 6 rows two threads have nine blocks of 19 for each of two blocks of columns; of ten blocks of 18 one thread would have 180.
// CHECK-LABEL: func.func @blocks_of_rows
// UNKNOWN: row_block = 114, column_block = 512
// ALONE: row_block = 108, column_block = 512
// BOTH: row_block = 114, column_block = 512
func.func @blocks_of_rows(%x: memref<1024x1024xf32>, %w: memref<16x1024x64xf32>, %y: memref<1024x1024xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 64, k, n mod 64)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<1024x1024xf32>, memref<16x1024x64xf32>) outs(%y : memref<1024x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  func.return
}

// The last of four panels has four columns, so that two threads would have 128 and 68 of all columns: each fills all panels, for half of the rows.
// CHECK-LABEL: func.func @panels_of_few_columns
// UNKNOWN: pack = rhs, steps = 512, filled = beside, row_block = 60, grain = 1, unroll = 2>
// ALONE: pack = rhs, steps = 512, filled = beside, grain = 1, unroll = 2>
// BOTH: pack = rhs, steps = 512, filled = beside, row_block = 60, grain = 1, unroll = 2>
func.func @panels_of_few_columns(%a: memref<116x116xf32>, %b: memref<116x196xf32>, %c: memref<116x196xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<116x116xf32>, memref<116x196xf32>) outs(%c : memref<116x196xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Full panels, as many for each thread.
// CHECK-LABEL: func.func @panels_for_both
// CHECK: pack = rhs, steps = 512, filled = beside, grain = 1, unroll = 2>
func.func @panels_for_both(%a: memref<116x116xf32>, %b: memref<116x256xf32>, %c: memref<116x256xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<116x116xf32>, memref<116x256xf32>) outs(%c : memref<116x256xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
