// RUN: relax-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{@f: relax.donate of argument 'x' must be in [0, 1), the number of results, got 1}}
func.func @f(%x: tensor<4xf32> {relax.donate = 1 : i64}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error@+1 {{@f: relax.donate of argument 'x': expected result 0 of type tensor<?xf32, #relax.sym<n>>, got tensor<4xf32>}}
func.func @f(%x: tensor<?xf32, #relax.sym<n>> {relax.donate = 0 : i64}, %y: tensor<4xf32>) -> tensor<4xf32> {
  return %y : tensor<4xf32>
}

// -----

// expected-error@+1 {{@f: relax.donate of argument 'y': result 0 takes the memory of argument 'x' already}}
func.func @f(%x: tensor<4xf32> {relax.donate = 0 : i64}, %y: tensor<4xf32> {relax.donate = 0 : i64}) -> tensor<4xf32> {
  return %y : tensor<4xf32>
}

// -----

// expected-error@+1 {{@f: relax.donate of argument 'w': expected one of the 1 inputs, got a model parameter}}
func.func @f(%x: tensor<4xf32>, %w: tensor<4xf32> {relax.donate = 0 : i64}) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  return %x : tensor<4xf32>
}

// -----

// expected-error@+1 {{@f: relax.donate of argument 's': expected a tensor, got f32}}
func.func @f(%s: f32 {relax.donate = 0 : i64}) -> f32 {
  return %s : f32
}

// -----

// expected-error@+1 {{@f: relax.donate of argument 'arg0': expected a function with a body, got a declaration}}
"func.func"() <{sym_name = "f", function_type = (tensor<4xf32>) -> tensor<4xf32>, arg_attrs = [{relax.donate = 0 : i64}], sym_visibility = "private"}> ({}) : () -> ()

// -----

// expected-error@+1 {{relax.donate stands on an argument, found on result 0 of a function}}
func.func @f(%x: tensor<4xf32>) -> (tensor<4xf32> {relax.donate = 0 : i64}) {
  return %x : tensor<4xf32>
}
