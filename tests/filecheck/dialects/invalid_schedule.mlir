// RUN: relax-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{schedule class is 'blocked', want contraction, convolution, winograd, vectors, transposed, interleaved, scalars, epilogue, init or padding}}
"test.op"() {relax.schedule = #relax.schedule<blocked, loops = [0]>} : () -> ()

// -----

// expected-error@+1 {{schedule scalars lacks loops}}
"test.op"() {relax.schedule = #relax.schedule<scalars>} : () -> ()

// -----

// expected-error@+1 {{schedule vectors lacks along}}
"test.op"() {relax.schedule = #relax.schedule<vectors, loops = [0], lanes = 16>} : () -> ()

// -----

// expected-error@+1 {{field 'lanes' is none of scalars, want loops, joins, parallel or grain}}
"test.op"() {relax.schedule = #relax.schedule<scalars, loops = [0], lanes = 16>} : () -> ()

// -----

// expected-error@+1 {{field 'loops' is there twice}}
"test.op"() {relax.schedule = #relax.schedule<scalars, loops = [0], loops = [1]>} : () -> ()

// -----

// expected-error@+1 {{schedule vectors: lanes = 12, want a power of 2 from 2 to 64}}
"test.op"() {relax.schedule = #relax.schedule<vectors, loops = [0], along = 0, lanes = 12>} : () -> ()

// -----

// expected-error@+1 {{schedule transposed: blocks = 8, want a power of 2 from 1 to 4}}
"test.op"() {relax.schedule = #relax.schedule<transposed, loops = [0, 1], lanes = 16, blocks = 8>} : () -> ()

// -----

// expected-error@+1 {{schedule scalars: grain = 0 with parallel = 1, want both or none}}
"test.op"() {relax.schedule = #relax.schedule<scalars, loops = [0], parallel = 1>} : () -> ()

// -----

// expected-error@+1 {{schedule scalars: grain = 1 with joins = 1, want it on the first op of the group}}
"test.op"() {relax.schedule = #relax.schedule<scalars, loops = [0], joins = 1, parallel = 1, grain = 1>} : () -> ()

// -----

// expected-error@+1 {{schedule contraction: neither tiles nor skinny, want one of them or both}}
"test.op"() {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16>} : () -> ()

// -----

// expected-error@+1 {{schedule contraction: tiles: shape = [6, 40], want rows and a multiple of 16 columns}}
"test.op"() {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, tiles = <shape = [6, 40], pack = rhs, steps = 512>>} : () -> ()

// -----

// expected-error@+1 {{field 'shape' has 1 numbers, want 2}}
"test.op"() {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, tiles = <shape = [6], pack = rhs, steps = 512>>} : () -> ()

// -----

// expected-error@+1 {{field 'pack' is 'left', want rhs, none, both or lhs}}
"test.op"() {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, tiles = <shape = [6, 64], pack = left, steps = 512>>} : () -> ()

// -----

// expected-error@+1 {{field 'scratch' is 'heap', want workspace or stack}}
"test.op"() {relax.schedule = #relax.schedule<vectors, loops = [0], along = 0, lanes = 16, scratch = heap>} : () -> ()

// -----

// expected-error@+1 {{as field 'lookup', want vpermi2b}}
"test.op"() {relax.schedule = #relax.schedule<vectors, loops = [0], along = 0, lanes = 16, lookup = 1>} : () -> ()

// -----

// expected-error@+1 {{as field 'lanes'}}
"test.op"() {relax.schedule = #relax.schedule<vectors, loops = [0], along = 0, lanes = many>} : () -> ()

// -----

// expected-error@+1 {{as field 'loops'}}
"test.op"() {relax.schedule = #relax.schedule<scalars, loops = 0>} : () -> ()

// -----

// expected-error@+1 {{schedule contraction: tiles: row_block = 100, want a multiple of the 6 rows of a tile}}
"test.op"() {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, tiles = <shape = [6, 64], pack = rhs, steps = 512, row_block = 100>>} : () -> ()

// -----

// expected-error@+1 {{schedule contraction: tiles: pitch = 9, which is for tile registers, sums = stack and all rows at once}}
"test.op"() {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, tiles = <shape = [31, 64], pack = none, steps = 512, pitch = 9, instruction = tdpbusd>>} : () -> ()

// -----

// expected-error@+1 {{schedule contraction: tiles: column_block = 96, want a multiple of the 64 columns of a tile}}
"test.op"() {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, tiles = <shape = [6, 64], pack = none, steps = 512, column_block = 96>>} : () -> ()

// -----

// expected-error@+1 {{schedule contraction: tiles: column_block = 128, which is for vector registers, pack = none or both, joined = panels = 1}}
"test.op"() {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, tiles = <shape = [6, 64], pack = rhs, steps = 512, column_block = 128>>} : () -> ()

// -----

// expected-error@+1 {{schedule contraction: tiles: steps = 4096 of column_block = 128, want at most 262144 elements on the stack}}
"test.op"() {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, tiles = <shape = [6, 64], pack = both, steps = 4096, column_block = 128>>} : () -> ()

// -----

// expected-error@+1 {{schedule contraction: tiles: column_block = 128 with fetched = 1 and pack = both, want fetched = 0}}
"test.op"() {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, tiles = <shape = [6, 64], pack = both, steps = 512, column_block = 128, fetched = 1>>} : () -> ()

// -----

// expected-error@+1 {{schedule contraction: skinny: 2 rows and 1 unroll, want as many of both}}
"test.op"() {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, skinny = <rows = [1, 2], unroll = [8], columns = 1024, width = 64>>} : () -> ()

// -----

// expected-error@+1 {{schedule vectors: unroll = 1048576, want a power of 2 from 1 to 64}}
"test.op"() {relax.schedule = #relax.schedule<vectors, loops = [0], along = 0, lanes = 8, unroll = 1048576>} : () -> ()

// -----

// expected-error@+1 {{schedule vectors: lanes = 128, want a power of 2 from 2 to 64}}
"test.op"() {relax.schedule = #relax.schedule<vectors, loops = [0], along = 0, lanes = 128>} : () -> ()

// -----

// expected-error@+1 {{schedule contraction: tiles: shape = [64, 160] is 640 vectors of 16 lanes, want at most 128}}
"test.op"() {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, tiles = <shape = [64, 160], pack = rhs, steps = 512>>} : () -> ()

// -----

// expected-error@+1 {{schedule contraction: tiles: steps = 1048576 of 64 columns, want at most 262144 elements on the stack}}
"test.op"() {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, tiles = <shape = [6, 64], pack = rhs, steps = 1048576>>} : () -> ()

// -----

// expected-error@+1 {{schedule contraction: skinny: rows = 1, unroll = 1048576, width = 64 is 4194304 vectors, want at most 1024}}
"test.op"() {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, skinny = <rows = [1], unroll = [1048576], columns = 1024, width = 64>>} : () -> ()

// -----

// expected-error@+1 {{schedule contraction: skinny: rows = 5000, unroll = 1, width = 64 is 20000 vectors, want at most 1024}}
"test.op"() {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, skinny = <rows = [5000], unroll = [1], columns = 1024, width = 64>>} : () -> ()

// -----

// expected-error@+1 {{field 'grain' has 2147483648, want a number below 2^31}}
"test.op"() {relax.schedule = #relax.schedule<scalars, loops = [0], parallel = 1, grain = 2147483648>} : () -> ()

// -----

// expected-error@+1 {{schedule convolution: shape = [14, 40], want pixels and a multiple of 16 channels}}
"test.op"() {relax.schedule = #relax.schedule<convolution, loops = [0, 1, 2], lanes = 16, shape = [14, 40], pixel = 1>} : () -> ()

// -----

// expected-error@+1 {{schedule convolution: shape = [65, 32] is 130 vectors of 16 lanes, want at most 128}}
"test.op"() {relax.schedule = #relax.schedule<convolution, loops = [0, 1, 2], lanes = 16, shape = [65, 32], pixel = 1>} : () -> ()

// -----

// expected-error@+1 {{schedule convolution: chunk = 4 with staged = 14, want one of them}}
"test.op"() {relax.schedule = #relax.schedule<convolution, loops = [0, 1, 2], lanes = 16, shape = [14, 32], pixel = 1, staged = 14, chunk = 4>} : () -> ()

// -----

// expected-error@+1 {{schedule convolution: rows = 3 with chunk = 4, want a multiple of the 2 joined rows, and a chunk}}
"test.op"() {relax.schedule = #relax.schedule<convolution, loops = [0, 1, 2], lanes = 16, shape = [14, 32], pixel = 1, joined = 2, chunk = 4, rows = 3>} : () -> ()

// -----

// expected-error@+1 {{schedule convolution: rows = 4 with chunk = 0, want a multiple of the 1 joined rows, and a chunk}}
"test.op"() {relax.schedule = #relax.schedule<convolution, loops = [0, 1, 2], lanes = 16, shape = [14, 32], pixel = 1, rows = 4>} : () -> ()

// -----

// expected-error@+1 {{schedule convolution: span = 20, want whole tiles of 14 pixels of one row, neither staged nor in chunks, or 0}}
"test.op"() {relax.schedule = #relax.schedule<convolution, loops = [0, 1, 2], lanes = 16, shape = [14, 32], pixel = 1, span = 20>} : () -> ()

// -----

// expected-error@+1 {{schedule convolution: span = 28, want whole tiles of 14 pixels of one row, neither staged nor in chunks, or 0}}
"test.op"() {relax.schedule = #relax.schedule<convolution, loops = [0, 1, 2], lanes = 16, shape = [14, 32], pixel = 1, chunk = 4, span = 28>} : () -> ()

// -----

// expected-error@+1 {{schedule convolution: joined = 0, want 1 or more}}
"test.op"() {relax.schedule = #relax.schedule<convolution, loops = [0, 1, 2], lanes = 16, shape = [14, 32], pixel = 1, joined = 0>} : () -> ()

// -----

// expected-error@+1 {{schedule convolution: staged = 20, want whole tiles of 14 pixels of one row, or 0}}
"test.op"() {relax.schedule = #relax.schedule<convolution, loops = [0, 1, 2], lanes = 16, shape = [14, 32], pixel = 1, staged = 20>} : () -> ()

// -----

// expected-error@+1 {{schedule vectors: searched = 3, want a power of 2 from 2 to 64}}
"test.op"() {relax.schedule = #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16, searched = 3>} : () -> ()

// -----

// expected-error@+1 {{schedule vectors: written_out = 65, want at most 64}}
"test.op"() {relax.schedule = #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16, joins = 1, written_out = 65>} : () -> ()

// -----

// expected-error@+1 {{schedule vectors: streams = 17, want 1 to 16}}
"test.op"() {relax.schedule = #relax.schedule<vectors, loops = [0, 1, 2], along = 1, lanes = 16, streams = 17>} : () -> ()

// -----

// expected-error@+1 {{schedule vectors: streams = 0, want 1 to 16}}
"test.op"() {relax.schedule = #relax.schedule<vectors, loops = [0, 1, 2], along = 1, lanes = 16, streams = 0>} : () -> ()

// -----

// expected-error@+1 {{schedule vectors: stored = past_caches with written_out = 0, want it for rows that are written out}}
"test.op"() {relax.schedule = #relax.schedule<vectors, loops = [0, 1], along = 1, lanes = 16, stored = past_caches>} : () -> ()

// -----

// expected-error@+1 {{schedule transposed: lanes = 0, want a power of 2 from 2 to 64}}
"test.op"() {relax.schedule = #relax.schedule<transposed, loops = [0, 1], lanes = 0>} : () -> ()

// -----

// expected-error@+1 {{schedule vectors: rows = 65, want at most 64}}
"test.op"() {relax.schedule = #relax.schedule<vectors, loops = [0, 1, 2], along = 1, lanes = 16, rows = 65>} : () -> ()

// -----

// expected-error@+1 {{schedule contraction: tiles: unroll = 3, want a power of 2 from 1 to 64}}
"test.op"() {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, tiles = <shape = [6, 64], pack = rhs, steps = 512, unroll = 3>>} : () -> ()

// -----

// expected-error@+1 {{schedule contraction: tiles: fetched = 1 with panels = 2, want at most 64 lines, one copied panel}}
"test.op"() {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, tiles = <shape = [6, 64], pack = rhs, steps = 512, panels = 2, fetched = 1>>} : () -> ()

// -----

// expected-error@+1 {{schedule contraction: tiles: fetched = 65 with panels = 1, want at most 64 lines, one copied panel}}
"test.op"() {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, tiles = <shape = [6, 64], pack = none, steps = 512, fetched = 65>>} : () -> ()

// -----

// expected-error@+1 {{schedule contraction: tiles: ahead = 65, want 0 to 64 rows}}
"test.op"() {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, tiles = <shape = [6, 64], pack = rhs, steps = 512, ahead = 65>>} : () -> ()

// -----

// expected-error@+1 {{schedule contraction: tiles: ahead = 6 with joined = 2, which is for vector registers and plain columns}}
"test.op"() {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, tiles = <shape = [6, 64], pack = rhs, steps = 512, joined = 2, ahead = 6>>} : () -> ()

// -----

// expected-error@+1 {{schedule contraction: tiles: ahead = 6 with instruction = tdpbf16ps, which is for vector registers and plain columns}}
"test.op"() {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, tiles = <shape = [32, 64], pack = none, steps = 512, instruction = tdpbf16ps, ahead = 6>>} : () -> ()

// -----

// expected-error@+1 {{schedule contraction: tiles: unroll = 4 and fetched = 0, which are for vector registers}}
"test.op"() {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, tiles = <shape = [32, 64], pack = none, steps = 512, instruction = tdpbf16ps, unroll = 4>>} : () -> ()

// -----

// expected-error@+1 {{schedule interleaved: chunk = 24, want a multiple of 16 lanes}}
"test.op"() {relax.schedule = #relax.schedule<interleaved, loops = [0, 1], lanes = 16, chunk = 24>} : () -> ()

// -----

// expected-error@+1 {{field 'outer_rows' has 2147483648, want a number below 2^31}}
"test.op"() {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2, 3], lanes = 16, row = 1, tiles = <shape = [28, 64], pack = none, steps = 512, outer_rows = 2147483648>>} : () -> ()

// -----

// expected-error@+1 {{number expected as field 'outer_rows'}}
"test.op"() {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2, 3], lanes = 16, row = 1, tiles = <shape = [28, 64], pack = none, steps = 512, outer_rows = -1>>} : () -> ()

// -----

// expected-error@+1 {{field 'sums' is 'registers', want output, stack or pipelined}}
"test.op"() {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2, 3], lanes = 16, row = 1, tiles = <shape = [28, 64], pack = none, steps = 512, instruction = tdpbusd, sums = registers>>} : () -> ()

// -----

// expected-error@+1 {{schedule winograd: shape = [6, 40], want tiles and a multiple of 16 channels}}
"test.op"() {relax.schedule = #relax.schedule<winograd, loops = [0, 1, 2, 3, 4, 5, 6, 7, 8], lanes = 16, shape = [6, 40], block = [1, 7], channels = 4>} : () -> ()

// -----

// expected-error@+1 {{schedule winograd: shape = [33, 64] is 132 vectors of 16 lanes, want at most 128}}
"test.op"() {relax.schedule = #relax.schedule<winograd, loops = [0, 1, 2, 3, 4, 5, 6, 7, 8], lanes = 16, shape = [33, 64], block = [1, 7], channels = 4>} : () -> ()

// -----

// expected-error@+1 {{schedule winograd: fetched = 65, want at most 64 lines}}
"test.op"() {relax.schedule = #relax.schedule<winograd, loops = [0, 1, 2, 3, 4, 5, 6, 7, 8], lanes = 16, shape = [6, 64], block = [1, 7], channels = 4, fetched = 65>} : () -> ()

// -----

// expected-error@+1 {{schedule winograd: block = [0, 7] with channels = 4, want 1 or more of each}}
"test.op"() {relax.schedule = #relax.schedule<winograd, loops = [0, 1, 2, 3, 4, 5, 6, 7, 8], lanes = 16, shape = [6, 64], block = [0, 7], channels = 4>} : () -> ()

// -----

// expected-error@+1 {{schedule winograd: block = [1, 7] with channels = 0, want 1 or more of each}}
"test.op"() {relax.schedule = #relax.schedule<winograd, loops = [0, 1, 2, 3, 4, 5, 6, 7, 8], lanes = 16, shape = [6, 64], block = [1, 7], channels = 0>} : () -> ()

// -----

// expected-error@+1 {{schedule winograd: shares = 2 with staged = 8, want one of them}}
"test.op"() {relax.schedule = #relax.schedule<winograd, loops = [0, 1, 2, 3, 4, 5, 6, 7, 8], lanes = 16, shape = [6, 64], block = [1, 7], channels = 64, staged = 8, shares = 2>} : () -> ()
