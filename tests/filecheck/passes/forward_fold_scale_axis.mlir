// RUN: relax-opt %s -p relax-forward-fold-scale-axis --split-input-file | filecheck %s

// CHECK-LABEL: func.func @conv2d(
// CHECK-NEXT: %[[Q:.*]] = relax.squeeze %s {axis = array<i64: 1, 2>}
// CHECK-NEXT: %[[E:.*]] = relax.expand_dims %[[Q]] {axis = array<i64: 1, 2>} : (tensor<3xf32>) -> tensor<3x1x1xf32>
// CHECK-NEXT: %[[U:.*]] = relax.multiply %w, %[[E]] : (tensor<4x3x3x3xf32>, tensor<3x1x1xf32>) -> tensor<4x3x3x3xf32>
// CHECK-NEXT: relax.nn.conv2d %x, %[[U]] {padding = array<i64: 1>}
func.func @conv2d(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %s: tensor<3x1x1xf32>) -> tensor<1x4x8x8xf32> {
  %y = relax.multiply %x, %s : (tensor<1x3x8x8xf32>, tensor<3x1x1xf32>) -> tensor<1x3x8x8xf32>
  %z = relax.nn.conv2d %y, %w {padding = array<i64: 1>} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  return %z : tensor<1x4x8x8xf32>
}

// -----

// Each filter of a depthwise convolution reads one channel.
// CHECK-LABEL: func.func @depthwise(
// CHECK: %[[R:.*]] = relax.reshape %{{.*}} -> tensor<3x1xf32>
// CHECK-NEXT: %[[T:.*]] = relax.repeat %[[R]] {repeats = 2 : i64, axis = 0 : i64} : (tensor<3x1xf32>) -> tensor<6x1xf32>
// CHECK-NEXT: %[[P:.*]] = relax.permute_dims %[[T]]
// CHECK-NEXT: %[[E:.*]] = relax.expand_dims %[[P]] {axis = array<i64: 0, 1>} : (tensor<1x6xf32>) -> tensor<1x1x1x6xf32>
// CHECK-NEXT: %[[U:.*]] = relax.multiply %w, %[[E]]
// CHECK-NEXT: relax.nn.conv2d %x, %[[U]]
func.func @depthwise(%x: tensor<1x3x8x8xf32>, %w: tensor<3x3x1x6xf32>, %s: tensor<3x1x1xf32>) -> tensor<1x6x6x6xf32> {
  %y = relax.multiply %x, %s : (tensor<1x3x8x8xf32>, tensor<3x1x1xf32>) -> tensor<1x3x8x8xf32>
  %z = relax.nn.conv2d %y, %w {groups = 3 : i64, kernel_layout = "HWIO"} : (tensor<1x3x8x8xf32>, tensor<3x3x1x6xf32>) -> tensor<1x6x6x6xf32>
  return %z : tensor<1x6x6x6xf32>
}

// -----

