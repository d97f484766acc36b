// RUN: relax-opt %s -p relax-use-winograd | filecheck %s
// RUN: relax-opt %s -p 'relax-use-winograd{tile=4}' | filecheck %s --check-prefix=FOUR
// RUN: relax-opt %s -p 'relax-use-winograd{tile=2}' | filecheck %s --check-prefix=TWO
// RUN: relax-opt %s -p 'relax-use-winograd{panel=16}' | filecheck %s --check-prefix=BYTES
// RUN: relax-opt %s -p relax-use-winograd,relax-lift-transform-params | filecheck %s --check-prefix=LIFTED

// The kernel is multiplied by a matrix that transforms both of its dims; the batch may be symbolic.
// CHECK-LABEL: func.func @three_by_three(
// CHECK: %[[R:.*]] = relax.permute_dims %w {axes = array<i64: 2, 3, 1, 0>} : (tensor<48x32x3x3xf32>) -> tensor<3x3x32x48xf32>
// CHECK: %[[M:.*]] = relax.reshape %[[R]], %{{.*}} -> tensor<9x1536xf32>
// CHECK: %[[G:.*]] = relax.constant {{.*}} -> tensor<16x9xf32>
// CHECK: %[[P:.*]] = relax.matmul %[[G]], %[[M]] : (tensor<16x9xf32>, tensor<9x1536xf32>) -> tensor<16x1536xf32>
// CHECK: %w_packed = relax.reshape %[[P]], %{{.*}} -> tensor<4x4x32x48xf32>
// CHECK: relax.nn.winograd_conv2d %x, %w_packed {padding = array<i64: 1, 0, 1, 2>}
// CHECK-SAME: (tensor<?x32x13x14xf32, #relax.sym<n>>, tensor<4x4x32x48xf32>) -> tensor<?x48x13x14xf32, #relax.sym<n>>

// Tiles are of 2x2 results here, of which those of a small result have more. An option chooses others.
// FOUR-LABEL: func.func @three_by_three(
// FOUR: relax.matmul {{.*}} : (tensor<36x9xf32>, tensor<9x1536xf32>) -> tensor<36x1536xf32>
// FOUR: %w_packed = relax.reshape {{.*}} -> tensor<6x6x32x48xf32>
// FOUR: relax.nn.winograd_conv2d %x, %w_packed {padding = array<i64: 1, 0, 1, 2>}
// FOUR-SAME: (tensor<?x32x13x14xf32, #relax.sym<n>>, tensor<6x6x32x48xf32>) -> tensor<?x48x13x14xf32, #relax.sym<n>>

// Lifting moves all but the convolution.
// LIFTED-LABEL: func.func @three_by_three_transform_params(
// LIFTED: relax.matmul
// LIFTED-LABEL: func.func @three_by_three(
// LIFTED-SAME: tensor<4x4x32x48xf32>
// LIFTED-NOT: relax.matmul
// LIFTED: relax.nn.winograd_conv2d
func.func @three_by_three(%x: tensor<?x32x13x14xf32, #relax.sym<n>>, %w: tensor<48x32x3x3xf32>) -> tensor<?x48x13x14xf32, #relax.sym<n>>
    attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %y = relax.nn.conv2d %x, %w {padding = array<i64: 1, 0, 1, 2>} : (tensor<?x32x13x14xf32, #relax.sym<n>>, tensor<48x32x3x3xf32>) -> tensor<?x48x13x14xf32, #relax.sym<n>>
    relax.output %y : tensor<?x48x13x14xf32, #relax.sym<n>>
  } : tensor<?x48x13x14xf32, #relax.sym<n>>
  return %r : tensor<?x48x13x14xf32, #relax.sym<n>>
}

