// RUN: relax-opt %s -p relax-to-linalg --verify-diagnostics

func.func @transpose(%x: tensor<1x2x8xf32>, %w: tensor<2x3x?xf32, #relax.sym<k>>) -> tensor<1x3x?xf32, #relax.sym<k + 7>> {
  // expected-error@below {{relax.nn.conv1d_transpose cannot be lowered to linalg: the spatial dims of the kernel must be static, got k}}
  %r = relax.nn.conv1d_transpose %x, %w : (tensor<1x2x8xf32>, tensor<2x3x?xf32, #relax.sym<k>>) -> tensor<1x3x?xf32, #relax.sym<k + 7>>
  return %r : tensor<1x3x?xf32, #relax.sym<k + 7>>
}
