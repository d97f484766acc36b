// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v4}' | filecheck %s --check-prefix=SCHEDULE
// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v4},linalg-to-loops' | filecheck %s

// Tiles of 14 pixels and 32 channels read the image in place; no panel is filled. What follows runs on each tile.

// SCHEDULE-LABEL: func.func @rows
// SCHEDULE:         linalg.fill {relax.schedule = #relax.schedule<init>}
// SCHEDULE:         relax.schedule = #relax.schedule<convolution, loops = [0, 1, 2, 3, 4, 5], lanes = 16, shape = [14, 32], pixel = 2, grain = {{[0-9]+}}>
// SCHEDULE:         relax.schedule = #relax.schedule<epilogue, loops = [0, 1, 2]>
// CHECK-LABEL: func.func @rows
// CHECK-NOT:     memref.alloca
// CHECK:         "scf.parallel"
// CHECK:           scf.for
// CHECK:             func.call @[[TILE:relax.contract.pixels.1x14x32[a-z0-9.]*]](
// CHECK:             func.call @[[STORE:relax.contract.store_pixels.14x32[a-z0-9.]*]](
// CHECK:             scf.for
// CHECK:               arith.maximumf
// CHECK-NOT:     func.call
// Two rows of 5 pixels make a tile.
// SCHEDULE-LABEL: func.func @short_rows
// SCHEDULE:         shape = [10, 32], pixel = 2, joined = 2
// CHECK-LABEL: func.func @short_rows
// CHECK:         func.call @relax.contract.pixels.2x5x32
// A kernel that does not lie in blocks is a contraction with panels.
// SCHEDULE-LABEL: func.func @plain_kernel
// SCHEDULE-NOT:     schedule<convolution
// SCHEDULE:         schedule<contraction
// CHECK-LABEL: func.func @plain_kernel
// CHECK:         memref.alloca
// Planes of 32 x 32 elements lie in the same sets of a cache: rows are collected on the stack, then stored and finished by channels.
// SCHEDULE-LABEL: func.func @planes_of_4_kib
// SCHEDULE:         shape = [11, 32], pixel = 2, staged = 33
// CHECK-LABEL: func.func @planes_of_4_kib
// CHECK:         "scf.parallel"
// CHECK:           %[[STAGE:.*]] = memref.alloca() {{.*}} : memref<1536xf32>
// CHECK:           func.call @relax.contract.pixels.1x11x32
// CHECK:           func.call @relax.contract.pixels.1x10x32
// CHECK:           scf.for
// CHECK:             %[[SUM:.*]] = vector.load
// CHECK:             vector.store %[[SUM]]
// CHECK:             arith.maximumf
// The first-level cache does not hold the kernel of 32 channels: all tiles take 12 channels of the image, for which it does, before the next;
// their sums lie on the stack meanwhile. While tiles use the kernel, that of the next 32 channels is fetched.
// SCHEDULE-LABEL: func.func @many_channels
// SCHEDULE:         shape = [14, 32], pixel = 2, joined = 2, fetched = 36, chunk = 12, grain = 1>
// CHECK-LABEL: func.func @many_channels
// CHECK:         "scf.parallel"
// CHECK:           %[[SUMS:.*]] = memref.alloca() {{.*}} : memref<1792xf32>
// CHECK:           scf.for
// CHECK-NEXT:        vector.store
// CHECK:           scf.for
// CHECK-NEXT:        scf.for
// CHECK:               func.call @[[FETCHING:relax.contract.pixels.2x7x32[a-z0-9.]*.fetch2.on]](
// CHECK:               func.call @relax.contract.pixels.1x7x32{{[a-z0-9.]*}}.fetch1.on(
// CHECK:           scf.for
// CHECK:             func.call @relax.contract.store_pixels.14x32.16.f32.add(
// CHECK:             func.call @relax.contract.store_pixels.7x32.16.f32.add(
// CHECK:       func.func private @[[TILE]]
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-COUNT-84:    vector.fma
// CHECK-NOT:         vector.fma
// CHECK-COUNT-28: vector.store
// CHECK:       func.func private @[[STORE]]
// CHECK:         scf.for
// CHECK-COUNT-14:  vector.load
// CHECK-COUNT-64:  vector.shuffle
// CHECK-COUNT-16:  vector.maskedstore
// CHECK:           }
// CHECK:       func.func private @[[FETCHING]]
// CHECK-COUNT-28: vector.load
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-COUNT-2:     llvm.call_intrinsic "llvm.prefetch.p0"
// CHECK-NOT:         llvm.call_intrinsic
// CHECK-COUNT-84:    vector.fma
// CHECK-COUNT-28: vector.store
// CHECK-NEXT:     func.return
#image = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d1 + d4, d2 + d5)>
#blocks = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 floordiv 16, d3, d4, d5, d0 mod 16)>
#plain = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d4, d5)>
#result = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2)>
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @rows(%x: memref<64x58x58xf32>, %w: memref<4x64x3x3x16xf32>, %y: memref<64x56x56xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<64x56x56xf32>)
  linalg.generic {indexing_maps = [#image, #blocks, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : memref<64x58x58xf32>, memref<4x64x3x3x16xf32>) outs(%y : memref<64x56x56xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y : memref<64x56x56xf32>) outs(%y : memref<64x56x56xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maximumf %a, %zero : f32
    linalg.yield %r : f32
  }
  func.return
}
func.func @short_rows(%x: memref<8x8x7xf32>, %w: memref<2x8x3x3x16xf32>, %y: memref<32x6x5xf32>) {
  linalg.generic {indexing_maps = [#image, #blocks, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : memref<8x8x7xf32>, memref<2x8x3x3x16xf32>) outs(%y : memref<32x6x5xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
func.func @plain_kernel(%x: memref<8x9x9xf32>, %w: memref<32x8x3x3xf32>, %y: memref<32x7x7xf32>) {
  linalg.generic {indexing_maps = [#image, #plain, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : memref<8x9x9xf32>, memref<32x8x3x3xf32>) outs(%y : memref<32x7x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
func.func @planes_of_4_kib(%x: memref<64x34x34xf32>, %w: memref<4x64x3x3x16xf32>, %y: memref<64x32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<64x32x32xf32>)
  linalg.generic {indexing_maps = [#image, #blocks, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : memref<64x34x34xf32>, memref<4x64x3x3x16xf32>) outs(%y : memref<64x32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y : memref<64x32x32xf32>) outs(%y : memref<64x32x32xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maximumf %a, %zero : f32
    linalg.yield %r : f32
  }
  func.return
}
func.func @many_channels(%x: memref<96x9x9xf32>, %w: memref<4x96x3x3x16xf32>, %y: memref<64x7x7xf32>) {
  linalg.generic {indexing_maps = [#image, #blocks, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : memref<96x9x9xf32>, memref<4x96x3x3x16xf32>) outs(%y : memref<64x7x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
