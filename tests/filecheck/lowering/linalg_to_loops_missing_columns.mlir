// RUN: relax-opt %s -p schedule-linalg{target=x86-64-v3},linalg-to-loops | filecheck %s

// Of 60 columns the last tile of 16 has twelve, in both of its vectors. All tiles have one kernel, which masks what it stores only there.
// CHECK-LABEL: func.func @product(
// CHECK:       func.func private @relax.contract.{{[0-9]+}}x16.8{{[a-z0-9.]*}}(
// CHECK:         %[[WIDTH:.*]] = arith.constant 16 : index
// CHECK:         %[[MISSING:.*]] = arith.cmpi slt, %{{.*}}, %[[WIDTH]] : index
// CHECK-NEXT:    scf.if %[[MISSING]] {
// CHECK:           scf.if %[[FIRST:.*]] {
// CHECK:             vector.maskedstore
// CHECK:           } else {
// CHECK:             vector.maskedstore
// CHECK:         } else {
// CHECK-NEXT:      scf.if %[[FIRST]] {
// CHECK-NOT:         masked
// CHECK:             vector.store
#lhs = affine_map<(d0, d1, d2) -> (d0, d2)>
#rhs = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @product(%x: memref<1000x64xf32>, %w: memref<64x60xf32>, %y: memref<1000x60xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<1000x60xf32>)
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : memref<1000x64xf32>, memref<64x60xf32>) outs(%y : memref<1000x60xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  }
  return
}
