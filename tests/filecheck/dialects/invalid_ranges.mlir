// RUN: relax-opt %s --verify-diagnostics --split-input-file

// expected-error@+1 {{relax.sym_upper_bounds: the bound of n must be at least 4, its lower bound, got 3}}
func.func @empty(%x: tensor<?xf32, #relax.sym<n>>) attributes {relax.sym_lower_bounds = {n = 4 : i64}, relax.sym_upper_bounds = {n = 3 : i64}} {
  return
}

// -----

func.func @window(%x: tensor<1x1x?xf32, #relax.sym<n>>, %w: tensor<1x1x5xf32>) attributes {relax.sym_upper_bounds = {n = 4 : i64}} {
  // expected-error@+1 {{conv1d_c7: a window of 5 does not fit into the padded size n}}
  %r = relax.nn.conv1d %x, %w : (tensor<1x1x?xf32, #relax.sym<n>>, tensor<1x1x5xf32>) -> tensor<1x1x?xf32>
  return
}

// -----

func.func @sum(%x: tensor<?xf32, #relax.sym<n>>, %y: tensor<9xf32>) attributes {relax.sym_lower_bounds = {n = 2 : i64}, relax.sym_upper_bounds = {n = 4 : i64}} {
  // expected-error@+1 {{add_c2}}
  %r = relax.add %x, %y : (tensor<?xf32, #relax.sym<n>>, tensor<9xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @caller(%x: tensor<9xf32>) {
  // expected-error@+1 {{call of @callee: expected 2 <= k <= 8, got 9}}
  call @callee(%x) : (tensor<9xf32>) -> ()
  return
}
func.func @callee(%x: tensor<?xf32, #relax.sym<k>>) attributes {relax.sym_lower_bounds = {k = 2 : i64}, relax.sym_upper_bounds = {k = 8 : i64}} {
  return
}

// -----

// expected-error@+1 {{@no_such_symbol declares m <= 8, but has no symbol 'm', its symbols: n}}
func.func @no_such_symbol(%x: tensor<?xf32, #relax.sym<n>>) attributes {relax.sym_upper_bounds = {m = 8 : i64}} {
  return
}

// -----

// expected-error@+1 {{@no_symbols declares n >= 2, but has no symbol 'n', it has no symbols}}
func.func @no_symbols(%x: tensor<?xf32>) attributes {relax.sym_lower_bounds = {n = 2 : i64}} {
  return
}
