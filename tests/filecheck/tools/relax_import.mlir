// RUN: relax-import tvm %S/Inputs/kernels.py -o %t.mlir
// RUN: filecheck %s --input-file %t.mlir
// RUN: relax-opt %t.mlir -p relax-fuse-ops | filecheck %s --check-prefix=FUSED
// RUN: not relax-run %t.mlir --backend interpret 2>&1 | filecheck %s --check-prefix=MISSING
// REQUIRES: tvm

// Calls of kernels that have code say how fusion may treat them, others do not.
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    relax.dataflow {
// CHECK-NEXT:      %[[SUM:[a-z0-9_]+]] = func.call @add(%x, %b) {op_pattern = 1 : i64} :
// CHECK-NEXT:      %[[PRODUCT:[a-z0-9_]+]] = func.call @matmul(%[[SUM]], %w) {op_pattern = 4 : i64} :
// CHECK:           %[[PREFIX:[a-z0-9_]+]] = func.call @prefix_sum(%{{[a-z0-9_]+}}) :
// CHECK-NEXT:      func.call @foreign(%[[PREFIX]]) :

// A broadcast is in the maps.
// CHECK-LABEL: func.func private @add(
// CHECK-SAME:    relax.op_pattern = 1 : i64, relax.primitive
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %y :
// CHECK:           arith.addf

// What has no counterpart says why, and is no kernel.
// CHECK-LABEL: func.func private @foreign(
// CHECK-NOT:     relax.primitive
// CHECK:         relax.call_dps_packed %{{.*}} {callee = "foreign", relax.opaque = "a call of call_pure_extern has no counterpart"}

// A contraction starts from a fill.
// CHECK-LABEL: func.func private @matmul(
// CHECK:         %[[ZERO:[0-9]+]] = linalg.fill
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : {{.*}}) outs(%[[ZERO]] :

// What may be out of bounds is read in a branch.
// CHECK-LABEL: func.func private @pad(
// CHECK:         linalg.generic
// CHECK:           scf.if
// CHECK:             tensor.extract %x

// An algorithm that is sequential is a loop over tensors.
// CHECK-LABEL: func.func private @prefix_sum(
// CHECK-NOT:     linalg.generic
// CHECK:         scf.for
// CHECK:           tensor.insert

// Blocks in sequence are ops in sequence, buffers between them tensors.
// CHECK-LABEL: func.func private @softmax(
// CHECK:         %[[TOTAL:[0-9]+]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK:         linalg.generic {{.*}} ins(%x, %[[TOTAL]] :

// A place that is data is read in the body.
// CHECK-LABEL: func.func private @take(
// CHECK:         linalg.generic {{.*}} ins(%k :
// CHECK:           tensor.extract %x

// FUSED-LABEL: func.func @main(
// FUSED:         func.call @fused_pad_take(%{{.*}}, %k) :
// FUSED-LABEL: func.func private @fused_pad_take(

// MISSING: no packed function is registered as 'foreign': a call of call_pure_extern has no counterpart
