// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v4}' | filecheck %s --check-prefix=SCHEDULE
// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v4},linalg-to-loops' | filecheck %s

// Windows of 3 x 3 are written out for 8 rows of results: 10 rows of 3 vectors are read, and each is combined once.

// SCHEDULE-LABEL: func.func @largest
// SCHEDULE:         #relax.schedule<vectors, loops = [0, 1, 2, 3, 4], along = 2, lanes = 16, rows = 8>
// CHECK-LABEL: func.func @largest
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             vector.load %y
// CHECK-COUNT-2:     vector.load %x
// CHECK-NOT:         scf.for
// CHECK:             arith.maximumf %{{.*}} fastmath<nsz> : vector<16xf32>
// CHECK-COUNT-8:     vector.store
// Where results start from a scalar the last vector of a row ends with it, and is computed by the code of the others.
// CHECK-LABEL: func.func @last_vector
// CHECK:         %[[LAST:.*]] = arith.constant 24 : index
// CHECK:           scf.for %[[J:.*]] =
// CHECK:             arith.minsi %[[J]], %[[LAST]] : index
// CHECK-COUNT-8:     vector.store
// CHECK-NOT:         vector.store
// CHECK-NOT:         vector.maskedstore
// Results that add to what is there must not be computed twice.
// CHECK-LABEL: func.func @added_once
// CHECK-NOT:         arith.minsi
// CHECK-COUNT-8:     vector.store
// CHECK-COUNT-8:     vector.maskedstore
// Each step multiplies; an element of %x that several rows read is loaded once.
// SCHEDULE-LABEL: func.func @each_channel
// SCHEDULE:         along = 2, lanes = 16, rows = 6>
// CHECK-LABEL: func.func @each_channel
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK-COUNT-24:      vector.load %x
// CHECK-NOT:           vector.load %x
// CHECK:               vector.fma
// CHECK-NOT:           arith.mulf
// CHECK:             }
// What changes results in their place does so before they are stored.
// SCHEDULE-LABEL: func.func @changed
// SCHEDULE:         along = 2, lanes = 16, joins = 1, rows = 6>
// SCHEDULE:         #relax.schedule<vectors, loops = [0, [1, 2]], along = 1, lanes = 16, joins = 1>
// CHECK-LABEL: func.func @changed
// CHECK:             vector.fma
// CHECK:             vector.broadcast %{{.*}} : f32 to vector<16xf32>
// CHECK:             arith.maximumf
// CHECK-COUNT-6:     vector.store
// CHECK-NOT:         vector.store
// Too many steps are loops.
// SCHEDULE-LABEL: func.func @large_window
// SCHEDULE-NOT:     rows =
// CHECK-LABEL: func.func @large_window
// The padded image is not made: the image is read, with lanes masked before and behind a row, and rows above and below it in blocks that
// have such rows. Results start from zero, and are not filled before.
// SCHEDULE-LABEL: func.func @padded
// SCHEDULE-COUNT-2: relax.schedule<padding>
// SCHEDULE:         linalg.fill {relax.schedule = #relax.schedule<vectors, loops = [0, [1, 2]], along = 1, lanes = 16
// SCHEDULE:         along = 2, lanes = 16, joins = 1, rows = 6
// CHECK-LABEL: func.func @padded
// CHECK-NOT:     vector.load %y
// CHECK:         %[[X:.*]] = memref.reinterpret_cast %x
// CHECK:         "scf.parallel"
// CHECK:           %[[INSIDE:.*]] = arith.andi
// CHECK:           scf.if %[[INSIDE]] {
// CHECK:             scf.for
// CHECK-COUNT-24:      vector.maskedload %[[X]]
// CHECK-NOT:           vector.maskedload
// CHECK:           } else {
// CHECK:             scf.for
// CHECK-COUNT-24:      vector.maskedload %[[X]]
// CHECK-NOT:           vector.maskedload
// Vectors that read no column beside the image, those from 16 to 80 of 96, have no masks in blocks of rows that are inside.
// CHECK-LABEL: func.func @wide
// CHECK-DAG:     %[[LAST:.*]] = arith.constant 80 : index
// CHECK-DAG:     %[[LANES:.*]] = arith.constant 16 : index
// CHECK:         scf.if
// CHECK-COUNT-24:  vector.maskedload
// CHECK-NOT:       vector.maskedload
// CHECK:           scf.for %{{.*}} = %[[LANES]] to %[[LAST]] step %[[LANES]]
// CHECK-COUNT-24:    vector.load
// CHECK-COUNT-24:  vector.maskedload
// CHECK:         } else {
// CHECK-NOT:       vector.load %x
// CHECK-LABEL: func.func @shifted
// Slices from different channels on are not joined.
// SCHEDULE-LABEL: func.func @shifted
// SCHEDULE-NOT:     joins
#x = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 + d3, d2 + d4)>
#shape = affine_map<(d0, d1, d2, d3, d4) -> (d3, d4)>
#w = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d4)>
#y = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @largest(%x: memref<2x10x34xf32>, %shape: memref<3x3xf32>, %y: memref<2x8x32xf32>) {
  linalg.generic {indexing_maps = [#x, #shape, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %shape : memref<2x10x34xf32>, memref<3x3xf32>) outs(%y : memref<2x8x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.maximumf %c, %a : f32
    linalg.yield %m : f32
  }
  func.return
}
func.func @last_vector(%x: memref<64x10x42xf32>, %shape: memref<3x3xf32>, %y: memref<64x8x40xf32>) {
  %least = arith.constant 0xFF800000 : f32
  linalg.fill ins(%least : f32) outs(%y : memref<64x8x40xf32>)
  linalg.generic {indexing_maps = [#x, #shape, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %shape : memref<64x10x42xf32>, memref<3x3xf32>) outs(%y : memref<64x8x40xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.maximumf %c, %a : f32
    linalg.yield %m : f32
  }
  func.return
}
func.func @added_once(%x: memref<2x10x42xf32>, %shape: memref<3x3xf32>, %y: memref<2x8x40xf32>) {
  linalg.generic {indexing_maps = [#x, #shape, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %shape : memref<2x10x42xf32>, memref<3x3xf32>) outs(%y : memref<2x8x40xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.maximumf %c, %a : f32
    linalg.yield %m : f32
  }
  func.return
}
func.func @each_channel(%x: memref<2x8x34xf32>, %w: memref<2x3x3xf32>, %y: memref<2x6x32xf32>) {
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : memref<2x8x34xf32>, memref<2x3x3xf32>) outs(%y : memref<2x6x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
func.func @changed(%x: memref<64x8x34xf32>, %w: memref<64x3x3xf32>, %b: memref<64xf32>, %y: memref<64x6x32xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<64x6x32xf32>)
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : memref<64x8x34xf32>, memref<64x3x3xf32>) outs(%y : memref<64x6x32xf32>) {
  ^bb0(%a: f32, %b0: f32, %c: f32):
    %p = arith.mulf %a, %b0 : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, affine_map<(d0, d1, d2) -> (d0)>, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %b : memref<64x6x32xf32>, memref<64xf32>) outs(%y : memref<64x6x32xf32>) {
  ^bb0(%a: f32, %b0: f32, %c: f32):
    %s = arith.addf %a, %b0 : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  }
  func.return
}
func.func @large_window(%x: memref<2x15x39xf32>, %shape: memref<8x8xf32>, %y: memref<2x8x32xf32>) {
  linalg.generic {indexing_maps = [#x, #shape, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %shape : memref<2x15x39xf32>, memref<8x8xf32>) outs(%y : memref<2x8x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.maximumf %c, %a : f32
    linalg.yield %m : f32
  }
  func.return
}
func.func @padded(%x: memref<64x6x32xf32>, %w: memref<64x3x3xf32>, %y: memref<64x6x32xf32>, %workspace: memref<?xi8> {relax.workspace}) {
  %0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %p = memref.view %workspace[%0][] : memref<?xi8> to memref<64x8x34xf32>
  linalg.fill ins(%zero : f32) outs(%p : memref<64x8x34xf32>)
  %in = memref.subview %p[0, 1, 1] [64, 6, 32] [1, 1, 1] : memref<64x8x34xf32> to memref<64x6x32xf32, strided<[272, 34, 1], offset: 35>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : memref<64x6x32xf32>) outs(%in : memref<64x6x32xf32, strided<[272, 34, 1], offset: 35>>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  linalg.fill ins(%zero : f32) outs(%y : memref<64x6x32xf32>)
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%p, %w : memref<64x8x34xf32>, memref<64x3x3xf32>) outs(%y : memref<64x6x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %q = arith.mulf %a, %b : f32
    %s = arith.addf %c, %q : f32
    linalg.yield %s : f32
  }
  func.return
}
func.func @wide(%x: memref<64x6x96xf32>, %w: memref<64x3x3xf32>, %y: memref<64x6x96xf32>, %workspace: memref<?xi8> {relax.workspace}) {
  %0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %p = memref.view %workspace[%0][] : memref<?xi8> to memref<64x8x98xf32>
  linalg.fill ins(%zero : f32) outs(%p : memref<64x8x98xf32>)
  %in = memref.subview %p[0, 1, 1] [64, 6, 96] [1, 1, 1] : memref<64x8x98xf32> to memref<64x6x96xf32, strided<[784, 98, 1], offset: 99>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : memref<64x6x96xf32>) outs(%in : memref<64x6x96xf32, strided<[784, 98, 1], offset: 99>>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  linalg.fill ins(%zero : f32) outs(%y : memref<64x6x96xf32>)
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%p, %w : memref<64x8x98xf32>, memref<64x3x3xf32>) outs(%y : memref<64x6x96xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %q = arith.mulf %a, %b : f32
    %s = arith.addf %c, %q : f32
    linalg.yield %s : f32
  }
  func.return
}
func.func @shifted(%x: memref<64x8x34xf32>, %w: memref<64x3x3xf32>, %y: memref<64x6x32xf32>, %workspace: memref<?xi8> {relax.workspace}) {
  %0 = arith.constant 0 : index
  %p = memref.view %workspace[%0][] : memref<?xi8> to memref<65x8x34xf32>
  %in = memref.subview %p[1, 0, 0] [64, 8, 34] [1, 1, 1] : memref<65x8x34xf32> to memref<64x8x34xf32, strided<[272, 34, 1], offset: 272>>
  %out = memref.subview %p[0, 0, 0] [64, 8, 34] [1, 1, 1] : memref<65x8x34xf32> to memref<64x8x34xf32, strided<[272, 34, 1]>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : memref<64x8x34xf32>) outs(%in : memref<64x8x34xf32, strided<[272, 34, 1], offset: 272>>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%out, %w : memref<64x8x34xf32, strided<[272, 34, 1]>>, memref<64x3x3xf32>) outs(%y : memref<64x6x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %q = arith.mulf %a, %b : f32
    %s = arith.addf %c, %q : f32
    linalg.yield %s : f32
  }
  func.return
}
