// RUN: relax-opt %s -p graph -O 0 | filecheck %s --check-prefix O0
// RUN: relax-opt %s -p graph -O 1 | filecheck %s --check-prefix O1
// RUN: relax-opt %s -p graph -O 2 | filecheck %s --check-prefix O2
// RUN: relax-opt %s -p graph -O 3 | filecheck %s --check-prefix O3
// RUN: not relax-opt %s -p graph -O 4 2>&1 | filecheck %s --check-prefix RANGE

// RANGE: argument -O: invalid choice: 4

// A convolution with batch_norm and relu. -O0: every op is a kernel, nothing is rewritten. -O1: batch_norm is arithmetic, constants are
// folded, ops are fused. -O2: the scale is in the weights.
// O0-LABEL: func.func @conv_norm(
// O0: %[[Y:.*]] = func.call @conv2d(%x,
// O0: %[[N:[a-z0-9]+]]{{.*}} = func.call @batch_norm(%[[Y]],
// O0: func.call @relu(%[[N]])
// O1-LABEL: func.func @conv_norm(
// O1-DAG: relax.constant {value = dense<{{.*}}> : tensor<2x1x1xf32>}
// O1: func.call @fused_conv2d_multiply_add_relu(%x,
// O1-NEXT: relax.output
// O2-LABEL: func.func @conv_norm(
// O2: relax.constant {value = dense<{{.*}}> : tensor<2x1x3x3xf32>}
// O2: func.call @fused_conv2d_add_relu(%x,
// O2-NEXT: relax.output
// O3-LABEL: func.func @conv_norm(
// O3: func.call @fused_conv2d_add_relu(%x,
func.func @conv_norm(%x: tensor<1x1x8x8xf32>) -> tensor<1x2x8x8xf32> {
  %r = relax.dataflow {
    %w = relax.constant {value = dense<1.5> : tensor<2x1x3x3xf32>} : () -> tensor<2x1x3x3xf32>
    %g = relax.constant {value = dense<[2.0, -1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %b = relax.constant {value = dense<[0.5, 0.25]> : tensor<2xf32>} : () -> tensor<2xf32>
    %y = relax.nn.conv2d %x, %w {padding = array<i64: 1, 1>} : (tensor<1x1x8x8xf32>, tensor<2x1x3x3xf32>) -> tensor<1x2x8x8xf32>
    %n, %m1, %v1 = relax.nn.batch_norm %y, %g, %b, %b, %b {axis = 1 : i64, training = false}
      : (tensor<1x2x8x8xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<1x2x8x8xf32>, tensor<2xf32>, tensor<2xf32>)
    %z = relax.nn.relu %n : (tensor<1x2x8x8xf32>) -> tensor<1x2x8x8xf32>
    relax.output %z : tensor<1x2x8x8xf32>
  } : tensor<1x2x8x8xf32>
  return %r : tensor<1x2x8x8xf32>
}

// -O3 chooses the order of products: x * (a * b) with a thin a.
// O2-LABEL: func.func @low_rank(
// O2: %[[AB:.*]] = func.call @{{.*}}(%a, %b)
// O2: func.call @{{.*}}(%x, %[[AB]])
// O3-LABEL: func.func @low_rank(
// O3: %[[XA:.*]] = func.call @{{.*}}(%x, %a)
// O3: func.call @{{.*}}(%[[XA]], %b)
func.func @low_rank(%x: tensor<4x64xf32>, %a: tensor<64x2xf32>, %b: tensor<2x64xf32>) -> tensor<4x64xf32> {
  %r = relax.dataflow {
    %w = relax.matmul %a, %b : (tensor<64x2xf32>, tensor<2x64xf32>) -> tensor<64x64xf32>
    %y = relax.matmul %x, %w : (tensor<4x64xf32>, tensor<64x64xf32>) -> tensor<4x64xf32>
    relax.output %y : tensor<4x64xf32>
  } : tensor<4x64xf32>
  return %r : tensor<4x64xf32>
}

// A function that asks to be inlined is, from -O1 on, and what nothing calls goes.
// O0: func.func private @twice(
// O0: func.func private @unused(
// O1-LABEL: func.func @inlines(
// O1: func.call @fused_add_exp(%x)
// O1-NOT: func.func private @twice(
// O1-NOT: func.func private @unused(
func.func @inlines(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = relax.dataflow {
    %y = func.call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %z = relax.exp %y : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %z : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.inline} {
  %y = relax.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
