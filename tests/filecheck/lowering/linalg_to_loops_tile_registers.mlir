// RUN: relax-opt %s -p 'schedule-linalg{target=sapphirerapids}' | filecheck %s --check-prefix=SCHEDULE
// RUN: relax-opt %s -p 'schedule-linalg{target=sapphirerapids},linalg-to-loops' | filecheck %s
// RUN: relax-opt %s -p 'schedule-linalg{target=znver4},linalg-to-loops' | filecheck %s --check-prefix=WITHOUT

// WITHOUT-NOT: llvm.x86.tile

// Groups of two rows of the right matrix lie side by side in a panel of 64 columns; rows of the left one are read in place, 17
// and 16. The registers are told their shapes for both.
// SCHEDULE-LABEL: func.func @products
// SCHEDULE: #relax.schedule<contraction, loops = [0, 1, 2], lanes = 16, row = 0, tiles = <shape = [17, 64], pack = rhs, steps = 4096, instruction = tdpbf16ps>>
// CHECK-LABEL: func.func @products
// CHECK: llvm.call_intrinsic "llvm.x86.ldtilecfg"
// CHECK: func.call @relax.contract.tdpbf16ps.2x2.64(
// CHECK: llvm.call_intrinsic "llvm.x86.ldtilecfg"
// CHECK: func.call @relax.contract.tdpbf16ps.1x4.64(
// CHECK: llvm.call_intrinsic "llvm.x86.tilerelease"
func.func @products(%a: memref<33x64xbf16>, %b: memref<64x128xbf16>, %c: memref<33x128xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<33x64xbf16>, memref<64x128xbf16>) outs(%c : memref<33x128xf32>) {
  ^bb0(%x: bf16, %y: bf16, %acc: f32):
    %p = arith.extf %x : bf16 to f32
    %q = arith.extf %y : bf16 to f32
    %r = arith.mulf %p, %q : f32
    %s = arith.addf %acc, %r : f32
    linalg.yield %s : f32
  }
  func.return
}

// A packed matrix is read where it lies, rows of the other one are copied. Its 65 steps leave one, for which there are copies with zeros behind it. Signs choose the instruction.
// SCHEDULE-LABEL: func.func @packed
// SCHEDULE: tiles = <shape = [16, 256], pack = lhs, steps = {{[0-9]+}}, grain = 1, instruction = tdpbsud
// CHECK-LABEL: func.func @packed
// CHECK: func.call @relax.contract.tdpbsud.1x4.64.rest(
func.func @packed(%a: memref<16x65xi8>, %b: memref<7x17x64x4xi8>, %c: memref<16x400xi32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 64, k floordiv 4, n mod 64, k mod 4)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<16x65xi8>, memref<7x17x64x4xi8>) outs(%c : memref<16x400xi32>) {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extsi %x : i8 to i32
    %q = arith.extui %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  func.return
}

// Rows of 128 bytes are read in place where the first begins at a line of the cache, else they are copied.
// SCHEDULE-LABEL: func.func @in_place
// SCHEDULE: tiles = <shape = [32, 128], pack = lhs, steps = {{[0-9]+}}, grain = 1, instruction = tdpbf16ps
// CHECK-LABEL: func.func @in_place
// CHECK: %[[AT_LINE:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : index
// CHECK: scf.if %[[AT_LINE]] {
// CHECK: func.call @relax.contract.tdpbf16ps.2x2.64(
// CHECK: } else {
// CHECK: vector.store
// CHECK: func.call @relax.contract.tdpbf16ps.2x2.64(
func.func @in_place(%a: memref<32x64xbf16>, %b: memref<4x32x64x2xbf16>, %c: memref<32x256xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 64, k floordiv 2, n mod 64, k mod 2)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<32x64xbf16>, memref<4x32x64x2xbf16>) outs(%c : memref<32x256xf32>) {
  ^bb0(%x: bf16, %y: bf16, %acc: f32):
    %p = arith.extf %x : bf16 to f32
    %q = arith.extf %y : bf16 to f32
    %r = arith.mulf %p, %q : f32
    %s = arith.addf %acc, %r : f32
    linalg.yield %s : f32
  }
  func.return
}

