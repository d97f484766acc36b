// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v3},linalg-to-loops' | filecheck %s
// RUN: relax-opt %s -p 'schedule-linalg{target=x86-64-v4},linalg-to-loops' | filecheck %s --check-prefix=WIDE

// WIDE: llvm.x86.avx512.pmaddw.d.512

// Rows of both matrices are widened on the way to copies, two steps side by side in the panel.
// CHECK-LABEL: func.func @unsigned_by_signed
// CHECK: arith.extsi %{{.*}} : vector<8xi8> to vector<8xi16>
// CHECK: vector.store {{.*}} : memref<?xi16>, vector<16xi16>
// CHECK: arith.extui %{{.*}} : vector<16xi8> to vector<16xi16>
// CHECK: func.call @relax.contract.vpmaddwd.5x16.8.i16.i16.i32.whole
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

// Rows of i16 are read in place. Of a packed matrix the four bytes of a column become two groups of the panel, the even bytes and the odd ones
// of what is shuffled.
// CHECK-LABEL: func.func @packed
// CHECK: llvm.call_intrinsic "llvm.prefetch.p0"
// CHECK: %[[LOADED:.*]] = vector.load %{{.*}} : memref<?xi8>, vector<32xi8>
// CHECK: vector.shuffle %[[LOADED]], %[[LOADED]] [0, 2, 1, 3, 4, 6, 5, 7,
// CHECK: %[[WORDS:.*]] = vector.bitcast %{{.*}} : vector<32xi8> to vector<16xi16>
// CHECK: %[[UP:.*]] = arith.shli %[[WORDS]], %{{.*}} : vector<16xi16>
// CHECK: arith.shrsi %[[UP]], %{{.*}} : vector<16xi16>
// CHECK: arith.shrsi %[[WORDS]], %{{.*}} : vector<16xi16>
// CHECK: func.call @relax.contract.vpmaddwd.5x16.8.i16.extsi.i32.i16.i32.whole.by4.1.16.row64(
func.func @packed(%a: memref<30x64xi16>, %b: memref<2x16x64x4xi8>, %c: memref<30x128xi32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 64, k floordiv 4, n mod 64, k mod 4)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<30x64xi16>, memref<2x16x64x4xi8>) outs(%c : memref<30x128xi32>) {
  ^bb0(%x: i16, %y: i8, %acc: i32):
    %p = arith.extsi %x : i16 to i32
    %q = arith.extsi %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  func.return
}

// Each tile fetches 5 lines of what the next panel is widened from, before its products: the next 32 steps, or behind the last ones the first
// of the next 16 columns.
// CHECK-LABEL: func.func @fetched
// CHECK: %[[LINES:.*]] = arith.constant 5 : index
// CHECK: arith.select
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[LINES]]
// CHECK: llvm.call_intrinsic "llvm.prefetch.p0"
// CHECK: func.call @relax.contract.vpmaddwd.4x16.8.i16.extsi.i32.i16.i32.whole.by2.1.16.row64(
func.func @fetched(%a: memref<32x64xi16>, %b: memref<2x16x64x4xi8>, %c: memref<32x128xi32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 64, k floordiv 4, n mod 64, k mod 4)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<32x64xi16>, memref<2x16x64x4xi8>) outs(%c : memref<32x128xi32>)
    attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 8, row = 0, instruction = vpmaddwd, tiles = <shape = [4, 16], pack = rhs, steps = 32, unroll = 2, fetched = 5>>} {
  ^bb0(%x: i16, %y: i8, %acc: i32):
    %p = arith.extsi %x : i16 to i32
    %q = arith.extsi %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  func.return
}

// Products are subtracted from sums, which are negative until they are stored.
// CHECK-LABEL: func.func private @relax.contract.vpmaddwd.5x16.8.i16.i16.i32.whole
// CHECK: scf.for
// CHECK: %[[PRODUCT:.*]] = llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"(%{{.*}}, %{{.*}}) : (vector<16xi16>, vector<16xi16>) -> vector<8xi32>
// CHECK: arith.subi %{{.*}}, %[[PRODUCT]] : vector<8xi32>
// CHECK: scf.yield
// CHECK: arith.subi %{{.*}}, %{{.*}} : vector<8xi32>
