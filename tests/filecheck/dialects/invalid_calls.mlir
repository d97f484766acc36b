// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func private @f(%x: tensor<?xf32, #relax.sym<n>>, %y: tensor<?xf32, #relax.sym<n + 1>>)
func.func @expression(%x: tensor<?xf32, #relax.sym<k>>, %y: tensor<?xf32, #relax.sym<k>>) {
  // expected-error@+1 {{call of @f: operand 1: expected n + 1 (n is k) where the operand has k}}
  func.call @f(%x, %y) : (tensor<?xf32, #relax.sym<k>>, tensor<?xf32, #relax.sym<k>>) -> ()
  return
}

// -----

func.func private @f(%x: tensor<?xf32, #relax.sym<n>>, %y: tensor<?xf32, #relax.sym<n>>)
func.func @contradiction(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error@+1 {{call of @f: operand 1: expected n (n is 4) where the operand has 5}}
  func.call @f(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> ()
  return
}

// -----

func.func private @f(%x: tensor<?xf32, #relax.sym<n>>, %y: !relax.shape<[n]>)
func.func @unknown(%x: tensor<4xf32>, %y: !relax.shape<[?]>) {
  // expected-error@+1 {{call of @f: operand 1: expected n (n is 4) where the operand has an unknown dim}}
  func.call @f(%x, %y) : (tensor<4xf32>, !relax.shape<[?]>) -> ()
  return
}

// -----

func.func private @f(%x: tensor<?x8xf32, #relax.sym<n>>)
func.func @static(%x: tensor<?x9xf32, #relax.sym<k>>) {
  // expected-error@+1 {{call of @f: operand 0: expected 8 where the operand has 9}}
  func.call @f(%x) : (tensor<?x9xf32, #relax.sym<k>>) -> ()
  return
}

// -----

func.func private @f(%x: tensor<?x8xf32, #relax.sym<n>>)
func.func @rank(%x: tensor<?xf32, #relax.sym<k>>) {
  // expected-error@+1 {{call of @f: operand 0: expected tensor<?x8xf32, #relax.sym<n>>, got tensor<?xf32, #relax.sym<k>>}}
  func.call @f(%x) : (tensor<?xf32, #relax.sym<k>>) -> ()
  return
}

// -----

func.func private @f(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<2 * n>>
func.func @result(%x: tensor<?xf32, #relax.sym<k>>) {
  // expected-error@+1 {{call of @f: result 0: expected tensor<?xf32, #relax.sym<2 * k>>, got tensor<?xf32, #relax.sym<k>>}}
  %0 = func.call @f(%x) : (tensor<?xf32, #relax.sym<k>>) -> tensor<?xf32, #relax.sym<k>>
  return
}

// -----

// What the callee finds out has no name here, even if the caller has a symbol of the same name.
func.func private @found(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<count>> {
  %y = relax.match_cast %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<count>>
  return %y : tensor<?xf32, #relax.sym<count>>
}
func.func @own_symbol(%x: tensor<?xf32, #relax.sym<n>>, %y: tensor<?xf32, #relax.sym<count>>) {
  // expected-error@+1 {{call of @found: result 0: expected tensor<?xf32>, got tensor<?xf32, #relax.sym<count>>}}
  %0 = func.call @found(%x) : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<count>>
  return
}

// -----

// Types that are not of relax must be equal, as in MLIR.
func.func private @f(%x: tensor<?xf32>)
func.func @foreign(%x: tensor<4xf32>) {
  // expected-error@+1 {{call of @f: operand 0: expected tensor<?xf32>, got tensor<4xf32>}}
  func.call @f(%x) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func private @f(%x: tensor<?xf32, #relax.sym<n>>)
func.func @count(%x: tensor<4xf32>) {
  // expected-error@+1 {{call of @f: expected 1 operands, got 0}}
  func.call @f() : () -> ()
  return
}
