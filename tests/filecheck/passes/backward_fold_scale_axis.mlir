// RUN: relax-opt %s -p relax-backward-fold-scale-axis --split-input-file | filecheck %s

// The scale goes into the output channels of the weights, as arithmetic that is folded later.
// CHECK-LABEL: func.func @conv2d(
// CHECK: %[[W:.*]] = relax.constant
// CHECK: %[[S:.*]] = relax.constant
// CHECK-NEXT: %[[Q:.*]] = relax.squeeze %[[S]] {axis = array<i64: 1, 2>} : (tensor<2x1x1xf32>) -> tensor<2xf32>
// CHECK-NEXT: %[[E:.*]] = relax.expand_dims %[[Q]] {axis = array<i64: 1, 2, 3>} : (tensor<2xf32>) -> tensor<2x1x1x1xf32>
// CHECK-NEXT: %[[U:.*]] = relax.multiply %[[W]], %[[E]] : {{.*}} -> tensor<2x1x3x3xf32>
// CHECK-NEXT: %[[Z:.*]] = relax.nn.conv2d %x, %[[U]] {padding = array<i64: 1, 1>}
// CHECK-NEXT: func.return %[[Z]]
func.func @conv2d(%x: tensor<1x1x10x10xf32>) -> tensor<1x2x10x10xf32> {
  %w = relax.constant {value = dense<2.0> : tensor<2x1x3x3xf32>} : () -> tensor<2x1x3x3xf32>
  %s = relax.constant {value = dense<[[[3.0]], [[-1.0]]]> : tensor<2x1x1xf32>} : () -> tensor<2x1x1xf32>
  %y = relax.nn.conv2d %x, %w {padding = array<i64: 1, 1>} : (tensor<1x1x10x10xf32>, tensor<2x1x3x3xf32>) -> tensor<1x2x10x10xf32>
  %z = relax.multiply %y, %s : (tensor<1x2x10x10xf32>, tensor<2x1x1xf32>) -> tensor<1x2x10x10xf32>
  return %z : tensor<1x2x10x10xf32>
}

// -----

