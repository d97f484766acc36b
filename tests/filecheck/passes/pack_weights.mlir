// RUN: relax-opt %s -p relax-pack-weights | filecheck %s
// RUN: relax-opt %s -p 'relax-pack-weights{widen_f16=true}' | filecheck %s --check-prefix=WIDE
// RUN: relax-opt %s -p relax-pack-weights,relax-lift-transform-params | filecheck %s --check-prefix=LIFTED
// RUN: relax-opt %s -p 'relax-pack-weights{tiles=true}' | filecheck %s --check-prefix=TILES
// RUN: relax-opt %s -p 'relax-pack-weights{tiles=true},relax-lift-transform-params' | filecheck %s --check-prefix=TILED
// RUN: relax-opt %s -p 'relax-pack-weights{dots=true}' | filecheck %s --check-prefix=DOTS

// A weight, or what follows from weights, is packed where a product reads it.
// CHECK-LABEL: func.func @transposed_weight(
// CHECK: %[[T:.*]] = relax.permute_dims %w
// CHECK: %[[P:.*]] = relax.pack_weight %[[T]] : (tensor<8x100xf32>) -> tensor<2x8x64xf32>
// CHECK: relax.packed_matmul %x, %[[P]] {columns = 100 : i64}

// Lifting moves the transpose and the packing together.
// LIFTED-LABEL: func.func @transposed_weight_transform_params(
// LIFTED: relax.permute_dims
// LIFTED: relax.pack_weight
// LIFTED-LABEL: func.func @transposed_weight(
// LIFTED-SAME: tensor<2x8x64xf32>
// LIFTED-NOT: relax.pack_weight
// LIFTED: relax.packed_matmul
func.func @transposed_weight(%x: tensor<?x8xf32, #relax.sym<n>>, %w: tensor<100x8xf32>) -> tensor<?x100xf32, #relax.sym<n>>
    attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %t = relax.permute_dims %w : (tensor<100x8xf32>) -> tensor<8x100xf32>
    %y = relax.matmul %x, %t : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x100xf32>) -> tensor<?x100xf32, #relax.sym<n>>
    relax.output %y : tensor<?x100xf32, #relax.sym<n>>
  } : tensor<?x100xf32, #relax.sym<n>>
  return %r : tensor<?x100xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @keeps_out_dtype(
// CHECK: relax.packed_matmul %x, %{{.*}} {columns = 4 : i64, out_dtype = f32}
func.func @keeps_out_dtype(%x: tensor<2x8xf16>, %w: tensor<8x4xf16>) -> tensor<2x4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %y = relax.matmul %x, %w {out_dtype = f32} : (tensor<2x8xf16>, tensor<8x4xf16>) -> tensor<2x4xf32>
    relax.output %y : tensor<2x4xf32>
  } : tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// A weight that is converted to a wider float type is packed as it was, also behind the concatenation of combined products.
// CHECK-LABEL: func.func @narrower_weights(
// CHECK: %[[C:.*]] = relax.concat %v, %w {axis = 0 : i64} : (tensor<3x8xf16>, tensor<4x8xf16>) -> tensor<7x8xf16>
// CHECK: %[[T:.*]] = relax.permute_dims %[[C]] {axes = array<i64: 1, 0>} : (tensor<7x8xf16>) -> tensor<8x7xf16>
// CHECK: %[[P:.*]] = relax.pack_weight %[[T]] : (tensor<8x7xf16>) -> tensor<1x8x64xf16>
// CHECK: relax.packed_matmul %x, %[[P]] {columns = 7 : i64} : (tensor<2x8xf32>, tensor<1x8x64xf16>) -> tensor<2x7xf32>
// WIDE-LABEL: func.func @narrower_weights(
// WIDE: relax.pack_weight %{{.*}} : (tensor<8x7xf32>) -> tensor<1x8x64xf32>
// LIFTED-LABEL: func.func @narrower_weights(
// LIFTED-SAME: tensor<1x8x64xf16>
// LIFTED-NOT: relax.astype
// LIFTED: relax.packed_matmul
func.func @narrower_weights(%x: tensor<2x8xf32>, %v: tensor<3x8xf16>, %w: tensor<4x8xf16>) -> tensor<2x7xf32>
    attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %a = relax.astype %v {dtype = f32} : (tensor<3x8xf16>) -> tensor<3x8xf32>
    %b = relax.astype %w {dtype = f32} : (tensor<4x8xf16>) -> tensor<4x8xf32>
    %c = relax.concat %a, %b {axis = 0 : i64} : (tensor<3x8xf32>, tensor<4x8xf32>) -> tensor<7x8xf32>
    %t = relax.permute_dims %c {axes = array<i64: 1, 0>} : (tensor<7x8xf32>) -> tensor<8x7xf32>
    %y = relax.matmul %x, %t : (tensor<2x8xf32>, tensor<8x7xf32>) -> tensor<2x7xf32>
    relax.output %y : tensor<2x7xf32>
  } : tensor<2x7xf32>
  return %r : tensor<2x7xf32>
}

