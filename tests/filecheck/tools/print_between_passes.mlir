// RUN: relax-opt %s -p canonicalize,cse --print-between-passes 2>&1 >/dev/null | filecheck %s
// RUN: relax-opt %s -p canonicalize,cse --time-passes 2>&1 >/dev/null | filecheck %s --check-prefix=TIME

// CHECK:      // IR after canonicalize:
// CHECK-COUNT-2: arith.muli
// CHECK:      // IR after cse:
// CHECK:      %[[M:.*]] = arith.muli
// CHECK-NEXT: %[[A:.*]] = arith.addi %[[M]], %[[M]]

// TIME: seconds %
// TIME: canonicalize
// TIME: cse
// TIME: 100.0 total
func.func @every_pass_is_printed(%a: i32, %b: i32) -> i32 {
  %c = arith.muli %a, %b : i32
  %d = arith.muli %a, %b : i32
  %e = arith.addi %c, %d : i32
  return %e : i32
}
