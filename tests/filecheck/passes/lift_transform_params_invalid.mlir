// RUN: relax-opt %s --verify-diagnostics --split-input-file -p 'relax-lift-transform-params{shared=true}'

func.func @f(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  return %x : tensor<4xf32>
}
// expected-error@+1 {{the number of parameters should be the same: @f takes 1, @g takes 2}}
func.func @g(%x: tensor<4xf32>, %w: tensor<4xf32>, %v: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  return %x : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>, %w: tensor<4xf32> {relax.name = "fc.weight"}) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  return %x : tensor<4xf32>
}
// expected-error@+1 {{the types of parameter 'fc.weight' should be the same: tensor<4xf32> in @f, tensor<8xf32> in @g}}
func.func @g(%x: tensor<4xf32>, %w: tensor<8xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  return %x : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  return %x : tensor<4xf32>
}
// expected-error@+1 {{the types of parameter 'w' should be the same: tensor<4xf32> in @f, tensor<4xf16> in @g}}
func.func @g(%x: tensor<4xf32>, %w: tensor<4xf16>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  return %x : tensor<4xf32>
}

// -----

// A symbol stands for one symbol of the other function.
func.func @f(%x: tensor<4xf32>, %w: tensor<?x?xf32, #relax.sym<n, m>>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  return %x : tensor<4xf32>
}
// expected-error@+1 {{the types of parameter 'w' should be the same}}
func.func @g(%x: tensor<4xf32>, %w: tensor<?x?xf32, #relax.sym<k, k>>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  return %x : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4xf32>, %w: tensor<?x?xf32, #relax.sym<k, k>>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  return %x : tensor<4xf32>
}
// expected-error@+1 {{the types of parameter 'w' should be the same}}
func.func @g(%x: tensor<4xf32>, %w: tensor<?x?xf32, #relax.sym<n, m>>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  return %x : tensor<4xf32>
}

// -----

// Other names of symbols are no difference.
func.func @f(%x: tensor<4xf32>, %w: tensor<?x?xf32, #relax.sym<n, m>>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  return %x : tensor<4xf32>
}
func.func @g(%x: tensor<4xf32>, %w: tensor<?x?xf32, #relax.sym<m, n>>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  return %x : tensor<4xf32>
}

// -----

// expected-error@-2 {{no function with relax.num_input to share a transform}}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error@+1 {{@f is called by another function}}
func.func @f(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  return %x : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = func.call @f(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// The transform that there is must give what the function takes.
func.func @transform_params(%w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {relax.num_input = 0 : i64, relax.transform} {
  return %w, %w : tensor<4xf32>, tensor<4xf32>
}
// expected-error@+1 {{the number of parameters should be the same: @transform_params returns 2, @f takes 1}}
func.func @f(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  return %x : tensor<4xf32>
}

// -----

func.func @a_transform(%w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 0 : i64} {
  return %w : tensor<4xf32>
}
func.func @f(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64, relax.params_from = @a_transform} {
  return %x : tensor<4xf32>
}
// expected-error@+1 {{@f takes its parameters from @a_transform and @g from its caller: they cannot share a transform}}
func.func @g(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  return %x : tensor<4xf32>
}