// What is computed in f32, rounded to a narrower type, no float at all, or of different types is packed as the product reads it.
// CHECK-LABEL: func.func @declines_narrower_types(
// CHECK: relax.pack_weight %{{.*}} : (tensor<8x4xf32>) -> tensor<1x8x64xf32>
// CHECK: relax.pack_weight %{{.*}} : (tensor<8x4xf16>) -> tensor<1x8x64xf16>
// CHECK: relax.pack_weight %{{.*}} : (tensor<8x4xf32>) -> tensor<1x8x64xf32>
// CHECK: relax.pack_weight %{{.*}} : (tensor<8x8xf32>) -> tensor<1x8x64xf32>
func.func @declines_narrower_types(%x: tensor<2x8xf32>, %h: tensor<2x8xf16>, %v: tensor<8x4xf16>, %w: tensor<8x4xf32>, %i: tensor<8x4xi32>)
    -> (tensor<2x4xf32>, tensor<2x4xf16>, tensor<2x4xf32>, tensor<2x8xf32>) attributes {relax.num_input = 2 : i64} {
  %r:4 = relax.dataflow {
    %a = relax.astype %v {dtype = f32} : (tensor<8x4xf16>) -> tensor<8x4xf32>
    %b = relax.negative %a : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %p = relax.matmul %x, %b : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
    %c = relax.astype %w {dtype = f16} : (tensor<8x4xf32>) -> tensor<8x4xf16>
    %q = relax.matmul %h, %c : (tensor<2x8xf16>, tensor<8x4xf16>) -> tensor<2x4xf16>
    %d = relax.astype %i {dtype = f32} : (tensor<8x4xi32>) -> tensor<8x4xf32>
    %s = relax.matmul %x, %d : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
    %e = relax.concat %a, %w {axis = 1 : i64} : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
    %t = relax.matmul %x, %e : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<2x8xf32>
    relax.output %p, %q, %s, %t : tensor<2x4xf32>, tensor<2x4xf16>, tensor<2x4xf32>, tensor<2x8xf32>
  } : tensor<2x4xf32>, tensor<2x4xf16>, tensor<2x4xf32>, tensor<2x8xf32>
  return %r#0, %r#1, %r#2, %r#3 : tensor<2x4xf32>, tensor<2x4xf16>, tensor<2x4xf32>, tensor<2x8xf32>
}

