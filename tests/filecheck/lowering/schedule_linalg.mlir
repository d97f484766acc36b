// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v4}' | filecheck %s --check-prefix=V4
// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v3}' | filecheck %s --check-prefix=V3
// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64}' | filecheck %s --check-prefix=SSE
// RUN: relax-opt %s -p 'schedule-linalg{target=aarch64-generic}' | filecheck %s --check-prefix=NEON
// RUN: relax-opt %s -p 'schedule-linalg{target=znver4}' | filecheck %s --check-prefix=VNNI
// RUN: relax-opt %s -p 'schedule-linalg{target=alderlake}' | filecheck %s --check-prefix=AVXVNNI
// RUN: relax-opt %s -p 'schedule-linalg{target=aarch64-neoverse-v1}' | filecheck %s --check-prefix=I8MM

// A contraction starts at zero instead of reading what the fill before wrote, and what follows runs on its tiles. 32 registers hold 6 x 4 vectors, 16 hold 6 x 2.
// V4-LABEL: @product(
// V4: #relax.schedule<init>
// V4: #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [6, 64], pack = rhs, steps = 512, filled = beside, grain = 1, unroll = 2>>
// V4: #relax.schedule<epilogue, loops = [0, 1]>
// V3-LABEL: @product(
// V3: #relax.schedule<init>
// V3: #relax.schedule<contraction, loops = [0, 1, 2], lanes = 8, row = 0, tiles = <shape = [6, 16], pack = rhs, steps = 512, filled = beside, grain = 1, unroll = 2>>
// V3: #relax.schedule<epilogue, loops = [0, 1]>
// SSE-LABEL: @product(
// SSE: tiles = <shape = [6, 8], 
// NEON-LABEL: @product(
// NEON: lanes = 4, row = 0, tiles = <shape = [6, 16], 
func.func @product(%a: memref<96x256xf32>, %b: memref<256x128xf32>, %c: memref<96x128xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<96x128xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<96x256xf32>, memref<256x128xf32>) outs(%c : memref<96x128xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%c : memref<96x128xf32>) outs(%c : memref<96x128xf32>) {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.maximumf %x, %zero : f32
    linalg.yield %0 : f32
  }
  return
}

// The panels of all rows of a window are filled before the first tile, as they fit in the cache together.
// VNNI-LABEL: @window(
// VNNI: instruction = vpdpbusd, tiles = <shape = [6, 64], pack = rhs, steps = 128, panel = 2, panels = 3, row_block = 6, grain = 1, unroll = 2>
func.func @window(%x: memref<14x14x16xi8>, %w: memref<64x3x3x16xi8>, %y: memref<12x12x64xi32>) {
  linalg.generic {indexing_maps = [affine_map<(y, x, o, i, j, c) -> (y + i, x + j, c)>, affine_map<(y, x, o, i, j, c) -> (o, i, j, c)>, affine_map<(y, x, o, i, j, c) -> (y, x, o)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : memref<14x14x16xi8>, memref<64x3x3x16xi8>) outs(%y : memref<12x12x64xi32>) {
  ^bb0(%a: i8, %b: i8, %acc: i32):
    %0 = arith.extui %a : i8 to i32
    %1 = arith.extsi %b : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %acc, %2 : i32
    linalg.yield %3 : i32
  }
  return
}

// A step that takes two operations has twice the partial results of one, where rows are long.
// V4-LABEL: @largest(
// V4: #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16, unroll = 8, parallel = 1, grain = 6>
// V4: #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16, unroll = 4, joins = 1>
func.func @largest(%long: memref<64x1024xf32>, %short: memref<64x1000xf32>, %y: memref<64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%long : memref<64x1024xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%x: f32, %most: f32):
    %0 = arith.maximumf %x, %most : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%short : memref<64x1000xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%x: f32, %most: f32):
    %0 = arith.maximumf %x, %most : f32
    linalg.yield %0 : f32
  }
  return
}

