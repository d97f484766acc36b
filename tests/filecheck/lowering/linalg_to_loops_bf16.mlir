// RUN: relax-opt %s -p 'schedule-linalg{target=znver4}' | filecheck %s --check-prefix=SCHEDULE
// RUN: relax-opt %s -p 'schedule-linalg{target=znver4},linalg-to-loops' | filecheck %s
// RUN: relax-opt %s -p 'schedule-linalg{target=aarch64-neoverse-v1},linalg-to-loops' | filecheck %s --check-prefix=WITHOUT
// RUN: relax-opt %s -p schedule-linalg,linalg-to-loops | filecheck %s --check-prefix=WITHOUT
// RUN: relax-opt %s -p schedule-linalg,linalg-to-loops | filecheck %s --check-prefix=PAIRS

// WITHOUT-NOT: dpbf16
// WITHOUT-NOT: bfdot

// Two rows of the right matrix lie side by side in its panel; the left one is read where it lies.
// SCHEDULE-LABEL: func.func @products
// SCHEDULE: instruction = vdpbf16ps, tiles = <shape = [6, 64], pack = rhs, steps = 1024
// CHECK-LABEL: func.func @products
// CHECK: %[[PANEL:.*]] = "memref.cast"
// CHECK: vector.shuffle
// CHECK: vector.store {{.*}} : memref<?xbf16>, vector<32xbf16>
// CHECK: func.call @relax.contract.vdpbf16ps.6x64.16.bf16.extf.f32.bf16.extf.f32.f32.whole.by2.1.64(%{{.*}}, %[[PANEL]]
func.func @products(%a: memref<30x64xbf16>, %b: memref<64x128xbf16>, %c: memref<30x128xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<30x64xbf16>, memref<64x128xbf16>) outs(%c : memref<30x128xf32>) {
  ^bb0(%x: bf16, %y: bf16, %acc: f32):
    %p = arith.extf %x : bf16 to f32
    %q = arith.extf %y : bf16 to f32
    %r = arith.mulf %p, %q : f32
    %s = arith.addf %acc, %r : f32
    linalg.yield %s : f32
  }
  func.return
}

// The steps are not neighbors in the left matrix: two of them are put side by side for the rows of a tile.
// SCHEDULE-LABEL: func.func @transposed
// SCHEDULE: instruction = vdpbf16ps, tiles = <shape = [6, 64], pack = both, steps = 1024
// CHECK-LABEL: func.func @transposed
// CHECK: %[[ROWS:.*]] = "memref.cast"{{.*}} : (memref<576xbf16>) -> memref<?xbf16>
// CHECK-COUNT-2: vector.load %{{.*}} : memref<?xbf16>, vector<6xbf16>
// CHECK: vector.store %{{.*}}, %[[ROWS]]{{.*}} : memref<?xbf16>, vector<12xbf16>
// CHECK: func.call @relax.contract.vdpbf16ps.6x64.16.bf16.extf.f32.bf16.extf.f32.f32.whole.by2.6.64(%[[ROWS]],
func.func @transposed(%a: memref<64x30xbf16>, %b: memref<64x128xbf16>, %c: memref<30x128xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<64x30xbf16>, memref<64x128xbf16>) outs(%c : memref<30x128xf32>) {
  ^bb0(%x: bf16, %y: bf16, %acc: f32):
    %p = arith.extf %x : bf16 to f32
    %q = arith.extf %y : bf16 to f32
    %r = arith.mulf %p, %q : f32
    %s = arith.addf %acc, %r : f32
    linalg.yield %s : f32
  }
  func.return
}

