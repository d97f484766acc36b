// Schedules of tile registers, and of rows of images, that are impossible for their op. Both passes say so.
// RUN: relax-opt %s -p 'schedule-linalg{target=sapphirerapids}' --split-input-file --verify-diagnostics
// RUN: relax-opt %s -p linalg-to-loops --split-input-file --verify-diagnostics

func.func @one_loop_over_rows(%a: memref<32x512xi8>, %b: memref<512x64xi8>, %d: memref<32x64xi8>, %space: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %c = memref.view %space[%c0][] : memref<?xi8> to memref<32x64xi32>
  linalg.fill {relax.schedule = #relax.schedule<init>} ins(%zero : i32) outs(%c : memref<32x64xi32>)
  // expected-error@below {{linalg.generic cannot have the schedule contraction: tiles: outer_rows = 2, but there are 1 loops over rows, want 2 or more}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<32x512xi8>, memref<512x64xi8>) outs(%c : memref<32x64xi32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [32, 64], pack = rhs, steps = 512, outer_rows = 2, instruction = tdpbusd>>} {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
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

func.func @no_instruction(%a: memref<32x512xi8>, %b: memref<512x64xi8>, %d: memref<32x64xi8>, %space: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %c = memref.view %space[%c0][] : memref<?xi8> to memref<32x64xi32>
  linalg.fill {relax.schedule = #relax.schedule<init>} ins(%zero : i32) outs(%c : memref<32x64xi32>)
  // expected-error@below {{linalg.generic cannot have the schedule contraction: tiles: sums = pipelined without instruction, want output or stack}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<32x512xi8>, memref<512x64xi8>) outs(%c : memref<32x64xi32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [4, 64], pack = rhs, steps = 512, sums = pipelined>>} {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
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

func.func @rows_left(%a: memref<33x512xi8>, %b: memref<512x64xi8>, %d: memref<33x64xi8>, %space: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %c = memref.view %space[%c0][] : memref<?xi8> to memref<33x64xi32>
  linalg.fill {relax.schedule = #relax.schedule<init>} ins(%zero : i32) outs(%c : memref<33x64xi32>)
  // expected-error@below {{linalg.generic cannot have the schedule contraction: tiles: sums = pipelined, but there are 33 rows, want whole tiles of 32}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<33x512xi8>, memref<512x64xi8>) outs(%c : memref<33x64xi32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [32, 64], pack = rhs, steps = 512, instruction = tdpbusd, sums = pipelined>>} {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%c : memref<33x64xi32>) outs(%d : memref<33x64xi8>) attrs = {relax.schedule = #relax.schedule<epilogue, loops = [0, 1]>} {
  ^bb0(%x: i32, %y: i8):
    %r = arith.trunci %x : i32 to i8
    linalg.yield %r : i8
  }
  return
}

// -----

func.func @unknown_rows(%a: memref<?x512xi8>, %b: memref<512x64xi8>, %d: memref<?x64xi8>, %space: memref<?xi8>, %n: index) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %c = memref.view %space[%c0][%n] : memref<?xi8> to memref<?x64xi32>
  linalg.fill {relax.schedule = #relax.schedule<init>} ins(%zero : i32) outs(%c : memref<?x64xi32>)
  // expected-error@below {{linalg.generic cannot have the schedule contraction: tiles: sums = pipelined, but there are an unknown number of rows, want whole tiles of 32}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<?x512xi8>, memref<512x64xi8>) outs(%c : memref<?x64xi32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [32, 64], pack = rhs, steps = 512, instruction = tdpbusd, sums = pipelined>>} {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%c : memref<?x64xi32>) outs(%d : memref<?x64xi8>) attrs = {relax.schedule = #relax.schedule<epilogue, loops = [0, 1]>} {
  ^bb0(%x: i32, %y: i8):
    %r = arith.trunci %x : i32 to i8
    linalg.yield %r : i8
  }
  return
}

// -----

func.func @columns_left(%a: memref<32x512xi8>, %b: memref<512x80xi8>, %d: memref<32x80xi8>, %space: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %c = memref.view %space[%c0][] : memref<?xi8> to memref<32x80xi32>
  linalg.fill {relax.schedule = #relax.schedule<init>} ins(%zero : i32) outs(%c : memref<32x80xi32>)
  // expected-error@below {{linalg.generic cannot have the schedule contraction: tiles: sums = pipelined, but there are 80 columns, want whole blocks of 64}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<32x512xi8>, memref<512x80xi8>) outs(%c : memref<32x80xi32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [32, 64], pack = rhs, steps = 512, instruction = tdpbusd, sums = pipelined>>} {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%c : memref<32x80xi32>) outs(%d : memref<32x80xi8>) attrs = {relax.schedule = #relax.schedule<epilogue, loops = [0, 1]>} {
  ^bb0(%x: i32, %y: i8):
    %r = arith.trunci %x : i32 to i8
    linalg.yield %r : i8
  }
  return
}

// -----

func.func @steps_left(%a: memref<32x500xi8>, %b: memref<500x64xi8>, %d: memref<32x64xi8>, %space: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %c = memref.view %space[%c0][] : memref<?xi8> to memref<32x64xi32>
  linalg.fill {relax.schedule = #relax.schedule<init>} ins(%zero : i32) outs(%c : memref<32x64xi32>)
  // expected-error@below {{linalg.generic cannot have the schedule contraction: tiles: sums = pipelined, but there are 500 steps, want a multiple of the 64 of a tile}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<32x500xi8>, memref<500x64xi8>) outs(%c : memref<32x64xi32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [32, 64], pack = rhs, steps = 512, instruction = tdpbusd, sums = pipelined>>} {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
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

func.func @several_panels(%a: memref<32x512xi8>, %b: memref<512x64xi8>, %d: memref<32x64xi8>, %space: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %c = memref.view %space[%c0][] : memref<?xi8> to memref<32x64xi32>
  linalg.fill {relax.schedule = #relax.schedule<init>} ins(%zero : i32) outs(%c : memref<32x64xi32>)
  // expected-error@below {{linalg.generic cannot have the schedule contraction: tiles: sums = pipelined, but a panel does not have all steps}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<32x512xi8>, memref<512x64xi8>) outs(%c : memref<32x64xi32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [32, 64], pack = rhs, steps = 256, instruction = tdpbusd, sums = pipelined>>} {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
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

func.func @chunks_of_blocks(%a: memref<32x512xi8>, %b: memref<4x128x16x4xi8>, %d: memref<32x64xi8>, %space: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %c = memref.view %space[%c0][] : memref<?xi8> to memref<32x64xi32>
  linalg.fill {relax.schedule = #relax.schedule<init>} ins(%zero : i32) outs(%c : memref<32x64xi32>)
  // expected-error@below {{linalg.generic cannot have the schedule contraction: tiles: sums = pipelined, but a panel does not have all steps of its loops}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 16, k floordiv 4, n mod 16, k mod 4)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<32x512xi8>, memref<4x128x16x4xi8>) outs(%c : memref<32x64xi32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [32, 64], pack = none, steps = 256, instruction = tdpbusd, sums = pipelined>>} {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
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

func.func @copied_rows_of_windows(%a: memref<10x34x64xi8>, %b: memref<3x3x64x64xi8>, %d: memref<8x32x64xi8>, %space: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %c = memref.view %space[%c0][] : memref<?xi8> to memref<8x32x64xi32>
  linalg.fill {relax.schedule = #relax.schedule<init>} ins(%zero : i32) outs(%c : memref<8x32x64xi32>)
  // expected-error@below {{linalg.generic cannot have the schedule contraction: tiles: sums = pipelined, but the loops around panels are not inside of the products}}
  linalg.generic {indexing_maps = [affine_map<(h, w, n, i, j, k) -> (h + i, w + j, k)>, affine_map<(h, w, n, i, j, k) -> (i, j, k, n)>, affine_map<(h, w, n, i, j, k) -> (h, w, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%a, %b : memref<10x34x64xi8>, memref<3x3x64x64xi8>) outs(%c : memref<8x32x64xi32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2, 3, 4, 5], lanes = 16, row = 1, tiles = <shape = [32, 64], pack = both, steps = 3, panel = 2, panels = 3, instruction = tdpbusd, sums = pipelined>>} {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  linalg.generic {indexing_maps = [affine_map<(h, w, n) -> (h, w, n)>, affine_map<(h, w, n) -> (h, w, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c : memref<8x32x64xi32>) outs(%d : memref<8x32x64xi8>) attrs = {relax.schedule = #relax.schedule<epilogue, loops = [0, 1, 2]>} {
  ^bb0(%x: i32, %y: i8):
    %r = arith.trunci %x : i32 to i8
    linalg.yield %r : i8
  }
  return
}

// -----

func.func @blocks_of_part_of_a_tile(%a: memref<32x512xi8>, %b: memref<2x128x24x4xi8>, %d: memref<32x48xi8>, %space: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %c = memref.view %space[%c0][] : memref<?xi8> to memref<32x48xi32>
  linalg.fill {relax.schedule = #relax.schedule<init>} ins(%zero : i32) outs(%c : memref<32x48xi32>)
  // expected-error@below {{linalg.generic cannot have the schedule contraction: tiles: instruction = tdpbusd, but the right operand lies in blocks of 24 columns, want whole tiles of 16}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 24, k floordiv 4, n mod 24, k mod 4)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<32x512xi8>, memref<2x128x24x4xi8>) outs(%c : memref<32x48xi32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [32, 48], pack = none, steps = 512, instruction = tdpbusd, sums = pipelined>>} {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%c : memref<32x48xi32>) outs(%d : memref<32x48xi8>) attrs = {relax.schedule = #relax.schedule<epilogue, loops = [0, 1]>} {
  ^bb0(%x: i32, %y: i8):
    %r = arith.trunci %x : i32 to i8
    linalg.yield %r : i8
  }
  return
}

// -----

func.func @more_panels_than_reductions(%a: memref<32x512xi8>, %b: memref<512x64xi8>, %d: memref<32x64xi8>, %space: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %c = memref.view %space[%c0][] : memref<?xi8> to memref<32x64xi32>
  linalg.fill {relax.schedule = #relax.schedule<init>} ins(%zero : i32) outs(%c : memref<32x64xi32>)
  // expected-error@below {{linalg.generic cannot have the schedule contraction: tiles: panel = 2, but there are 1 reductions}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<32x512xi8>, memref<512x64xi8>) outs(%c : memref<32x64xi32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [32, 64], pack = rhs, steps = 512, panel = 2, instruction = tdpbusd, sums = stack>>} {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
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

func.func @groups_of_outer_steps(%a: memref<8x32x64xi8>, %b: memref<4x64x2x16x4xi8>, %d: memref<32x64xi8>, %space: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %c = memref.view %space[%c0][] : memref<?xi8> to memref<32x64xi32>
  linalg.fill {relax.schedule = #relax.schedule<init>} ins(%zero : i32) outs(%c : memref<32x64xi32>)
  // expected-error@below {{linalg.generic cannot have the schedule contraction: loops: groups of the steps of loop 2 lie together in the right operand, want it last}}
  linalg.generic {indexing_maps = [affine_map<(m, n, j, k) -> (j, m, k)>, affine_map<(m, n, j, k) -> (n floordiv 16, k, j floordiv 4, n mod 16, j mod 4)>, affine_map<(m, n, j, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%a, %b : memref<8x32x64xi8>, memref<4x64x2x16x4xi8>) outs(%c : memref<32x64xi32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2, 3], lanes = 16, row = 0, tiles = <shape = [32, 64], pack = none, steps = 512, instruction = tdpbusd>>} {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
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

func.func @sums_that_are_needed(%a: memref<32x64xi8>, %b: memref<64x64xi8>, %c: memref<32x64xi32>) {
  // expected-error@below {{linalg.generic cannot have the schedule contraction: tiles: sums = pipelined, but others than ops of the epilogue may read them}}
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<32x64xi8>, memref<64x64xi8>) outs(%c : memref<32x64xi32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [32, 64], pack = rhs, steps = 64, instruction = tdpbusd, sums = pipelined>>} {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  return
}

// -----

func.func @no_loop_with_the_pitch(%a: memref<9x9x64xi8>, %b: memref<1x16x16x4xi8>, %d: memref<7x7x16xi8>, %space: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %c = memref.view %space[%c0][] : memref<?xi8> to memref<7x7x16xi32>
  %i = memref.subview %a[0, 0, 0] [7, 7, 64] [1, 1, 1] : memref<9x9x64xi8> to memref<7x7x64xi8, strided<[576, 64, 1]>>
  linalg.fill {relax.schedule = #relax.schedule<init>} ins(%zero : i32) outs(%c : memref<7x7x16xi32>)
  // expected-error@below {{linalg.generic cannot have the schedule contraction: tiles: pitch = 8, but no iterations of another loop over rows lie so many rows apart}}
  linalg.generic {indexing_maps = [affine_map<(h, w, n, k) -> (h, w, k)>, affine_map<(h, w, n, k) -> (n floordiv 16, k floordiv 4, n mod 16, k mod 4)>, affine_map<(h, w, n, k) -> (h, w, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%i, %b : memref<7x7x64xi8, strided<[576, 64, 1]>>, memref<1x16x16x4xi8>) outs(%c : memref<7x7x16xi32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2, 3], lanes = 16, row = 1, tiles = <shape = [31, 16], pack = none, steps = 64, pitch = 8, instruction = tdpbusd, sums = stack>>} {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  linalg.generic {indexing_maps = [affine_map<(h, w, n) -> (h, w, n)>, affine_map<(h, w, n) -> (h, w, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c : memref<7x7x16xi32>) outs(%d : memref<7x7x16xi8>) attrs = {relax.schedule = #relax.schedule<epilogue, loops = [0, 1, 2]>} {
  ^bb0(%x: i32, %y: i8):
    %r = arith.trunci %x : i32 to i8
    linalg.yield %r : i8
  }
  return
}

// -----

func.func @too_many_rows(%a: memref<20x20x64xi8>, %b: memref<1x16x16x4xi8>, %d: memref<18x18x16xi8>, %space: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %c = memref.view %space[%c0][] : memref<?xi8> to memref<18x18x16xi32>
  %i = memref.subview %a[0, 0, 0] [18, 18, 64] [1, 1, 1] : memref<20x20x64xi8> to memref<18x18x64xi8, strided<[1280, 64, 1]>>
  linalg.fill {relax.schedule = #relax.schedule<init>} ins(%zero : i32) outs(%c : memref<18x18x16xi32>)
  // expected-error@below {{linalg.generic cannot have the schedule contraction: tiles: pitch = 20 with 18 rows and 358 from the first to the last, want known numbers, at most 64}}
  linalg.generic {indexing_maps = [affine_map<(h, w, n, k) -> (h, w, k)>, affine_map<(h, w, n, k) -> (n floordiv 16, k floordiv 4, n mod 16, k mod 4)>, affine_map<(h, w, n, k) -> (h, w, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%i, %b : memref<18x18x64xi8, strided<[1280, 64, 1]>>, memref<1x16x16x4xi8>) outs(%c : memref<18x18x16xi32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2, 3], lanes = 16, row = 1, tiles = <shape = [31, 16], pack = none, steps = 64, pitch = 20, instruction = tdpbusd, sums = stack>>} {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  linalg.generic {indexing_maps = [affine_map<(h, w, n) -> (h, w, n)>, affine_map<(h, w, n) -> (h, w, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c : memref<18x18x16xi32>) outs(%d : memref<18x18x16xi8>) attrs = {relax.schedule = #relax.schedule<epilogue, loops = [0, 1, 2]>} {
  ^bb0(%x: i32, %y: i8):
    %r = arith.trunci %x : i32 to i8
    linalg.yield %r : i8
  }
  return
}
