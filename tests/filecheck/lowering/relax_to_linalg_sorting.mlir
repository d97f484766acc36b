// RUN: relax-opt %s -p relax-to-linalg | filecheck %s

// A merge sort of indices in one buffer of two halves: passes, pairs of runs, items.
// CHECK-LABEL: func.func @sort(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<7xf32>
// CHECK:         %[[WORK:.*]] = tensor.empty() : tensor<14xi64>
// CHECK:         scf.while
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               arith.cmpf uno
// CHECK:               arith.cmpf olt
// CHECK:               tensor.insert
// CHECK:         linalg.generic
// CHECK:           tensor.extract %[[X]]
func.func @sort(%x: tensor<7xf32>) -> tensor<7xf32> {
  %y = relax.sort %x : (tensor<7xf32>) -> tensor<7xf32>
  return %y : tensor<7xf32>
}

// Unsigned integers are compared as such, and have no NaN.
// CHECK-LABEL: func.func @argsort(
// CHECK-NOT:     arith.cmpf
// CHECK:         arith.cmpi ult
// CHECK-NOT:     arith.cmpf
// CHECK:         arith.trunci {{.*}} : i64 to i32
func.func @argsort(%x: tensor<7xui8>) -> tensor<7xi32> {
  %y = relax.argsort %x : (tensor<7xui8>) -> tensor<7xi32>
  return %y : tensor<7xi32>
}

// CHECK-LABEL: func.func @topk(
// CHECK:         %[[FIRST:.*]] = tensor.extract_slice %{{.*}}[0] [%[[K:[0-9]+]]] [1] : tensor<?xi64> to tensor<?xi64>
// CHECK:         tensor.empty(%[[K]]) : tensor<?xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[FIRST]]
func.func @topk(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<min(3, n)>> {
  %y = relax.topk %x {k = 3 : i64, ret_type = "values"} : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<min(3, n)>>
  return %y : tensor<?xf32, #relax.sym<min(3, n)>>
}
