// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v4}' | filecheck %s --check-prefix=SCHEDULE
// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v4},linalg-to-loops' | filecheck %s

// Rows of pixels are transformed once, those of a tile with the next; tiles lie one after the other, for 16 products each, by vectors of
// channels. Results are transposed to rows; what follows runs on the rows of each channel.
// SCHEDULE-LABEL: func.func @tiles
// SCHEDULE:         linalg.fill {relax.schedule = #relax.schedule<init>}
// SCHEDULE:         relax.schedule = #relax.schedule<winograd, loops = [0, 1, 2, 3, 4, 5, 6, 7, 8], lanes = 16, shape = [8, 48], block = [7, 8], channels = 48, grain = 1>
// SCHEDULE:         relax.schedule = #relax.schedule<epilogue, loops = [0, 1, 2, 3]>
// CHECK-LABEL: func.func @tiles
// CHECK:         "scf.parallel"
// CHECK-COUNT-2:   memref.alloca() {{.*}} : memref<295168xf32>
// CHECK:           memref.alloca() {{.*}} : memref<512xf32>
// CHECK:           scf.for
// CHECK:             func.call @[[DATA:relax.contract.winograd.2x2.data.8]](
// CHECK-NOT:       func.call
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               func.call @[[TILE:relax.contract.8x48.16[a-z0-9.]*]](
// CHECK-NOT:       func.call
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               func.call @[[RESULTS:relax.contract.winograd.2x2.results.part.16]](
// CHECK:               scf.for
// CHECK:                 arith.maximumf

// Panels of channels are a loop, with the code of one.
// SCHEDULE-LABEL: func.func @panels
// SCHEDULE:         schedule<winograd, loops = [0, 1, 2, 3, 4, 5, 6, 7, 8], lanes = 16, shape = [6, 64], block = [4, 8], channels = 128, grain = 1>
// CHECK-LABEL: func.func @panels
// CHECK:           func.call @relax.contract.winograd.2x2.data.8(
// CHECK:           scf.for
// CHECK-NEXT:        scf.for %[[PANEL:.*]] =
// CHECK:             func.call @relax.contract.6x64.16
// CHECK:             func.call @relax.contract.2x64.16
// CHECK-NOT:         func.call @relax.contract.6x64.16
// CHECK:           func.call @relax.contract.winograd.2x2.results.part.16(

// Threads transform the data of a block for one another, some input channels each, then have some of the output channels each. Tiles of a
// channel lie 56 apart, and would lie further apart if the transform of the last ones wrote behind them.
// CHECK-LABEL: func.func @staged
// CHECK:         %[[STACK:.*]] = memref.alloca() {{.*}} : memref<295168xf32>
// CHECK-NEXT:    %[[SHARED:.*]] = "memref.cast"(%[[STACK]])
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      "scf.parallel"
// CHECK:             func.call @relax.contract.winograd.2x2.data.8({{.*}}, %[[SHARED]],
// CHECK-NEXT:        scf.reduce
// CHECK-NEXT:      }) {relax.iterations_per_thread = 16 : i64}
// CHECK-NEXT:      "scf.parallel"
// CHECK:             memref.alloca() {{.*}} : memref<295168xf32>
// CHECK:             memref.alloca() {{.*}} : memref<512xf32>
// CHECK-NOT:         memref.alloca
// CHECK:             func.call @relax.contract.6x64.16{{[a-z0-9.]*}}(%[[SHARED]],
// CHECK:             func.call @relax.contract.winograd.2x2.results.part.16(

// Each of two threads takes a block of three rows of tiles with all channels, then half of the channels of the row that is left over.
// CHECK-LABEL: func.func @shared
// CHECK:         "scf.parallel"
// CHECK-NEXT:    ^bb0(%[[SHARE:.*]]: index):
// CHECK-COUNT-2:   memref.alloca() {{.*}} : memref<295168xf32>
// CHECK:           %[[ROW:.*]] = arith.muli %[[SHARE]], %{{.*}} : index
// CHECK:           func.call @relax.contract.winograd.2x2.data.8(
// CHECK:           func.call @relax.contract.6x64.16{{[a-z0-9.]*}}(
// CHECK:           func.call @relax.contract.winograd.2x2.results.part.16(
// CHECK:           %[[CHANNELS:.*]] = arith.muli %[[SHARE]], %{{.*}} : index
// CHECK-NOT:       scf.if
// CHECK:           func.call @relax.contract.winograd.2x2.data.8(
// CHECK:           arith.addi %{{.*}}, %[[CHANNELS]] : index
// CHECK:           func.call @relax.contract.6x64.16{{[a-z0-9.]*}}(
// CHECK:           func.call @relax.contract.winograd.2x2.results.part.16(
// CHECK:           scf.reduce
// CHECK-NEXT:    }) : (index, index, index) -> ()

// Without a fill results are added to what is there. The last vector of channels begins inside of the one before, whose results are there.
// SCHEDULE-LABEL: func.func @added
// SCHEDULE:         schedule<winograd, loops = [1, 2, 3, 4, 5, 6, 7, 8], lanes = 4, shape = [4, 8], block = [2, 2], channels = 7>
// CHECK-LABEL: func.func @added
// CHECK-NOT:     scf.parallel
// CHECK:         func.call @relax.contract.4x4.4
// CHECK:         func.call @relax.contract.4x4.4
// CHECK:         func.call @[[ADDED:relax.contract.winograd.2x2.results.add.4]](
// CHECK:         func.call @relax.contract.winograd.2x2.results.from1.add.4(

// Of many channels few tiles have room on the stack, and the kernel is fetched.
// SCHEDULE-LABEL: func.func @many_channels
// SCHEDULE:         schedule<winograd, loops = [1, 2, 3, 4, 5, 6, 7, 8], lanes = 16, shape = [6, 16], block = [1, 6], channels = 16, fetched = 2, grain = 1>
// CHECK-LABEL: func.func @many_channels
// CHECK:         func.call @relax.contract.6x16.16{{.*}}.fetch2(

// A single column, rows in a number that is not known, and products that do not lie evenly are left to other classes.
// SCHEDULE-LABEL: func.func @a_column
// SCHEDULE-NOT:     schedule<winograd
// CHECK-LABEL: func.func @a_column
// CHECK-NOT:     func.call
// Tiles of 4x4 results: 36 products, the inputs in parts; a transform is of 4 x 16 pixels and what the first tile has before them.
// SCHEDULE-LABEL: func.func @tiles_of_4x4
// SCHEDULE:         schedule<winograd, loops = [1, 2, 3, 4, 5, 6, 7, 8], lanes = 4, shape = [5, 8], block = [1, 5], channels = 7, grain = 1>
// CHECK-LABEL: func.func @tiles_of_4x4
// CHECK-COUNT-2:   memref.alloca() {{.*}} : memref<332352xf32>
// CHECK:           func.call @[[DATA4:relax.contract.winograd.4x4.data.4]](
// CHECK:           func.call @relax.contract.5x4.4
// CHECK:           func.call @relax.contract.5x4.4
// CHECK:           func.call @[[RESULTS4:relax.contract.winograd.4x4.results.part.4]](

// CHECK:       func.func private @[[DATA]](
// CHECK-COUNT-8:   vector.shuffle
// CHECK:         scf.for {{.*}} iter_args
// CHECK-COUNT-8:   vector.shuffle
// CHECK-NOT:       vector.shuffle
// CHECK-COUNT-16:  vector.store %{{.*}} : memref<?xf32>, vector<8xf32>
// CHECK:           scf.yield

// CHECK:       func.func private @[[TILE]](
// CHECK:         scf.for
// CHECK-COUNT-48:  vector.fma

// The results of 8 tiles of 16 channels, then 16 columns of 16 channels, transposed.
// CHECK:       func.func private @[[RESULTS]](
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-COUNT-16:    vector.load %{{.*}} : memref<?xf32>, vector<16xf32>
// CHECK-COUNT-4:     vector.store %{{.*}} : memref<?xf32>, vector<16xf32>
// CHECK:           scf.for
// CHECK-COUNT-16:    vector.load %{{.*}} : memref<?xf32>, vector<16xf32>
// CHECK-COUNT-64:    vector.shuffle
// CHECK-COUNT-16:    vector.maskedstore

// CHECK:       func.func private @[[ADDED]](
// CHECK-COUNT-8:   vector.shuffle
// CHECK:         %[[BEFORE:.*]] = vector.load
// CHECK-NEXT:    arith.addf %[[BEFORE]]

// Two rows of pixels are those of the tile above. Factors that two rows of a matrix have in common but for signs are multiplied once.
// CHECK:       func.func private @[[DATA4]](
// CHECK:         scf.for {{.*}} iter_args
// CHECK-COUNT-36:  vector.store %{{.*}} : memref<?xf32>, vector<4xf32>
// CHECK:           scf.yield
// CHECK:       func.func private @[[RESULTS4]](
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-COUNT-36:    vector.load %{{.*}} : memref<?xf32>, vector<4xf32>
// CHECK-COUNT-16:    vector.store %{{.*}} : memref<?xf32>, vector<4xf32>

"memref.global"() <{sym_name = "a", sym_visibility = "private", constant, type = memref<2x4xf32>, initial_value = dense<[[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, -1.0, -1.0]]> : tensor<2x4xf32>}> : () -> ()
"memref.global"() <{sym_name = "b", sym_visibility = "private", constant, type = memref<4x4xf32>, initial_value = dense<[[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, -1.0, 1.0, 0.0], [0.0, 1.0, 0.0, -1.0]]> : tensor<4x4xf32>}> : () -> ()
"memref.global"() <{sym_name = "a4", sym_visibility = "private", constant, type = memref<4x6xf32>, initial_value = dense<[[1.0, 1.0, 1.0, 1.0, 1.0, 0.0], [0.0, 0.625, -0.625, 1.5, -1.5, 0.0], [0.0, 0.390625, 0.390625, 2.25, 2.25, 0.0], [0.0, 0.244140625, -0.244140625, 3.375, -3.375, 1.0]]> : tensor<4x6xf32>}> : () -> ()
"memref.global"() <{sym_name = "b4", sym_visibility = "private", constant, type = memref<6x6xf32>, initial_value = dense<[[0.87890625, 0.0, -2.640625, 0.0, 1.0, 0.0], [0.0, -1.40625, -2.25, 0.625, 1.0, 0.0], [0.0, 1.40625, -2.25, -0.625, 1.0, 0.0], [0.0, -0.5859375, -0.390625, 1.5, 1.0, 0.0], [0.0, 0.5859375, -0.390625, -1.5, 1.0, 0.0], [0.0, 0.87890625, 0.0, -2.640625, 0.0, 1.0]]> : tensor<6x6xf32>}> : () -> ()
#image = affine_map<(n, o, y, x, c, u, v, i, j) -> (n, c, (y floordiv 2) * 2 + i, (x floordiv 2) * 2 + j)>
#kernel = affine_map<(n, o, y, x, c, u, v, i, j) -> (u, v, c, o)>
#a_row = affine_map<(n, o, y, x, c, u, v, i, j) -> (y mod 2, u)>
#a_column = affine_map<(n, o, y, x, c, u, v, i, j) -> (x mod 2, v)>
#b_row = affine_map<(n, o, y, x, c, u, v, i, j) -> (u, i)>
#b_column = affine_map<(n, o, y, x, c, u, v, i, j) -> (v, j)>
#image4 = affine_map<(n, o, y, x, c, u, v, i, j) -> (n, c, (y floordiv 4) * 4 + i, (x floordiv 4) * 4 + j)>
#a_row4 = affine_map<(n, o, y, x, c, u, v, i, j) -> (y mod 4, u)>
#a_column4 = affine_map<(n, o, y, x, c, u, v, i, j) -> (x mod 4, v)>
#result = affine_map<(n, o, y, x, c, u, v, i, j) -> (n, o, y, x)>
#id = affine_map<(n, o, y, x) -> (n, o, y, x)>
func.func @tiles(%x: memref<2x32x16x18xf32>, %k: memref<4x4x32x48xf32>, %y: memref<2x48x14x15xf32>) {
  %a = memref.get_global @a : memref<2x4xf32>
  %b = memref.get_global @b : memref<4x4xf32>
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<2x48x14x15xf32>)
  linalg.generic {indexing_maps = [#image, #kernel, #a_row, #a_column, #b_row, #b_column, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"]} ins(%x, %k, %a, %a, %b, %b : memref<2x32x16x18xf32>, memref<4x4x32x48xf32>, memref<2x4xf32>, memref<2x4xf32>, memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<2x48x14x15xf32>) {
  ^bb0(%f0: f32, %f1: f32, %f2: f32, %f3: f32, %f4: f32, %f5: f32, %f6: f32):
    %m1 = arith.mulf %f0, %f1 : f32
    %m2 = arith.mulf %m1, %f2 : f32
    %m3 = arith.mulf %m2, %f3 : f32
    %m4 = arith.mulf %m3, %f4 : f32
    %m5 = arith.mulf %m4, %f5 : f32
    %s = arith.addf %f6, %m5 : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%y : memref<2x48x14x15xf32>) outs(%y : memref<2x48x14x15xf32>) {
  ^bb0(%f0: f32, %f1: f32):
    %r = arith.maximumf %f0, %zero : f32
    linalg.yield %r : f32
  }
  func.return
}
func.func @panels(%x: memref<2x32x16x18xf32>, %k: memref<4x4x32x128xf32>, %y: memref<2x128x14x15xf32>) {
  %a = memref.get_global @a : memref<2x4xf32>
  %b = memref.get_global @b : memref<4x4xf32>
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<2x128x14x15xf32>)
  linalg.generic {indexing_maps = [#image, #kernel, #a_row, #a_column, #b_row, #b_column, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"]} ins(%x, %k, %a, %a, %b, %b : memref<2x32x16x18xf32>, memref<4x4x32x128xf32>, memref<2x4xf32>, memref<2x4xf32>, memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<2x128x14x15xf32>) {
  ^bb0(%f0: f32, %f1: f32, %f2: f32, %f3: f32, %f4: f32, %f5: f32, %f6: f32):
    %m1 = arith.mulf %f0, %f1 : f32
    %m2 = arith.mulf %m1, %f2 : f32
    %m3 = arith.mulf %m2, %f3 : f32
    %m4 = arith.mulf %m3, %f4 : f32
    %m5 = arith.mulf %m4, %f5 : f32
    %s = arith.addf %f6, %m5 : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%y : memref<2x128x14x15xf32>) outs(%y : memref<2x128x14x15xf32>) {
  ^bb0(%f0: f32, %f1: f32):
    %r = arith.maximumf %f0, %zero : f32
    linalg.yield %r : f32
  }
  func.return
}
func.func @staged(%x: memref<2x32x16x18xf32>, %k: memref<4x4x32x128xf32>, %y: memref<2x128x14x15xf32>) {
  %a = memref.get_global @a : memref<2x4xf32>
  %b = memref.get_global @b : memref<4x4xf32>
  %zero = arith.constant 0.0 : f32
  linalg.fill {relax.schedule = #relax.schedule<init>} ins(%zero : f32) outs(%y : memref<2x128x14x15xf32>)
  linalg.generic {indexing_maps = [#image, #kernel, #a_row, #a_column, #b_row, #b_column, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"]} ins(%x, %k, %a, %a, %b, %b : memref<2x32x16x18xf32>, memref<4x4x32x128xf32>, memref<2x4xf32>, memref<2x4xf32>, memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<2x128x14x15xf32>) attrs = {relax.schedule = #relax.schedule<winograd, loops = [0, 1, 2, 3, 4, 5, 6, 7, 8], lanes = 16, shape = [6, 64], block = [7, 8], channels = 64, staged = 16, grain = 1>} {
  ^bb0(%f0: f32, %f1: f32, %f2: f32, %f3: f32, %f4: f32, %f5: f32, %f6: f32):
    %m1 = arith.mulf %f0, %f1 : f32
    %m2 = arith.mulf %m1, %f2 : f32
    %m3 = arith.mulf %m2, %f3 : f32
    %m4 = arith.mulf %m3, %f4 : f32
    %m5 = arith.mulf %m4, %f5 : f32
    %s = arith.addf %f6, %m5 : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%y : memref<2x128x14x15xf32>) outs(%y : memref<2x128x14x15xf32>) attrs = {relax.schedule = #relax.schedule<epilogue, loops = [0, 1, 2, 3]>} {
  ^bb0(%f0: f32, %f1: f32):
    %r = arith.maximumf %f0, %zero : f32
    linalg.yield %r : f32
  }
  func.return
}
func.func @shared(%x: memref<1x32x16x18xf32>, %k: memref<4x4x32x128xf32>, %y: memref<1x128x14x15xf32>) {
  %a = memref.get_global @a : memref<2x4xf32>
  %b = memref.get_global @b : memref<4x4xf32>
  %zero = arith.constant 0.0 : f32
  linalg.fill {relax.schedule = #relax.schedule<init>} ins(%zero : f32) outs(%y : memref<1x128x14x15xf32>)
  linalg.generic {indexing_maps = [#image, #kernel, #a_row, #a_column, #b_row, #b_column, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"]} ins(%x, %k, %a, %a, %b, %b : memref<1x32x16x18xf32>, memref<4x4x32x128xf32>, memref<2x4xf32>, memref<2x4xf32>, memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<1x128x14x15xf32>) attrs = {relax.schedule = #relax.schedule<winograd, loops = [1, 2, 3, 4, 5, 6, 7, 8], lanes = 16, shape = [6, 64], block = [3, 8], channels = 128, shares = 2, grain = 1>} {
  ^bb0(%f0: f32, %f1: f32, %f2: f32, %f3: f32, %f4: f32, %f5: f32, %f6: f32):
    %m1 = arith.mulf %f0, %f1 : f32
    %m2 = arith.mulf %m1, %f2 : f32
    %m3 = arith.mulf %m2, %f3 : f32
    %m4 = arith.mulf %m3, %f4 : f32
    %m5 = arith.mulf %m4, %f5 : f32
    %s = arith.addf %f6, %m5 : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%y : memref<1x128x14x15xf32>) outs(%y : memref<1x128x14x15xf32>) attrs = {relax.schedule = #relax.schedule<epilogue, loops = [1, 2, 3]>} {
  ^bb0(%f0: f32, %f1: f32):
    %r = arith.maximumf %f0, %zero : f32
    linalg.yield %r : f32
  }
  func.return
}
func.func @added(%x: memref<1x5x6x6xf32>, %k: memref<4x4x5x7xf32>, %y: memref<1x7x3x4xf32>) {
  %a = memref.get_global @a : memref<2x4xf32>
  %b = memref.get_global @b : memref<4x4xf32>
  linalg.generic {indexing_maps = [#image, #kernel, #a_row, #a_column, #b_row, #b_column, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"]} ins(%x, %k, %a, %a, %b, %b : memref<1x5x6x6xf32>, memref<4x4x5x7xf32>, memref<2x4xf32>, memref<2x4xf32>, memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<1x7x3x4xf32>) {
  ^bb0(%f0: f32, %f1: f32, %f2: f32, %f3: f32, %f4: f32, %f5: f32, %f6: f32):
    %m1 = arith.mulf %f0, %f1 : f32
    %m2 = arith.mulf %m1, %f2 : f32
    %m3 = arith.mulf %m2, %f3 : f32
    %m4 = arith.mulf %m3, %f4 : f32
    %m5 = arith.mulf %m4, %f5 : f32
    %s = arith.addf %f6, %m5 : f32
    linalg.yield %s : f32
  }
  func.return
}
func.func @many_channels(%x: memref<1x2100x14x14xf32>, %k: memref<4x4x2100x16xf32>, %y: memref<1x16x12x12xf32>) {
  %a = memref.get_global @a : memref<2x4xf32>
  %b = memref.get_global @b : memref<4x4xf32>
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<1x16x12x12xf32>)
  linalg.generic {indexing_maps = [#image, #kernel, #a_row, #a_column, #b_row, #b_column, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"]} ins(%x, %k, %a, %a, %b, %b : memref<1x2100x14x14xf32>, memref<4x4x2100x16xf32>, memref<2x4xf32>, memref<2x4xf32>, memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<1x16x12x12xf32>) {
  ^bb0(%f0: f32, %f1: f32, %f2: f32, %f3: f32, %f4: f32, %f5: f32, %f6: f32):
    %m1 = arith.mulf %f0, %f1 : f32
    %m2 = arith.mulf %m1, %f2 : f32
    %m3 = arith.mulf %m2, %f3 : f32
    %m4 = arith.mulf %m3, %f4 : f32
    %m5 = arith.mulf %m4, %f5 : f32
    %s = arith.addf %f6, %m5 : f32
    linalg.yield %s : f32
  }
  func.return
}
func.func @a_column(%x: memref<1x3x8x4xf32>, %k: memref<4x4x3x5xf32>, %y: memref<1x5x6x1xf32>) {
  %a = memref.get_global @a : memref<2x4xf32>
  %b = memref.get_global @b : memref<4x4xf32>
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<1x5x6x1xf32>)
  linalg.generic {indexing_maps = [#image, #kernel, #a_row, #a_column, #b_row, #b_column, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"]} ins(%x, %k, %a, %a, %b, %b : memref<1x3x8x4xf32>, memref<4x4x3x5xf32>, memref<2x4xf32>, memref<2x4xf32>, memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<1x5x6x1xf32>) {
  ^bb0(%f0: f32, %f1: f32, %f2: f32, %f3: f32, %f4: f32, %f5: f32, %f6: f32):
    %m1 = arith.mulf %f0, %f1 : f32
    %m2 = arith.mulf %m1, %f2 : f32
    %m3 = arith.mulf %m2, %f3 : f32
    %m4 = arith.mulf %m3, %f4 : f32
    %m5 = arith.mulf %m4, %f5 : f32
    %s = arith.addf %f6, %m5 : f32
    linalg.yield %s : f32
  }
  func.return
}
func.func @unknown_rows(%x: memref<1x3x?x10xf32>, %k: memref<4x4x3x5xf32>, %y: memref<1x5x?x8xf32>) {
  %a = memref.get_global @a : memref<2x4xf32>
  %b = memref.get_global @b : memref<4x4xf32>
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<1x5x?x8xf32>)
  linalg.generic {indexing_maps = [#image, #kernel, #a_row, #a_column, #b_row, #b_column, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"]} ins(%x, %k, %a, %a, %b, %b : memref<1x3x?x10xf32>, memref<4x4x3x5xf32>, memref<2x4xf32>, memref<2x4xf32>, memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<1x5x?x8xf32>) {
  ^bb0(%f0: f32, %f1: f32, %f2: f32, %f3: f32, %f4: f32, %f5: f32, %f6: f32):
    %m1 = arith.mulf %f0, %f1 : f32
    %m2 = arith.mulf %m1, %f2 : f32
    %m3 = arith.mulf %m2, %f3 : f32
    %m4 = arith.mulf %m3, %f4 : f32
    %m5 = arith.mulf %m4, %f5 : f32
    %s = arith.addf %f6, %m5 : f32
    linalg.yield %s : f32
  }
  func.return
}
func.func @uneven_kernel(%x: memref<1x3x8x10xf32>, %k: memref<4x4x3x5xf32, strided<[75, 15, 5, 1]>>, %y: memref<1x5x6x8xf32>) {
  %a = memref.get_global @a : memref<2x4xf32>
  %b = memref.get_global @b : memref<4x4xf32>
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<1x5x6x8xf32>)
  linalg.generic {indexing_maps = [#image, #kernel, #a_row, #a_column, #b_row, #b_column, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"]} ins(%x, %k, %a, %a, %b, %b : memref<1x3x8x10xf32>, memref<4x4x3x5xf32, strided<[75, 15, 5, 1]>>, memref<2x4xf32>, memref<2x4xf32>, memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<1x5x6x8xf32>) {
  ^bb0(%f0: f32, %f1: f32, %f2: f32, %f3: f32, %f4: f32, %f5: f32, %f6: f32):
    %m1 = arith.mulf %f0, %f1 : f32
    %m2 = arith.mulf %m1, %f2 : f32
    %m3 = arith.mulf %m2, %f3 : f32
    %m4 = arith.mulf %m3, %f4 : f32
    %m5 = arith.mulf %m4, %f5 : f32
    %s = arith.addf %f6, %m5 : f32
    linalg.yield %s : f32
  }
  func.return
}
func.func @tiles_of_4x4(%x: memref<1x150x10x22xf32>, %k: memref<6x6x150x7xf32>, %y: memref<1x7x8x19xf32>) {
  %a = memref.get_global @a4 : memref<4x6xf32>
  %b = memref.get_global @b4 : memref<6x6xf32>
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<1x7x8x19xf32>)
  linalg.generic {indexing_maps = [#image4, #kernel, #a_row4, #a_column4, #b_row, #b_column, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction", "reduction", "reduction"]} ins(%x, %k, %a, %a, %b, %b : memref<1x150x10x22xf32>, memref<6x6x150x7xf32>, memref<4x6xf32>, memref<4x6xf32>, memref<6x6xf32>, memref<6x6xf32>) outs(%y : memref<1x7x8x19xf32>) {
  ^bb0(%f0: f32, %f1: f32, %f2: f32, %f3: f32, %f4: f32, %f5: f32, %f6: f32):
    %m1 = arith.mulf %f0, %f1 : f32
    %m2 = arith.mulf %m1, %f2 : f32
    %m3 = arith.mulf %m2, %f3 : f32
    %m4 = arith.mulf %m3, %f4 : f32
    %m5 = arith.mulf %m4, %f5 : f32
    %s = arith.addf %f6, %m5 : f32
    linalg.yield %s : f32
  }
  func.return
}