// A right operand that changes from call to call is left alone.
// CHECK-LABEL: func.func @declines_activations(
// CHECK-NOT: relax.pack_weight
// CHECK: relax.matmul
func.func @declines_activations(%x: tensor<2x8xf32>, %y: tensor<8x4xf32>, %w: tensor<4xf32>) -> tensor<2x4xf32>
    attributes {relax.num_input = 2 : i64} {
  %r = relax.dataflow {
    %z = relax.matmul %x, %y : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
    relax.output %z : tensor<2x4xf32>
  } : tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// A product of weights is lifted as it is, and a batch of matrices has no panels.
// CHECK-LABEL: func.func @declines_weights_and_batches(
// CHECK-NOT: relax.pack_weight
func.func @declines_weights_and_batches(%x: tensor<2x3x4xf32>, %v: tensor<3x8xf32>, %w: tensor<8x4xf32>, %b: tensor<2x4x5xf32>)
    -> (tensor<3x4xf32>, tensor<2x3x5xf32>) attributes {relax.num_input = 1 : i64} {
  %r, %s = relax.dataflow {
    %y = relax.matmul %v, %w : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
    %z = relax.matmul %x, %b : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    relax.output %y, %z : tensor<3x4xf32>, tensor<2x3x5xf32>
  } : tensor<3x4xf32>, tensor<2x3x5xf32>
  return %r, %s : tensor<3x4xf32>, tensor<2x3x5xf32>
}

// A function that does not say which arguments are parameters has none.
// CHECK-LABEL: func.func @declines_without_num_input(
// CHECK-NOT: relax.pack_weight
func.func @declines_without_num_input(%x: tensor<2x8xf32>, %w: tensor<8x4xf32>) -> tensor<2x4xf32> {
  %r = relax.dataflow {
    %y = relax.matmul %x, %w : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
    relax.output %y : tensor<2x4xf32>
  } : tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// Four rows of an 8-bit weight lie together; the packed weight is lifted as others are.
// CHECK-LABEL: func.func @bytes(
// CHECK: %[[P:.*]] = relax.pack_weight %w : (tensor<9x70xi8>) -> tensor<2x3x64x4xi8>
// CHECK: relax.packed_matmul %x, %[[P]] {columns = 70 : i64, out_dtype = i32}
// LIFTED-LABEL: func.func @bytes_transform_params(
// LIFTED: relax.pack_weight
// LIFTED-LABEL: func.func @bytes(
// LIFTED-SAME: tensor<2x3x64x4xi8>
// LIFTED-NOT: relax.pack_weight
func.func @bytes(%x: tensor<5x9xui8>, %w: tensor<9x70xi8>) -> tensor<5x70xi32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %y = relax.matmul %x, %w {out_dtype = i32} : (tensor<5x9xui8>, tensor<9x70xi8>) -> tensor<5x70xi32>
    relax.output %y : tensor<5x70xi32>
  } : tensor<5x70xi32>
  return %r : tensor<5x70xi32>
}

// The output channels of a kernel lie in blocks of 16, whatever layout it had.
// CHECK-LABEL: func.func @kernel(
// CHECK: %[[S:.*]] = relax.shape : () -> !relax.shape<[2, 16, 3, 3, 5]>
// CHECK: %[[B:.*]] = relax.reshape %w, %[[S]]
// CHECK: %[[P:.*]] = relax.permute_dims %[[B]] {axes = array<i64: 0, 2, 3, 4, 1>} : (tensor<2x16x3x3x5xf32>) -> tensor<2x3x3x5x16xf32>
// CHECK: relax.nn.conv2d %x, %[[P]] {padding = array<i64: 1>, kernel_layout = "OIHW16o"}
// LIFTED-LABEL: func.func @kernel_transform_params(
// LIFTED: relax.permute_dims
// LIFTED-LABEL: func.func @kernel(
// LIFTED-SAME: tensor<2x3x3x5x16xf32>
// LIFTED-NOT: relax.permute_dims
// LIFTED: relax.nn.conv2d
func.func @kernel(%x: tensor<1x3x9x9xf32>, %w: tensor<32x3x3x5xf32>) -> tensor<1x32x9x7xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %y = relax.nn.conv2d %x, %w {padding = array<i64: 1>} : (tensor<1x3x9x9xf32>, tensor<32x3x3x5xf32>) -> tensor<1x32x9x7xf32>
    relax.output %y : tensor<1x32x9x7xf32>
  } : tensor<1x32x9x7xf32>
  return %r : tensor<1x32x9x7xf32>
}

// CHECK-LABEL: func.func @kernel_of_groups_last(
// CHECK: relax.permute_dims %{{.*}} {axes = array<i64: 2, 1, 0, 3>} : (tensor<3x4x2x16xf32>) -> tensor<2x4x3x16xf32>
// CHECK: relax.nn.conv1d %x, %{{.*}} {groups = 2 : i64, kernel_layout = "OIW16o"}
func.func @kernel_of_groups_last(%x: tensor<1x8x9xf32>, %w: tensor<3x4x32xf32>) -> tensor<1x32x7xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %y = relax.nn.conv1d %x, %w {groups = 2 : i64, kernel_layout = "WIO"} : (tensor<1x8x9xf32>, tensor<3x4x32xf32>) -> tensor<1x32x7xf32>
    relax.output %y : tensor<1x32x7xf32>
  } : tensor<1x32x7xf32>
  return %r : tensor<1x32x7xf32>
}