// With two rows the right matrix is read in place; the product of a last step alone has a zero beside it.
// SCHEDULE-LABEL: func.func @two_rows
// SCHEDULE: instruction = vdpbf16ps, skinny = <rows = [2]
// CHECK-LABEL: func.func @two_rows
// CHECK: func.call @relax.contract.vdpbf16ps.columns.2x8.16.bf16.extf.f32.bf16.extf.f32.f32(
func.func @two_rows(%a: memref<2x65xbf16>, %b: memref<65x128xbf16>, %c: memref<2x128xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<2x65xbf16>, memref<65x128xbf16>) outs(%c : memref<2x128xf32>) {
  ^bb0(%x: bf16, %y: bf16, %acc: f32):
    %p = arith.extf %x : bf16 to f32
    %q = arith.extf %y : bf16 to f32
    %r = arith.mulf %p, %q : f32
    %s = arith.addf %acc, %r : f32
    linalg.yield %s : f32
  }
  func.return
}

// f16 has no such instruction: the rows of a tile are converted once for all of its columns.
// SCHEDULE-LABEL: func.func @f16
// SCHEDULE-NOT: instruction
// SCHEDULE: tiles = <shape = [6, 64], pack = both, steps = 512
// CHECK-LABEL: func.func @f16
// CHECK: %[[ROWS:.*]] = "memref.cast"{{.*}} : (memref<576xf32>) -> memref<?xf32>
// CHECK: vector.store %{{.*}}, %[[ROWS]]
// CHECK: func.call @relax.contract.6x64.16.f32.f32.f32.whole.by2.1.64(%[[ROWS]],
func.func @f16(%a: memref<30x64xf16>, %b: memref<64x128xf16>, %c: memref<30x128xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<30x64xf16>, memref<64x128xf16>) outs(%c : memref<30x128xf32>) {
  ^bb0(%x: f16, %y: f16, %acc: f32):
    %p = arith.extf %x : f16 to f32
    %q = arith.extf %y : f16 to f32
    %r = arith.mulf %p, %q : f32
    %s = arith.addf %acc, %r : f32
    linalg.yield %s : f32
  }
  func.return
}

// CHECK-LABEL: func.func private @relax.contract.vdpbf16ps.6x64.16.bf16.extf.f32.bf16.extf.f32.f32.whole.by2.1.64(
// CHECK: scf.for
// CHECK: %[[B:.*]] = vector.load {{.*}} : memref<?xbf16>, vector<32xbf16>
// CHECK: %[[GROUP:.*]] = vector.load {{.*}} : memref<?xbf16>, vector<2xbf16>
// CHECK: %[[LANE:.*]] = vector.bitcast %[[GROUP]] : vector<2xbf16> to vector<1xi32>
// CHECK: %[[SCALAR:.*]] = vector.extract %[[LANE]][0]
// CHECK: %[[SPREAD:.*]] = vector.broadcast %[[SCALAR]] : i32 to vector<16xi32>
// CHECK: %[[A:.*]] = vector.bitcast %[[SPREAD]] : vector<16xi32> to vector<32xbf16>
// CHECK: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"({{.*}}, %[[A]], %[[B]])

// CHECK-LABEL: func.func private @relax.contract.vdpbf16ps.columns.2x8
// CHECK: vector.maskedload {{.*}} vector<2xbf16>

// A packed matrix of bf16 times f32: the halves of each lane are two steps, which a shift and a mask convert.
// PAIRS-LABEL: func.func private @relax.contract.grouped.
// PAIRS: %[[LOADED:.*]] = vector.load {{.*}} : memref<?xbf16>, vector<32xbf16>
// PAIRS: %[[LANES:.*]] = vector.bitcast %[[LOADED]] : vector<32xbf16> to vector<16xi32>
// PAIRS: arith.shli %[[LANES]]
// PAIRS: arith.andi
func.func @pairs(%a: memref<30x65xf32>, %b: memref<2x33x64x2xbf16>, %c: memref<30x100xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 64, k floordiv 2, n mod 64, k mod 2)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<30x65xf32>, memref<2x33x64x2xbf16>) outs(%c : memref<30x100xf32>) {
  ^bb0(%x: f32, %y: bf16, %acc: f32):
    %q = arith.extf %y : bf16 to f32
    %r = arith.mulf %x, %q : f32
    %s = arith.addf %acc, %r : f32
    linalg.yield %s : f32
  }
  func.return
}