// All readers ask for the same axis.
// CHECK-LABEL: func.func @two_readers(
// CHECK-NOT: relax.multiply %x
// CHECK: %[[E:.*]] = relax.expand_dims %s {axis = array<i64: 1>} : (tensor<8xf32>) -> tensor<8x1xf32>
// CHECK: %[[U:.*]] = relax.multiply %w, %[[E]]
// CHECK: relax.matmul %x, %[[U]]
// CHECK: %[[V:.*]] = relax.multiply %v, %s
// CHECK: relax.linear %x, %[[V]], %b
func.func @two_readers(%x: tensor<2x8xf32>, %w: tensor<8x4xf32>, %v: tensor<4x8xf32>, %b: tensor<4xf32>, %s: tensor<8xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %y = relax.multiply %x, %s : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %z = relax.matmul %y, %w : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
  %l = relax.linear %y, %v, %b : (tensor<2x8xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %z, %l : tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

// One reader that asks for nothing is enough.
// CHECK-LABEL: func.func @declines_other_reader(
// CHECK: relax.multiply %x, %s
// CHECK: relax.matmul %{{.*}}, %w
func.func @declines_other_reader(%x: tensor<2x8xf32>, %w: tensor<8x4xf32>, %s: tensor<8xf32>) -> (tensor<2x4xf32>, tensor<2x8xf32>) {
  %y = relax.multiply %x, %s : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %z = relax.matmul %y, %w : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
  return %z, %y : tensor<2x4xf32>, tensor<2x8xf32>
}

// -----

// CHECK-LABEL: func.func @declines_axes_that_differ(
// CHECK: relax.multiply %x, %s
func.func @declines_axes_that_differ(%x: tensor<1x8x8xf32>, %w: tensor<8x4xf32>, %v: tensor<4x8x3xf32>, %s: tensor<8xf32>) -> (tensor<1x8x4xf32>, tensor<1x4x6xf32>) {
  %y = relax.multiply %x, %s : (tensor<1x8x8xf32>, tensor<8xf32>) -> tensor<1x8x8xf32>
  %z = relax.matmul %y, %w : (tensor<1x8x8xf32>, tensor<8x4xf32>) -> tensor<1x8x4xf32>
  %c = relax.nn.conv1d %y, %v : (tensor<1x8x8xf32>, tensor<4x8x3xf32>) -> tensor<1x4x6xf32>
  return %z, %c : tensor<1x8x4xf32>, tensor<1x4x6xf32>
}

// -----

// What is added on the way is divided by the scale, which is a constant without zeros; relu asks for a positive one.
// CHECK-LABEL: func.func @through_add_and_relu(
// CHECK: %[[S:.*]] = relax.constant
// CHECK-NOT: relax.multiply %x
// CHECK: %[[B:.*]] = relax.divide %b, %[[S]]
// CHECK-NEXT: %[[A:.*]] = relax.add %x, %[[B]]
// CHECK-NEXT: %[[R:.*]] = relax.nn.relu %[[A]]
// CHECK: %[[U:.*]] = relax.multiply %w, %
// CHECK-NEXT: relax.matmul %[[R]], %[[U]]
func.func @through_add_and_relu(%x: tensor<4x2xf32>, %w: tensor<2x4xf32>, %b: tensor<2xf32>) -> tensor<4x4xf32> {
  %s = relax.constant {value = dense<[0.5, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %y = relax.multiply %x, %s : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %a = relax.add %y, %b : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %r = relax.nn.relu %a : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %z = relax.matmul %r, %w : (tensor<4x2xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  return %z : tensor<4x4xf32>
}

// -----

// CHECK-LABEL: func.func @declines_zero_before_add(
// CHECK: relax.multiply %x
// CHECK: relax.matmul %{{.*}}, %w
func.func @declines_zero_before_add(%x: tensor<4x2xf32>, %w: tensor<2x4xf32>, %b: tensor<2xf32>) -> tensor<4x4xf32> {
  %s = relax.constant {value = dense<[0.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %y = relax.multiply %x, %s : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %a = relax.add %y, %b : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %z = relax.matmul %a, %w : (tensor<4x2xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  return %z : tensor<4x4xf32>
}

// -----

// CHECK-LABEL: func.func @declines_negative_before_relu(
// CHECK: relax.multiply %x
// CHECK: relax.matmul %{{.*}}, %w
func.func @declines_negative_before_relu(%x: tensor<4x2xf32>, %w: tensor<2x4xf32>) -> tensor<4x4xf32> {
  %s = relax.constant {value = dense<[-1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %y = relax.multiply %x, %s : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %a = relax.nn.relu %y : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %z = relax.matmul %a, %w : (tensor<4x2xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  return %z : tensor<4x4xf32>
}

// -----

// The value is a weight of its reader, not its data.
// CHECK-LABEL: func.func @declines_scaled_weight(
// CHECK: %[[W:.*]] = relax.multiply %w, %s
// CHECK-NEXT: relax.matmul %x, %[[W]]
func.func @declines_scaled_weight(%x: tensor<4x2xf32>, %w: tensor<2x4xf32>, %s: tensor<4xf32>) -> tensor<4x4xf32> {
  %y = relax.multiply %w, %s : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %z = relax.matmul %x, %y : (tensor<4x2xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  return %z : tensor<4x4xf32>
}