// Dot products of a vector with rows of a matrix, which lie apart: with 32 registers those of later rows are fetched.
// V4-LABEL: @dot_products(
// V4: #relax.schedule<contraction, loops = [0, 1], lanes = 16, skinny = <rows = [1], unroll = [8], columns = 16, width = 64, fetched = 16, grain = 1>>
// V3-LABEL: @dot_products(
// V3: #relax.schedule<contraction, loops = [0, 1], lanes = 8, skinny = <rows = [1], unroll = [8], columns = 16, width = 16, grain = 1>>
func.func @dot_products(%a: memref<2000xf32>, %b: memref<300x2000xf32>, %c: memref<300xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (n, k)>, affine_map<(n, k) -> (n)>], iterator_types = ["parallel", "reduction"]} ins(%a, %b : memref<2000xf32>, memref<300x2000xf32>) outs(%c : memref<300xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Few rows: the right operand is read in place.
// V4-LABEL: @skinny(
// V4: #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, skinny = <rows = [3], unroll = [8], columns = 1024, width = 64>>
// V3-LABEL: @skinny(
// V3: #relax.schedule<contraction, loops = [0, 1, 2], lanes = 8, row = 0, skinny = <rows = [3], unroll = [4], columns = 1024, width = 16>>
func.func @skinny(%a: memref<3x256xf32>, %b: memref<256x128xf32>, %c: memref<3x128xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<3x256xf32>, memref<256x128xf32>) outs(%c : memref<3x128xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// The number of rows decides at run time.
// V4-LABEL: @rows_at_run_time(
// V4: tiles = <shape = [6, 64], pack = rhs, steps = 512, row_block = 96, grain = 1, unroll = 2>, skinny = <rows = [1, 2, 3, 4], unroll = [8, 8, 8, 4], columns = 1024, width = 64>>
// V3-LABEL: @rows_at_run_time(
// V3: tiles = <shape = [6, 16], pack = rhs, steps = 512, row_block = 96, grain = 1, unroll = 2>, skinny = <rows = [1, 2, 3, 4], unroll = [8, 4, 4, 4], columns = 1024, width = 16>>
func.func @rows_at_run_time(%a: memref<?x256xf32>, %b: memref<256x128xf32>, %c: memref<?x128xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<?x256xf32>, memref<256x128xf32>) outs(%c : memref<?x128xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Four steps at once, where there is an instruction for it, or two of i16.
// V4-LABEL: @bytes(
// V4: lanes = 16, row = 0, instruction = vpmaddwd, tiles = <shape = [6, 64], pack = both, steps = 1024,
// V3-LABEL: @bytes(
// V3: lanes = 8, row = 0, instruction = vpmaddwd, tiles = <shape = [4, 16], pack = both, steps = 1024, column_block = 64,
// SSE-LABEL: @bytes(
// SSE-NOT: instruction
// SSE: tiles = <shape = [6, 8], pack = both, steps = 512,
// VNNI-LABEL: @bytes(
// VNNI: lanes = 16, row = 0, instruction = vpdpbusd, tiles = <shape = [6, 64], pack = rhs, steps = 2048,
// AVXVNNI-LABEL: @bytes(
// AVXVNNI: lanes = 8, row = 0, instruction = vpdpbusd, tiles = <shape = [6, 16], pack = rhs, steps = 3072,
// I8MM-LABEL: @bytes(
// I8MM: lanes = 4, row = 0, instruction = usdot, tiles = <shape = [6, 16], pack = rhs, steps = 4096,
func.func @bytes(%a: memref<64x256xi8>, %b: memref<256x128xi8>, %c: memref<64x128xi32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<64x256xi8>, memref<256x128xi8>) outs(%c : memref<64x128xi32>) {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %w = arith.extui %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %0 = arith.muli %w, %v : i32
    %1 = arith.addi %acc, %0 : i32
    linalg.yield %1 : i32
  }
  return
}

// A weight that lies in blocks is not packed again, and tiles divide its blocks.
// V4-LABEL: @packed(
// V4: tiles = <shape = [6, 64], pack = none,
// V3-LABEL: @packed(
// V3: tiles = <shape = [6, 16], pack = none,
func.func @packed(%a: memref<64x256xf32>, %b: memref<2x256x64xf32>, %c: memref<64x128xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 64, k, n mod 64)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<64x256xf32>, memref<2x256x64xf32>) outs(%c : memref<64x128xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Tiles of 4 rows fetch what the next panel is widened from: 256 lines of 64 bytes for 24 of them. Of 30 times as few columns the cache holds all.
// V4-LABEL: @widened_blocks(
// V4: instruction = vpmaddwd, {{.*}} pack = rhs,
// V4-NOT: fetched
// V3-LABEL: @widened_blocks(
// V3: instruction = vpmaddwd, tiles = <shape = [4, 16], pack = rhs, steps = 1024, grain = 1, unroll = 4, fetched = 11>
// V3-LABEL: @few_widened_blocks(
// V3-NOT: fetched
// V3: pack = rhs,
// V3-NOT: fetched
// V4-LABEL: @few_widened_blocks(
func.func @widened_blocks(%a: memref<96x1024xi16>, %b: memref<30x256x64x4xi8>, %c: memref<96x1920xi32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 64, k floordiv 4, n mod 64, k mod 4)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<96x1024xi16>, memref<30x256x64x4xi8>) outs(%c : memref<96x1920xi32>) {
  ^bb0(%x: i16, %y: i8, %acc: i32):
    %w = arith.extsi %x : i16 to i32
    %v = arith.extsi %y : i8 to i32
    %0 = arith.muli %w, %v : i32
    %1 = arith.addi %acc, %0 : i32
    linalg.yield %1 : i32
  }
  return
}

