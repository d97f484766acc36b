// RUN: relax-opt %s -p relax-lazy-set-output | filecheck %s

// Each result is handed over right after it is computed, arguments first.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[F:[^:]+]]: !relax.object, %[[W:[^:]+]]: tensor<4xf32>) attributes {relax.num_input = 1 : i64}
// CHECK-NEXT: %[[I2:.*]] = arith.constant 2 : i64
// CHECK-NEXT: relax.invoke_closure %[[F]], %[[I2]], %[[W]] :
// CHECK-NEXT: %[[A:.*]] = relax.negative %[[W]]
// CHECK-NEXT: %[[I0:.*]] = arith.constant 0 : i64
// CHECK-NEXT: relax.invoke_closure %[[F]], %[[I0]], %[[A]] :
// CHECK-NEXT: %[[I3:.*]] = arith.constant 3 : i64
// CHECK-NEXT: relax.invoke_closure %[[F]], %[[I3]], %[[A]] :
// CHECK-NEXT: %[[B:.*]] = relax.abs %[[A]]
// CHECK-NEXT: %[[I1:.*]] = arith.constant 1 : i64
// CHECK-NEXT: relax.invoke_closure %[[F]], %[[I1]], %[[B]] :
// CHECK-NEXT: return
// CHECK-NEXT: }
func.func @main(%w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {relax.num_input = 0 : i64} {
  %r, %s = relax.dataflow {
    %a = relax.negative %w : (tensor<4xf32>) -> tensor<4xf32>
    %b = relax.abs %a : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %a, %b : tensor<4xf32>, tensor<4xf32>
  } : tensor<4xf32>, tensor<4xf32>
  return %r, %s, %w, %r : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// The fields of the one tuple that is returned; the position without relax.num_input is the end.
// CHECK-LABEL: func.func @tuple(
// CHECK-SAME: %[[X:[^:]+]]: tensor<4xf32>, %[[F:[^:]+]]: !relax.object) {
// CHECK-COUNT-2: relax.invoke_closure %[[F]], %{{.*}}, %[[X]]
// CHECK-NOT: relax.tuple
// CHECK: return
func.func @tuple(%x: tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>> {
  %t = relax.tuple %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  return %t : tuple<tensor<4xf32>, tensor<4xf32>>
}

// A private function returns as before.
// CHECK-LABEL: func.func private @private(
// CHECK-NOT: relax.invoke_closure
func.func private @private(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// Arguments are handed over in their order, not in that of the results.
// CHECK-LABEL: func.func @arguments(
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-NEXT: relax.invoke_closure %fset_output, %[[ONE]], %v :
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-NEXT: relax.invoke_closure %fset_output, %[[ZERO]], %w :
func.func @arguments(%v: tensor<4xf32>, %w: tensor<8xf32>) -> (tensor<8xf32>, tensor<4xf32>) attributes {relax.num_input = 0 : i64} {
  return %w, %v : tensor<8xf32>, tensor<4xf32>
}

// A tuple behind casts is handed over by fields: those of the tuple where the cast says no more, else those of the cast.
// CHECK-LABEL: func.func @forgotten(
// CHECK: %[[A:.*]] = relax.exp
// CHECK: relax.invoke_closure %{{.*}}, %{{.*}}, %[[A]]
// CHECK-NOT: relax.tuple
// CHECK: func.return
func.func @forgotten(%w: tensor<4xf32>) -> tuple<tensor<?xf32>, tensor<?xf32>> {
  %a = relax.exp %w : (tensor<4xf32>) -> tensor<4xf32>
  %t = relax.tuple %a, %w : (tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  %c = relax.match_cast %t : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tuple<tensor<?xf32>, tensor<?xf32>>
  return %c : tuple<tensor<?xf32>, tensor<?xf32>>
}

// CHECK-LABEL: func.func @asserted(
// CHECK: %[[C:.*]] = relax.match_cast
// CHECK: %[[F:.*]] = relax.tuple_get_item %[[C]] {index = 0 : i64}
// CHECK: relax.invoke_closure %{{.*}}, %{{.*}}, %[[F]]
func.func @asserted(%w: tensor<?xf32>) -> tuple<tensor<4xf32>, tensor<?xf32>> {
  %a = relax.exp %w : (tensor<?xf32>) -> tensor<?xf32>
  %t = relax.tuple %a, %w : (tensor<?xf32>, tensor<?xf32>) -> tuple<tensor<?xf32>, tensor<?xf32>>
  %c = relax.match_cast %t : (tuple<tensor<?xf32>, tensor<?xf32>>) -> tuple<tensor<4xf32>, tensor<?xf32>>
  return %c : tuple<tensor<4xf32>, tensor<?xf32>>
}

// A tuple that comes from elsewhere is one result.
// CHECK-LABEL: func.func @whole(
// CHECK: relax.invoke_closure %{{.*}}, %{{.*}}, %t : (!relax.object, i64, tuple<tensor<4xf32>>)
func.func @whole(%t: tuple<tensor<4xf32>>) -> tuple<tensor<4xf32>> {
  return %t : tuple<tensor<4xf32>>
}
