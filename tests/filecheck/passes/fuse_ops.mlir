// RUN: relax-opt %s -p relax-fuse-ops | filecheck %s

// A chain of element-wise ops becomes one kernel, called where its last op stood.
// CHECK-LABEL: func.func @elementwise_chain(
// CHECK: %[[R:.*]] = func.call @fused_add_multiply_silu(%{{.*}}, %{{.*}}) :
// CHECK-NEXT: relax.output %[[R]]
func.func @elementwise_chain(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = relax.dataflow {
    %0 = relax.add %x, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %1 = relax.multiply %0, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %2 = relax.nn.silu %1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
    relax.output %2 : tensor<4x8xf32>
  } : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// Element-wise consumers of a contraction join it; a bias that is broadcast still counts as element-wise.
// CHECK-LABEL: func.func @matmul_with_epilogue(
// CHECK: func.call @fused_matmul_add_silu(%{{.*}}, %{{.*}}, %{{.*}}) :
func.func @matmul_with_epilogue(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %r = relax.dataflow {
    %0 = relax.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %1 = relax.add %0, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
    %2 = relax.nn.silu %1 : (tensor<4x16xf32>) -> tensor<4x16xf32>
    relax.output %2 : tensor<4x16xf32>
  } : tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// A diamond is joined through its post-dominator.
// CHECK-LABEL: func.func @diamond(
// CHECK: func.call @fused_add_silu_multiply_add(%{{.*}}) :
func.func @diamond(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = relax.dataflow {
    %0 = relax.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.nn.silu %0 : (tensor<4xf32>) -> tensor<4xf32>
    %2 = relax.multiply %0, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %3 = relax.add %1, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %3 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// Two contractions never share a kernel: the sum after the first one ends its kernel.
// CHECK-LABEL: func.func @two_matmuls(
// CHECK: %[[A:.*]] = func.call @[[FIRST:fused_matmul_silu]](%{{.*}}, %{{.*}}) :
// CHECK: func.call @[[FIRST]](%[[A]], %{{.*}}) :
func.func @two_matmuls(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %r = relax.dataflow {
    %0 = relax.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = relax.nn.silu %0 : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = relax.matmul %1, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = relax.nn.silu %2 : (tensor<8x8xf32>) -> tensor<8x8xf32>
    relax.output %3 : tensor<8x8xf32>
  } : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// A value that leaves the block ends its kernel, although an element-wise consumer follows.
// CHECK-LABEL: func.func @escaping_value(
// CHECK: %[[A:.*]] = func.call @add(
// CHECK: %[[B:.*]] = func.call @silu(%[[A]]) :
// CHECK-NEXT: relax.output %[[A]], %[[B]]
func.func @escaping_value(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r, %s = relax.dataflow {
    %0 = relax.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.nn.silu %0 : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %0, %1 : tensor<4xf32>, tensor<4xf32>
  } : tensor<4xf32>, tensor<4xf32>
  return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// A transpose is not drawn into a contraction.
// CHECK-LABEL: func.func @declines_transpose_into_matmul(
// CHECK: %[[T:.*]] = func.call @permute_dims(%{{.*}}) :
// CHECK: func.call @matmul(%{{.*}}, %[[T]]) :
func.func @declines_transpose_into_matmul(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>) -> tensor<4x16xf32> {
  %r = relax.dataflow {
    %0 = relax.permute_dims %w {axes = array<i64: 1, 0>} : (tensor<16x8xf32>) -> tensor<8x16xf32>
    %1 = relax.matmul %x, %0 : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    relax.output %1 : tensor<4x16xf32>
  } : tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// Symbols that no argument of the kernel defines come as a trailing shape.
// CHECK-LABEL: func.func @free_symbol(
// CHECK: %[[S:.*]] = relax.shape : () -> !relax.shape<[n]>
// CHECK: func.call @add{{[0-9]*}}(%{{.*}}, %[[S]]) :
func.func @free_symbol(%n: !relax.shape<[n]>, %x: tensor<?xf32, #relax.sym<2 * n>>) -> tensor<?xf32, #relax.sym<2 * n>> {
  %r = relax.dataflow {
    %0 = relax.add %x, %x : (tensor<?xf32, #relax.sym<2 * n>>, tensor<?xf32, #relax.sym<2 * n>>) -> tensor<?xf32, #relax.sym<2 * n>>
    relax.output %0 : tensor<?xf32, #relax.sym<2 * n>>
  } : tensor<?xf32, #relax.sym<2 * n>>
  return %r : tensor<?xf32, #relax.sym<2 * n>>
}

// One-element constants are copied into the kernel, larger ones are passed.
// CHECK-LABEL: func.func @constants(
// CHECK: %[[C:.*]] = relax.constant {value = dense<[
// CHECK: func.call @[[K:fused_add_multiply[0-9]*]](%{{.*}}, %[[C]]) :
// CHECK: func.func private @[[K]](
// CHECK-SAME: relax.primitive
// CHECK: relax.constant {value = dense<2.000000e+00>
func.func @constants(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = relax.dataflow {
    %two = relax.constant {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
    %c = relax.constant {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>} : () -> tensor<4xf32>
    %0 = relax.add %x, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = relax.multiply %0, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %1 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
