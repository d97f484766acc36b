// RUN: relax-opt %s -p split-at-sizes | filecheck %s

// The first step finds the size, the second one gets memory for it; constants and sizes are computed again.
// CHECK-LABEL: func.func @ones.step(
// CHECK-SAME: %[[X:x]]: tensor<?xi64> {relax.dims = ["n"]}) -> index
// CHECK-SAME: relax.step_of = "ones", relax.step_arguments = array<i64: 0>}
// CHECK: %[[ELEMENT:.*]] = tensor.extract %[[X]]
// CHECK: %[[SIZE:.*]] = arith.index_cast %[[ELEMENT]]
// CHECK-NOT: tensor.empty
// CHECK: func.return %[[SIZE]] : index
// CHECK-LABEL: func.func @ones.step_1(
// CHECK-SAME: %[[N:.*]]: index) -> tensor<?xf32>
// CHECK-SAME: relax.step_of = "ones", relax.step_arguments = array<i64: 1>, relax.step_results = array<i64: 2>}
// CHECK: %[[F:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: %[[MORE:.*]] = arith.addi %[[N]]
// CHECK: %[[E:.*]] = tensor.empty(%[[MORE]])
// CHECK: %[[R:.*]] = linalg.fill ins(%[[F]] : f32) outs(%[[E]]
// CHECK: func.return %[[R]]
func.func @ones(%x: tensor<?xi64> {relax.dims = ["n"]}) -> tensor<?xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  %v = tensor.extract %x[%zero] : tensor<?xi64>
  %n = arith.index_cast %v : i64 to index
  %more = arith.addi %n, %one : index
  %e = tensor.empty(%more) : tensor<?xf32>
  %r = linalg.fill ins(%f : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// What a size does not depend on is computed where it is read; an assertion holds before memory is asked for.
// CHECK-LABEL: func.func @late.step(
// CHECK-SAME: -> index
// CHECK-NOT: math.exp
// CHECK: cf.assert
// CHECK-LABEL: func.func @late.step_1(
// CHECK-SAME: tensor<4xf32>, %{{.*}}: index)
// CHECK-NOT: cf.assert
// CHECK: math.exp
func.func @late(%x: tensor<1xi64>, %y: tensor<4xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0 : index
  %most = arith.constant 100 : index
  %z = math.exp %y : tensor<4xf32>
  %v = tensor.extract %x[%zero] : tensor<1xi64>
  %n = arith.index_cast %v : i64 to index
  %first = tensor.extract %z[%zero] : tensor<4xf32>
  %r = tensor.splat %first[%n] : tensor<?xf32>
  %holds = arith.cmpi sle, %n, %most : index
  cf.assert %holds, "at most 100"
  return %r : tensor<?xf32>
}

// A bound is enough: nothing is split.
// CHECK-LABEL: func.func @bounded(
// CHECK-NOT: relax.step_of
func.func @bounded(%x: tensor<?xi64>) -> tensor<?xf32> {
  %zero = arith.constant 0 : index
  %f = arith.constant 1.0 : f32
  %most = tensor.dim %x, %zero : tensor<?xi64>
  %v = tensor.extract %x[%zero] : tensor<?xi64>
  %some = arith.index_cast %v : i64 to index
  %n = arith.minsi %some, %most : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.fill ins(%f : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// A size that a branch finds is found in a branch before it, with what guards it; the other branch has none.
// CHECK-LABEL: func.func @branch.step(
// CHECK: %[[N:.*]] = scf.if %c -> (index) {
// CHECK: %[[ELEMENT:.*]] = tensor.extract %x
// CHECK: %[[SIZE:.*]] = arith.index_cast %[[ELEMENT]]
// CHECK: cf.assert
// CHECK: scf.yield %[[SIZE]] : index
// CHECK: } else {
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT: scf.yield %[[ZERO]] : index
// CHECK: func.return %[[N]] : index
// CHECK-LABEL: func.func @branch.step_1(
// CHECK-SAME: %{{.*}}: i1, %[[KNOWN:.*]]: index)
// CHECK: scf.if
// CHECK-NOT: cf.assert
// CHECK-NOT: tensor.extract
// CHECK: tensor.empty(%[[KNOWN]])
func.func @branch(%x: tensor<1xi64>, %c: i1) -> tensor<?xf32> {
  %zero = arith.constant 0 : index
  %r = scf.if %c -> (tensor<?xf32>) {
    %v = tensor.extract %x[%zero] : tensor<1xi64>
    %n = arith.index_cast %v : i64 to index
    %positive = arith.cmpi sge, %n, %zero : index
    cf.assert %positive, "negative"
    %e = tensor.empty(%n) : tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  } else {
    %e = tensor.empty(%zero) : tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