// A window of 3x3 is one call: the kernel has the loop over the rows of the window itself, and panels hold the lines of a tile one after the other.
// SCHEDULE-LABEL: func.func @window
// SCHEDULE: tiles = <shape = [28, 32], pack = rhs, steps = {{[0-9]+}}, panel = 2, panels = 3, {{.*}}instruction = tdpbusd
// CHECK-LABEL: func.func @window
// CHECK-COUNT-1: func.call @relax.contract.tdpbusd.2x2.16.by.3(
func.func @window(%a: memref<30x30x64xi8>, %b: memref<32x3x3x64xi8>, %c: memref<28x28x32xi32>) {
  %zero = arith.constant 0 : i32
  linalg.fill ins(%zero : i32) outs(%c : memref<28x28x32xi32>)
  linalg.generic {indexing_maps = [affine_map<(h, w, n, i, j, k) -> (h + i, w + j, k)>, affine_map<(h, w, n, i, j, k) -> (n, i, j, k)>, affine_map<(h, w, n, i, j, k) -> (h, w, n)>],
                  iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%a, %b : memref<30x30x64xi8>, memref<32x3x3x64xi8>) outs(%c : memref<28x28x32xi32>) {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  func.return
}

// Weights that exceed the second-level cache: 49 rows take them block by block, with all steps.
// SCHEDULE-LABEL: func.func @stream
// SCHEDULE: tiles = <shape = [25, 128], pack = lhs, steps = 262144,
func.func @stream(%a: memref<49x4608xi8>, %b: memref<8x1152x64x4xi8>, %c: memref<49x512xi32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n floordiv 64, k floordiv 4, n mod 64, k mod 4)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<49x4608xi8>, memref<8x1152x64x4xi8>) outs(%c : memref<49x512xi32>) {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  func.return
}

// Only the conversion reads the sums: they stay on the stack, and the buffer of the product is not touched.
// SCHEDULE-LABEL: func.func @rounded
// SCHEDULE: sums = stack
// CHECK-LABEL: func.func @rounded
// CHECK: %[[SUMS:.*]] = "memref.cast"(%{{.*}}) : (memref<{{.*}}xf32>) -> memref<?xf32>
// CHECK: func.call @relax.contract.tdpbf16ps.2x2.64(%{{.*}}, %[[SUMS]],
// CHECK: %[[VIEW:.*]] = memref.reinterpret_cast %[[SUMS]]
// CHECK: %[[SUM:.*]] = vector.load %[[VIEW]]
// CHECK: arith.truncf %[[SUM]]
func.func @rounded(%a: memref<32x64xbf16>, %b: memref<64x128xbf16>, %d: memref<32x128xbf16>, %space: memref<16384xi8>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %c = memref.view %space[%c0][] : memref<16384xi8> to memref<32x128xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<32x128xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<32x64xbf16>, memref<64x128xbf16>) outs(%c : memref<32x128xf32>) {
  ^bb0(%x: bf16, %y: bf16, %acc: f32):
    %p = arith.extf %x : bf16 to f32
    %q = arith.extf %y : bf16 to f32
    %r = arith.mulf %p, %q : f32
    %s = arith.addf %acc, %r : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%c : memref<32x128xf32>) outs(%d : memref<32x128xbf16>) {
  ^bb0(%x: f32, %y: bf16):
    %r = arith.truncf %x : f32 to bf16
    linalg.yield %r : bf16
  }
  func.return
}