func.func @few_widened_blocks(%a: memref<96x1024xi16>, %b: memref<1x256x64x4xi8>, %c: memref<96x64xi32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 64, k floordiv 4, n mod 64, k mod 4)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<96x1024xi16>, memref<1x256x64x4xi8>) outs(%c : memref<96x64xi32>) {
  ^bb0(%x: i16, %y: i8, %acc: i32):
    %w = arith.extsi %x : i16 to i32
    %v = arith.extsi %y : i8 to i32
    %0 = arith.muli %w, %v : i32
    %1 = arith.addi %acc, %0 : i32
    linalg.yield %1 : i32
  }
  return
}

// Rows are read again while they are in cache: the second op shares the loop over rows.
// V4-LABEL: @softmax_rows(
// V4: #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16, unroll = 4, written_out = 16>
// V4: #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16, joins = 1, written_out = 16>
// V3-LABEL: @softmax_rows(
// V3: #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 8, unroll = 4, written_out = 16>
// V3: #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 8, joins = 1, written_out = 16>
func.func @softmax_rows(%x: memref<8x100xf32>, %s: memref<8xf32>, %y: memref<8x100xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x100xf32>) outs(%s : memref<8xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %0 = arith.addf %acc, %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %s : memref<8x100xf32>, memref<8xf32>) outs(%y : memref<8x100xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// Dims that lie one after the other are one loop, and a dim of size 1 is none.
// V4-LABEL: @element_wise(
// V4: #relax.schedule<vectors, loops = {{\[\[}}0, 2]], along = 0, lanes = 16, chunk = 4096, grain = 2>
// V3-LABEL: @element_wise(
// V3: #relax.schedule<vectors, loops = {{\[\[}}0, 2]], along = 0, lanes = 8, chunk = 2048, grain = 4>
func.func @element_wise(%x: memref<64x1x1024xf32>, %y: memref<64x1x1024xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : memref<64x1x1024xf32>) outs(%y : memref<64x1x1024xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  }
  return
}

// Blocks of the loop before the last are transposed; the loops before are shared among threads.
// V4-LABEL: @transposed(
// V4: #relax.schedule<transposed, loops = [1, 0, 2], lanes = 16, parallel = 2, grain = 1>
// V3-LABEL: @transposed(
// V3: #relax.schedule<transposed, loops = [1, 0, 2], lanes = 8, parallel = 2, grain = 2>
func.func @transposed(%x: memref<512x4x512xf32>, %y: memref<512x4x512xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, j, i)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : memref<512x4x512xf32>) outs(%y : memref<512x4x512xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// Bytes of four blocks side by side are transposed together, halves of two by vectors of 256 bits; rows of half a block and more are masked.
// V4-LABEL: @transposed_bytes(
// V4: #relax.schedule<transposed, loops = [0, 1], lanes = 16, blocks = 4>
// V4: #relax.schedule<transposed, loops = [0, 1], lanes = 16>
// V4: #relax.schedule<transposed, loops = [0, 1], lanes = 16, blocks = 4>
// V3-LABEL: @transposed_bytes(
// V3: #relax.schedule<transposed, loops = [0, 1], lanes = 8>
// V3: #relax.schedule<transposed, loops = [0, 1], lanes = 8, blocks = 2>
// V3: #relax.schedule<transposed, loops = [0, 1], lanes = 8>
func.func @transposed_bytes(%x: memref<64x48xi8>, %y: memref<48x64xi8>, %h: memref<64x48xf16>, %i: memref<48x64xf16>, %p: memref<64x14xi8>, %q: memref<14x64xi8>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<64x48xi8>) outs(%y : memref<48x64xi8>) {
  ^bb0(%a: i8, %b: i8):
    linalg.yield %a : i8
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%h : memref<64x48xf16>) outs(%i : memref<48x64xf16>) {
  ^bb0(%a: f16, %b: f16):
    linalg.yield %a : f16
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%p : memref<64x14xi8>) outs(%q : memref<14x64xi8>) {
  ^bb0(%a: i8, %b: i8):
    linalg.yield %a : i8
  }
  return
}

