// RUN: relax-opt %s -p relax-fold-scale-axis | filecheck %s
// RUN: relax-opt %s -p 'relax-fold-scale-axis{weights=constants}' | filecheck %s --check-prefix CONSTANTS
// RUN: relax-opt %s -p 'relax-fold-scale-axis{weights=parameters}' | filecheck %s --check-prefix PARAMETERS

// A constant convolution and a constant scale are one constant convolution.
// CONSTANTS-LABEL: func.func @constants(
// CONSTANTS-NOT: relax.multiply
// CONSTANTS: func.return
// CHECK-LABEL: func.func @constants(
// CHECK-NEXT: %[[W:.*]] = relax.constant {value = dense<{{.*}}6.000000e+00{{.*}}-2.000000e+00{{.*}}> : tensor<2x1x3x3xf32>}
// CHECK-NEXT: %[[Z:.*]] = relax.nn.conv2d %x, %[[W]] {padding = array<i64: 1, 1>}
// CHECK-NEXT: func.return %[[Z]]
func.func @constants(%x: tensor<1x1x10x10xf32>) -> tensor<1x2x10x10xf32> {
  %w = relax.constant {value = dense<2.0> : tensor<2x1x3x3xf32>} : () -> tensor<2x1x3x3xf32>
  %s = relax.constant {value = dense<[[[3.0]], [[-1.0]]]> : tensor<2x1x1xf32>} : () -> tensor<2x1x1xf32>
  %y = relax.nn.conv2d %x, %w {padding = array<i64: 1, 1>} : (tensor<1x1x10x10xf32>, tensor<2x1x3x3xf32>) -> tensor<1x2x10x10xf32>
  %z = relax.multiply %y, %s : (tensor<1x2x10x10xf32>, tensor<2x1x1xf32>) -> tensor<1x2x10x10xf32>
  return %z : tensor<1x2x10x10xf32>
}

// A scale between two convolutions goes backward; as arithmetic on weights it costs nothing if it is lifted, and is none of ours else.
// CONSTANTS-LABEL: func.func @between(
// CONSTANTS: %[[Y:.*]] = relax.nn.conv1d %x, %w1
// CONSTANTS: %[[Z:.*]] = relax.multiply %[[Y]], %s
// CONSTANTS: relax.nn.conv1d %[[Z]], %w2
// PARAMETERS-LABEL: func.func @between(
// PARAMETERS: relax.nn.conv1d %x, %w1
// PARAMETERS-LABEL: func.func @declared(
// PARAMETERS: %[[U:.*]] = relax.multiply %w1, %
// PARAMETERS: relax.nn.conv1d %x, %[[U]]
// CHECK-LABEL: func.func @between(
// CHECK: %[[U:.*]] = relax.multiply %w1, %
// CHECK: %[[Y:.*]] = relax.nn.conv1d %x, %[[U]]
// CHECK: relax.nn.conv1d %[[Y]], %w2
func.func @between(%x: tensor<1x3x8xf32>, %w1: tensor<4x3x3xf32>, %s: tensor<4x1xf32>, %w2: tensor<4x4x1xf32>) -> tensor<1x4x6xf32> {
  %y = relax.nn.conv1d %x, %w1 : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  %z = relax.multiply %y, %s : (tensor<1x4x6xf32>, tensor<4x1xf32>) -> tensor<1x4x6xf32>
  %u = relax.nn.conv1d %z, %w2 : (tensor<1x4x6xf32>, tensor<4x4x1xf32>) -> tensor<1x4x6xf32>
  return %u : tensor<1x4x6xf32>
}

func.func @declared(%x: tensor<1x3x8xf32>, %w1: tensor<4x3x3xf32>, %s: tensor<4x1xf32>) -> tensor<1x4x6xf32> attributes {relax.num_input = 1 : i64} {
  %y = relax.nn.conv1d %x, %w1 : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  %z = relax.multiply %y, %s : (tensor<1x4x6xf32>, tensor<4x1xf32>) -> tensor<1x4x6xf32>
  return %z : tensor<1x4x6xf32>
}

// A product with a tensor that varies along other axes is none of ours.
// CHECK-LABEL: func.func @declines_mask(
// CHECK: relax.nn.conv1d %x, %w
// CHECK: relax.multiply
func.func @declines_mask(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf32>, %s: tensor<1x4x6xf32>) -> tensor<1x4x6xf32> {
  %y = relax.nn.conv1d %x, %w : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  %z = relax.multiply %y, %s : (tensor<1x4x6xf32>, tensor<1x4x6xf32>) -> tensor<1x4x6xf32>
  return %z : tensor<1x4x6xf32>
}
