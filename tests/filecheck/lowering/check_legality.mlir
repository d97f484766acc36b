// RUN: relax-opt %s -p 'check-legality{stage=linalg}' --split-input-file --verify-diagnostics
// RUN: not relax-opt %s -p 'check-legality{stage=nonsense}' 2>&1 | filecheck %s
// CHECK: check-legality: no stage 'nonsense'; there are graph, linalg, fuse, buffers, loops, llvm

func.func @legal(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @relax_op_left(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{relax.add is left after the stage linalg}}
  %0 = relax.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @vectors(%x: tensor<4xf32>, %v: vector<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %y = vector.transfer_write %v, %x[%c0] {in_bounds = [true]} : vector<4xf32>, tensor<4xf32>
  // expected-error@+1 {{vector.broadcast is left after the stage linalg}}
  %b = vector.broadcast %c0 : index to vector<4xindex>
  return %y : tensor<4xf32>
}
