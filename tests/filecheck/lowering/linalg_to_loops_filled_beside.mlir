// RUN: relax-opt %s -p schedule-linalg,linalg-to-loops | filecheck %s

// The kernel of the first tile reads rows of B in place and copies them to the panel, which all others read.
// CHECK-LABEL: func.func @filled_beside
// CHECK:         %[[STACK:.*]] = memref.alloca()
// CHECK:         %[[PANEL:.*]] = "memref.cast"(%[[STACK]])
// CHECK-NOT:     vector.store
// CHECK:         %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : index
// CHECK-NEXT:    scf.if %[[FIRST]] {
// CHECK:           func.call @[[COPYING:relax.contract.4x16[a-z0-9.]*.copy]](%{{.*}}, %[[PANEL]], %{{.*}})
// CHECK:         } else {
// CHECK-NOT:       .copy
// CHECK:           func.call @relax.contract.4x16[[REST:[a-z0-9.]*]](%{{.*}}, %[[PANEL]], %{{.*}})
// CHECK:       func.func private @[[COPYING]]
// CHECK:         scf.for
// CHECK-COUNT-2:   vector.store
// CHECK-COUNT-8:   vector.fma
// CHECK-NOT:       vector.store
// CHECK:           scf.yield
#lhs = affine_map<(d0, d1, d2) -> (d0, d2)>
#rhs = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @filled_beside(%x: memref<12x64xf32>, %w: memref<64x48xf32>, %y: memref<12x48xf32>) {
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<12x64xf32>, memref<64x48xf32>) outs(%y : memref<12x48xf32>) attrs = {relax.schedule = #relax.schedule<contraction, loops = [0, 1, 2], lanes = 8, row = 0, tiles = <shape = [4, 16], pack = rhs, steps = 64, filled = beside>>} {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  }
  func.return
}
