// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @verifier_error(%c: i32) {
  // expected-error@+1 {{expected from variable 'T', but got i64}}
  %sum = "arith.addi"(%c, %c) : (i32, i32) -> i64
  return
}

// -----

func.func @parse_error() {
  // expected-error@below {{operation relax.nope is not registered}}
  relax.nope
}

// -----

func.func @no_error() {
  return
}
