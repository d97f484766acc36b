// RUN: relax-opt %s -p 'schedule-linalg{target=sapphirerapids}' | filecheck %s --check-prefix=PICKED
// RUN: relax-opt %s -p 'schedule-linalg{target=sapphirerapids},linalg-to-loops' | filecheck %s

// Seven rows of seven pixels lie 9 pixels apart: the 61 from the first pixel to the last make four rows of tiles, where rows of their own would
// make seven. The ops behind read the sums of pixels alone.
// PICKED-LABEL: func.func private @joined
// PICKED: row = 2, tiles = <shape = [31, 16], pack = none, steps = 16, panel = 2, pitch = 9, outer_rows = 1, grain = 1, instruction = tdpbusd, sums = stack>
// CHECK-LABEL: func.func private @joined
// CHECK: scf.parallel
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<1952xi32>
// CHECK: scf.for %[[IMAGE:.*]] = %{{.*}} to %{{.*}} step
// CHECK: func.call @relax.contract.tdpbusd.2x1.16.by.3(%{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %[[SUMS:[0-9]+]], %{{[0-9]+}},
// CHECK: func.call @relax.contract.tdpbusd.2x1.16.by.3(%{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %[[SUMS]], %{{[0-9]+}},
// CHECK: llvm.x86.tilerelease
// CHECK-NEXT: scf.for %[[ROW:.*]] = %{{.*}} to %{{.*}} step
// CHECK: %[[OF_PIXELS:.*]] = memref.reinterpret_cast %[[SUMS]] to offset: {{.*}} strides: [288, 32, 1]
// CHECK: vector.load %[[OF_PIXELS]][%[[ROW]], %{{.*}}, %{{.*}}]
// CHECK: vector.store %{{.*}}, %z[%[[IMAGE]], %[[ROW]],
func.func private @joined(%a: memref<2x9x9x64xi8>, %b: memref<2x3x3x16x16x4xi8>, %z: memref<2x7x7x32xi8>, %w: memref<?xi8> {relax.workspace}) {
  %o = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %c = memref.view %w[%o][] : memref<?xi8> to memref<2x7x7x32xi32>
  linalg.fill ins(%zero : i32) outs(%c : memref<2x7x7x32xi32>)
  linalg.generic {indexing_maps = [affine_map<(i, h, w, n, y, x, k) -> (i, h + y, w + x, k)>, affine_map<(i, h, w, n, y, x, k) -> (n floordiv 16, y, x, k floordiv 4, n mod 16, k mod 4)>, affine_map<(i, h, w, n, y, x, k) -> (i, h, w, n)>],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%a, %b : memref<2x9x9x64xi8>, memref<2x3x3x16x16x4xi8>) outs(%c : memref<2x7x7x32xi32>) {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  linalg.generic {indexing_maps = [affine_map<(i, h, w, n) -> (i, h, w, n)>, affine_map<(i, h, w, n) -> (i, h, w, n)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%c : memref<2x7x7x32xi32>) outs(%z : memref<2x7x7x32xi8>) {
  ^bb0(%x: i32, %y: i8):
    %t = arith.trunci %x : i32 to i8
    linalg.yield %t : i8
  }
  func.return
}

// Sums that something else reads go to the output, whose rows have no room for what is between pixels.
// PICKED-LABEL: func.func @kept
// PICKED: row = 2, tiles = <shape = [7, 16], pack = none, steps = 73, panel = 2, outer_rows = 1, grain = 2, instruction = tdpbusd>
func.func @kept(%a: memref<2x9x9x64xi8>, %b: memref<2x3x3x16x16x4xi8>, %c: memref<2x7x7x32xi32>) {
  %zero = arith.constant 0 : i32
  linalg.fill ins(%zero : i32) outs(%c : memref<2x7x7x32xi32>)
  linalg.generic {indexing_maps = [affine_map<(i, h, w, n, y, x, k) -> (i, h + y, w + x, k)>, affine_map<(i, h, w, n, y, x, k) -> (n floordiv 16, y, x, k floordiv 4, n mod 16, k mod 4)>, affine_map<(i, h, w, n, y, x, k) -> (i, h, w, n)>],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%a, %b : memref<2x9x9x64xi8>, memref<2x3x3x16x16x4xi8>) outs(%c : memref<2x7x7x32xi32>) {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  func.return
}