// Few channels are interleaved, a chunk of pixels at a time; the way back reads them side by side.
// V4-LABEL: @few_channels(
// V4: #relax.schedule<interleaved, loops = [0, 1, 2], lanes = 16, chunk = 4096, parallel = 2, grain = 1>
// V4: #relax.schedule<interleaved, loops = [0, 2, 1], lanes = 16, chunk = 4096, parallel = 2, grain = 1>
// V3-LABEL: @few_channels(
// V3: #relax.schedule<interleaved, loops = [0, 1, 2], lanes = 16, chunk = 4096, parallel = 2, grain = 1>
func.func @few_channels(%x: memref<8x3x50176xf32>, %y: memref<8x50176x3xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, p, c) -> (n, c, p)>, affine_map<(n, p, c) -> (n, p, c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : memref<8x3x50176xf32>) outs(%y : memref<8x50176x3xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [affine_map<(n, c, p) -> (n, p, c)>, affine_map<(n, c, p) -> (n, c, p)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y : memref<8x50176x3xf32>) outs(%x : memref<8x3x50176xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// Rows of a part of a result are chunks of their own; vectors of bytes have as many lanes as instructions pick from at once.
// V4-LABEL: @rows_of_pixels(
// V4: #relax.schedule<interleaved, loops = [0, 1, 2], lanes = 16, chunk = 4096>
// V4: #relax.schedule<interleaved, loops = [0, 1, 2], lanes = 16, chunk = 4096>
// V3-LABEL: @rows_of_pixels(
// V3: #relax.schedule<interleaved, loops = [0, 1, 2], lanes = 16, chunk = 4096>
// V3: #relax.schedule<interleaved, loops = [0, 1, 2], lanes = 16, chunk = 4096>
func.func @rows_of_pixels(%x: memref<4x3x160xf32>, %y: memref<4x170x3xf32>, %u: memref<4x3x160xi8>, %v: memref<4x160x3xi8>) {
  %s = memref.subview %y[0, 5, 0] [4, 160, 3] [1, 1, 1] : memref<4x170x3xf32> to memref<4x160x3xf32, strided<[510, 3, 1], offset: 15>>
  linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, c, b)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : memref<4x3x160xf32>) outs(%s : memref<4x160x3xf32, strided<[510, 3, 1], offset: 15>>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, c, b)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%u : memref<4x3x160xi8>) outs(%v : memref<4x160x3xi8>) {
  ^bb0(%a: i8, %b: i8):
    linalg.yield %a : i8
  }
  func.return
}

