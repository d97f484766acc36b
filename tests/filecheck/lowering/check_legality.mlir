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
