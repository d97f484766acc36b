// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v4}' | filecheck %s --check-prefix=SCHEDULE
// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v4},linalg-to-loops' | filecheck %s

// The image is read where it was copied from: neither the fill nor the copy is left. The loop over rows of the window begins and ends inside
// of the image, and the first tile of a row leaves out the column that is not.
// SCHEDULE-LABEL: func.func @padded
// SCHEDULE-COUNT-2: relax.schedule = #relax.schedule<padding>
// SCHEDULE:         relax.schedule = #relax.schedule<convolution, loops = [0, 1, 2, 3, 4, 5]
// CHECK-LABEL: func.func @padded(%x: memref<16x56x28xf32>
// CHECK-NOT:     vector.store
// CHECK:         "scf.parallel"
// CHECK:           arith.maxsi
// CHECK:           arith.minsi
// CHECK:           func.call @relax.contract.pixels.1x14x32.16.16.2.2.3.f32.1to14.0to14.0to14(
// CHECK-NOT:       func.call @relax.contract.pixels
// Rows of 7 pixels are tiles of their own, not joined: so they leave zeros out. All of them take 12 channels before the next.
// SCHEDULE-LABEL: func.func @short_rows
// SCHEDULE-COUNT-2: relax.schedule = #relax.schedule<padding>
// SCHEDULE:         shape = [7, {{32|64}}], pixel = 2, fetched = {{[0-9]+}}, chunk = {{[0-9]+}}, grain = 1>
// CHECK-LABEL: func.func @short_rows
// CHECK:         scf.for
// CHECK:           arith.maxsi
// CHECK:           arith.minsi
// CHECK:           func.call @relax.contract.pixels.1x7x{{[0-9a-z.]*}}.on.1to7.0to7.0to6(
// CHECK-NOT:       func.call @relax.contract.pixels
// What others read as well is made.
// CHECK-LABEL: func.func @read_twice
// CHECK:         vector.store
// SCHEDULE-LABEL: func.func @read_twice
// SCHEDULE-NOT:     schedule<padding>
// SCHEDULE:         schedule<convolution
// What is filled with another number is read.
// SCHEDULE-LABEL: func.func @ones
// SCHEDULE-NOT:     schedule<padding>
// SCHEDULE:         schedule<convolution
// What is copied must not be written before the convolution ends.
// SCHEDULE-LABEL: func.func @overwritten
// SCHEDULE-NOT:     schedule<padding>
// SCHEDULE:         schedule<convolution
// Memory that others see by another name is written.
// SCHEDULE-LABEL: func.func @view_of_another
// SCHEDULE-NOT:     schedule<padding>
// SCHEDULE:         schedule<convolution
// Tiles of a convolution are written to the padded image of the next one as they are finished.
// SCHEDULE-LABEL: func.func @epilogue
// SCHEDULE-NOT:     schedule<padding>
// SCHEDULE:         schedule<convolution
// SCHEDULE:         schedule<epilogue
// SCHEDULE:         schedule<convolution
#point = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d1 + d4, d2 + d5)>
#image = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d1 * 2 + d4, d2 * 2 + d5)>
#kernel = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 floordiv 16, d3, d4, d5, d0 mod 16)>
#result = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2)>
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @padded(%x: memref<16x56x28xf32>, %w: memref<2x16x3x3x16xf32>, %y: memref<32x28x14xf32>) {
  %zero = arith.constant 0.0 : f32
  %p = memref.alloc() : memref<16x58x30xf32>
  linalg.fill ins(%zero : f32) outs(%p : memref<16x58x30xf32>)
  %v = memref.subview %p[0, 1, 1] [16, 56, 28] [1, 1, 1] : memref<16x58x30xf32> to memref<16x56x28xf32, strided<[1740, 30, 1], offset: 31>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : memref<16x56x28xf32>) outs(%v : memref<16x56x28xf32, strided<[1740, 30, 1], offset: 31>>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#image, #kernel, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%p, %w : memref<16x58x30xf32>, memref<2x16x3x3x16xf32>) outs(%y : memref<32x28x14xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
func.func @short_rows(%x: memref<96x7x7xf32>, %w: memref<4x96x3x3x16xf32>, %y: memref<64x7x7xf32>) {
  %zero = arith.constant 0.0 : f32
  %p = memref.alloc() : memref<96x9x9xf32>
  linalg.fill ins(%zero : f32) outs(%p : memref<96x9x9xf32>)
  %v = memref.subview %p[0, 1, 1] [96, 7, 7] [1, 1, 1] : memref<96x9x9xf32> to memref<96x7x7xf32, strided<[81, 9, 1], offset: 10>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : memref<96x7x7xf32>) outs(%v : memref<96x7x7xf32, strided<[81, 9, 1], offset: 10>>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#point, #kernel, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%p, %w : memref<96x9x9xf32>, memref<4x96x3x3x16xf32>) outs(%y : memref<64x7x7xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
func.func @read_twice(%x: memref<16x56x28xf32>, %w: memref<2x16x3x3x16xf32>, %y: memref<32x28x14xf32>, %z: memref<16x58x30xf32>) {
  %zero = arith.constant 0.0 : f32
  %p = memref.alloc() : memref<16x58x30xf32>
  linalg.fill ins(%zero : f32) outs(%p : memref<16x58x30xf32>)
  %v = memref.subview %p[0, 1, 1] [16, 56, 28] [1, 1, 1] : memref<16x58x30xf32> to memref<16x56x28xf32, strided<[1740, 30, 1], offset: 31>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : memref<16x56x28xf32>) outs(%v : memref<16x56x28xf32, strided<[1740, 30, 1], offset: 31>>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#image, #kernel, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%p, %w : memref<16x58x30xf32>, memref<2x16x3x3x16xf32>) outs(%y : memref<32x28x14xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p : memref<16x58x30xf32>) outs(%z : memref<16x58x30xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}
func.func @ones(%x: memref<16x56x28xf32>, %w: memref<2x16x3x3x16xf32>, %y: memref<32x28x14xf32>) {
  %one = arith.constant 1.0 : f32
  %p = memref.alloc() : memref<16x58x30xf32>
  linalg.fill ins(%one : f32) outs(%p : memref<16x58x30xf32>)
  %v = memref.subview %p[0, 1, 1] [16, 56, 28] [1, 1, 1] : memref<16x58x30xf32> to memref<16x56x28xf32, strided<[1740, 30, 1], offset: 31>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : memref<16x56x28xf32>) outs(%v : memref<16x56x28xf32, strided<[1740, 30, 1], offset: 31>>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#image, #kernel, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%p, %w : memref<16x58x30xf32>, memref<2x16x3x3x16xf32>) outs(%y : memref<32x28x14xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
func.func @overwritten(%x: memref<16x56x28xf32>, %w: memref<2x16x3x3x16xf32>, %y: memref<32x28x14xf32>) {
  %zero = arith.constant 0.0 : f32
  %p = memref.alloc() : memref<16x58x30xf32>
  linalg.fill ins(%zero : f32) outs(%p : memref<16x58x30xf32>)
  %v = memref.subview %p[0, 1, 1] [16, 56, 28] [1, 1, 1] : memref<16x58x30xf32> to memref<16x56x28xf32, strided<[1740, 30, 1], offset: 31>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : memref<16x56x28xf32>) outs(%v : memref<16x56x28xf32, strided<[1740, 30, 1], offset: 31>>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  linalg.fill ins(%zero : f32) outs(%x : memref<16x56x28xf32>)
  linalg.generic {indexing_maps = [#image, #kernel, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%p, %w : memref<16x58x30xf32>, memref<2x16x3x3x16xf32>) outs(%y : memref<32x28x14xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
func.func @view_of_another(%q: memref<27840xf32>, %x: memref<16x56x28xf32>, %w: memref<2x16x3x3x16xf32>, %y: memref<32x28x14xf32>) {
  %zero = arith.constant 0.0 : f32
  %p = memref.expand_shape %q [[0, 1, 2]] output_shape [16, 58, 30] : memref<27840xf32> into memref<16x58x30xf32>
  linalg.fill ins(%zero : f32) outs(%p : memref<16x58x30xf32>)
  %v = memref.subview %p[0, 1, 1] [16, 56, 28] [1, 1, 1] : memref<16x58x30xf32> to memref<16x56x28xf32, strided<[1740, 30, 1], offset: 31>>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : memref<16x56x28xf32>) outs(%v : memref<16x56x28xf32, strided<[1740, 30, 1], offset: 31>>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#image, #kernel, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%p, %w : memref<16x58x30xf32>, memref<2x16x3x3x16xf32>) outs(%y : memref<32x28x14xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
func.func @epilogue(%x: memref<16x56x28xf32>, %u: memref<1x16x1x1x16xf32>, %w: memref<2x16x3x3x16xf32>, %t: memref<16x56x28xf32>, %y: memref<32x28x14xf32>) {
  %zero = arith.constant 0.0 : f32
  %p = memref.alloca() : memref<16x58x30xf32>
  linalg.fill ins(%zero : f32) outs(%p : memref<16x58x30xf32>)
  %v = memref.subview %p[0, 1, 1] [16, 56, 28] [1, 1, 1] : memref<16x58x30xf32> to memref<16x56x28xf32, strided<[1740, 30, 1], offset: 31>>
  linalg.generic {indexing_maps = [#point, #kernel, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %u : memref<16x56x28xf32>, memref<1x16x1x1x16xf32>) outs(%t : memref<16x56x28xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t : memref<16x56x28xf32>) outs(%v : memref<16x56x28xf32, strided<[1740, 30, 1], offset: 31>>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#image, #kernel, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%p, %w : memref<16x58x30xf32>, memref<2x16x3x3x16xf32>) outs(%y : memref<32x28x14xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  return
}
