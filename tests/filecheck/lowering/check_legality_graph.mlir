// RUN: relax-opt %s -p 'check-legality{stage=graph}' --split-input-file --verify-diagnostics

// Computation stands in kernels; shapes and calls may stand outside.
func.func @legal(%x: tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>> {
  %s = relax.shape : () -> !relax.shape<[n]>
  %r = relax.dataflow {
    %y = func.call @exp(%x) : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
    relax.output %y : tensor<?x4xf32, #relax.sym<n>>
  } : tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}
func.func private @exp(%x: tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>> attributes {relax.primitive} {
  %y = relax.exp %x : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
  return %y : tensor<?x4xf32, #relax.sym<n>>
}
// Functions of other front ends are kernels of their own.
func.func @linalg_of_others(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = arith.addf %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @outside_of_kernels(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = relax.dataflow {
    // expected-error@+1 {{relax.exp is left outside of kernels after the stage graph}}
    %y = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %y : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func private @quantized(%x: tensor<4xi8>, %s: tensor<f32>, %z: tensor<i32>) -> tensor<4xf32> attributes {relax.primitive} {
  // expected-error@+1 {{relax.qnn.dequantize is left after the stage graph}}
  %y = relax.qnn.dequantize %x, %s, %z : (tensor<4xi8>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
