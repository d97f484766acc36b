// RUN: relax-opt %s -p 'schedule-linalg{target=sapphirerapids}' | filecheck %s --check-prefix=PICKED
// RUN: relax-opt %s -p 'schedule-linalg{target=sapphirerapids},linalg-to-loops' | filecheck %s

// Threads share the rows of images, counted through all images; the last block has what is left. Rows of pixels that make whole tiles need their shapes told once.
// CHECK-LABEL: func.func @images
// CHECK: scf.parallel
// CHECK-NEXT: ^bb0(%[[BLOCK:.*]]: index):
// CHECK-NEXT: %[[FIRST:.*]] = arith.muli %[[BLOCK]], %[[THREE:.*]] : index
// CHECK-NEXT: %[[LAST:.*]] = arith.addi %[[FIRST]], %[[THREE]] : index
// CHECK-NEXT: %[[END:.*]] = arith.minsi %[[LAST]], %{{.*}} : index
// CHECK: llvm.call_intrinsic "llvm.x86.ldtilecfg"
// CHECK-NEXT: scf.for %[[NUMBER:.*]] = %[[FIRST]] to %[[END]] step
// CHECK-NEXT: %[[IMAGE:.*]] = arith.floordivsi %[[NUMBER]], %[[ROWS:.*]] : index
// CHECK-NEXT: %[[BEFORE:.*]] = arith.muli %[[IMAGE]], %[[ROWS]] : index
// CHECK-NEXT: arith.subi %[[NUMBER]], %[[BEFORE]] : index
// CHECK-NOT: llvm.x86.ldtilecfg
// CHECK: func.call @relax.contract.tdpbusd.1x1.16(
// CHECK: llvm.call_intrinsic "llvm.x86.tilerelease"
func.func @images(%a: memref<?x5x16x64xi8>, %b: memref<1x16x16x4xi8>, %c: memref<?x5x16x16xi32>) {
  linalg.generic {indexing_maps = [affine_map<(i, h, w, n, k) -> (i, h, w, k)>, affine_map<(i, h, w, n, k) -> (n floordiv 16, k floordiv 4, n mod 16, k mod 4)>, affine_map<(i, h, w, n, k) -> (i, h, w, n)>],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%a, %b : memref<?x5x16x64xi8>, memref<1x16x16x4xi8>) outs(%c : memref<?x5x16x16xi32>)
                  attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2, 3, 4], lanes = 16, row = 2, tiles = <shape = [16, 16], pack = none, steps = 64, outer_rows = 3, grain = 1, instruction = tdpbusd>>} {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  func.return
}

// Blocks of rows that fill panels, each its own, have at least as many pixels as a panel is worth.
// PICKED-LABEL: func.func @windows
// PICKED: row = 2, tiles = <shape = [4, 64], pack = rhs, steps = {{[0-9]+}}, panel = 2, panels = 3, outer_rows = 4, grain = 1, unroll = 2>
// CHECK-LABEL: func.func @windows
// CHECK: scf.parallel
// CHECK: %[[ROW:.*]] = arith.minsi
// CHECK: memref.alloca
// CHECK: arith.floordivsi
// CHECK: func.call @relax.contract.4x64
func.func @windows(%a: memref<2x30x30x32xf32>, %b: memref<3x3x32x64xf32>, %c: memref<2x28x28x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, h, w, n, y, x, k) -> (i, h + y, w + x, k)>, affine_map<(i, h, w, n, y, x, k) -> (y, x, k, n)>, affine_map<(i, h, w, n, y, x, k) -> (i, h, w, n)>],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%a, %b : memref<2x30x30x32xf32>, memref<3x3x32x64xf32>) outs(%c : memref<2x28x28x64xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %acc, %0 : f32
    linalg.yield %1 : f32
  }
  func.return
}

// A few rows are not worth a second thread.
// PICKED-LABEL: func.func @little
// PICKED: tiles = <
// PICKED-NOT: outer_rows
func.func @little(%a: memref<3x5x16x64xi8>, %b: memref<1x16x16x4xi8>, %c: memref<3x5x16x16xi32>) {
  %v = memref.subview %a[0, 0, 0, 0] [3, 4, 16, 64] [1, 1, 1, 1] : memref<3x5x16x64xi8> to memref<3x4x16x64xi8, strided<[5120, 1024, 64, 1]>>
  %w = memref.subview %c[0, 0, 0, 0] [3, 4, 16, 16] [1, 1, 1, 1] : memref<3x5x16x16xi32> to memref<3x4x16x16xi32, strided<[1280, 256, 16, 1]>>
  linalg.generic {indexing_maps = [affine_map<(i, h, w, n, k) -> (i, h, w, k)>, affine_map<(i, h, w, n, k) -> (n floordiv 16, k floordiv 4, n mod 16, k mod 4)>, affine_map<(i, h, w, n, k) -> (i, h, w, n)>],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%v, %b : memref<3x4x16x64xi8, strided<[5120, 1024, 64, 1]>>, memref<1x16x16x4xi8>) outs(%w : memref<3x4x16x16xi32, strided<[1280, 256, 16, 1]>>) {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  func.return
}