// Kernels in blocks of 16 channels, of which four input channels lie together, are read where they lie. Threads share rows of images, two at a time. The epilogue of 28
// pixels and 32 channels runs in the loop over steps of the next, four pixels for each of the nine; that of the last follows.
// SCHEDULE-LABEL: func.func @pixels
// SCHEDULE: row = 1, tiles = <shape = [28, 64], pack = none, steps = {{[0-9]+}}, panel = 2, outer_rows = 2, grain = {{[0-9]+}}, instruction = tdpbusd, sums = pipelined>>
// CHECK-LABEL: func.func @pixels
// CHECK: scf.parallel
// CHECK-NEXT: ^bb0(%[[BLOCK:.*]]: index):
// CHECK-NEXT: %[[FIRST:.*]] = arith.muli %[[BLOCK]], %[[TWO:.*]] : index
// CHECK-NEXT: %[[LAST:.*]] = arith.addi %[[FIRST]], %[[TWO]] : index
// CHECK-NEXT: arith.minsi %[[LAST]], %{{.*}} : index
// CHECK: %[[SUMS:.*]] = "memref.cast"(%{{.*}}) : (memref<1024xi32>) -> memref<?xi32>
// CHECK-COUNT-1: llvm.call_intrinsic "llvm.x86.ldtilecfg"
// CHECK: scf.for %[[STAGE:.*]] =
// CHECK-NEXT: %[[HAS_PREVIOUS:.*]] = arith.cmpi slt, %{{.*}}, %[[STAGE]] : index
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tilezero"
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tdpbusd"
// CHECK: %[[RUNS:.*]] = arith.andi %[[HAS_PREVIOUS]], %{{.*}} : i1
// CHECK-NEXT: scf.if %[[RUNS]] {
// CHECK-COUNT-2: arith.trunci {{.*}} : vector<16xi32> to vector<16xi8>
// CHECK: } {relax.no_unroll}
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tilestored64"
// CHECK: llvm.call_intrinsic "llvm.x86.tilerelease"
// CHECK: scf.if
// CHECK-COUNT-2: arith.trunci {{.*}} : vector<16xi32> to vector<16xi8>
// CHECK-NOT: llvm.call_intrinsic
func.func @pixels(%a: memref<58x58x64xi8>, %b: memref<4x3x3x16x16x4xi8>, %d: memref<56x56x64xi8>, %space: memref<802816xi8>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %c = memref.view %space[%c0][] : memref<802816xi8> to memref<56x56x64xi32>
  linalg.fill ins(%zero : i32) outs(%c : memref<56x56x64xi32>)
  linalg.generic {indexing_maps = [affine_map<(h, w, n, i, j, k) -> (h + i, w + j, k)>, affine_map<(h, w, n, i, j, k) -> (n floordiv 16, i, j, k floordiv 4, n mod 16, k mod 4)>, affine_map<(h, w, n, i, j, k) -> (h, w, n)>],
                  iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%a, %b : memref<58x58x64xi8>, memref<4x3x3x16x16x4xi8>) outs(%c : memref<56x56x64xi32>) {
  ^bb0(%x: i8, %y: i8, %acc: i32):
    %p = arith.extui %x : i8 to i32
    %q = arith.extsi %y : i8 to i32
    %r = arith.muli %p, %q : i32
    %s = arith.addi %acc, %r : i32
    linalg.yield %s : i32
  }
  linalg.generic {indexing_maps = [affine_map<(h, w, n) -> (h, w, n)>, affine_map<(h, w, n) -> (h, w, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c : memref<56x56x64xi32>) outs(%d : memref<56x56x64xi8>) {
  ^bb0(%x: i32, %y: i8):
    %r = arith.trunci %x : i32 to i8
    linalg.yield %r : i8
  }
  func.return
}

// 2 x 2 tiles of sums, from two tiles of each factor.
// CHECK-LABEL: func.func private @relax.contract.tdpbf16ps.2x2.64(
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tileloadd64"
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tilezero"
// CHECK: scf.for
// CHECK-COUNT-3: llvm.call_intrinsic "llvm.x86.tileloadd64"
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.tdpbf16ps"
// CHECK: llvm.call_intrinsic "llvm.x86.tileloadd64"
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.x86.tdpbf16ps"
// CHECK: scf.if
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tilestored64"