// A kernel that follows from weights is one; a convolution of weights alone is lifted as it is.
// CHECK-LABEL: func.func @of_weights(
// CHECK: %[[S:.*]] = relax.multiply %w, %s
// CHECK: relax.permute_dims %[[S]]
// CHECK: relax.nn.winograd_conv2d %x,
// CHECK: relax.nn.conv2d %v, %w
func.func @of_weights(%x: tensor<1x32x14x14xf32>, %v: tensor<1x32x14x14xf32>, %w: tensor<32x32x3x3xf32>, %s: tensor<32x1x1x1xf32>)
    -> (tensor<1x32x12x12xf32>, tensor<1x32x12x12xf32>) attributes {relax.num_input = 1 : i64} {
  %r:2 = relax.dataflow {
    %k = relax.multiply %w, %s : (tensor<32x32x3x3xf32>, tensor<32x1x1x1xf32>) -> tensor<32x32x3x3xf32>
    %y = relax.nn.conv2d %x, %k : (tensor<1x32x14x14xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x12x12xf32>
    %z = relax.nn.conv2d %v, %w : (tensor<1x32x14x14xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x12x12xf32>
    relax.output %y, %z : tensor<1x32x12x12xf32>, tensor<1x32x12x12xf32>
  } : tensor<1x32x12x12xf32>, tensor<1x32x12x12xf32>
  return %r#0, %r#1 : tensor<1x32x12x12xf32>, tensor<1x32x12x12xf32>
}

// Many results are tiles of 4x4.
// CHECK-LABEL: func.func @large(
// CHECK: relax.nn.winograd_conv2d %x, %{{.*}} : (tensor<1x64x30x30xf32>, tensor<6x6x64x64xf32>)
// TWO-LABEL: func.func @large(
// TWO: relax.nn.winograd_conv2d %x, %{{.*}} : (tensor<1x64x30x30xf32>, tensor<4x4x64x64xf32>)
func.func @large(%x: tensor<1x64x30x30xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<1x64x28x28xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %y = relax.nn.conv2d %x, %w : (tensor<1x64x30x30xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x28x28xf32>
    relax.output %y : tensor<1x64x28x28xf32>
  } : tensor<1x64x28x28xf32>
  return %r : tensor<1x64x28x28xf32>
}

// Nothing is known of weights without `relax.num_input`.
// CHECK-LABEL: func.func @no_weights(
// CHECK-NOT: relax.nn.winograd_conv2d
// CHECK: relax.nn.conv2d
func.func @no_weights(%x: tensor<1x32x14x14xf32>, %w: tensor<32x32x3x3xf32>) -> tensor<1x32x12x12xf32> {
  %r = relax.dataflow {
    %y = relax.nn.conv2d %x, %w : (tensor<1x32x14x14xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x12x12xf32>
    relax.output %y : tensor<1x32x12x12xf32>
  } : tensor<1x32x12x12xf32>
  return %r : tensor<1x32x12x12xf32>
}

// CHECK-LABEL: func.func @strided(
// CHECK-NOT: relax.nn.winograd_conv2d
// CHECK: relax.nn.conv2d
func.func @strided(%x: tensor<1x32x28x28xf32>, %w: tensor<32x32x3x3xf32>) -> tensor<1x32x13x13xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %y = relax.nn.conv2d %x, %w {strides = array<i64: 2>} : (tensor<1x32x28x28xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x13x13xf32>
    relax.output %y : tensor<1x32x13x13xf32>
  } : tensor<1x32x13x13xf32>
  return %r : tensor<1x32x13x13xf32>
}

// Convolutions of bytes stay where no panel is asked for. The kernel is transformed in i32, with pairs of inputs and panels of outputs together.
// CHECK-LABEL: func.func @bytes(
// CHECK: relax.nn.conv2d
// BYTES-LABEL: func.func @bytes(
// BYTES: %[[R:.*]] = relax.permute_dims %w {axes = array<i64: 1, 2, 0, 3>} : (tensor<48x3x3x64xi8>) -> tensor<3x3x48x64xi8>
// BYTES: %[[S:.*]] = relax.reshape %[[R]], %{{.*}} -> tensor<3x3x3x16x32x2xi8>
// BYTES: %[[P:.*]] = relax.permute_dims %[[S]] {axes = array<i64: 0, 1, 2, 4, 3, 5>} : {{.*}} -> tensor<3x3x3x32x16x2xi8>
// BYTES: %[[M:.*]] = relax.reshape %[[P]], %{{.*}} -> tensor<9x3072xi8>
// BYTES: %[[W:.*]] = relax.astype %[[M]] {dtype = i32}
// BYTES: %[[G:.*]] = relax.constant {value = dense<"0x04000000{{0+}}020000000200000002000000{{0+}}02000000FEFFFFFF02000000{{.*}} -> tensor<16x9xi32>
// BYTES: %[[T:.*]] = relax.matmul %[[G]], %[[W]] : (tensor<16x9xi32>, tensor<9x3072xi32>) -> tensor<16x3072xi32>
// BYTES: %[[N:.*]] = relax.astype %[[T]] {dtype = i16}
// BYTES: %w_packed = relax.reshape %[[N]], %{{.*}} -> tensor<4x4x3x32x16x2xi16>
// BYTES: relax.nn.integer_winograd_conv2d %x, %w_packed {padding = array<i64: 1, 0, 1, 2>}
// BYTES-SAME: (tensor<?x7x8x64xui8, #relax.sym<n>>, tensor<4x4x3x32x16x2xi16>) -> tensor<?x7x8x48xi32, #relax.sym<n>>
func.func @bytes(%x: tensor<?x7x8x64xui8, #relax.sym<n>>, %w: tensor<48x3x3x64xi8>) -> tensor<?x7x8x48xi32, #relax.sym<n>>
    attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %y = relax.nn.conv2d %x, %w {padding = array<i64: 1, 0, 1, 2>, data_layout = "NHWC", kernel_layout = "OHWI", out_layout = "NHWC", out_dtype = i32} : (tensor<?x7x8x64xui8, #relax.sym<n>>, tensor<48x3x3x64xi8>) -> tensor<?x7x8x48xi32, #relax.sym<n>>
    relax.output %y : tensor<?x7x8x48xi32, #relax.sym<n>>
  } : tensor<?x7x8x48xi32, #relax.sym<n>>
  return %r : tensor<?x7x8x48xi32, #relax.sym<n>>
}