// A number of channels that is not known is not, nor are nine of them; one of pixels may be found at run time.
// V4-LABEL: @unknown_channels(
// V4-NOT: interleaved
// V4-LABEL: @nine_channels(
// V4-NOT: interleaved
// V4-LABEL: @unknown_pixels(
// V4: #relax.schedule<interleaved, loops = [0, 1], lanes = 16, chunk = 4096
func.func @unknown_channels(%x: memref<?x50176xf32>, %y: memref<50176x?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(p, c) -> (c, p)>, affine_map<(p, c) -> (p, c)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<?x50176xf32>) outs(%y : memref<50176x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}
func.func @nine_channels(%x: memref<9x50176xf32>, %y: memref<50176x9xf32>) {
  linalg.generic {indexing_maps = [affine_map<(p, c) -> (c, p)>, affine_map<(p, c) -> (p, c)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<9x50176xf32>) outs(%y : memref<50176x9xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}
func.func @unknown_pixels(%x: memref<3x?xf32>, %y: memref<?x3xf32>) {
  linalg.generic {indexing_maps = [affine_map<(p, c) -> (c, p)>, affine_map<(p, c) -> (p, c)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<3x?xf32>) outs(%y : memref<?x3xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// So are those of a long payload, and of results in another type.
// V4-LABEL: @long_transposed(
// V4: #relax.schedule<transposed, loops = [0, 1], lanes = 16, parallel = 1, grain = 1>
// V3-LABEL: @long_transposed(
// V3: #relax.schedule<transposed, loops = [0, 1], lanes = 8, parallel = 1, grain = 1>
func.func @long_transposed(%x: memref<512x512xi32>, %y: memref<512x512xi8>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<512x512xi32>) outs(%y : memref<512x512xi8>) {
  ^bb0(%a: i32, %b: i8):
    %0 = arith.addi %a, %a : i32
    %1 = arith.addi %0, %a : i32
    %2 = arith.addi %1, %a : i32
    %3 = arith.addi %2, %a : i32
    %4 = arith.addi %3, %a : i32
    %5 = arith.addi %4, %a : i32
    %6 = arith.addi %5, %a : i32
    %7 = arith.addi %6, %a : i32
    %8 = arith.addi %7, %a : i32
    %9 = arith.addi %8, %a : i32
    %r = arith.trunci %9 : i32 to i8
    linalg.yield %r : i8
  }
  return
}

// A payload on indices has no vectors.
// V4-LABEL: @scalars(
// V4: #relax.schedule<scalars, loops = [0]>
// V3-LABEL: @scalars(
// V3: #relax.schedule<scalars, loops = [0]>
func.func @scalars(%x: memref<8xindex>, %y: memref<8xindex>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<8xindex>) outs(%y : memref<8xindex>) {
  ^bb0(%a: index, %b: index):
    %0 = arith.addi %a, %a : index
    linalg.yield %0 : index
  }
  return
}

// A single long loop is shared among threads in chunks.
// V4-LABEL: @large(
// V4: #relax.schedule<vectors, loops = [0], along = 0, lanes = 16, chunk = 4096, grain = 2>
// V3-LABEL: @large(
// V3: #relax.schedule<vectors, loops = [0], along = 0, lanes = 8, chunk = 2048, grain = 4>
func.func @large(%x: memref<1048576xf32>, %y: memref<1048576xf32>) {
  linalg.copy ins(%x : memref<1048576xf32>) outs(%y : memref<1048576xf32>)
  return
}

// Its twin inside a parallel loop is not.
// V4-LABEL: @in_parallel(
// V4: #relax.schedule<vectors, loops = [0], along = 0, lanes = 16>
func.func @in_parallel(%x: memref<1048576xf32>, %y: memref<1048576xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  "scf.parallel"(%zero, %one, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    linalg.copy ins(%x : memref<1048576xf32>) outs(%y : memref<1048576xf32>)
    scf.reduce
  }) : (index, index, index) -> ()
  return
}

// Loads of a payload are vectors along the loop that counts in their last index.
// V4-LABEL: @gathered_rows(
// V4: #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16{{.*}}>
// V3-LABEL: @gathered_rows(
// V3: #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 8{{.*}}>
func.func @gathered_rows(%table: memref<9x50xf32>, %indices: memref<4xi64>, %y: memref<4x50xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%indices : memref<4xi64>) outs(%y : memref<4x50xf32>) {
  ^bb0(%i: i64, %b: f32):
    %row = arith.index_cast %i : i64 to index
    %j = linalg.index 1 : index
    %r = memref.load %table[%row, %j] : memref<9x50xf32>
    linalg.yield %r : f32
  }
  return
}

// Columns that are gathered are not neighbors.
// V4-LABEL: @gathered_columns(
// V4: #relax.schedule<scalars, loops = [0, 1]>
// V3-LABEL: @gathered_columns(
// V3: #relax.schedule<scalars, loops = [0, 1]>
func.func @gathered_columns(%table: memref<9x50xf32>, %indices: memref<4xi64>, %y: memref<9x4xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%indices : memref<4xi64>) outs(%y : memref<9x4xf32>) {
  ^bb0(%i: i64, %b: f32):
    %column = arith.index_cast %i : i64 to index
    %j = linalg.index 0 : index
    %r = memref.load %table[%j, %column] : memref<9x50xf32>
    linalg.yield %r : f32
  }
  return
}

// Parts of the rows of one buffer are written one after the other, row by row.
// V4-LABEL: @parts_of_rows(
// V4: #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16, parallel = 1, grain = 81, written_out = 16>
// V4: #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16, joins = 1, written_out = 16>
// V3-LABEL: @parts_of_rows(
// V3: #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 8, parallel = 1, grain = 81, written_out = 16>
// V3: #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 8, joins = 1, written_out = 16>
func.func @parts_of_rows(%a: memref<256x50xf32>, %b: memref<256x40xf32>, %y: memref<256x90xf32> {relax.result}) {
  %p = memref.subview %y[0, 0] [256, 50] [1, 1] : memref<256x90xf32> to memref<256x50xf32, strided<[90, 1]>>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : memref<256x50xf32>) outs(%p : memref<256x50xf32, strided<[90, 1]>>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  }
  %q = memref.subview %y[0, 50] [256, 40] [1, 1] : memref<256x90xf32> to memref<256x40xf32, strided<[90, 1], offset: 50>>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%b : memref<256x40xf32>) outs(%q : memref<256x40xf32, strided<[90, 1], offset: 50>>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  }
  return
}

