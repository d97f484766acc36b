// RUN: relax-opt %s -p schedule-linalg,linalg-to-loops | filecheck %s

// B is copied to a panel on the stack by the first tile; tiles of rows call one kernel, the rest of the rows a smaller one; the fill
// before is not executed. The activation runs on each tile.

// CHECK-LABEL: func.func @linear
// CHECK-NOT:     linalg
// CHECK:         %[[STACK:.*]] = memref.alloca()
// CHECK:         %[[PANEL:.*]] = "memref.cast"(%[[STACK]])
// CHECK-NOT:     vector.store
// CHECK:         scf.for
// CHECK:           func.call @relax.contract.6x64[[TYPES:[a-z0-9.]*]].copy(%{{.*}}, %[[PANEL]], %{{[a-z0-9]+}}, %{{[a-z0-9]+}})
// CHECK:           func.call @relax.contract.4x64
// CHECK:           func.call @[[TILE:relax.contract.6x64[a-z0-9.]*]](%{{.*}}, %[[PANEL]]
// CHECK:           scf.for
// CHECK-COUNT-4:     arith.maximumf
// CHECK-NOT:       arith.maximumf
// CHECK-LABEL: func.func @packed
// CHECK-NOT:     memref.alloca
// CHECK:         arith.minsi
// CHECK:         func.call @[[FETCHING:relax.contract.6x64[a-z0-9.]*.fetch1]](
// Two rows of 28 pixels share a panel of 64 columns: its last 8 are zeros in every step, so that no product meets what the stack holds.
// CHECK-LABEL: func.func @joined_rows
// CHECK:         %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK:         %[[STACK:.*]] = memref.alloca()
// CHECK:         %[[PANEL:.*]] = "memref.cast"(%[[STACK]])
// CHECK:         scf.for %[[STEP:.*]] = %{{.*}} to %{{.*}} step
// CHECK-NEXT:      %[[ROW:.*]] = arith.muli %[[STEP]], %{{.*}}
// CHECK-NEXT:      %[[LAST:.*]] = arith.addi %[[ROW]], %{{.*}}
// CHECK-NEXT:      vector.store %[[ZERO]], %[[PANEL]][%[[LAST]]]
// CHECK-LABEL: func.func @full_joined_rows
// CHECK:         "memref.cast"
// CHECK-NEXT:    arith.
// CHECK-LABEL: func.func @small
// CHECK-NOT:     func.call
// CHECK:         func.return
// CHECK:       func.func private @[[TILE]]
// CHECK-SAME:    relax.no_inline
// CHECK:         scf.for
// Two steps an iteration.
// CHECK-COUNT-48:  vector.fma
// CHECK-NEXT:      scf.yield
// B in blocks: each iteration fetches a line of the panel behind the one in use.
// CHECK:       func.func private @[[FETCHING]]
// CHECK:         scf.for
// CHECK:           llvm.call_intrinsic "llvm.prefetch.p0"
// CHECK-NOT:       llvm.prefetch
// CHECK:           scf.yield
#lhs = affine_map<(d0, d1, d2) -> (d0, d2)>
#rhs = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
#packed = affine_map<(d0, d1, d2) -> (d1 floordiv 64, d2, d1 mod 64)>
#pixels = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d1 + d4, d2 + d5)>
#taps = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d4, d5)>
#result = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @linear(%x: memref<1000x64xf32>, %w: memref<64x128xf32>, %y: memref<1000x128xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<1000x128xf32>)
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<1000x64xf32>, memref<64x128xf32>) outs(%y : memref<1000x128xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%y : memref<1000x128xf32>) outs(%y : memref<1000x128xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.maximumf %a, %zero : f32
    linalg.yield %r : f32
  }
  func.return
}
func.func @packed(%x: memref<1000x64xf32>, %w: memref<2x64x64xf32>, %y: memref<1000x128xf32>) {
  linalg.generic {indexing_maps = [#lhs, #packed, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<1000x64xf32>, memref<2x64x64xf32>) outs(%y : memref<1000x128xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
func.func @joined_rows(%x: memref<16x30x30xf32>, %w: memref<32x16x3x3xf32>, %y: memref<32x28x28xf32>) {
  linalg.generic {indexing_maps = [#pixels, #taps, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : memref<16x30x30xf32>, memref<32x16x3x3xf32>) outs(%y : memref<32x28x28xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
func.func @full_joined_rows(%x: memref<16x34x34xf32>, %w: memref<32x16x3x3xf32>, %y: memref<32x32x32xf32>) {
  linalg.generic {indexing_maps = [#pixels, #taps, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %w : memref<16x34x34xf32>, memref<32x16x3x3xf32>) outs(%y : memref<32x32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
func.func @small(%x: memref<4x4xf32>, %w: memref<4x4xf32>, %y: memref<4x4xf32>) {
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<4x4xf32>, memref<4x4xf32>) outs(%y : memref<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