// Groups of 8 output channels, and of 24, have blocks of 8.
// CHECK-LABEL: func.func @kernel_in_eights(
// CHECK: relax.nn.conv2d %x, %{{.*}} {groups = 2 : i64, kernel_layout = "OIHW8o"} : (tensor<1x8x9x9xf32>, tensor<2x4x3x3x8xf32>)
// CHECK: relax.nn.conv2d %x, %{{.*}} {kernel_layout = "OIHW8o"} : (tensor<1x8x9x9xf32>, tensor<3x8x3x3x8xf32>)
func.func @kernel_in_eights(%x: tensor<1x8x9x9xf32>, %v: tensor<16x4x3x3xf32>, %w: tensor<24x8x3x3xf32>)
    -> (tensor<1x16x7x7xf32>, tensor<1x24x7x7xf32>) attributes {relax.num_input = 1 : i64} {
  %r:2 = relax.dataflow {
    %a = relax.nn.conv2d %x, %v {groups = 2 : i64} : (tensor<1x8x9x9xf32>, tensor<16x4x3x3xf32>) -> tensor<1x16x7x7xf32>
    %b = relax.nn.conv2d %x, %w : (tensor<1x8x9x9xf32>, tensor<24x8x3x3xf32>) -> tensor<1x24x7x7xf32>
    relax.output %a, %b : tensor<1x16x7x7xf32>, tensor<1x24x7x7xf32>
  } : tensor<1x16x7x7xf32>, tensor<1x24x7x7xf32>
  return %r#0, %r#1 : tensor<1x16x7x7xf32>, tensor<1x24x7x7xf32>
}

// Left alone: blocks that groups share, f16, channels that come last, a kernel that changes from call to call.
// CHECK-LABEL: func.func @declines_kernels(
// CHECK-NOT: 16o
// CHECK-NOT: 8o
// CHECK: return
func.func @declines_kernels(%x: tensor<1x8x9x9xf32>, %h: tensor<1x8x9x9xf16>, %k: tensor<16x8x3x3xf32>, %g: tensor<12x4x3x3xf32>,
    %f: tensor<16x8x3x3xf16>, %w: tensor<16x9x3x3xf32>)
    -> (tensor<1x12x7x7xf32>, tensor<1x16x7x7xf16>, tensor<1x6x7x16xf32>, tensor<1x16x7x7xf32>)
    attributes {relax.num_input = 3 : i64} {
  %r:4 = relax.dataflow {
    %a = relax.nn.conv2d %x, %g {groups = 2 : i64} : (tensor<1x8x9x9xf32>, tensor<12x4x3x3xf32>) -> tensor<1x12x7x7xf32>
    %c = relax.nn.conv2d %h, %f : (tensor<1x8x9x9xf16>, tensor<16x8x3x3xf16>) -> tensor<1x16x7x7xf16>
    %d = relax.nn.conv2d %x, %w {data_layout = "NHWC", kernel_layout = "OIHW"} : (tensor<1x8x9x9xf32>, tensor<16x9x3x3xf32>) -> tensor<1x6x7x16xf32>
    %e = relax.nn.conv2d %x, %k : (tensor<1x8x9x9xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x7x7xf32>
    relax.output %a, %c, %d, %e : tensor<1x12x7x7xf32>, tensor<1x16x7x7xf16>, tensor<1x6x7x16xf32>, tensor<1x16x7x7xf32>
  } : tensor<1x12x7x7xf32>, tensor<1x16x7x7xf16>, tensor<1x6x7x16xf32>, tensor<1x16x7x7xf32>
  return %r#0, %r#1, %r#2, %r#3 : tensor<1x12x7x7xf32>, tensor<1x16x7x7xf16>, tensor<1x6x7x16xf32>, tensor<1x16x7x7xf32>
}

// A window of one pixel: 49 pixels would leave a quarter of a panel of 64 empty, so that vectors are channels.
// CHECK-LABEL: func.func @few_pixels(
// CHECK: relax.nn.conv2d %x, %w_packed {kernel_layout = "OIHW16o"}
// CHECK: return
func.func @few_pixels(%x: tensor<1x8x7x7xf32>, %w: tensor<16x8x1x1xf32>) -> tensor<1x16x7x7xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %y = relax.nn.conv2d %x, %w : (tensor<1x8x7x7xf32>, tensor<16x8x1x1xf32>) -> tensor<1x16x7x7xf32>
    relax.output %y : tensor<1x16x7x7xf32>
  } : tensor<1x16x7x7xf32>
  return %r : tensor<1x16x7x7xf32>
}