// Whole rows are not: each part is one run.
// V4-LABEL: @whole_rows(
// V4-NOT: joins
// V3-LABEL: @whole_rows(
// V3-NOT: joins
func.func @whole_rows(%a: memref<256x50xf32>, %b: memref<256x50xf32>, %y: memref<512x50xf32> {relax.result}) {
  %p = memref.subview %y[0, 0] [256, 50] [1, 1] : memref<512x50xf32> to memref<256x50xf32, strided<[50, 1]>>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : memref<256x50xf32>) outs(%p : memref<256x50xf32, strided<[50, 1]>>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  }
  %q = memref.subview %y[256, 0] [256, 50] [1, 1] : memref<512x50xf32> to memref<256x50xf32, strided<[50, 1], offset: 12800>>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%b : memref<256x50xf32>) outs(%q : memref<256x50xf32, strided<[50, 1], offset: 12800>>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  }
  return
}

// Of a window of channels-last images the channels are the innermost steps, also where only run time knows the width.
// V4-LABEL: @window_of_unknown_width(
// V4: #relax.schedule<contraction, loops = [0, 1, 2, 3, 4, 5], lanes = 16, row = 1, tiles = <shape = [{{.*}}], pack = rhs, steps = {{[0-9]+}}, panel = 2
// V3-LABEL: @window_of_unknown_width(
// V3: #relax.schedule<contraction, loops = [0, 1, 2, 3, 4, 5], {{.*}}, panel = 2
#pixels = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 + d3, d1 + d4, d5)>
#window = affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d3, d4, d5)>
#image = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2)>
func.func @window_of_unknown_width(%x: memref<?x?x32xf32>, %w: memref<64x3x3x32xf32>, %y: memref<?x?x64xf32>) {
  linalg.generic {indexing_maps = [#pixels, #window, #image], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : memref<?x?x32xf32>, memref<64x3x3x32xf32>) outs(%y : memref<?x?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  return
}

// Padding: each plane is written while it is in cache, first as a whole, then inside. What follows has loops of its own.
// V4-LABEL: @padding(
// V4: linalg.fill {relax.schedule = #relax.schedule<vectors, loops = [0, [1, 2]], along = 1, lanes = 16, parallel = 1, grain = {{[0-9]+}}>}
// V4: #relax.schedule<vectors, loops = [0, 1, 2], along = 2, lanes = 16, joins = 1>
// V4: #relax.schedule<vectors, loops = {{\[\[}}0, 1, 2]]
// Rows that are padded in front share no loop with those that are filled.
// V4-LABEL: @padding_of_all_dims(
// V4-NOT: joins
// V4: return
#same = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @padding(%x: memref<64x56x56xf32>, %y: memref<64x58x58xf32>, %z: memref<64x58x58xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<64x58x58xf32>)
  %inside = memref.subview %y[0, 1, 1] [64, 56, 56] [1, 1, 1] : memref<64x58x58xf32> to memref<64x56x56xf32, strided<[3364, 58, 1], offset: 59>>
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : memref<64x56x56xf32>) outs(%inside : memref<64x56x56xf32, strided<[3364, 58, 1], offset: 59>>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y : memref<64x58x58xf32>) outs(%z : memref<64x58x58xf32>) {
  ^bb0(%v: f32, %o: f32):
    %n = arith.negf %v : f32
    linalg.yield %n : f32
  }
  return
}
func.func @padding_of_all_dims(%x: memref<64x56x56xf32>, %y: memref<66x58x58xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<66x58x58xf32>)
  %inside = memref.subview %y[1, 1, 1] [64, 56, 56] [1, 1, 1] : memref<66x58x58xf32> to memref<64x56x56xf32, strided<[3364, 58, 1], offset: 3423>>
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : memref<64x56x56xf32>) outs(%inside : memref<64x56x56xf32, strided<[3364, 58, 1], offset: 3423>>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  }
  return
}

