// RUN: relax-opt %s -p relax-convert-to-value-semantics --verify-diagnostics --split-input-file

func.func private @negate(%x: tensor<4xf32>) -> tensor<4xf32>
func.func @read_first(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = relax.shape : () -> !relax.shape<[4]>
  // expected-error@+1 {{the tensor must be written in the block where it is allocated, before it is read}}
  %a = relax.builtin.alloc_tensor %s {dtype = f32} : (!relax.shape<[4]>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

func.func private @negate(%x: tensor<4xf32>) -> tensor<4xf32>
func.func @in_place(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = relax.shape : () -> !relax.shape<[4]>
  // expected-error@+1 {{relax.call_dps reads the tensor that it writes}}
  %a = relax.builtin.alloc_tensor %s {dtype = f32} : (!relax.shape<[4]>) -> tensor<4xf32>
  relax.call_dps %a, %a {callee = @negate} : (tensor<4xf32>, tensor<4xf32>) -> ()
  return %a : tensor<4xf32>
}

// -----

func.func private @negate(%x: tensor<4xf32>) -> tensor<4xf32>
func.func @written_twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = relax.shape : () -> !relax.shape<[4]>
  // expected-error@+1 {{the tensor is written twice}}
  %a = relax.builtin.alloc_tensor %s {dtype = f32} : (!relax.shape<[4]>) -> tensor<4xf32>
  relax.call_dps %x, %a {callee = @negate} : (tensor<4xf32>, tensor<4xf32>) -> ()
  relax.call_dps %x, %a {callee = @negate} : (tensor<4xf32>, tensor<4xf32>) -> ()
  return %a : tensor<4xf32>
}

// -----

func.func private @negate(%x: tensor<4xf32>) -> tensor<4xf32>
func.func @argument_written(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{output 0 of @negate is no tensor that was allocated}}
  relax.call_dps %x, %y {callee = @negate} : (tensor<4xf32>, tensor<4xf32>) -> ()
  return
}

// -----

func.func @not_last(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = relax.shape : () -> !relax.shape<[4]>
  %a = relax.builtin.alloc_tensor %s {dtype = f32} : (!relax.shape<[4]>) -> tensor<4xf32>
  // expected-error@+1 {{the tensors that a packed function writes must be its last operands}}
  relax.call_packed %a, %x {callee = "f"} : (tensor<4xf32>, tensor<4xf32>) -> ()
  return %a : tensor<4xf32>
}