// 64 pixels fill it: a product of matrices.
// CHECK-LABEL: func.func @pixels_of_panels(
// CHECK-NOT: 16o
// CHECK: return
func.func @pixels_of_panels(%x: tensor<1x8x8x8xf32>, %w: tensor<16x8x1x1xf32>) -> tensor<1x16x8x8xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %y = relax.nn.conv2d %x, %w : (tensor<1x8x8x8xf32>, tensor<16x8x1x1xf32>) -> tensor<1x16x8x8xf32>
    relax.output %y : tensor<1x16x8x8xf32>
  } : tensor<1x16x8x8xf32>
  return %r : tensor<1x16x8x8xf32>
}

// One pixel is a row of a matrix.
// CHECK-LABEL: func.func @one_pixel(
// CHECK-NOT: 16o
// CHECK: return
func.func @one_pixel(%x: tensor<1x8x1x1xf32>, %w: tensor<16x8x1x1xf32>) -> tensor<1x16x1x1xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %y = relax.nn.conv2d %x, %w : (tensor<1x8x1x1xf32>, tensor<16x8x1x1xf32>) -> tensor<1x16x1x1xf32>
    relax.output %y : tensor<1x16x1x1xf32>
  } : tensor<1x16x1x1xf32>
  return %r : tensor<1x16x1x1xf32>
}

// The input channels of the kernel of a transposed convolution lie together.
// CHECK-LABEL: func.func @transposed(
// CHECK: %[[P:.*]] = relax.permute_dims %w {axes = array<i64: 1, 2, 3, 0>} : (tensor<4x6x2x3xf16>) -> tensor<6x2x3x4xf16>
// CHECK: relax.nn.conv2d_transpose %x, %[[P]] {strides = array<i64: 2>, kernel_layout = "OHWI"}
func.func @transposed(%x: tensor<1x4x5x5xf16>, %w: tensor<4x6x2x3xf16>) -> tensor<1x6x10x11xf16> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %y = relax.nn.conv2d_transpose %x, %w {strides = array<i64: 2>} : (tensor<1x4x5x5xf16>, tensor<4x6x2x3xf16>) -> tensor<1x6x10x11xf16>
    relax.output %y : tensor<1x6x10x11xf16>
  } : tensor<1x6x10x11xf16>
  return %r : tensor<1x6x10x11xf16>
}

// Not where they do already, of a kernel that is given with the call, and for results with channels last.
// CHECK-LABEL: func.func @declines_transposed(
// CHECK-NOT: relax.permute_dims
// CHECK: return
func.func @declines_transposed(%x: tensor<1x4x5x5xf32>, %k: tensor<4x6x2x2xf32>, %w: tensor<6x2x2x4xf32>, %l: tensor<5x6x2x2xf32>)
    -> (tensor<1x6x6x6xf32>, tensor<1x6x6x6xf32>, tensor<1x5x6x6xf32>) attributes {relax.num_input = 2 : i64} {
  %r:3 = relax.dataflow {
    %a = relax.nn.conv2d_transpose %x, %w {kernel_layout = "OHWI"} : (tensor<1x4x5x5xf32>, tensor<6x2x2x4xf32>) -> tensor<1x6x6x6xf32>
    %b = relax.nn.conv2d_transpose %x, %k : (tensor<1x4x5x5xf32>, tensor<4x6x2x2xf32>) -> tensor<1x6x6x6xf32>
    %c = relax.nn.conv2d_transpose %x, %l {data_layout = "NHWC"} : (tensor<1x4x5x5xf32>, tensor<5x6x2x2xf32>) -> tensor<1x5x6x6xf32>
    relax.output %a, %b, %c : tensor<1x6x6x6xf32>, tensor<1x6x6x6xf32>, tensor<1x5x6x6xf32>
  } : tensor<1x6x6x6xf32>, tensor<1x6x6x6xf32>, tensor<1x5x6x6xf32>
  return %r#0, %r#1, %r#2 : tensor<1x6x6x6xf32>, tensor<1x6x6x6xf32>, tensor<1x5x6x6xf32>
}

