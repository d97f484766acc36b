// RUN: not relax-opt %s --verify-diagnostics --split-input-file 2>&1 | filecheck %s

// CHECK: expected_diagnostics_missing.mlir:5: error: expected error "this does not happen" was not produced
func.func @missing() {
  // expected-error@+1 {{this does not happen}}
  return
}

// -----

// CHECK: expected_diagnostics_missing.mlir:14:3: error: unexpected error: operation relax.nope is not registered
func.func @unexpected() {
  // A comment between.
  relax.nope
}
