// Schedules that are impossible for their op. Both passes say so.
// RUN: relax-opt %s -p schedule-linalg --split-input-file --verify-diagnostics
// RUN: relax-opt %s -p linalg-to-loops --split-input-file --verify-diagnostics

func.func @dim_twice(%x: memref<8x100xf32>, %y: memref<8x100xf32>) {
  // expected-error@below {{linalg.copy cannot have the schedule scalars: loops: want each dim from 0 to 1 at most once}}
  linalg.copy {relax.schedule = #relax.schedule<scalars, loops = [0, 0]>} ins(%x : memref<8x100xf32>) outs(%y : memref<8x100xf32>)
  return
}

// -----

func.func @dim_left_out(%x: memref<8x100xf32>, %y: memref<8x100xf32>) {
  // expected-error@below {{linalg.copy cannot have the schedule scalars: loops: dim 1 is left out, but is not known to have 1 iteration}}
  linalg.copy {relax.schedule = #relax.schedule<scalars, loops = [0]>} ins(%x : memref<8x100xf32>) outs(%y : memref<8x100xf32>)
  return
}

// -----

func.func @merged_the_wrong_way(%x: memref<8x100xf32>, %y: memref<8x100xf32>) {
  // expected-error@below {{linalg.copy cannot have the schedule scalars: loops: dims are merged that do not lie one after the other in every operand}}
  linalg.copy {relax.schedule = #relax.schedule<scalars, loops = [[1, 0]]>} ins(%x : memref<8x100xf32>) outs(%y : memref<8x100xf32>)
  return
}

// -----

func.func @reduction_outside(%x: memref<8x100xf32>, %s: memref<8xf32>) {
  // expected-error@below {{linalg.generic cannot have the schedule scalars: loops: a parallel loop is inside a reduction}}
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x100xf32>) outs(%s : memref<8xf32>) attrs = {relax.schedule = #relax.schedule<scalars, loops = [1, 0]>} {
  ^bb0(%a: f32, %acc: f32):
    %0 = arith.addf %acc, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

func.func @too_many_parallel(%x: memref<8x100xf32>, %s: memref<8xf32>) {
  // expected-error@below {{linalg.generic cannot have the schedule scalars: parallel = 2, want at most 1}}
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x100xf32>) outs(%s : memref<8xf32>) attrs = {relax.schedule = #relax.schedule<scalars, loops = [0, 1], parallel = 2, grain = 1>} {
  ^bb0(%a: f32, %acc: f32):
    %0 = arith.addf %acc, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

func.func @along_no_loop(%x: memref<8x100xf32>, %y: memref<8x100xf32>) {
  // expected-error@below {{linalg.copy cannot have the schedule vectors: along = 2, want the position of a loop, from 0 to 1}}
  linalg.copy {relax.schedule = #relax.schedule<vectors, loops = [0, 1], along = 2, lanes = 16>} ins(%x : memref<8x100xf32>) outs(%y : memref<8x100xf32>)
  return
}

// -----

func.func @lanes_of_one_result(%x: memref<100x8xf32>, %s: memref<8xf32>) {
  // expected-error@below {{linalg.generic cannot have the schedule vectors: along = 1: an input is scattered along it}}
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<100x8xf32>) outs(%s : memref<8xf32>) attrs = {relax.schedule = #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16>} {
  ^bb0(%a: f32, %acc: f32):
    %0 = arith.addf %acc, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

func.func @written_out_alone(%x: memref<8x100xf32>, %y: memref<8x100xf32>) {
  // expected-error@below {{linalg.copy cannot have the schedule vectors: written_out = 8, which is for rows of ops that share loops}}
  linalg.copy {relax.schedule = #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16, written_out = 8>} ins(%x : memref<8x100xf32>) outs(%y : memref<8x100xf32>)
  return
}

// -----

func.func @nothing_to_look_up(%x: memref<8x100xf32>, %y: memref<8x100xf32>) {
  // expected-error@below {{linalg.copy cannot have the schedule vectors: lookup = vpermi2b, but the payload reads no table of 256 bytes at the place of a byte}}
  linalg.copy {relax.schedule = #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16, lookup = vpermi2b>} ins(%x : memref<8x100xf32>) outs(%y : memref<8x100xf32>)
  return
}

// -----

func.func @chunk_of_rows(%x: memref<8x100xf32>, %y: memref<8x100xf32>) {
  // expected-error@below {{linalg.copy cannot have the schedule vectors: chunk = 64, which is for vectors along the only parallel loop}}
  linalg.copy {relax.schedule = #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16, chunk = 64, grain = 1>} ins(%x : memref<8x100xf32>) outs(%y : memref<8x100xf32>)
  return
}

// -----

func.func @short_rows(%x: memref<7x100xf32>, %y: memref<7x100xf32>) {
  // expected-error@below {{linalg.copy cannot have the schedule transposed: a loop has 7 iterations, want at least 8 for 16 lanes}}
  linalg.copy {relax.schedule = #relax.schedule<transposed, loops = [0, 1], lanes = 16>} ins(%x : memref<7x100xf32>) outs(%y : memref<7x100xf32>)
  return
}

// -----

func.func @nothing_to_transpose(%x: memref<8x100xf32>, %y: memref<8x100xf32>) {
  // expected-error@below {{linalg.copy cannot have the schedule transposed: no input, or not each that is scattered along the last loop, is contiguous along the loop before}}
  linalg.copy {relax.schedule = #relax.schedule<transposed, loops = [0, 1], lanes = 16>} ins(%x : memref<8x100xf32>) outs(%y : memref<8x100xf32>)
  return
}

// -----

func.func @parts_of_blocks(%x: memref<60x64xi8>, %y: memref<64x60xi8>) {
  // expected-error@below {{linalg.generic cannot have the schedule transposed: blocks = 4, which is for elements that are only moved, in whole blocks of the last loop}}
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<60x64xi8>) outs(%y : memref<64x60xi8>) attrs = {relax.schedule = #relax.schedule<transposed, loops = [0, 1], lanes = 16, blocks = 4>} {
  ^bb0(%a: i8, %b: i8):
    linalg.yield %a : i8
  }
  return
}

// -----

func.func @too_many_to_interleave(%x: memref<100x9xf32>, %y: memref<100x9xf32>) {
  // expected-error@below {{linalg.copy cannot have the schedule interleaved: the last loop has 9 iterations, want from 2 to 8}}
  linalg.copy {relax.schedule = #relax.schedule<interleaved, loops = [0, 1], lanes = 16, chunk = 16>} ins(%x : memref<100x9xf32>) outs(%y : memref<100x9xf32>)
  return
}

// -----

func.func @nothing_side_by_side(%x: memref<100x3xf32, strided<[6, 2]>>, %y: memref<100x3xf32, strided<[6, 2]>>) {
  // expected-error@below {{linalg.copy cannot have the schedule interleaved: no operand has the iterations of the last loop side by side}}
  linalg.copy {relax.schedule = #relax.schedule<interleaved, loops = [0, 1], lanes = 16, chunk = 16>} ins(%x : memref<100x3xf32, strided<[6, 2]>>) outs(%y : memref<100x3xf32, strided<[6, 2]>>)
  return
}

// -----

func.func @scattered_rows(%x: memref<100x3xf32, strided<[6, 2]>>, %y: memref<100x3xf32>) {
  // expected-error@below {{linalg.copy cannot have the schedule interleaved: an operand is neither contiguous along the loop before the last nor has the last loop inside of it}}
  linalg.copy {relax.schedule = #relax.schedule<interleaved, loops = [0, 1], lanes = 16, chunk = 16>} ins(%x : memref<100x3xf32, strided<[6, 2]>>) outs(%y : memref<100x3xf32>)
  return
}

// -----

func.func @copy_is_no_contraction(%x: memref<8x100xf32>, %y: memref<8x100xf32>) {
  // expected-error@below {{linalg.copy cannot have the schedule contraction: the payload and the maps are not those of a contraction}}
  linalg.copy {relax.schedule = #relax.schedule<contraction, loops = [0, 1], lanes = 16, row = 0, tiles = <shape = [6, 64], pack = rhs, steps = 512>>} ins(%x : memref<8x100xf32>) outs(%y : memref<8x100xf32>)
  return
}

// -----

func.func @row_is_a_column(%a: memref<96x256xf32>, %b: memref<256x128xf32>, %c: memref<96x128xf32>) {
  // expected-error@below {{linalg.generic cannot have the schedule contraction: row = 1, want 0}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<96x256xf32>, memref<256x128xf32>) outs(%c : memref<96x128xf32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 1, tiles = <shape = [6, 64], pack = rhs, steps = 512>>} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

func.func @not_packed(%a: memref<96x256xf32>, %b: memref<256x128xf32>, %c: memref<96x128xf32>) {
  // expected-error@below {{linalg.generic cannot have the schedule contraction: tiles: pack = none, but the right operand does not lie in blocks of columns}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<96x256xf32>, memref<256x128xf32>) outs(%c : memref<96x128xf32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [6, 64], pack = none, steps = 512>>} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

func.func @left_over_steps(%a: memref<96x256xf32>, %b: memref<256x128xf32>, %c: memref<96x128xf32>) {
  // expected-error@below {{linalg.generic cannot have the schedule contraction: tiles: unroll = 8, which does not divide the steps of all panels}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<96x256xf32>, memref<256x128xf32>) outs(%c : memref<96x128xf32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [6, 64], pack = rhs, steps = 100, unroll = 8>>} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

func.func @panel_of_rows(%a: memref<96x256xf32>, %b: memref<256x128xf32>, %c: memref<96x128xf32>) {
  // expected-error@below {{linalg.generic cannot have the schedule contraction: tiles: panel = 2, but there are 1 reductions}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<96x256xf32>, memref<256x128xf32>) outs(%c : memref<96x128xf32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [6, 64], pack = rhs, steps = 512, panel = 2>>} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

func.func @panels_around_nothing(%a: memref<96x256xf32>, %b: memref<256x128xf32>, %c: memref<96x128xf32>) {
  // expected-error@below {{linalg.generic cannot have the schedule contraction: tiles: panels = 2, want 1 or the iterations of the loops around panels, of known size, each a whole panel}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<96x256xf32>, memref<256x128xf32>) outs(%c : memref<96x128xf32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [6, 64], pack = rhs, steps = 512, panels = 2>>} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

func.func @joined_columns(%a: memref<96x256xf32>, %b: memref<256x128xf32>, %c: memref<96x128xf32>) {
  // expected-error@below {{linalg.generic cannot have the schedule contraction: tiles: joined = 2, but the columns of the output do not follow one another}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<96x256xf32>, memref<256x128xf32>) outs(%c : memref<96x128xf32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [6, 64], pack = rhs, steps = 512, joined = 2>>} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

func.func @fetched_chunks(%a: memref<96x256xf32>, %b: memref<256x128xf32>, %c: memref<96x128xf32>) {
  // expected-error@below {{linalg.generic cannot have the schedule contraction: tiles: fetched = 1, but panels are not copied from rows that have all steps, or widened from blocks}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<96x256xf32>, memref<256x128xf32>) outs(%c : memref<96x128xf32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [6, 64], pack = rhs, steps = 128, fetched = 1>>} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

func.func @ahead_of_no_rows(%a: memref<256xf32>, %b: memref<256x128xf32>, %c: memref<128xf32>) {
  // expected-error@below {{linalg.generic cannot have the schedule contraction: tiles: ahead = 1, but there are no loops over rows}}
  linalg.generic {indexing_maps = [affine_map<(n, k) -> (k)>, affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (n)>], iterator_types = ["parallel", "reduction"]} ins(%a, %b : memref<256xf32>, memref<256x128xf32>) outs(%c : memref<128xf32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1], lanes = 16, tiles = <shape = [1, 64], pack = rhs, steps = 256, ahead = 1>>} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

func.func @filled_by_chunks(%a: memref<96x256xf32>, %b: memref<256x128xf32>, %c: memref<96x128xf32>) {
  // expected-error@below {{linalg.generic cannot have the schedule contraction: tiles: filled = beside, but blocks do not begin with a whole tile, or panels are not copied from rows that have all steps}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<96x256xf32>, memref<256x128xf32>) outs(%c : memref<96x128xf32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [6, 64], pack = rhs, steps = 128, filled = beside>>} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

func.func @filled_by_unknown_rows(%a: memref<?x256xf32>, %b: memref<256x128xf32>, %c: memref<?x128xf32>) {
  // expected-error@below {{linalg.generic cannot have the schedule contraction: tiles: filled = beside, but blocks do not begin with a whole tile, or panels are not copied from rows that have all steps}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<?x256xf32>, memref<256x128xf32>) outs(%c : memref<?x128xf32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [6, 64], pack = rhs, steps = 256, filled = beside, row_block = 96, grain = 1>>} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

func.func @filled_by_a_part_of_a_tile(%a: memref<96x256xf32>, %b: memref<256x128xf32>, %c: memref<96x128xf32>) {
  // expected-error@below {{linalg.generic cannot have the schedule contraction: tiles: filled = beside, but blocks do not begin with a whole tile, or panels are not copied from rows that have all steps}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<96x256xf32>, memref<256x128xf32>) outs(%c : memref<96x128xf32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [18, 64], pack = rhs, steps = 256, filled = beside, row_block = 90, grain = 1>>} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

func.func @floats_are_no_bytes(%a: memref<96x256xf32>, %b: memref<256x128xf32>, %c: memref<96x128xf32>) {
  // expected-error@below {{linalg.generic cannot have the schedule contraction: instruction = vpdpbusd, which multiplies neighbors of ui8 and i8 and adds them to i32}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<96x256xf32>, memref<256x128xf32>) outs(%c : memref<96x128xf32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, instruction = vpdpbusd, tiles = <shape = [6, 64], pack = rhs, steps = 512>>} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

func.func @not_so_few_rows(%a: memref<96x256xf32>, %b: memref<256x128xf32>, %c: memref<96x128xf32>) {
  // expected-error@below {{linalg.generic cannot have the schedule contraction: skinny: rows = [3], but there are 96}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<96x256xf32>, memref<256x128xf32>) outs(%c : memref<96x128xf32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, skinny = <rows = [3], unroll = [8], columns = 1024, width = 64>>} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

func.func @fetched_along_the_columns(%a: memref<3x256xf32>, %b: memref<256x128xf32>, %c: memref<3x128xf32>) {
  // expected-error@below {{linalg.generic cannot have the schedule contraction: skinny: fetched = 16, but the right operand is not contiguous along the reduction}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<3x256xf32>, memref<256x128xf32>) outs(%c : memref<3x128xf32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, skinny = <rows = [3], unroll = [8], columns = 1024, width = 64, fetched = 16>>} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

func.func @init_with_one(%a: memref<96x256xf32>, %b: memref<256x128xf32>, %c: memref<96x128xf32>) {
  %zero = arith.constant 1.0 : f32
  // expected-error@below {{linalg.fill cannot have the schedule init: it does not fill with 0 what a contraction adds to before anything else uses it}}
  linalg.fill {relax.schedule = #relax.schedule<init>} ins(%zero : f32) outs(%c : memref<96x128xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<96x256xf32>, memref<256x128xf32>) outs(%c : memref<96x128xf32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [6, 64], pack = rhs, steps = 512>>} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

func.func @epilogue_of_nothing(%x: memref<8x100xf32>, %y: memref<8x100xf32>) {
  // expected-error@below {{linalg.copy cannot have the schedule epilogue: the op before is neither a contraction nor an epilogue}}
  linalg.copy {relax.schedule = #relax.schedule<epilogue, loops = [0, 1]>} ins(%x : memref<8x100xf32>) outs(%y : memref<8x100xf32>)
  return
}

// -----

func.func @joins_nothing(%x: memref<8x100xf32>, %y: memref<8x100xf32>) {
  // expected-error@below {{linalg.copy cannot have the schedule scalars: joins = 1, but the op before has other loops}}
  linalg.copy {relax.schedule = #relax.schedule<scalars, loops = [0, 1], joins = 1>} ins(%x : memref<8x100xf32>) outs(%y : memref<8x100xf32>)
  return
}

// -----

func.func @joins_a_reduction(%x: memref<8x100xf32>, %s: memref<8xf32>) {
  // expected-error@below {{linalg.generic cannot have the schedule scalars: joins: one of the first 2 loops is a reduction}}
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x100xf32>) outs(%s : memref<8xf32>) attrs = {relax.schedule = #relax.schedule<scalars, loops = [0, 1]>} {
  ^bb0(%a: f32, %acc: f32):
    %0 = arith.addf %acc, %a : f32
    linalg.yield %0 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %s : memref<8x100xf32>, memref<8xf32>) outs(%x : memref<8x100xf32>) attrs = {relax.schedule = #relax.schedule<scalars, loops = [0, 1], joins = 2>} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

func.func @needs_the_whole_row(%x: memref<8x8xf32>, %s: memref<8xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x8xf32>) outs(%s : memref<8xf32>) attrs = {relax.schedule = #relax.schedule<scalars, loops = [0, 1]>} {
  ^bb0(%a: f32, %acc: f32):
    %0 = arith.addf %acc, %a : f32
    linalg.yield %0 : f32
  }
  // expected-error@below {{linalg.generic cannot have the schedule scalars: joins = 1: an iteration may need more of an earlier op than that iteration}}
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %s : memref<8x8xf32>, memref<8xf32>) outs(%x : memref<8x8xf32>) attrs = {relax.schedule = #relax.schedule<scalars, loops = [1, 0], joins = 1>} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

func.func @epilogue_with_other_sizes(%a: memref<96x256xf32>, %b: memref<256x128xf32>, %c: memref<96x128xf32>, %z: memref<96x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<96x256xf32>, memref<256x128xf32>) outs(%c : memref<96x128xf32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [6, 64], pack = rhs, steps = 512>>} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  // expected-error@below {{linalg.generic cannot have the schedule epilogue: its loops are not known to have the sizes of the contraction's}}
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%z : memref<96x64xf32>) attrs = {relax.schedule = #relax.schedule<epilogue, loops = [0, 1]>} {
  ^bb0(%p: f32):
    %0 = arith.negf %p : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

func.func @grain_in_parallel(%x: memref<8x100xf32>, %y: memref<8x100xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  "scf.parallel"(%zero, %one, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    // expected-error@below {{linalg.copy cannot have the schedule scalars: grain = 1 inside scf.parallel}}
    linalg.copy {relax.schedule = #relax.schedule<scalars, loops = [0, 1], parallel = 1, grain = 1>} ins(%x : memref<8x100xf32>) outs(%y : memref<8x100xf32>)
    scf.reduce
  }) : (index, index, index) -> ()
  return
}

// -----

func.func @rows_of_no_window(%x: memref<8x100xf32>, %y: memref<8x100xf32>) {
  // expected-error@below {{linalg.copy cannot have the schedule vectors: rows = 2, which is for a few steps of reductions whose sizes are known, read by whole vectors}}
  linalg.copy {relax.schedule = #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16, rows = 2>} ins(%x : memref<8x100xf32>) outs(%y : memref<8x100xf32>)
  return
}

// -----

#image = affine_map<(o, y, x, c, i, j) -> (c, y + i, x + j)>
#kernel = affine_map<(o, y, x, c, i, j) -> (o floordiv 16, c, i, j, o mod 16)>
#out = affine_map<(o, y, x, c, i, j) -> (o, y, x)>
func.func @chunks_that_do_not_divide_the_channels(%a: memref<6x9x9xf32>, %b: memref<3x6x3x3x16xf32>, %c: memref<48x7x7xf32>) {
  // expected-error@below {{linalg.generic cannot have the schedule convolution: chunk = 4, want a divisor of the 6 steps of the first reduction}}
  linalg.generic {indexing_maps = [#image, #kernel, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%a, %b : memref<6x9x9xf32>, memref<3x6x3x3x16xf32>) outs(%c : memref<48x7x7xf32>) attrs = {relax.schedule = #relax.schedule<convolution, loops = [0, 1, 2, 3, 4, 5], lanes = 16, shape = [14, 32], pixel = 2, joined = 2, chunk = 4>} {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

#image = affine_map<(o, y, x, c, i, j) -> (c, y + i, x + j)>
#kernel = affine_map<(o, y, x, c, i, j) -> (o floordiv 16, c, i, j, o mod 16)>
#out = affine_map<(o, y, x, c, i, j) -> (o, y, x)>

func.func @chunks_of_unknown_rows(%a: memref<8x?x9xf32>, %b: memref<3x8x3x3x16xf32>, %c: memref<48x?x7xf32>) {
  // expected-error@below {{linalg.generic cannot have the schedule convolution: chunk = 4 with rows = 0 of 7 pixels, want a known number of each, and not 0}}
  linalg.generic {indexing_maps = [#image, #kernel, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%a, %b : memref<8x?x9xf32>, memref<3x8x3x3x16xf32>) outs(%c : memref<48x?x7xf32>) attrs = {relax.schedule = #relax.schedule<convolution, loops = [0, 1, 2, 3, 4, 5], lanes = 16, shape = [4, 32], pixel = 2, chunk = 4>} {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

func.func @convolution_of_no_blocks(%x: memref<8x100xf32>, %y: memref<8x100xf32>) {
  // expected-error@below {{linalg.copy cannot have the schedule convolution: the payload and the maps are not those of a convolution by blocks of channels}}
  linalg.copy {relax.schedule = #relax.schedule<convolution, loops = [0, 1], lanes = 16, shape = [14, 32], pixel = 1>} ins(%x : memref<8x100xf32>) outs(%y : memref<8x100xf32>)
  return
}

// -----

#image = affine_map<(o, x, c, j) -> (c, x + j)>
#kernel = affine_map<(o, x, c, j) -> (o floordiv 16, c, j, o mod 16)>
#out = affine_map<(o, x, c, j) -> (o, x)>
func.func @spans_of_any_size(%a: memref<8x?xf32>, %b: memref<2x8x3x16xf32>, %c: memref<32x?xf32>) {
  // expected-error@below {{linalg.generic cannot have the schedule convolution: span = 28, but the number of pixels is not known}}
  linalg.generic {indexing_maps = [#image, #kernel, #out], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%a, %b : memref<8x?xf32>, memref<2x8x3x16xf32>) outs(%c : memref<32x?xf32>) attrs = {relax.schedule = #relax.schedule<convolution, loops = [0, 1, 2, 3], lanes = 16, shape = [14, 32], pixel = 1, span = 28>} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#image = affine_map<(o, x, c, j) -> (c, x + j)>
#kernel = affine_map<(o, x, c, j) -> (o floordiv 16, c, j, o mod 16)>
#out = affine_map<(o, x, c, j) -> (o, x)>
func.func @fetched_for_a_plane_of_any_size(%a: memref<8x?xf32>, %b: memref<2x8x3x16xf32>, %c: memref<32x?xf32>) {
  // expected-error@below {{linalg.generic cannot have the schedule convolution: fetched = 3, but some of the sizes of the kernel and of a plane are not known}}
  linalg.generic {indexing_maps = [#image, #kernel, #out], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%a, %b : memref<8x?xf32>, memref<2x8x3x16xf32>) outs(%c : memref<32x?xf32>) attrs = {relax.schedule = #relax.schedule<convolution, loops = [0, 1, 2, 3], lanes = 16, shape = [14, 32], pixel = 1, fetched = 3>} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  }
  return
}

// -----

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
func.func @tiles_of_other_signs(%a: memref<32x64xi8>, %b: memref<64x64xi8>, %c: memref<32x64xi32>) {
  // expected-error@below {{linalg.generic cannot have the schedule contraction: tiles: instruction = tdpbuud, which multiplies ui8 and adds groups of 4 to i32}}
  linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<32x64xi8>, memref<64x64xi8>) outs(%c : memref<32x64xi32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [32, 64], pack = rhs, steps = 64, instruction = tdpbuud>>} {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extsi %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  return
}

// -----

#across = affine_map<(m, n, k) -> (k, m)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
func.func @tiles_of_scattered_steps(%a: memref<64x32xi8>, %b: memref<64x64xi8>, %c: memref<32x64xi32>) {
  // expected-error@below {{linalg.generic cannot have the schedule contraction: tiles: instruction = tdpbssd, but the steps are no neighbors in the left operand}}
  linalg.generic {indexing_maps = [#across, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<64x32xi8>, memref<64x64xi8>) outs(%c : memref<32x64xi32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [32, 64], pack = rhs, steps = 64, instruction = tdpbssd>>} {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extsi %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  return
}

// -----

func.func @sums_of_parts(%a: memref<32x64xi8>, %b: memref<64x64xi8>, %d: memref<32x64xi8>, %space: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %c = memref.view %space[%c0][] : memref<?xi8> to memref<32x64xi32>
  linalg.fill {relax.schedule = #relax.schedule<init>} ins(%zero : i32) outs(%c : memref<32x64xi32>)
  // expected-error@below {{linalg.generic cannot have the schedule contraction: tiles: sums = stack, but a panel does not have all steps}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<32x64xi8>, memref<64x64xi8>) outs(%c : memref<32x64xi32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [4, 64], pack = rhs, steps = 63, sums = stack>>} {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extsi %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%c : memref<32x64xi32>) outs(%d : memref<32x64xi8>) attrs = {relax.schedule = #relax.schedule<epilogue, loops = [0, 1]>} {
  ^bb0(%x: i32, %y: i8):
    %r = arith.trunci %x : i32 to i8
    linalg.yield %r : i8
  }
  return
}

// -----

#left = affine_map<(m, n, k) -> (m, k)>
#right = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>
func.func @sums_that_are_needed(%a: memref<32x64xi8>, %b: memref<64x64xi8>, %c: memref<32x64xi32>) {
  // expected-error@below {{linalg.generic cannot have the schedule contraction: tiles: sums = stack, but others than ops of the epilogue may read them}}
  linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<32x64xi8>, memref<64x64xi8>) outs(%c : memref<32x64xi32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [32, 64], pack = rhs, steps = 64, instruction = tdpbssd, sums = stack>>} {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extsi %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  return
}

// -----

"memref.global"() <{sym_name = "a", sym_visibility = "private", constant, type = memref<2x4xf32>, initial_value = dense<[[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, -1.0, -1.0]]> : tensor<2x4xf32>}> : () -> ()
"memref.global"() <{sym_name = "b", sym_visibility = "private", constant, type = memref<4x4xf32>, initial_value = dense<[[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, -1.0, 1.0, 0.0], [0.0, 1.0, 0.0, -1.0]]> : tensor<4x4xf32>}> : () -> ()
#image = affine_map<(n, o, y, x, c, u, v, i, j) -> (n, c, (y floordiv 2) * 2 + i, (x floordiv 2) * 2 + j)>
#kernel = affine_map<(n, o, y, x, c, u, v, i, j) -> (u, v, c, o)>
#a_row = affine_map<(n, o, y, x, c, u, v, i, j) -> (y mod 2, u)>
#a_column = affine_map<(n, o, y, x, c, u, v, i, j) -> (x mod 2, v)>
#b_row = affine_map<(n, o, y, x, c, u, v, i, j) -> (u, i)>
#b_column = affine_map<(n, o, y, x, c, u, v, i, j) -> (v, j)>
#result = affine_map<(n, o, y, x, c, u, v, i, j) -> (n, o, y, x)>
func.func @blocks_of_parts_of_rows(%x: memref<1x3x10x42xf32>, %k: memref<4x4x3x5xf32>, %y: memref<1x5x8x40xf32>) {
  %a = memref.get_global @a : memref<2x4xf32>
  %b = memref.get_global @b : memref<4x4xf32>
  // expected-error@below {{linalg.generic cannot have the schedule winograd: block = [2, 16] of several rows, want all 20 columns of tiles}}
  linalg.generic {indexing_maps = [#image, #kernel, #a_row, #a_column, #b_row, #b_column, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"]} ins(%x, %k, %a, %a, %b, %b : memref<1x3x10x42xf32>, memref<4x4x3x5xf32>, memref<2x4xf32>, memref<2x4xf32>, memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<1x5x8x40xf32>) attrs = {relax.schedule = #relax.schedule<winograd, loops = [1, 2, 3, 4, 5, 6, 7, 8], lanes = 8, shape = [6, 16], block = [2, 16], channels = 5>} {
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

// -----

"memref.global"() <{sym_name = "a", sym_visibility = "private", constant, type = memref<2x4xf32>, initial_value = dense<[[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, -1.0, -1.0]]> : tensor<2x4xf32>}> : () -> ()
"memref.global"() <{sym_name = "b", sym_visibility = "private", constant, type = memref<4x4xf32>, initial_value = dense<[[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, -1.0, 1.0, 0.0], [0.0, 1.0, 0.0, -1.0]]> : tensor<4x4xf32>}> : () -> ()
#image = affine_map<(n, o, y, x, c, u, v, i, j) -> (n, c, (y floordiv 2) * 2 + i, (x floordiv 2) * 2 + j)>
#kernel = affine_map<(n, o, y, x, c, u, v, i, j) -> (u, v, c, o)>
#a_row = affine_map<(n, o, y, x, c, u, v, i, j) -> (y mod 2, u)>
#a_column = affine_map<(n, o, y, x, c, u, v, i, j) -> (x mod 2, v)>
#b_row = affine_map<(n, o, y, x, c, u, v, i, j) -> (u, i)>
#b_column = affine_map<(n, o, y, x, c, u, v, i, j) -> (v, j)>
#result = affine_map<(n, o, y, x, c, u, v, i, j) -> (n, o, y, x)>
func.func @more_than_the_stack_has(%x: memref<1x600x10x42xf32>, %k: memref<4x4x600x5xf32>, %y: memref<1x5x8x40xf32>) {
  %a = memref.get_global @a : memref<2x4xf32>
  %b = memref.get_global @b : memref<4x4xf32>
  // expected-error@below {{linalg.generic cannot have the schedule winograd: block = [3, 20] of 600 inputs, want at most 27 tiles on the stack}}
  linalg.generic {indexing_maps = [#image, #kernel, #a_row, #a_column, #b_row, #b_column, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"]} ins(%x, %k, %a, %a, %b, %b : memref<1x600x10x42xf32>, memref<4x4x600x5xf32>, memref<2x4xf32>, memref<2x4xf32>, memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<1x5x8x40xf32>) attrs = {relax.schedule = #relax.schedule<winograd, loops = [1, 2, 3, 4, 5, 6, 7, 8], lanes = 4, shape = [6, 16], block = [3, 20], channels = 5>} {
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

// -----

"memref.global"() <{sym_name = "a", sym_visibility = "private", constant, type = memref<2x4xf32>, initial_value = dense<[[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, -1.0, -1.0]]> : tensor<2x4xf32>}> : () -> ()
"memref.global"() <{sym_name = "b", sym_visibility = "private", constant, type = memref<4x4xf32>, initial_value = dense<[[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, -1.0, 1.0, 0.0], [0.0, 1.0, 0.0, -1.0]]> : tensor<4x4xf32>}> : () -> ()
#image = affine_map<(n, o, y, x, c, u, v, i, j) -> (n, c, (y floordiv 2) * 2 + i, (x floordiv 2) * 2 + j)>
#kernel = affine_map<(n, o, y, x, c, u, v, i, j) -> (u, v, c, o)>
#a_row = affine_map<(n, o, y, x, c, u, v, i, j) -> (y mod 2, u)>
#a_column = affine_map<(n, o, y, x, c, u, v, i, j) -> (x mod 2, v)>
#b_row = affine_map<(n, o, y, x, c, u, v, i, j) -> (u, i)>
#b_column = affine_map<(n, o, y, x, c, u, v, i, j) -> (v, j)>
#result = affine_map<(n, o, y, x, c, u, v, i, j) -> (n, o, y, x)>
func.func @shares_of_some_channels(%x: memref<1x6x10x42xf32>, %k: memref<4x4x6x32xf32>, %y: memref<1x32x8x40xf32>) {
  %a = memref.get_global @a : memref<2x4xf32>
  %b = memref.get_global @b : memref<4x4xf32>
  // expected-error@below {{linalg.generic cannot have the schedule winograd: shares = 2 with channels = 16, want all 32 output channels}}
  linalg.generic {indexing_maps = [#image, #kernel, #a_row, #a_column, #b_row, #b_column, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"]} ins(%x, %k, %a, %a, %b, %b : memref<1x6x10x42xf32>, memref<4x4x6x32xf32>, memref<2x4xf32>, memref<2x4xf32>, memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<1x32x8x40xf32>) attrs = {relax.schedule = #relax.schedule<winograd, loops = [1, 2, 3, 4, 5, 6, 7, 8], lanes = 16, shape = [6, 16], block = [3, 20], channels = 16, shares = 2>} {
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

// -----

"memref.global"() <{sym_name = "a", sym_visibility = "private", constant, type = memref<2x4xf32>, initial_value = dense<[[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, -1.0, -1.0]]> : tensor<2x4xf32>}> : () -> ()
"memref.global"() <{sym_name = "b", sym_visibility = "private", constant, type = memref<4x4xf32>, initial_value = dense<[[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, -1.0, 1.0, 0.0], [0.0, 1.0, 0.0, -1.0]]> : tensor<4x4xf32>}> : () -> ()
#image = affine_map<(n, o, y, x, c, u, v, i, j) -> (n, c, (y floordiv 2) * 2 + i, (x floordiv 2) * 2 + j)>
#kernel = affine_map<(n, o, y, x, c, u, v, i, j) -> (u, v, c, o)>
#a_row = affine_map<(n, o, y, x, c, u, v, i, j) -> (y mod 2, u)>
#a_column = affine_map<(n, o, y, x, c, u, v, i, j) -> (x mod 2, v)>
#b_row = affine_map<(n, o, y, x, c, u, v, i, j) -> (u, i)>
#b_column = affine_map<(n, o, y, x, c, u, v, i, j) -> (v, j)>
#result = affine_map<(n, o, y, x, c, u, v, i, j) -> (n, o, y, x)>
func.func @shares_without_channels(%x: memref<1x6x10x42xf32>, %k: memref<4x4x6x32xf32>, %y: memref<1x32x8x40xf32>) {
  %a = memref.get_global @a : memref<2x4xf32>
  %b = memref.get_global @b : memref<4x4xf32>
  // expected-error@below {{linalg.generic cannot have the schedule winograd: shares = 3 of 32 output channels, want whole vectors of 16 for each}}
  linalg.generic {indexing_maps = [#image, #kernel, #a_row, #a_column, #b_row, #b_column, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"]} ins(%x, %k, %a, %a, %b, %b : memref<1x6x10x42xf32>, memref<4x4x6x32xf32>, memref<2x4xf32>, memref<2x4xf32>, memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<1x32x8x40xf32>) attrs = {relax.schedule = #relax.schedule<winograd, loops = [1, 2, 3, 4, 5, 6, 7, 8], lanes = 16, shape = [6, 16], block = [3, 20], channels = 32, shares = 3>} {
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

// -----

"memref.global"() <{sym_name = "a", sym_visibility = "private", constant, type = memref<2x4xf32>, initial_value = dense<[[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, -1.0, -1.0]]> : tensor<2x4xf32>}> : () -> ()
"memref.global"() <{sym_name = "b", sym_visibility = "private", constant, type = memref<4x4xf32>, initial_value = dense<[[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, -1.0, 1.0, 0.0], [0.0, 1.0, 0.0, -1.0]]> : tensor<4x4xf32>}> : () -> ()
#image = affine_map<(n, o, y, x, c, u, v, i, j) -> (n, c, (y floordiv 2) * 2 + i, (x floordiv 2) * 2 + j)>
#kernel = affine_map<(n, o, y, x, c, u, v, i, j) -> (u, v, c, o)>
#a_row = affine_map<(n, o, y, x, c, u, v, i, j) -> (y mod 2, u)>
#a_column = affine_map<(n, o, y, x, c, u, v, i, j) -> (x mod 2, v)>
#b_row = affine_map<(n, o, y, x, c, u, v, i, j) -> (u, i)>
#b_column = affine_map<(n, o, y, x, c, u, v, i, j) -> (v, j)>
#result = affine_map<(n, o, y, x, c, u, v, i, j) -> (n, o, y, x)>
func.func @shares_of_any_number_of_images(%x: memref<?x6x10x42xf32>, %k: memref<4x4x6x32xf32>, %y: memref<?x32x8x40xf32>) {
  %a = memref.get_global @a : memref<2x4xf32>
  %b = memref.get_global @b : memref<4x4xf32>
  // expected-error@below {{linalg.generic cannot have the schedule winograd: shares = 2, but the number of images is known at run time only}}
  linalg.generic {indexing_maps = [#image, #kernel, #a_row, #a_column, #b_row, #b_column, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"]} ins(%x, %k, %a, %a, %b, %b : memref<?x6x10x42xf32>, memref<4x4x6x32xf32>, memref<2x4xf32>, memref<2x4xf32>, memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<?x32x8x40xf32>) attrs = {relax.schedule = #relax.schedule<winograd, loops = [0, 1, 2, 3, 4, 5, 6, 7, 8], lanes = 16, shape = [6, 16], block = [3, 20], channels = 32, shares = 2>} {
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

// -----

"memref.global"() <{sym_name = "a", sym_visibility = "private", constant, type = memref<2x4xf32>, initial_value = dense<[[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, -1.0, -1.0]]> : tensor<2x4xf32>}> : () -> ()
"memref.global"() <{sym_name = "b", sym_visibility = "private", constant, type = memref<4x4xf32>, initial_value = dense<[[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, -1.0, 1.0, 0.0], [0.0, 1.0, 0.0, -1.0]]> : tensor<4x4xf32>}> : () -> ()
#image = affine_map<(n, o, y, x, c, u, v, i, j) -> (n, c, (y floordiv 2) * 2 + i, (x floordiv 2) * 2 + j)>
#kernel = affine_map<(n, o, y, x, c, u, v, i, j) -> (u, v, c, o)>
#a_row = affine_map<(n, o, y, x, c, u, v, i, j) -> (y mod 2, u)>
#a_column = affine_map<(n, o, y, x, c, u, v, i, j) -> (x mod 2, v)>
#b_row = affine_map<(n, o, y, x, c, u, v, i, j) -> (u, i)>
#b_column = affine_map<(n, o, y, x, c, u, v, i, j) -> (v, j)>
#result = affine_map<(n, o, y, x, c, u, v, i, j) -> (n, o, y, x)>
func.func @no_room_behind_the_tiles_of_an_input(%x: memref<1x600x20x8xf32>, %k: memref<4x4x600x5xf32>, %y: memref<1x5x18x6xf32>) {
  %a = memref.get_global @a : memref<2x4xf32>
  %b = memref.get_global @b : memref<4x4xf32>
  // expected-error@below {{linalg.generic cannot have the schedule winograd: block = [9, 3] of 600 inputs, want at most 26 tiles on the stack}}
  linalg.generic {indexing_maps = [#image, #kernel, #a_row, #a_column, #b_row, #b_column, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"]} ins(%x, %k, %a, %a, %b, %b : memref<1x600x20x8xf32>, memref<4x4x600x5xf32>, memref<2x4xf32>, memref<2x4xf32>, memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<1x5x18x6xf32>) attrs = {relax.schedule = #relax.schedule<winograd, loops = [1, 2, 3, 4, 5, 6, 7, 8], lanes = 4, shape = [6, 16], block = [9, 3], channels = 5, staged = 1>} {
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

// -----

"memref.global"() <{sym_name = "a", sym_visibility = "private", constant, type = memref<2x4xf32>, initial_value = dense<[[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, -1.0, -1.0]]> : tensor<2x4xf32>}> : () -> ()
"memref.global"() <{sym_name = "b", sym_visibility = "private", constant, type = memref<4x4xf32>, initial_value = dense<[[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, -1.0, 1.0, 0.0], [0.0, 1.0, 0.0, -1.0]]> : tensor<4x4xf32>}> : () -> ()
#image = affine_map<(n, o, y, x, c, u, v, i, j) -> (n, c, (y floordiv 2) * 2 + i, (x floordiv 2) * 2 + j)>
#kernel = affine_map<(n, o, y, x, c, u, v, i, j) -> (u, v, c, o)>
#a_row = affine_map<(n, o, y, x, c, u, v, i, j) -> (y mod 2, u)>
#a_column = affine_map<(n, o, y, x, c, u, v, i, j) -> (x mod 2, v)>
#b_row = affine_map<(n, o, y, x, c, u, v, i, j) -> (u, i)>
#b_column = affine_map<(n, o, y, x, c, u, v, i, j) -> (v, j)>
#result = affine_map<(n, o, y, x, c, u, v, i, j) -> (n, o, y, x)>
func.func @lanes_without_channels(%x: memref<1x600x10x42xf32>, %k: memref<4x4x600x5xf32>, %y: memref<1x5x8x40xf32>) {
  %a = memref.get_global @a : memref<2x4xf32>
  %b = memref.get_global @b : memref<4x4xf32>
  // expected-error@below {{linalg.generic cannot have the schedule winograd: lanes = 8, want at most the 5 channels of a block}}
  linalg.generic {indexing_maps = [#image, #kernel, #a_row, #a_column, #b_row, #b_column, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"]} ins(%x, %k, %a, %a, %b, %b : memref<1x600x10x42xf32>, memref<4x4x600x5xf32>, memref<2x4xf32>, memref<2x4xf32>, memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<1x5x8x40xf32>) attrs = {relax.schedule = #relax.schedule<winograd, loops = [1, 2, 3, 4, 5, 6, 7, 8], lanes = 8, shape = [6, 16], block = [3, 20], channels = 5>} {
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

// -----

"memref.global"() <{sym_name = "a", sym_visibility = "private", constant, type = memref<2x4xf32>, initial_value = dense<[[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, -1.0, -1.0]]> : tensor<2x4xf32>}> : () -> ()
"memref.global"() <{sym_name = "b", sym_visibility = "private", constant, type = memref<4x4xf32>, initial_value = dense<[[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, -1.0, 1.0, 0.0], [0.0, 1.0, 0.0, -1.0]]> : tensor<4x4xf32>}> : () -> ()
#image = affine_map<(n, o, y, x, c, u, v, i, j) -> (n, c, (y floordiv 2) * 2 + i, (x floordiv 2) * 2 + j)>
#kernel = affine_map<(n, o, y, x, c, u, v, i, j) -> (u, v, c, o)>
#a_row = affine_map<(n, o, y, x, c, u, v, i, j) -> (y mod 2, u)>
#a_column = affine_map<(n, o, y, x, c, u, v, i, j) -> (x mod 2, v)>
#b_row = affine_map<(n, o, y, x, c, u, v, i, j) -> (u, i)>
#b_column = affine_map<(n, o, y, x, c, u, v, i, j) -> (v, j)>
#result = affine_map<(n, o, y, x, c, u, v, i, j) -> (n, o, y, x)>
func.func @a_single_column(%x: memref<1x3x10x4xf32>, %k: memref<4x4x3x5xf32>, %y: memref<1x5x8x1xf32>) {
  %a = memref.get_global @a : memref<2x4xf32>
  %b = memref.get_global @b : memref<4x4xf32>
  // expected-error@below {{linalg.generic cannot have the schedule winograd: payload, maps and constants are not those of F(2x2, 3x3) of at most 8192 channels or F(4x4, 3x3) of at most 4096 channels, with known sizes and several columns, nor of bytes}}
  linalg.generic {indexing_maps = [#image, #kernel, #a_row, #a_column, #b_row, #b_column, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"]} ins(%x, %k, %a, %a, %b, %b : memref<1x3x10x4xf32>, memref<4x4x3x5xf32>, memref<2x4xf32>, memref<2x4xf32>, memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<1x5x8x1xf32>) attrs = {relax.schedule = #relax.schedule<winograd, loops = [1, 2, 4, 5, 6, 7, 8], lanes = 8, shape = [6, 16], block = [1, 1], channels = 5>} {
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

// -----

"memref.global"() <{sym_name = "a", sym_visibility = "private", constant, type = memref<2x4xf32>, initial_value = dense<[[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, -1.0, 1.0]]> : tensor<2x4xf32>}> : () -> ()
"memref.global"() <{sym_name = "b", sym_visibility = "private", constant, type = memref<4x4xf32>, initial_value = dense<[[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, -1.0, 1.0, 0.0], [0.0, 1.0, 0.0, -1.0]]> : tensor<4x4xf32>}> : () -> ()
#image = affine_map<(n, o, y, x, c, u, v, i, j) -> (n, c, (y floordiv 2) * 2 + i, (x floordiv 2) * 2 + j)>
#kernel = affine_map<(n, o, y, x, c, u, v, i, j) -> (u, v, c, o)>
#a_row = affine_map<(n, o, y, x, c, u, v, i, j) -> (y mod 2, u)>
#a_column = affine_map<(n, o, y, x, c, u, v, i, j) -> (x mod 2, v)>
#b_row = affine_map<(n, o, y, x, c, u, v, i, j) -> (u, i)>
#b_column = affine_map<(n, o, y, x, c, u, v, i, j) -> (v, j)>
#result = affine_map<(n, o, y, x, c, u, v, i, j) -> (n, o, y, x)>
func.func @other_matrices(%x: memref<1x3x10x10xf32>, %k: memref<4x4x3x5xf32>, %y: memref<1x5x8x8xf32>) {
  %a = memref.get_global @a : memref<2x4xf32>
  %b = memref.get_global @b : memref<4x4xf32>
  // expected-error@below {{linalg.generic cannot have the schedule winograd: payload, maps and constants are not those of F(2x2, 3x3) of at most 8192 channels or F(4x4, 3x3) of at most 4096 channels, with known sizes and several columns, nor of bytes}}
  linalg.generic {indexing_maps = [#image, #kernel, #a_row, #a_column, #b_row, #b_column, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"]} ins(%x, %k, %a, %a, %b, %b : memref<1x3x10x10xf32>, memref<4x4x3x5xf32>, memref<2x4xf32>, memref<2x4xf32>, memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<1x5x8x8xf32>) attrs = {relax.schedule = #relax.schedule<winograd, loops = [1, 2, 3, 4, 5, 6, 7, 8], lanes = 8, shape = [6, 16], block = [1, 4], channels = 5>} {
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

// -----

"memref.global"() <{sym_name = "a", sym_visibility = "private", constant, type = memref<2x4xf32>, initial_value = dense<[[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, -1.0, -1.0]]> : tensor<2x4xf32>}> : () -> ()
"memref.global"() <{sym_name = "b", sym_visibility = "private", constant, type = memref<4x4xf32>, initial_value = dense<[[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, -1.0, 1.0, 0.0], [0.0, 1.0, 0.0, -1.0]]> : tensor<4x4xf32>}> : () -> ()
#image = affine_map<(n, o, y, x, c, u, v, i, j) -> (n, c, (y floordiv 2) * 2 + i, (x floordiv 2) * 2 + j)>
#kernel = affine_map<(n, o, y, x, c, u, v, i, j) -> (u, v, c, o)>
#a_row = affine_map<(n, o, y, x, c, u, v, i, j) -> (y mod 2, u)>
#a_column = affine_map<(n, o, y, x, c, u, v, i, j) -> (x mod 2, v)>
#b_row = affine_map<(n, o, y, x, c, u, v, i, j) -> (u, i)>
#b_column = affine_map<(n, o, y, x, c, u, v, i, j) -> (v, j)>
#result = affine_map<(n, o, y, x, c, u, v, i, j) -> (n, o, y, x)>
func.func @uneven_products(%x: memref<1x3x10x10xf32>, %k: memref<4x4x3x5xf32, strided<[75, 15, 5, 1]>>, %y: memref<1x5x8x8xf32>) {
  %a = memref.get_global @a : memref<2x4xf32>
  %b = memref.get_global @b : memref<4x4xf32>
  // expected-error@below {{linalg.generic cannot have the schedule winograd: payload, maps and constants are not those of F(2x2, 3x3) of at most 8192 channels or F(4x4, 3x3) of at most 4096 channels, with known sizes and several columns, nor of bytes}}
  linalg.generic {indexing_maps = [#image, #kernel, #a_row, #a_column, #b_row, #b_column, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"]} ins(%x, %k, %a, %a, %b, %b : memref<1x3x10x10xf32>, memref<4x4x3x5xf32, strided<[75, 15, 5, 1]>>, memref<2x4xf32>, memref<2x4xf32>, memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<1x5x8x8xf32>) attrs = {relax.schedule = #relax.schedule<winograd, loops = [1, 2, 3, 4, 5, 6, 7, 8], lanes = 8, shape = [6, 16], block = [1, 4], channels = 5>} {
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

// -----

"memref.global"() <{sym_name = "a", sym_visibility = "private", constant, type = memref<2x4xf32>, initial_value = dense<[[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, -1.0, -1.0]]> : tensor<2x4xf32>}> : () -> ()
"memref.global"() <{sym_name = "b", sym_visibility = "private", constant, type = memref<4x4xf32>, initial_value = dense<[[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, -1.0, 1.0, 0.0], [0.0, 1.0, 0.0, -1.0]]> : tensor<4x4xf32>}> : () -> ()
#image = affine_map<(n, o, y, x, c, u, v, i, j) -> (n, c, (y floordiv 2) * 2 + i, (x floordiv 2) * 2 + j)>
#kernel = affine_map<(n, o, y, x, c, u, v, i, j) -> (u, v, c, o)>
#a_row = affine_map<(n, o, y, x, c, u, v, i, j) -> (y mod 2, u)>
#a_column = affine_map<(n, o, y, x, c, u, v, i, j) -> (x mod 2, v)>
#b_row = affine_map<(n, o, y, x, c, u, v, i, j) -> (u, i)>
#b_column = affine_map<(n, o, y, x, c, u, v, i, j) -> (v, j)>
#result = affine_map<(n, o, y, x, c, u, v, i, j) -> (n, o, y, x)>
func.func @rows_in_a_number_that_is_not_known(%x: memref<1x3x?x10xf32>, %k: memref<4x4x3x5xf32>, %y: memref<1x5x?x8xf32>) {
  %a = memref.get_global @a : memref<2x4xf32>
  %b = memref.get_global @b : memref<4x4xf32>
  // expected-error@below {{linalg.generic cannot have the schedule winograd: payload, maps and constants are not those of F(2x2, 3x3) of at most 8192 channels or F(4x4, 3x3) of at most 4096 channels, with known sizes and several columns, nor of bytes}}
  linalg.generic {indexing_maps = [#image, #kernel, #a_row, #a_column, #b_row, #b_column, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"]} ins(%x, %k, %a, %a, %b, %b : memref<1x3x?x10xf32>, memref<4x4x3x5xf32>, memref<2x4xf32>, memref<2x4xf32>, memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<1x5x?x8xf32>) attrs = {relax.schedule = #relax.schedule<winograd, loops = [1, 2, 3, 4, 5, 6, 7, 8], lanes = 8, shape = [6, 16], block = [1, 4], channels = 5>} {
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

// -----

func.func @scratch_alone(%x: memref<8x100xf32>, %y: memref<8x100xf32>) {
  // expected-error@below {{linalg.copy cannot have the schedule vectors: scratch = stack, which is for the first of ops that share loops}}
  linalg.copy {relax.schedule = #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16, scratch = stack>} ins(%x : memref<8x100xf32>) outs(%y : memref<8x100xf32>)
  return
}

// -----

func.func @scratch_that_others_read(%x: memref<8x100xf32>, %y: memref<8x100xf32>, %z: memref<8x100xf32>, %workspace: memref<?xi8>) {
  %0 = arith.constant 0 : index
  %1 = memref.view %workspace[%0][] : memref<?xi8> to memref<8x100xf32>
  // expected-error@below {{linalg.copy cannot have the schedule vectors: scratch = stack: no buffer of the workspace is used by these ops alone, with a part of its own for each iteration of the common loops}}
  linalg.copy {relax.schedule = #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16, scratch = stack>} ins(%x : memref<8x100xf32>) outs(%1 : memref<8x100xf32>)
  linalg.copy {relax.schedule = #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16, joins = 1>} ins(%1 : memref<8x100xf32>) outs(%y : memref<8x100xf32>)
  linalg.copy {relax.schedule = #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16>} ins(%1 : memref<8x100xf32>) outs(%z : memref<8x100xf32>)
  return
}

// -----

func.func @scratch_that_another_view_shows(%x: memref<8x100xf32>, %y: memref<8x100xf32>, %z: memref<8x100xf32>, %workspace: memref<?xi8>) {
  %0 = arith.constant 0 : index
  %1 = memref.view %workspace[%0][] : memref<?xi8> to memref<8x100xf32>
  %2 = memref.view %workspace[%0][] : memref<?xi8> to memref<8x100xf32>
  // expected-error@below {{scratch = stack: no buffer of the workspace is used by these ops alone}}
  linalg.copy {relax.schedule = #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16, scratch = stack>} ins(%x : memref<8x100xf32>) outs(%1 : memref<8x100xf32>)
  linalg.copy {relax.schedule = #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16, joins = 1>} ins(%1 : memref<8x100xf32>) outs(%y : memref<8x100xf32>)
  linalg.copy {relax.schedule = #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16>} ins(%2 : memref<8x100xf32>) outs(%z : memref<8x100xf32>)
  return
}

// -----

func.func @scratch_of_second(%x: memref<8x100xf32>, %y: memref<8x100xf32>, %workspace: memref<?xi8>) {
  %0 = arith.constant 0 : index
  %1 = memref.view %workspace[%0][] : memref<?xi8> to memref<8x100xf32>
  linalg.copy {relax.schedule = #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16>} ins(%x : memref<8x100xf32>) outs(%1 : memref<8x100xf32>)
  // expected-error@below {{scratch = stack, which is for the first of ops that share loops}}
  linalg.copy {relax.schedule = #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16, joins = 1, scratch = stack>} ins(%1 : memref<8x100xf32>) outs(%y : memref<8x100xf32>)
  return
}

// -----

func.func @large_scratch(%x: memref<8x524288xf32>, %y: memref<8x524288xf32>, %workspace: memref<?xi8>) {
  %0 = arith.constant 0 : index
  %1 = memref.view %workspace[%0][] : memref<?xi8> to memref<8x524288xf32>
  // expected-error@below {{scratch = stack: parts of 2097152 bytes, want at most 1048576}}
  linalg.copy {relax.schedule = #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16, scratch = stack>} ins(%x : memref<8x524288xf32>) outs(%1 : memref<8x524288xf32>)
  linalg.copy {relax.schedule = #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16, joins = 1>} ins(%1 : memref<8x524288xf32>) outs(%y : memref<8x524288xf32>)
  return
}

// -----

func.func @more_streams_than_steps(%a: memref<8x10xf32>, %b: memref<10x16xf32>, %c: memref<8x16xf32>) {
  // expected-error@below {{streams = 12, want a last loop that is a reduction of so many known steps at least, not of lanes, got a reduction of 10 steps}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<8x10xf32>, memref<10x16xf32>) outs(%c : memref<8x16xf32>) attrs = {relax.schedule = #relax.schedule<vectors, loops = [0, 1, 2], along = 1, lanes = 16, streams = 12>} {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

func.func @streams_of_steps_that_are_written_out(%x: memref<34xf32>, %w: memref<4xf32>, %y: memref<31xf32>) {
  // expected-error@below {{streams = 2 with rows = 1, whose steps are written out, want one of them}}
  linalg.generic {indexing_maps = [affine_map<(x, k) -> (x + k)>, affine_map<(x, k) -> (k)>, affine_map<(x, k) -> (x)>], iterator_types = ["parallel", "reduction"]} ins(%x, %w : memref<34xf32>, memref<4xf32>) outs(%y : memref<31xf32>) attrs = {relax.schedule = #relax.schedule<vectors, loops = [0, 1], along = 0, lanes = 8, rows = 1, streams = 2>} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

func.func @streams_of_lanes(%x: memref<8x16xf32>, %y: memref<8x16xf32>) {
  // expected-error@below {{streams = 2, want a last loop that is a reduction of so many known steps at least, not of lanes}}
  linalg.copy {relax.schedule = #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16, streams = 2>} ins(%x : memref<8x16xf32>) outs(%y : memref<8x16xf32>)
  return
}

// -----

func.func @searched_sum(%x: memref<8x4096xf32>, %s: memref<8xf32>) {
  // expected-error@below {{searched = 16, which is for a float and its place along a reduction of at least so many vectors}}
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<8x4096xf32>) outs(%s : memref<8xf32>) attrs = {relax.schedule = #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16, searched = 16>} {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %b, %a : f32
    linalg.yield %0 : f32
  }
  return
}