// Windows of 8 bits are copied side by side where pixels are few, and the kernel is packed as a matrix; pixels by themselves are read as they lie.
// CHECK-LABEL: func.func @unfolded(
// CHECK: %[[X:.*]] = relax.nn.pad %x {pad_width = array<i64: 0, 0, 1, 1, 1, 1, 0, 0>, pad_value = 0.000000e+00 : f64}
// CHECK: relax.strided_slice %[[X]] {axes = array<i64: 1, 2>, begin = array<i64: 0, 0>, end = array<i64: 7, 7>, strides = array<i64: 2, 2>}
// CHECK-COUNT-8: relax.strided_slice
// CHECK: %[[R:.*]] = relax.concat {{.*}} {axis = 3 : i64} : {{.*}} -> tensor<1x4x4x54xui8>
// CHECK: %[[W:.*]] = relax.permute_dims %w {axes = array<i64: 1, 2, 3, 0>}
// CHECK: %[[M:.*]] = relax.reshape %[[W]]
// CHECK: %[[P:.*]] = relax.pack_weight %[[M]] : (tensor<54x8xi8>) -> tensor<1x14x64x4xi8>
// CHECK: relax.packed_matmul %[[R]], %[[P]] {columns = 8 : i64, out_dtype = i32}
// CHECK-NOT: relax.strided_slice
// CHECK: relax.packed_matmul %x
func.func @unfolded(%x: tensor<1x7x7x6xui8>, %w: tensor<8x3x3x6xi8>, %v: tensor<8x1x1x6xi8>) -> (tensor<1x4x4x8xi32>, tensor<1x7x7x8xi32>) attributes {relax.num_input = 1 : i64} {
  %r:2 = relax.dataflow {
    %a = relax.nn.conv2d %x, %w {data_layout = "NHWC", kernel_layout = "OHWI", out_dtype = i32, strides = array<i64: 2>, padding = array<i64: 1>} : (tensor<1x7x7x6xui8>, tensor<8x3x3x6xi8>) -> tensor<1x4x4x8xi32>
    %b = relax.nn.conv2d %x, %v {data_layout = "NHWC", kernel_layout = "OHWI", out_dtype = i32} : (tensor<1x7x7x6xui8>, tensor<8x1x1x6xi8>) -> tensor<1x7x7x8xi32>
    relax.output %a, %b : tensor<1x4x4x8xi32>, tensor<1x7x7x8xi32>
  } : tensor<1x4x4x8xi32>, tensor<1x7x7x8xi32>
  return %r#0, %r#1 : tensor<1x4x4x8xi32>, tensor<1x7x7x8xi32>
}

// For tile registers, kernels of 8 bits that no product of matrices takes lie in blocks of 16 output channels and groups of four input channels, whatever layout they had.
// CHECK-LABEL: func.func @kernel_of_bytes(
// CHECK-NOT: 16o4i
// TILES-LABEL: func.func @kernel_of_bytes(
// TILES: %[[T:.*]] = relax.permute_dims %w {axes = array<i64: 3, 0, 1, 2>} : (tensor<3x3x8x32xi8>) -> tensor<32x3x3x8xi8>
// TILES: %[[S:.*]] = relax.shape : () -> !relax.shape<[2, 16, 3, 3, 2, 4]>
// TILES: %[[B:.*]] = relax.reshape %[[T]], %[[S]]
// TILES: %[[P:.*]] = relax.permute_dims %[[B]] {axes = array<i64: 0, 2, 3, 4, 1, 5>} : (tensor<2x16x3x3x2x4xi8>) -> tensor<2x3x3x2x16x4xi8>
// TILES: relax.nn.conv2d %x, %[[P]] {data_layout = "NHWC", kernel_layout = "OHWI16o4i", out_dtype = i32, strides = array<i64: 2>}
// TILED-LABEL: func.func @kernel_of_bytes_transform_params(
// TILED: relax.permute_dims
// TILED-LABEL: func.func @kernel_of_bytes(
// TILED-SAME: tensor<2x3x3x2x16x4xi8>
// TILED-NOT: relax.permute_dims
// TILED: relax.nn.conv2d
func.func @kernel_of_bytes(%x: tensor<?x90x90x8xui8, #relax.sym<n>>, %w: tensor<3x3x8x32xi8>) -> tensor<?x44x44x32xi32, #relax.sym<n>> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %y = relax.nn.conv2d %x, %w {data_layout = "NHWC", kernel_layout = "HWIO", out_dtype = i32, strides = array<i64: 2>}
        : (tensor<?x90x90x8xui8, #relax.sym<n>>, tensor<3x3x8x32xi8>) -> tensor<?x44x44x32xi32, #relax.sym<n>>
    relax.output %y : tensor<?x44x44x32xi32, #relax.sym<n>>
  } : tensor<?x44x44x32xi32, #relax.sym<n>>
  return %r : tensor<?x44x44x32xi32, #relax.sym<n>>
}

