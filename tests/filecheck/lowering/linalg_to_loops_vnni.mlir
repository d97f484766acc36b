// RUN: relax-opt %s -p 'schedule-linalg{target=znver4},linalg-to-loops' | filecheck %s
// RUN: relax-opt %s -p 'schedule-linalg{target=alderlake},linalg-to-loops' | filecheck %s --check-prefix=NARROW
// RUN: relax-opt %s -p schedule-linalg,linalg-to-loops | filecheck %s --check-prefix=WITHOUT

// WITHOUT-NOT: vpdpbusd
// NARROW: llvm.x86.avx512.vpdpbusd.256
// NARROW-NOT: vpdpbusd.512

// Four rows of the right matrix lie side by side in its panel.
// CHECK-LABEL: func.func @unsigned_by_signed
// CHECK: %[[PANEL:.*]] = "memref.cast"
// CHECK: vector.shuffle
// CHECK: vector.shuffle
// CHECK: vector.store {{.*}} : memref<?xi8>, vector<64xi8>
// CHECK: func.call @relax.contract.vpdpbusd.6x64.16.i8.extui.i32.i8.extsi.i32.i32.whole(%{{.*}}, %[[PANEL]]
func.func @unsigned_by_signed(%a: memref<30x62xi8>, %b: memref<62x128xi8>, %c: memref<30x128xi32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<30x62xi8>, memref<62x128xi8>) outs(%c : memref<30x128xi32>) {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  func.return
}

// A packed matrix is read where it lies.
// CHECK-LABEL: func.func @packed
// CHECK-NOT: memref.alloca
// CHECK: func.call @relax.contract.vpdpbusd.5x64.16.i8.extsi.i32.i8.extsi.i32.i32.whole.by4.1.64.fetch3(
func.func @packed(%a: memref<30x64xi8>, %b: memref<2x16x64x4xi8>, %c: memref<30x128xi32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 64, k floordiv 4, n mod 64, k mod 4)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<30x64xi8>, memref<2x16x64x4xi8>) outs(%c : memref<30x128xi32>) {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extsi %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  func.return
}

// The steps are not neighbors in the left matrix: four of them are put side by side for the rows of a tile.
// CHECK-LABEL: func.func @transposed
// CHECK: %[[ROWS:.*]] = "memref.cast"{{.*}} : (memref<576xi8>) -> memref<?xi8>
// CHECK-COUNT-4: vector.load %{{.*}} : memref<?xi8>, vector<6xi8>
// CHECK: vector.store %{{.*}}, %[[ROWS]]{{.*}} : memref<?xi8>, vector<24xi8>
// CHECK: func.call @relax.contract.vpdpbusd.6x64.16.i8.extui.i32.i8.extsi.i32.i32.whole.by2.6.64(%[[ROWS]],
func.func @transposed(%a: memref<64x30xi8>, %b: memref<64x128xi8>, %c: memref<30x128xi32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<64x30xi8>, memref<64x128xi8>) outs(%c : memref<30x128xi32>) {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  func.return
}

// Only the conversion reads the sums: those of a tile, with all steps, stay on the stack. All columns exist, so that nothing is masked.
// CHECK-LABEL: func.func @narrowed
// CHECK: %[[SUMS:.*]] = "memref.cast"(%{{.*}}) : (memref<384xi32>) -> memref<?xi32>
// CHECK: func.call @relax.contract.vpdpbusd.6x64.16.i8.extui.i32.i8.extsi.i32.i32.whole(%{{.*}}, %[[SUMS]],
// CHECK: %[[VIEW:.*]] = memref.reinterpret_cast %[[SUMS]]
// CHECK-NOT: mask
// CHECK-COUNT-4: vector.load %[[VIEW]]
// CHECK-NOT: vector.load %[[VIEW]]
// CHECK: func.return
func.func @narrowed(%a: memref<30x62xi8>, %b: memref<62x128xi8>, %d: memref<30x128xi8>, %space: memref<15360xi8>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %c = memref.view %space[%c0][] : memref<15360xi8> to memref<30x128xi32>
  linalg.fill ins(%zero : i32) outs(%c : memref<30x128xi32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<30x62xi8>, memref<62x128xi8>) outs(%c : memref<30x128xi32>) {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%c : memref<30x128xi32>) outs(%d : memref<30x128xi8>) {
  ^bb0(%x: i32, %y: i8):
    %r = arith.trunci %x : i32 to i8
    linalg.yield %r : i8
  }
  func.return
}

// i16 elements have no such instruction.
// CHECK-LABEL: func.func @wider
// CHECK-NOT: vpdpbusd
// CHECK: func.return
func.func @wider(%a: memref<30x64xi16>, %b: memref<64x128xi16>, %c: memref<30x128xi32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<30x64xi16>, memref<64x128xi16>) outs(%c : memref<30x128xi32>) {
  ^bb0(%x: i16, %y: i16, %acc: i32):
    %p = arith.extui %x : i16 to i32
    %q = arith.extsi %y : i16 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  func.return
}