// Parameters are weights too; the scale may stand on the left, and after the convolution.
// CHECK-LABEL: func.func @parameters(
// CHECK-NEXT: %[[S:.*]] = relax.sqrt %s
// CHECK-NEXT: %[[E:.*]] = relax.expand_dims %[[S]] {axis = array<i64: 1, 2>} : (tensor<4xf32>) -> tensor<4x1x1xf32>
// CHECK-NEXT: %[[U:.*]] = relax.multiply %w, %[[E]]
// CHECK-NEXT: relax.nn.conv1d %x, %[[U]] {data_layout = "NWC", groups = 2 : i64}
// CHECK-NEXT: func.return
func.func @parameters(%x: tensor<?x8x6xf32, #relax.sym<n>>, %w: tensor<4x3x3xf32>, %s: tensor<4xf32>) -> tensor<?x6x4xf32, #relax.sym<n>>
    attributes {relax.num_input = 1 : i64} {
  %y = relax.nn.conv1d %x, %w {data_layout = "NWC", groups = 2 : i64} : (tensor<?x8x6xf32, #relax.sym<n>>, tensor<4x3x3xf32>) -> tensor<?x6x4xf32, #relax.sym<n>>
  %r = relax.sqrt %s : (tensor<4xf32>) -> tensor<4xf32>
  %z = relax.multiply %r, %y : (tensor<4xf32>, tensor<?x6x4xf32, #relax.sym<n>>) -> tensor<?x6x4xf32, #relax.sym<n>>
  return %z : tensor<?x6x4xf32, #relax.sym<n>>
}

// -----

// A scale that depends on the input would cost a product with the weights in each call.
// CHECK-LABEL: func.func @declines_input(
// CHECK: relax.nn.conv1d %x, %w
// CHECK: relax.multiply
func.func @declines_input(%x: tensor<1x3x8xf32>, %s: tensor<4x1xf32>, %w: tensor<4x3x3xf32>) -> tensor<1x4x6xf32> attributes {relax.num_input = 2 : i64} {
  %y = relax.nn.conv1d %x, %w : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  %z = relax.multiply %y, %s : (tensor<1x4x6xf32>, tensor<4x1xf32>) -> tensor<1x4x6xf32>
  return %z : tensor<1x4x6xf32>
}

// -----

// CHECK-LABEL: func.func @declines_spatial_axis(
// CHECK: relax.nn.conv1d %x, %w
// CHECK: relax.multiply
func.func @declines_spatial_axis(%x: tensor<1x3x8xf32>, %w: tensor<6x3x3xf32>, %s: tensor<6xf32>) -> tensor<1x6x6xf32> {
  %y = relax.nn.conv1d %x, %w : (tensor<1x3x8xf32>, tensor<6x3x3xf32>) -> tensor<1x6x6xf32>
  %z = relax.multiply %y, %s : (tensor<1x6x6xf32>, tensor<6xf32>) -> tensor<1x6x6xf32>
  return %z : tensor<1x6x6xf32>
}

// -----

// CHECK-LABEL: func.func @declines_two_readers(
// CHECK: relax.nn.conv1d %x, %w
// CHECK: relax.multiply
func.func @declines_two_readers(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf32>, %s: tensor<4x1xf32>) -> (tensor<1x4x6xf32>, tensor<1x4x6xf32>) {
  %y = relax.nn.conv1d %x, %w : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  %z = relax.multiply %y, %s : (tensor<1x4x6xf32>, tensor<4x1xf32>) -> tensor<1x4x6xf32>
  return %y, %z : tensor<1x4x6xf32>, tensor<1x4x6xf32>
}

// -----

// A bias on the way is scaled as well; relu lets a scale through that is known not to be negative.
// CHECK-LABEL: func.func @through_relu_and_bias(
// CHECK: %[[S:.*]] = relax.constant
// CHECK-NEXT: %[[Q:.*]] = relax.squeeze %[[S]]
// CHECK-NEXT: %[[E:.*]] = relax.expand_dims %[[Q]]
// CHECK-NEXT: %[[U:.*]] = relax.multiply %w, %[[E]]
// CHECK-NEXT: %[[Y:.*]] = relax.nn.conv1d %x, %[[U]]
// CHECK-NEXT: %[[T:.*]] = relax.expand_dims %[[Q]] {axis = array<i64: 1>} : (tensor<4xf32>) -> tensor<4x1xf32>
// CHECK-NEXT: %[[B:.*]] = relax.multiply %b, %[[T]]
// CHECK-NEXT: %[[A:.*]] = relax.subtract %[[B]], %[[Y]]
// CHECK-NEXT: %[[R:.*]] = relax.nn.relu %[[A]]
// CHECK-NEXT: func.return %[[R]]
func.func @through_relu_and_bias(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf32>, %b: tensor<4x1xf32>) -> tensor<1x4x6xf32> {
  %s = relax.constant {value = dense<[[1.0], [0.0], [2.0], [3.0]]> : tensor<4x1xf32>} : () -> tensor<4x1xf32>
  %y = relax.nn.conv1d %x, %w : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  %a = relax.subtract %b, %y : (tensor<4x1xf32>, tensor<1x4x6xf32>) -> tensor<1x4x6xf32>
  %r = relax.nn.relu %a : (tensor<1x4x6xf32>) -> tensor<1x4x6xf32>
  %z = relax.multiply %r, %s : (tensor<1x4x6xf32>, tensor<4x1xf32>) -> tensor<1x4x6xf32>
  return %z : tensor<1x4x6xf32>
}

// -----

// CHECK-LABEL: func.func @declines_negative_scale_after_relu(
// CHECK: relax.nn.conv1d %x, %w
// CHECK: relax.multiply
func.func @declines_negative_scale_after_relu(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf32>) -> tensor<1x4x6xf32> {
  %s = relax.constant {value = dense<[[1.0], [-1.0], [2.0], [3.0]]> : tensor<4x1xf32>} : () -> tensor<4x1xf32>
  %y = relax.nn.conv1d %x, %w : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  %r = relax.nn.relu %y : (tensor<1x4x6xf32>) -> tensor<1x4x6xf32>
  %z = relax.multiply %r, %s : (tensor<1x4x6xf32>, tensor<4x1xf32>) -> tensor<1x4x6xf32>
  return %z : tensor<1x4x6xf32>
}

// -----

// The sign of a parameter is not known.
// CHECK-LABEL: func.func @declines_parameter_after_relu(
// CHECK: relax.nn.conv1d %x, %w
// CHECK: relax.multiply
func.func @declines_parameter_after_relu(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf32>, %s: tensor<4x1xf32>) -> tensor<1x4x6xf32> {
  %y = relax.nn.conv1d %x, %w : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  %r = relax.nn.leakyrelu %y : (tensor<1x4x6xf32>) -> tensor<1x4x6xf32>
  %z = relax.multiply %r, %s : (tensor<1x4x6xf32>, tensor<4x1xf32>) -> tensor<1x4x6xf32>
  return %z : tensor<1x4x6xf32>
}

// -----

// A sum of two convolutions is scaled in both.
// CHECK-LABEL: func.func @both_branches(
// CHECK: %[[U1:.*]] = relax.multiply %w1, %
// CHECK: %[[Y1:.*]] = relax.nn.conv1d %x, %[[U1]]
// CHECK: %[[U2:.*]] = relax.multiply %w2, %
// CHECK: %[[Y2:.*]] = relax.nn.conv1d %x, %[[U2]]
// CHECK: %[[A:.*]] = relax.add %[[Y1]], %[[Y2]]
// CHECK-NEXT: func.return %[[A]]
func.func @both_branches(%x: tensor<1x3x8xf32>, %w1: tensor<4x3x3xf32>, %w2: tensor<4x3x3xf32>, %s: tensor<4x1xf32>) -> tensor<1x4x6xf32> {
  %y1 = relax.nn.conv1d %x, %w1 : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  %y2 = relax.nn.conv1d %x, %w2 : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  %a = relax.add %y1, %y2 : (tensor<1x4x6xf32>, tensor<1x4x6xf32>) -> tensor<1x4x6xf32>
  %z = relax.multiply %a, %s : (tensor<1x4x6xf32>, tensor<4x1xf32>) -> tensor<1x4x6xf32>
  return %z : tensor<1x4x6xf32>
}

// -----

// CHECK-LABEL: func.func @declines_residual(
// CHECK: relax.nn.conv1d %x, %w
// CHECK: relax.multiply
func.func @declines_residual(%x: tensor<1x3x8xf32>, %r: tensor<1x4x6xf32>, %w: tensor<4x3x3xf32>, %s: tensor<4x1xf32>) -> tensor<1x4x6xf32> {
  %y = relax.nn.conv1d %x, %w : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  %a = relax.add %y, %r : (tensor<1x4x6xf32>, tensor<1x4x6xf32>) -> tensor<1x4x6xf32>
  %z = relax.multiply %a, %s : (tensor<1x4x6xf32>, tensor<4x1xf32>) -> tensor<1x4x6xf32>
  return %z : tensor<1x4x6xf32>
}

// -----

// Matrix products have their columns scaled, linear its rows and its bias; a scalar scales anything.
// CHECK-LABEL: func.func @matmul_and_linear(
// CHECK: %[[U:.*]] = relax.multiply %w, %s : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
// CHECK: %[[Y:.*]] = relax.matmul %x, %[[U]]
// CHECK: %[[V:.*]] = relax.multiply %v, %c : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
// CHECK: %[[D:.*]] = relax.multiply %b, %c
// CHECK: relax.linear %[[Y]], %[[V]], %[[D]]
func.func @matmul_and_linear(%x: tensor<?x8xf32, #relax.sym<n>>, %w: tensor<8x4xf32>, %s: tensor<4xf32>, %v: tensor<8x4xf32>, %b: tensor<8xf32>, %c: tensor<f32>)
    -> tensor<?x8xf32, #relax.sym<n>> attributes {relax.num_input = 1 : i64} {
  %y = relax.matmul %x, %w : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
  %z = relax.multiply %y, %s : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
  %l = relax.linear %z, %v, %b : (tensor<?x4xf32, #relax.sym<n>>, tensor<8x4xf32>, tensor<8xf32>) -> tensor<?x8xf32, #relax.sym<n>>
  %m = relax.multiply %l, %c : (tensor<?x8xf32, #relax.sym<n>>, tensor<f32>) -> tensor<?x8xf32, #relax.sym<n>>
  return %m : tensor<?x8xf32, #relax.sym<n>>
}

// -----

// The product of two activations has no weights.
// CHECK-LABEL: func.func @declines_attention_scores(
// CHECK: relax.matmul %q, %k
// CHECK: relax.multiply
func.func @declines_attention_scores(%q: tensor<2x4x8xf32>, %k: tensor<2x8x4xf32>, %c: tensor<f32>) -> tensor<2x4x4xf32> attributes {relax.num_input = 2 : i64} {
  %y = relax.matmul %q, %k : (tensor<2x4x8xf32>, tensor<2x8x4xf32>) -> tensor<2x4x4xf32>
  %z = relax.multiply %y, %c : (tensor<2x4x4xf32>, tensor<f32>) -> tensor<2x4x4xf32>
  return %z : tensor<2x4x4xf32>
}

// -----

// A widened product holds more than the weight could, and integers are not distributed over.
// CHECK-LABEL: func.func @declines_widened(
// CHECK: relax.matmul %x, %w
// CHECK: relax.multiply
func.func @declines_widened(%x: tensor<2x8xi8>, %w: tensor<8x4xi8>, %s: tensor<4xi32>) -> tensor<2x4xi32> {
  %y = relax.matmul %x, %w {out_dtype = i32} : (tensor<2x8xi8>, tensor<8x4xi8>) -> tensor<2x4xi32>
  %z = relax.multiply %y, %s : (tensor<2x4xi32>, tensor<4xi32>) -> tensor<2x4xi32>
  return %z : tensor<2x4xi32>
}

// -----

// One scale after the other, in a dataflow block.
// CHECK-LABEL: func.func @twice(
// CHECK: %[[A:.*]] = relax.multiply %w, %s
// CHECK: %[[B:.*]] = relax.multiply %[[A]], %t
// CHECK: %[[Y:.*]] = relax.matmul %x, %[[B]]
// CHECK-NEXT: relax.output %[[Y]]
func.func @twice(%x: tensor<2x8xf32>, %w: tensor<8x4xf32>, %s: tensor<4xf32>, %t: tensor<4xf32>) -> tensor<2x4xf32> {
  %r = relax.dataflow {
    %y = relax.matmul %x, %w : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
    %z = relax.multiply %y, %s : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    %u = relax.multiply %z, %t : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    relax.output %u : tensor<2x4xf32>
  } : tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}