// For products of four bytes in vector registers, whole blocks are of 64 channels.
// CHECK-LABEL: func.func @blocks_of_64(
// CHECK-NOT: 64o4i
// TILES-LABEL: func.func @blocks_of_64(
// TILES: kernel_layout = "OHWI16o4i"
// TILES: kernel_layout = "OHWI16o4i"
// DOTS-LABEL: func.func @kernel_of_bytes(
// DOTS-NOT: o4i
// DOTS-LABEL: func.func @blocks_of_64(
// DOTS: %[[P:.*]] = relax.permute_dims {{.*}} {axes = array<i64: 0, 2, 3, 4, 1, 5>} : (tensor<2x64x3x3x2x4xi8>) -> tensor<2x3x3x2x64x4xi8>
// DOTS: relax.nn.conv2d %x, %[[P]] {data_layout = "NHWC", kernel_layout = "OHWI64o4i", out_dtype = i32}
// DOTS: kernel_layout = "OHWI", out_dtype = i32
func.func @blocks_of_64(%x: tensor<1x90x90x8xui8>, %v: tensor<128x3x3x8xi8>, %w: tensor<96x3x3x8xi8>) -> (tensor<1x88x88x128xi32>, tensor<1x88x88x96xi32>) attributes {relax.num_input = 1 : i64} {
  %r:2 = relax.dataflow {
    %a = relax.nn.conv2d %x, %v {data_layout = "NHWC", kernel_layout = "OHWI", out_dtype = i32} : (tensor<1x90x90x8xui8>, tensor<128x3x3x8xi8>) -> tensor<1x88x88x128xi32>
    %b = relax.nn.conv2d %x, %w {data_layout = "NHWC", kernel_layout = "OHWI", out_dtype = i32} : (tensor<1x90x90x8xui8>, tensor<96x3x3x8xi8>) -> tensor<1x88x88x96xi32>
    relax.output %a, %b : tensor<1x88x88x128xi32>, tensor<1x88x88x96xi32>
  } : tensor<1x88x88x128xi32>, tensor<1x88x88x96xi32>
  return %r#0, %r#1 : tensor<1x88x88x128xi32>, tensor<1x88x88x96xi32>
}

// TILES-LABEL: func.func @one_and_three_dims(
// TILES: kernel_layout = "OWI16o4i"
// TILES: kernel_layout = "ODHWI16o4i"
func.func @one_and_three_dims(%x: tensor<1x9000x4xi8>, %y: tensor<1x20x20x20x4xui8>, %v: tensor<16x3x4xui8>, %w: tensor<16x3x3x3x4xi8>) -> (tensor<1x8998x16xi32>, tensor<1x18x18x18x16xi32>) attributes {relax.num_input = 2 : i64} {
  %r:2 = relax.dataflow {
    %a = relax.nn.conv1d %x, %v {data_layout = "NWC", kernel_layout = "OWI", out_dtype = i32} : (tensor<1x9000x4xi8>, tensor<16x3x4xui8>) -> tensor<1x8998x16xi32>
    %b = relax.nn.conv3d %y, %w {data_layout = "NDHWC", kernel_layout = "ODHWI", out_dtype = i32} : (tensor<1x20x20x20x4xui8>, tensor<16x3x3x3x4xi8>) -> tensor<1x18x18x18x16xi32>
    relax.output %a, %b : tensor<1x8998x16xi32>, tensor<1x18x18x18x16xi32>
  } : tensor<1x8998x16xi32>, tensor<1x18x18x18x16xi32>
  return %r#0, %r#1 : tensor<1x8998x16xi32>, tensor<1x18x18x18x16xi32>
}