// One call takes the panels of all rows of a window, and the last group of each as a whole: there are elements behind it.
// CHECK-LABEL: func.func @window_of_three_channels
// CHECK: func.call @relax.contract.vpdpbusd.6x64.16.i8.extui.i32.i8.extsi.i32.i32{{[a-z.]*}}.by2.1.64.parts.3(
func.func @window_of_three_channels(%a: memref<1x16x18x3xi8>, %b: memref<64x3x5x3xi8>, %c: memref<1x12x12x64xi32>) {
  linalg.generic {indexing_maps = [affine_map<(n, y, x, o, c, i, j) -> (n, y + i, x + j, c)>, affine_map<(n, y, x, o, c, i, j) -> (o, i, j, c)>,
                                   affine_map<(n, y, x, o, c, i, j) -> (n, y, x, o)>],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %b : memref<1x16x18x3xi8>, memref<64x3x5x3xi8>) outs(%c : memref<1x12x12x64xi32>) {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  func.return
}

// Of an image that ends with the last window, the last group is masked.
// CHECK-LABEL: func.func @window_to_the_end
// CHECK: func.call @relax.contract.vpdpbusd.6x64.16.i8.extui.i32.i8.extsi.i32.i32{{[a-z.]*}}.parts.3(
func.func @window_to_the_end(%a: memref<1x14x16x3xi8>, %b: memref<64x3x5x3xi8>, %c: memref<1x12x12x64xi32>) {
  linalg.generic {indexing_maps = [affine_map<(n, y, x, o, c, i, j) -> (n, y + i, x + j, c)>, affine_map<(n, y, x, o, c, i, j) -> (o, i, j, c)>,
                                   affine_map<(n, y, x, o, c, i, j) -> (n, y, x, o)>],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %b : memref<1x14x16x3xi8>, memref<64x3x5x3xi8>) outs(%c : memref<1x12x12x64xi32>) {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  func.return
}

// Likewise of a kernel that lies in blocks: its rows of a window are parts that follow one another.
// CHECK-LABEL: func.func @blocks
// CHECK-NOT: memref.alloca
// CHECK: func.call @relax.contract.vpdpbusd.6x64.16.i8.extui.i32.i8.extsi.i32.i32{{[a-z.]*}}.by4.1.64.fetch1.parts.3(
func.func @blocks(%a: memref<1x14x14x32xi8>, %b: memref<2x3x3x8x64x4xi8>, %c: memref<1x12x12x128xi32>) {
  linalg.generic {indexing_maps = [affine_map<(n, y, x, o, c, i, j) -> (n, y + i, x + j, c)>,
                                   affine_map<(n, y, x, o, c, i, j) -> (o floordiv 64, i, j, c floordiv 4, o mod 64, c mod 4)>,
                                   affine_map<(n, y, x, o, c, i, j) -> (n, y, x, o)>],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %b : memref<1x14x14x32xi8>, memref<2x3x3x8x64x4xi8>) outs(%c : memref<1x12x12x128xi32>) {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  func.return
}

// The first factor of the instruction is unsigned, the second signed.
// CHECK-LABEL: func.func private @relax.contract.vpdpbusd.6x64.16.i8.extui.i32.i8.extsi.i32.i32.whole(
// CHECK: %[[SUMS:.*]] = scf.for
// CHECK: %[[B:.*]] = vector.load {{.*}} : memref<?xi8>, vector<64xi8>
// CHECK: %[[GROUP:.*]] = vector.load {{.*}} : memref<?xi8>, vector<4xi8>
// CHECK: %[[LANE:.*]] = vector.bitcast %[[GROUP]] : vector<4xi8> to vector<1xi32>
// CHECK: %[[ONE:.*]] = vector.extract %[[LANE]][0]
// CHECK: %[[SPREAD:.*]] = vector.broadcast %[[ONE]] : i32 to vector<16xi32>
// CHECK: %[[A:.*]] = vector.bitcast %[[SPREAD]] : vector<16xi32> to vector<64xi8>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"({{.*}}, %[[A]], %[[B]])
// The last group may have fewer steps.
// CHECK: vector.maskedload {{.*}} vector<4xi8>

// Factors of one sign: the left one is moved by 128, and what zeros give is subtracted.
// CHECK-LABEL: func.func private @relax.contract.vpdpbusd.5x64.16.i8.extsi.i32.i8.extsi.i32.i32.whole.by4.1.64.fetch3(
// CHECK: %[[OFFSET:.*]] = arith.constant dense<-128> : vector<64xi8>
// CHECK: scf.for
// Four groups an iteration, and lines of the panel that follows.
// CHECK-COUNT-3: llvm.call_intrinsic "llvm.prefetch.p0"
// CHECK: arith.xori %{{.*}}, %[[OFFSET]] : vector<64xi8>
// CHECK: arith.subi %{{.*}}, %{{.*}} : vector<16xi32>
