// RUN: not relax-opt %s 2>&1 | filecheck %s

// CHECK:      diagnostics.mlir:9:3: error: result 'result' at position 0 does not verify
// CHECK-NEXT:   %sum = "arith.addi"(%c, %c) : (i32, i32) -> i64
// CHECK-NEXT:   ^
// CHECK-NEXT: note: see current operation: %sum = "arith.addi"(%c, %c)
// CHECK-NOT: Traceback
func.func @verifier_error_has_a_position(%c: i32) {
  %sum = "arith.addi"(%c, %c) : (i32, i32) -> i64
  return
}
