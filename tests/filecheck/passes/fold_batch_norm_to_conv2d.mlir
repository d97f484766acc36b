// RUN: relax-opt %s -p relax-fold-batch-norm-to-conv2d | filecheck %s
// RUN: relax-opt %s -p 'relax-fold-batch-norm-to-conv2d{params=true}' | filecheck %s --check-prefix PARAMS

// CHECK-LABEL: func.func @constants(
// CHECK-NOT: relax.nn.batch_norm
// CHECK: %[[U:.*]] = relax.multiply %{{.*}}, %{{.*}} : (tensor<2x3x1x1xf32>, tensor<2x1x1x1xf32>) -> tensor<2x3x1x1xf32>
// CHECK-NEXT: %[[Y:.*]] = relax.nn.conv2d %x, %[[U]]
// CHECK-NEXT: %[[T:.*]] = relax.expand_dims %{{.*}} {axis = array<i64: 1, 2>} : (tensor<2xf32>) -> tensor<2x1x1xf32>
// CHECK-NEXT: %[[Z:.*]] = relax.add %[[Y]], %[[T]]
// CHECK-NEXT: func.return %[[Z]]
func.func @constants(%x: tensor<1x3x8x8xf32>) -> tensor<1x2x8x8xf32> {
  %w = relax.constant {value = dense<2.0> : tensor<2x3x1x1xf32>} : () -> tensor<2x3x1x1xf32>
  %g = relax.constant {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %b = relax.constant {value = dense<[3.0, 4.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %m = relax.constant {value = dense<[5.0, 6.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %v = relax.constant {value = dense<[7.0, 8.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %y = relax.nn.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<2x3x1x1xf32>) -> tensor<1x2x8x8xf32>
  %z, %m1, %v1 = relax.nn.batch_norm %y, %g, %b, %m, %v {axis = 1 : i64, training = false}
    : (tensor<1x2x8x8xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<1x2x8x8xf32>, tensor<2xf32>, tensor<2xf32>)
  return %z : tensor<1x2x8x8xf32>
}

// The output channels of an IOHW kernel are its second dim. Parameters count on request.
// CHECK-LABEL: func.func @parameters(
// CHECK: relax.nn.batch_norm
// PARAMS-LABEL: func.func @parameters(
// PARAMS: relax.multiply %w, %{{.*}} : (tensor<3x2x1x1xf32>, tensor<2x1x1xf32>) -> tensor<3x2x1x1xf32>
// PARAMS-NOT: relax.nn.batch_norm
// PARAMS-LABEL: func.func @declines_training(
func.func @parameters(%x: tensor<1x3x8x8xf32>, %w: tensor<3x2x1x1xf32>, %p: tensor<2xf32>) -> tensor<1x2x8x8xf32> attributes {relax.num_input = 1 : i64} {
  %y = relax.nn.conv2d %x, %w {kernel_layout = "IOHW"} : (tensor<1x3x8x8xf32>, tensor<3x2x1x1xf32>) -> tensor<1x2x8x8xf32>
  %z, %m1, %v1 = relax.nn.batch_norm %y, %p, %p, %p, %p {axis = 1 : i64, training = false}
    : (tensor<1x2x8x8xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<1x2x8x8xf32>, tensor<2xf32>, tensor<2xf32>)
  return %z : tensor<1x2x8x8xf32>
}

// PARAMS: relax.nn.batch_norm
func.func @declines_training(%x: tensor<1x3x8x8xf32>, %w: tensor<2x3x1x1xf32>, %p: tensor<2xf32>) -> tensor<1x2x8x8xf32> {
  %y = relax.nn.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<2x3x1x1xf32>) -> tensor<1x2x8x8xf32>
  %z, %m1, %v1 = relax.nn.batch_norm %y, %p, %p, %p, %p {axis = 1 : i64}
    : (tensor<1x2x8x8xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<1x2x8x8xf32>, tensor<2xf32>, tensor<2xf32>)
  return %z : tensor<1x2x8x8xf32>
}

// PARAMS-LABEL: func.func @declines_two_readers(
// PARAMS: relax.nn.batch_norm
func.func @declines_two_readers(%x: tensor<1x3x8x8xf32>, %w: tensor<2x3x1x1xf32>, %p: tensor<2xf32>) -> (tensor<1x2x8x8xf32>, tensor<1x2x8x8xf32>) {
  %y = relax.nn.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<2x3x1x1xf32>) -> tensor<1x2x8x8xf32>
  %z, %m1, %v1 = relax.nn.batch_norm %y, %p, %p, %p, %p {axis = 1 : i64, training = false}
    : (tensor<1x2x8x8xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<1x2x8x8xf32>, tensor<2xf32>, tensor<2xf32>)
  return %y, %z : tensor<1x2x8x8xf32>, tensor<1x2x8x8xf32>
}

// The spatial axis is none that the weights have.
// PARAMS-LABEL: func.func @declines_other_axis(
// PARAMS: relax.nn.batch_norm
func.func @declines_other_axis(%x: tensor<1x3x2x2xf32>, %w: tensor<2x3x1x1xf32>, %p: tensor<2xf32>) -> tensor<1x2x2x2xf32> {
  %y = relax.nn.conv2d %x, %w : (tensor<1x3x2x2xf32>, tensor<2x3x1x1xf32>) -> tensor<1x2x2x2xf32>
  %z, %m1, %v1 = relax.nn.batch_norm %y, %p, %p, %p, %p {axis = 3 : i64, training = false}
    : (tensor<1x2x2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<1x2x2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  return %z : tensor<1x2x2x2xf32>
}
