// RUN: relax-opt %s -p relax-static-plan-memory --verify-diagnostics --split-input-file

// expected-error@+1 {{relax.sym_upper_bounds: the bound of n must be an integer of at least 1, got 0 : i64}}
func.func @no_size(%x: tensor<?xf32, #relax.sym<n>>) attributes {relax.sym_upper_bounds = {n = 0 : i64}} {
  return
}

// -----

// expected-error@+1 {{relax.sym_lower_bounds must be a dictionary of sizes, got 3 : i64}}
func.func @no_dictionary(%x: tensor<?xf32, #relax.sym<n>>) attributes {relax.sym_lower_bounds = 3 : i64} {
  return
}
