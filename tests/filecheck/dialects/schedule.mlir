// RUN: relax-opt %s | relax-opt | filecheck %s

// The classes of kernels, and fields that have their default.
// CHECK: #relax.schedule<scalars, loops = [0, [1, 2]], parallel = 1, grain = 4>
"test.op"() {relax.schedule = #relax.schedule<scalars, grain = 4, parallel = 1, loops = [[0], [1, 2]], joins = 0>} : () -> ()
// CHECK: #relax.schedule<vectors, loops = [], along = 0, lanes = 16, unroll = 4, joins = 1>
"test.op"() {relax.schedule = #relax.schedule<vectors, loops = [], along = 0, lanes = 16, unroll = 4, joins = 1>} : () -> ()
// CHECK: #relax.schedule<vectors, loops = [0, 1, 2], along = 1, lanes = 16, rows = 4>
"test.op"() {relax.schedule = #relax.schedule<vectors, loops = [0, 1, 2], along = 1, rows = 4, lanes = 16>} : () -> ()
// CHECK: #relax.schedule<vectors, loops = [0], along = 0, lanes = 64, lookup = vpermi2b>
"test.op"() {relax.schedule = #relax.schedule<vectors, loops = [0], along = 0, lookup = vpermi2b, lanes = 64>} : () -> ()
// CHECK: #relax.schedule<transposed, loops = [2, 0, 1], lanes = 8>
"test.op"() {relax.schedule = #relax.schedule<transposed, loops = [2, 0, 1], lanes = 8>} : () -> ()
// CHECK: #relax.schedule<transposed, loops = [0, 1], lanes = 16, blocks = 4>
"test.op"() {relax.schedule = #relax.schedule<transposed, loops = [0, 1], blocks = 4, lanes = 16>} : () -> ()
// CHECK: #relax.schedule<interleaved, loops = [0, 2, 1], lanes = 8, chunk = 64, parallel = 1, grain = 3>
"test.op"() {relax.schedule = #relax.schedule<interleaved, chunk = 64, loops = [0, 2, 1], lanes = 8, grain = 3, parallel = 1>} : () -> ()
// CHECK: #relax.schedule<contraction, loops = [0, 1, 2, 3], lanes = 16, row = 0, instruction = vpdpbusd, tiles = <shape = [6, 64], pack = none, steps = 512, panel = 2, panels = 3, joined = 3, row_block = 96, grain = 1, unroll = 4, fetched = 2>, skinny = <rows = [1, 2], unroll = [8, 4], columns = 1024, width = 64>>
"test.op"() {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2, 3], lanes = 16, row = 0, instruction = vpdpbusd, tiles = <shape = [6, 64], pack = none, steps = 512, panel = 2, panels = 3, joined = 3, row_block = 96, grain = 1, unroll = 4, fetched = 2>, skinny = <rows = [1, 2], unroll = [8, 4], columns = 1024, width = 64>>} : () -> ()

// CHECK: #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [32, 256], pack = none, steps = 512, instruction = tdpbf16ps, sums = stack>>
"test.op"() {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [32, 256], pack = none, steps = 512, instruction = tdpbf16ps, sums = stack>>} : () -> ()
// CHECK: #relax.schedule<contraction, loops = [0, 1, 2, 3], lanes = 16, row = 1, tiles = <shape = [28, 64], pack = none, steps = 512, row_block = 56, outer_rows = 2, grain = 1, instruction = tdpbusd, sums = pipelined>>
"test.op"() {relax.schedule = #relax.schedule<contraction, row = 1, lanes = 16, loops = [0, 1, 2, 3], tiles = <sums = pipelined, outer_rows = 2, row_block = 56, shape = [28, 64], pack = none, steps = 512, grain = 1, instruction = tdpbusd>>} : () -> ()
// CHECK: #relax.schedule<convolution, loops = [0, 1, 2, 3], lanes = 16, shape = [14, 32], pixel = 2, joined = 2, grain = 1>
"test.op"() {relax.schedule = #relax.schedule<convolution, grain = 1, joined = 2, pixel = 2, shape = [14, 32], lanes = 16, loops = [0, 1, 2, 3]>} : () -> ()
// CHECK: #relax.schedule<convolution, loops = [0, 1, 2, 3], lanes = 16, shape = [14, 32], pixel = 2, staged = 56, grain = 1>
"test.op"() {relax.schedule = #relax.schedule<convolution, grain = 1, staged = 56, pixel = 2, shape = [14, 32], lanes = 16, loops = [0, 1, 2, 3]>} : () -> ()
// CHECK: #relax.schedule<convolution, loops = [0, 1, 2, 3], lanes = 16, shape = [14, 32], pixel = 2, joined = 2, fetched = 189, chunk = 16, grain = 1>
"test.op"() {relax.schedule = #relax.schedule<convolution, grain = 1, chunk = 16, fetched = 189, joined = 2, pixel = 2, shape = [14, 32], lanes = 16, loops = [0, 1, 2, 3]>} : () -> ()
// CHECK: #relax.schedule<convolution, loops = [0, 1, 2], lanes = 16, shape = [14, 32], pixel = 1, span = 98, grain = 1>
"test.op"() {relax.schedule = #relax.schedule<convolution, span = 98, grain = 1, pixel = 1, shape = [14, 32], lanes = 16, loops = [0, 1, 2]>} : () -> ()
// CHECK: #relax.schedule<convolution, loops = [0, 1, 2, 3], lanes = 8, shape = [6, 16], pixel = 2, chunk = 16, rows = 4, grain = 1>
"test.op"() {relax.schedule = #relax.schedule<convolution, grain = 1, rows = 4, chunk = 16, pixel = 2, shape = [6, 16], lanes = 8, loops = [0, 1, 2, 3]>} : () -> ()
// CHECK: #relax.schedule<contraction, loops = [0, 1], lanes = 16, skinny = <rows = [1], unroll = [8], columns = 16, width = 64, fetched = 16, grain = 2>>
"test.op"() {relax.schedule = #relax.schedule<contraction, loops = [0, 1], lanes = 16, skinny = <rows = [1], unroll = [8], fetched = 16, columns = 16, width = 64, grain = 2>>} : () -> ()
// CHECK: #relax.schedule<winograd, loops = [0, 1, 2, 3, 4, 5, 6, 7, 8], lanes = 16, shape = [6, 64], block = [7, 8], channels = 48, fetched = 1, grain = 2>
"test.op"() {relax.schedule = #relax.schedule<winograd, grain = 2, fetched = 1, channels = 48, block = [7, 8], shape = [6, 64], lanes = 16, loops = [0, 1, 2, 3, 4, 5, 6, 7, 8]>} : () -> ()
// CHECK: #relax.schedule<winograd, loops = [0, 1, 2, 3, 4, 5, 6, 7, 8], lanes = 16, shape = [6, 64], block = [7, 8], channels = 48, staged = 16, grain = 1>
"test.op"() {relax.schedule = #relax.schedule<winograd, grain = 1, staged = 16, channels = 48, block = [7, 8], shape = [6, 64], lanes = 16, loops = [0, 1, 2, 3, 4, 5, 6, 7, 8]>} : () -> ()
// CHECK: #relax.schedule<winograd, loops = [0, 1, 2, 3, 4, 5, 6, 7, 8], lanes = 16, shape = [6, 64], block = [3, 7], channels = 128, shares = 2, grain = 1>
"test.op"() {relax.schedule = #relax.schedule<winograd, grain = 1, shares = 2, channels = 128, block = [3, 7], shape = [6, 64], lanes = 16, loops = [0, 1, 2, 3, 4, 5, 6, 7, 8]>} : () -> ()
// CHECK: #relax.schedule<winograd, loops = [0, 1, 2, 3, 4, 5, 6, 7, 8], lanes = 16, shape = [6, 64], block = [7, 8], channels = 48>
"test.op"() {relax.schedule = #relax.schedule<winograd, loops = [0, 1, 2, 3, 4, 5, 6, 7, 8], lanes = 16, shape = [6, 64], block = [7, 8], channels = 48>} : () -> ()
// CHECK: #relax.schedule<epilogue, loops = [0, 1]>
"test.op"() {relax.schedule = #relax.schedule<epilogue, loops = [0, 1]>} : () -> ()
// CHECK: #relax.schedule<init>
"test.op"() {relax.schedule = #relax.schedule<init>} : () -> ()