// Left alone: channels that make no whole blocks or groups, groups of channels, images whose channels do not come last, a kernel that changes from call to call, floats.
// TILES-LABEL: func.func @declines_groups(
// TILES-NOT: 16o4i
// TILES: return
func.func @declines_groups(%x: tensor<1x90x90x8xui8>, %z: tensor<1x8x90x90xui8>, %f: tensor<1x90x90x8xf32>, %k: tensor<16x3x3x8xi8>, %a: tensor<24x3x3x8xi8>, %b: tensor<16x3x3x6xi8>, %c: tensor<32x3x3x4xi8>, %d: tensor<16x3x3x8xi8>, %e: tensor<16x3x3x8xf32>)
    -> (tensor<1x88x88x24xi32>, tensor<1x88x88x32xi32>, tensor<1x16x88x88xi32>, tensor<1x88x88x16xi32>, tensor<1x88x88x16xf32>, tensor<1x88x88x16xi32>) attributes {relax.num_input = 4 : i64} {
  %r:6 = relax.dataflow {
    %0 = relax.nn.conv2d %x, %a {data_layout = "NHWC", kernel_layout = "OHWI", out_dtype = i32} : (tensor<1x90x90x8xui8>, tensor<24x3x3x8xi8>) -> tensor<1x88x88x24xi32>
    %1 = relax.nn.conv2d %x, %c {data_layout = "NHWC", kernel_layout = "OHWI", out_dtype = i32, groups = 2 : i64} : (tensor<1x90x90x8xui8>, tensor<32x3x3x4xi8>) -> tensor<1x88x88x32xi32>
    %2 = relax.nn.conv2d %z, %d {data_layout = "NCHW", kernel_layout = "OHWI", out_dtype = i32} : (tensor<1x8x90x90xui8>, tensor<16x3x3x8xi8>) -> tensor<1x16x88x88xi32>
    %3 = relax.nn.conv2d %x, %k {data_layout = "NHWC", kernel_layout = "OHWI", out_dtype = i32} : (tensor<1x90x90x8xui8>, tensor<16x3x3x8xi8>) -> tensor<1x88x88x16xi32>
    %4 = relax.nn.conv2d %f, %e {data_layout = "NHWC", kernel_layout = "OHWI"} : (tensor<1x90x90x8xf32>, tensor<16x3x3x8xf32>) -> tensor<1x88x88x16xf32>
    %s = relax.strided_slice %x {axes = array<i64: 3>, begin = array<i64: 0>, end = array<i64: 6>} : (tensor<1x90x90x8xui8>) -> tensor<1x90x90x6xui8>
    %5 = relax.nn.conv2d %s, %b {data_layout = "NHWC", kernel_layout = "OHWI", out_dtype = i32} : (tensor<1x90x90x6xui8>, tensor<16x3x3x6xi8>) -> tensor<1x88x88x16xi32>
    relax.output %0, %1, %2, %3, %4, %5 : tensor<1x88x88x24xi32>, tensor<1x88x88x32xi32>, tensor<1x16x88x88xi32>, tensor<1x88x88x16xi32>, tensor<1x88x88x16xf32>, tensor<1x88x88x16xi32>
  } : tensor<1x88x88x24xi32>, tensor<1x88x88x32xi32>, tensor<1x16x88x88xi32>, tensor<1x88x88x16xi32>, tensor<1x88x88x16xf32>, tensor<1x88x88x16xi32>
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5 : tensor<1x88x88x24xi32>, tensor<1x88x88x32xi32>, tensor<1x16x88x88xi32>, tensor<1x88x88x16xi32>, tensor<1x88x88x16xf32>, tensor<1x88x88x16xi32>
}

// A panel would have 54 columns of 64 that nobody needs; narrower types lie in groups in it.
// CHECK-LABEL: func.func @classes(
// CHECK: relax.matmul %x, %w :
// CHECK: relax.pack_weight %q
func.func @classes(%x: tensor<1x4096xf32>, %y: tensor<1x4096xui8>, %w: tensor<4096x10xf32>, %q: tensor<4096x10xi8>) -> (tensor<1x10xf32>, tensor<1x10xi32>) attributes {relax.num_input = 2 : i64} {
  %0 = relax.matmul %x, %w : (tensor<1x4096xf32>, tensor<4096x10xf32>) -> tensor<1x10xf32>
  %1 = relax.matmul %y, %q {out_dtype = i32} : (tensor<1x4096xui8>, tensor<4096x10xi8>) -> tensor<1x10xi32>
  return %0, %1 : tensor<1x10xf32>, tensor<1x10xi32>
}