// B in blocks: even panels of steps, even blocks of rows of which the second-level cache has room for a chunk, columns of 8 tiles, and a line of the panel that
// follows for each iteration of a kernel.
// V4-LABEL: func.func @many_rows
// V4: tiles = <shape = [6, 64], pack = none, steps = 504, row_block = 102, column_block = 512, grain = {{[0-9]+}}, unroll = 4, fetched = 1>
// V3-LABEL: func.func @many_rows
// V3: tiles = <shape = [6, 16], pack = none, steps = 504, row_block = 96, column_block = 128, grain = {{[0-9]+}}, unroll = 4, fetched = 1>
func.func @many_rows(%a: memref<1020x1000xf32>, %b: memref<16x1000x64xf32>, %c: memref<1020x1024xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 64, k, n mod 64)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<1020x1000xf32>, memref<16x1000x64xf32>) outs(%c : memref<1020x1024xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// One row times blocks of columns, which are read once: all columns of a block together, fetched ahead where processors gain from that.
// V4-LABEL: func.func @row_of_blocks(
// V4: <vectors, loops = [0, 1, 2], along = 1, lanes = 16, unroll = 4, parallel = 1, grain = {{[0-9]+}}, fetched = 16>
// V3-LABEL: func.func @row_of_blocks(
// V3: <vectors, loops = [0, 1, 2], along = 1, lanes = 8, unroll = 8, parallel = 1, grain = {{[0-9]+}}>
func.func @row_of_blocks(%a: memref<1000xf32>, %b: memref<16x1000x64xf32>, %c: memref<16x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, j, k) -> (k)>, affine_map<(n, j, k) -> (n, k, j)>, affine_map<(n, j, k) -> (n, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<1000xf32>, memref<16x1000x64xf32>) outs(%c : memref<16x64xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Elsewhere they are read as four streams, where there are registers for the sums of each.
// V3-LABEL: func.func @row_of_narrow_blocks(
// V3: <vectors, loops = [0, 1, 2], along = 1, lanes = 8, unroll = 2, parallel = 1, grain = {{[0-9]+}}, streams = 4>
func.func @row_of_narrow_blocks(%a: memref<997xf32>, %b: memref<64x997x16xf32>, %c: memref<64x16xf32>) {
  linalg.generic {indexing_maps = [affine_map<(n, j, k) -> (k)>, affine_map<(n, j, k) -> (n, k, j)>, affine_map<(n, j, k) -> (n, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<997xf32>, memref<64x997x16xf32>) outs(%c : memref<64x16xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// B is copied from rows that exceed the second-level cache: lines of those of the next panel are fetched meanwhile.
// V4-LABEL: func.func @long_rows
// V4: tiles = <shape = [6, 64], pack = rhs, steps = 512, filled = beside, grain = {{[0-9]+}}, unroll = 2, fetched = 1>
func.func @long_rows(%a: memref<64x256xf32>, %b: memref<256x3136xf32>, %c: memref<64x3136xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<64x256xf32>, memref<256x3136xf32>) outs(%c : memref<64x3136xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Rows are converted once for the columns of several tiles, whose panels are filled before: nothing is fetched meanwhile.
// V4-LABEL: func.func @long_rows_of_halves
// V4: tiles = <shape = [6, 64], pack = both, steps = 512, row_block = 258, column_block = 256, grain = {{[0-9]+}}, unroll = 2>
// V3-LABEL: func.func @long_rows_of_halves
// V3: tiles = <shape = [6, 16], pack = both, steps = 512, column_block = 64, grain = {{[0-9]+}}, unroll = 2>
func.func @long_rows_of_halves(%a: memref<512x512xf16>, %b: memref<512x2048xf16>, %c: memref<512x2048xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<512x512xf16>, memref<512x2048xf16>) outs(%c : memref<512x2048xf32>) {
  ^bb0(%x: f16, %y: f16, %acc: f32):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %y : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %acc, %2 : f32
    linalg.yield %3 : f32
  }
  return
}

// A few more steps than those of a panel are one panel where the right operand lies in blocks; many more are even panels.
// VNNI-LABEL: @few_more_steps(
// VNNI: instruction = vpdpbusd, tiles = <shape = [6, 64], pack = none, steps = 2304,
// VNNI: instruction = vpdpbusd, tiles = <shape = [6, 64], pack = none, steps = 1536,
func.func @few_more_steps(%a: memref<96x2304xi8>, %b: memref<2x576x64x4xi8>, %c: memref<96x128xi32>, %d: memref<96x3072xi8>, %e: memref<2x768x64x4xi8>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 64, k floordiv 4, n mod 64, k mod 4)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<96x2304xi8>, memref<2x576x64x4xi8>) outs(%c : memref<96x128xi32>) {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %0 = arith.extui %x : i8 to i32
    %1 = arith.extsi %y : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %acc, %2 : i32
    linalg.yield %3 : i32
  }
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 64, k floordiv 4, n mod 64, k mod 4)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%d, %e : memref<96x3072xi8>, memref<2x768x64x4xi8>) outs(%c : memref<96x128xi32>) {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %0 = arith.extui %x : i8 to i32
    %1 = arith.extsi %y : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %acc, %2 : i32
    linalg.yield %3 : i32
  }
  return
}

// With few registers several vectors of a function of one result after the other go together, where rows are loops.
// V3-LABEL: func.func @together
// V3: #relax.schedule<vectors, loops = [0], along = 0, lanes = 8, unroll = 4, chunk = {{[0-9]+}}, grain = {{[0-9]+}}>
// V3: #relax.schedule<vectors, loops = [0], along = 0, lanes = 8, unroll = 2, chunk = {{[0-9]+}}, grain = {{[0-9]+}}>
// V3: #relax.schedule<vectors, loops = [0], along = 0, lanes = 8, chunk = {{[0-9]+}}, grain = {{[0-9]+}}>
// V4-LABEL: func.func @together
// V4-COUNT-3: #relax.schedule<vectors, loops = [0], along = 0, lanes = 16, chunk = {{[0-9]+}}, grain = {{[0-9]+}}>
func.func @together(%x: memref<1048576xf32>, %y: memref<1048576xf32>, %z: memref<1048576xf32>, %w: memref<1048576xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<1048576xf32>) outs(%y : memref<1048576xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<1048576xf32>) outs(%z : memref<1048576xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = math.exp %a : f32
    %1 = math.tanh %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : memref<1048576xf32>) outs(%w : memref<1048576xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = math.sqrt %a : f32
    linalg.yield %0 : f32
  }
  func.return
}

// Rows that are only moved go by four or two vectors where these make up a short row; longer ones, those of sizes that run time decides, and
// what is computed, one by one.
// V4-LABEL: @moved(
// V4: #relax.schedule<vectors, loops = [0, 1, 2], along = 2, lanes = 16, unroll = 4>
// V4: #relax.schedule<vectors, loops = [0, 1, 2], along = 2, lanes = 16, unroll = 2>
// V4: #relax.schedule<vectors, loops = [0, 1, 2], along = 2, lanes = 16>
// V4: #relax.schedule<vectors, loops = [0, 1, 2], along = 2, lanes = 16>
// V4: #relax.schedule<vectors, loops = [0, 1, 2], along = 2, lanes = 16>
// V3-LABEL: @moved(
// V3: #relax.schedule<vectors, loops = [0, 1, 2], along = 2, lanes = 8, unroll = 4>
// V3: #relax.schedule<vectors, loops = [0, 1, 2], along = 2, lanes = 8, unroll = 4>
// V3: #relax.schedule<vectors, loops = [0, 1, 2], along = 2, lanes = 8, unroll = 2>
// V4-LABEL: @moved_far(
// V4: #relax.schedule<vectors, loops = [0, 1, 2], along = 2, lanes = 16>
func.func @moved(%a: memref<3x5x64xf32>, %b: memref<5x3x64xf32>, %c: memref<3x5x32xf32>, %d: memref<5x3x32xf32>,
                 %e: memref<3x5x80xf32>, %f: memref<5x3x80xf32>, %g: memref<3x5x?xf32>, %h: memref<5x3x?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a : memref<3x5x64xf32>) outs(%b : memref<5x3x64xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%c : memref<3x5x32xf32>) outs(%d : memref<5x3x32xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e : memref<3x5x80xf32>) outs(%f : memref<5x3x80xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a : memref<3x5x64xf32>) outs(%b : memref<5x3x64xf32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.negf %x : f32
    linalg.yield %z : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%g : memref<3x5x?xf32>) outs(%h : memref<5x3x?xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  func.return
}
func.func @moved_far(%a: memref<3x5x1024xf32>, %b: memref<5x3x1024xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a : memref<3x5x1024xf32>) outs(%b : memref<5x3x1024xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  func.return
}

// Parts of rows are written by vectors, row by row; parts of one buffer that do not meet share no more loops than others.
// V4-LABEL: @halves_of_rows(
// V4: #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16, parallel = 1, grain = {{[0-9]+}}>
// V4: #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16, joins = 1>
// V4: return
func.func @halves_of_rows(%a: memref<256x1024xf32>, %b: memref<256x1024xf32>, %c: memref<256x2048xf32>) {
  %0 = memref.subview %c[0, 0] [256, 1024] [1, 1] : memref<256x2048xf32> to memref<256x1024xf32, strided<[2048, 1]>>
  linalg.copy ins(%a : memref<256x1024xf32>) outs(%0 : memref<256x1024xf32, strided<[2048, 1]>>)
  %1 = memref.subview %c[0, 1024] [256, 1024] [1, 1] : memref<256x2048xf32> to memref<256x1024xf32, strided<[2048, 1], offset: 1024>>
  linalg.copy ins(%b : memref<256x1024xf32>) outs(%1 : memref<256x1024xf32, strided<[2048, 1], offset: 1024>>)
  return
}
