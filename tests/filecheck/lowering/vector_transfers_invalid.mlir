// RUN: relax-opt %s -p bufferize --split-input-file --verify-diagnostics
// RUN: not relax-opt %s -p check-bounds 2>&1 | filecheck %s
// CHECK: vector.transfer_read: expected elements or slices of tensors, vectors are what lowerings make of them

func.func @may_leave_the_tensor(%x: tensor<4xf32>, %i: index) -> vector<4xf32> {
  %zero = arith.constant 0.0 : f32
  // expected-error@+1 {{bufferize: vector.transfer_read is supported for vectors of neighboring elements inside of a tensor, without a mask}}
  %v = vector.transfer_read %x[%i], %zero {in_bounds = [false]} : tensor<4xf32>, vector<4xf32>
  return %v : vector<4xf32>
}

// -----

func.func @column(%x: tensor<4x4xf32>, %v: vector<4xf32>) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{bufferize: vector.transfer_write is supported for vectors of neighboring elements inside of a tensor, without a mask}}
  %y = vector.transfer_write %v, %x[%c0, %c0] {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (d0)>} : vector<4xf32>, tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
