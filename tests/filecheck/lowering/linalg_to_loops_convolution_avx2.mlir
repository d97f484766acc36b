// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v3}' | filecheck %s --check-prefix=SCHEDULE
// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v3},linalg-to-loops' | filecheck %s

#image = affine_map<(o, y, x, c, i, j) -> (c, y + i, x + j)>
#strided = affine_map<(o, y, x, c, i, j) -> (c, y * 2 + i, x * 2 + j)>
#kernel = affine_map<(o, y, x, c, i, j) -> (o floordiv 16, c, i, j, o mod 16)>
#out = affine_map<(o, y, x, c, i, j) -> (o, y, x)>

// With 16 registers the rows whose sums the first-level cache holds take chunks of the kernel together. Rows of 28 pixels are three tiles of 6
// and two of 5, and are stored by 16 and 12: 8 pixels after the others, of which the last 8 begin among those before.
// SCHEDULE-LABEL: func.func @long_rows
// SCHEDULE:         relax.schedule = #relax.schedule<convolution, loops = [0, 1, 2, 3, 4, 5], lanes = 8, shape = [6, 16], pixel = 2, chunk = 16, rows = 7, grain = {{[0-9]+}}>
// CHECK-LABEL: func.func @long_rows
// CHECK:         "scf.parallel"
// CHECK:           memref.alloca() {{.*}} : memref<3136xf32>
// CHECK:           scf.for
// CHECK-NEXT:        vector.store
// CHECK:           scf.for
// CHECK:             func.call @relax.contract.pixels.1x6x16{{[a-z0-9.]*}}.on(
// CHECK:             func.call @relax.contract.pixels.1x5x16{{[a-z0-9.]*}}.on(
// CHECK:           scf.for
// CHECK:             func.call @relax.contract.store_pixels.8x16.8.f32(
// CHECK:             func.call @relax.contract.store_pixels.8x16.8.f32(
// CHECK:             func.call @relax.contract.store_pixels.8x16.8.f32(%[[MEMORY:[0-9a-z_]+]], %[[FROM:[0-9a-z_]+]], %[[TO:[0-9a-z_]+]], %[[AT:[0-9a-z_]+]],
// CHECK-NEXT:        %[[NEXT_FROM:[0-9a-z_]+]] = arith.addi %[[FROM]],
// CHECK-NEXT:        %[[NEXT_AT:[0-9a-z_]+]] = arith.addi %[[AT]],
// CHECK-NEXT:        func.call @relax.contract.store_pixels.8x16.8.f32(%[[MEMORY]], %[[NEXT_FROM]], %[[TO]], %[[NEXT_AT]],
// CHECK-NOT:         func.call @relax.contract.store_pixels
func.func @long_rows(%a: memref<64x30x30xf32>, %b: memref<4x64x3x3x16xf32>, %c: memref<64x28x28xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<64x28x28xf32>)
  linalg.generic {indexing_maps = [#image, #kernel, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%a, %b : memref<64x30x30xf32>, memref<4x64x3x3x16xf32>) outs(%c : memref<64x28x28xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Rows of 7 pixels are tiles of 3, 2 and 2 with 32 channels: their elements stay in registers while vectors of the kernel pass.
// SCHEDULE-LABEL: func.func @short_rows
// SCHEDULE:         shape = [3, 32], pixel = 2, chunk = 8,
// CHECK-LABEL: func.func @short_rows
// CHECK:         func.call @relax.contract.pixels.1x3x32
// CHECK:         func.call @relax.contract.pixels.1x2x32
// CHECK:         func.call @relax.contract.store_pixels.7x32
func.func @short_rows(%a: memref<128x9x9xf32>, %b: memref<4x128x3x3x16xf32>, %c: memref<64x7x7xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<64x7x7xf32>)
  linalg.generic {indexing_maps = [#image, #kernel, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%a, %b : memref<128x9x9xf32>, memref<4x128x3x3x16xf32>) outs(%c : memref<64x7x7xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// The cache holds the kernel of a tile whole: it is one chunk, whose sums begin at zero.
// SCHEDULE-LABEL: func.func @few_channels
// SCHEDULE:         shape = [6, 16], pixel = 2, chunk = 3, rows =
// CHECK-LABEL: func.func @few_channels
// CHECK:         memref.alloca
// CHECK-NOT:     vector.store
// CHECK:         func.call @relax.contract.pixels.1x6x16.8.16.2.2.3.f32(
func.func @few_channels(%a: memref<3x57x57xf32>, %b: memref<2x3x3x3x16xf32>, %c: memref<32x28x28xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<32x28x28xf32>)
  linalg.generic {indexing_maps = [#strided, #kernel, #out], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%a, %b : memref<3x57x57xf32>, memref<2x3x3x3x16xf32>) outs(%c : memref<32x28x28xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Planes that are one row of pixels take chunks with which the first-level cache holds the part of the image as well; the kernel of the next
// channels is fetched. 49 pixels are four tiles of 6 and five of 5.
#pixels = affine_map<(o, p, c) -> (c, p)>
#blocks = affine_map<(o, p, c) -> (o floordiv 16, c, o mod 16)>
#plane = affine_map<(o, p, c) -> (o, p)>
// SCHEDULE-LABEL: func.func @one_row
// SCHEDULE:         relax.schedule = #relax.schedule<convolution, loops = [0, 1, 2], lanes = 8, shape = [6, 16], pixel = 1, fetched = {{[0-9]+}}, chunk = 80, grain = {{[0-9]+}}>
// CHECK-LABEL: func.func @one_row
// CHECK:         memref.alloca() {{.*}} : memref<784xf32>
// CHECK:         scf.for
// CHECK-NEXT:      vector.store
// CHECK:         scf.for {{.*}} step
// CHECK:           scf.for
// CHECK:             func.call @relax.contract.pixels.1x6x16{{[a-z0-9.]*}}.on(
// CHECK:           scf.for
// CHECK:             func.call @relax.contract.pixels.1x5x16{{[a-z0-9.]*}}.on(
func.func @one_row(%a: memref<320x49xf32>, %b: memref<80x320x16xf32>, %c: memref<1280x49xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<1280x49xf32>)
  linalg.generic {indexing_maps = [#pixels, #blocks, #plane], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<320x49xf32>, memref<80x320x16xf32>) outs(%c : memref<1280x49xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Of 196 pixels it would hold few steps: there are no chunks.
// SCHEDULE-LABEL: func.func @long_row
// SCHEDULE-NOT:     chunk
// SCHEDULE:         return
func.func @long_row(%a: memref<320x196xf32>, %b: memref<80x320x16xf32>, %c: memref<1280x196xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<1280x196xf32>)
  linalg.generic {indexing_maps = [#pixels, #blocks, #plane], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<320x196xf32>, memref<80x320x16xf32>) outs(%c : memref<1280x196xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
