// RUN: relax-opt %s -p relax-hoist-padding | filecheck %s
// RUN: relax-opt %s -p relax-hoist-padding,relax-fuse-ops | filecheck %s --check-prefix FUSED

!image = tensor<1x14x14x16xui8>
!kernel = tensor<16x3x3x16xi8>
!sums = tensor<1x14x14x16xi32>
!floats = tensor<1x14x14x16xf32>

// The image is padded behind what computes it, and the residual reads a slice.
// CHECK-LABEL: func.func @block(
// CHECK: %[[Q:.*]] = relax.quantize
// CHECK-NEXT: %[[P:.*]] = relax.nn.pad %[[Q]] {pad_width = array<i64: 0, 0, 1, 1, 1, 1, 0, 0>, pad_value = 0.000000e+00 : f64, op_pattern = 0 : i64} : (tensor<1x14x14x16xui8>) -> tensor<1x16x16x16xui8>
// CHECK-NEXT: %[[S:.*]] = relax.strided_slice %[[P]] {axes = array<i64: 0, 1, 2, 3>, begin = array<i64: 0, 1, 1, 0>, end = array<i64: 1, 15, 15, 16>} : (tensor<1x16x16x16xui8>) -> tensor<1x14x14x16xui8>
// CHECK-NEXT: relax.nn.conv2d %[[P]], %w {data_layout = "NHWC", kernel_layout = "OHWI", out_dtype = i32} : (tensor<1x16x16x16xui8>, tensor<16x3x3x16xi8>) -> tensor<1x14x14x16xi32>
// CHECK: relax.astype %[[S]]
// One kernel computes the padded image.
// FUSED-LABEL: func.func private @fused_conv2d_astype_quantize_pad(
// FUSED-SAME: -> tensor<1x16x16x16xui8>
func.func @block(%x: !image, %w: !kernel, %scale: tensor<f32>, %zero: tensor<ui8>) -> !floats {
  %r = relax.dataflow {
    %c = relax.nn.conv2d %x, %w {padding = array<i64: 1>, data_layout = "NHWC", kernel_layout = "OHWI", out_dtype = i32} : (!image, !kernel) -> !sums
    %f = relax.astype %c {dtype = f32} : (!sums) -> !floats
    %q = relax.quantize %f, %scale, %zero {out_dtype = ui8} : (!floats, tensor<f32>, tensor<ui8>) -> !image
    %d = relax.nn.conv2d %q, %w {padding = array<i64: 1>, data_layout = "NHWC", kernel_layout = "OHWI", out_dtype = i32} : (!image, !kernel) -> !sums
    %e = relax.astype %d {dtype = f32} : (!sums) -> !floats
    %g = relax.astype %q {dtype = f32} : (!image) -> !floats
    %s = relax.add %e, %g : (!floats, !floats) -> !floats
    relax.output %s : !floats
  } : !floats
  func.return %r : !floats
}

// So is one that is looked up in a table.
// CHECK-LABEL: func.func @lookup(
// CHECK: %[[T:.*]] = relax.take
// CHECK-NEXT: %[[P:.*]] = relax.nn.pad %[[T]]
// CHECK-NEXT: relax.nn.conv2d %[[P]]
// FUSED: func.func private @fused_take_pad(
func.func @lookup(%x: !image, %w: !kernel, %table: tensor<256xui8>, %scale: tensor<f32>, %zero: tensor<ui8>) -> !sums {
  %r = relax.dataflow {
    %c = relax.nn.conv2d %x, %w {padding = array<i64: 1>, data_layout = "NHWC", kernel_layout = "OHWI", out_dtype = i32} : (!image, !kernel) -> !sums
    %f = relax.astype %c {dtype = f32} : (!sums) -> !floats
    %q = relax.quantize %f, %scale, %zero {out_dtype = ui8} : (!floats, tensor<f32>, tensor<ui8>) -> !image
    %t = relax.take %table, %q {axis = 0 : i64} : (tensor<256xui8>, !image) -> !image
    %d = relax.nn.conv2d %t, %w {padding = array<i64: 1>, data_layout = "NHWC", kernel_layout = "OHWI", out_dtype = i32} : (!image, !kernel) -> !sums
    relax.output %d : !sums
  } : !sums
  func.return %r : !sums
}

// A pad of its own is that of the image, whatever numbers it adds.
// CHECK-LABEL: func.func @pad(
// CHECK: %[[Q:.*]] = relax.quantize
// CHECK-NEXT: %[[P:.*]] = relax.nn.pad %[[Q]] {pad_width = array<i64: 0, 0, 1, 1, 1, 1, 0, 0>, pad_value = 7.000000e+00 : f64, op_pattern = 0 : i64}
// CHECK-NEXT: relax.output %[[P]]
func.func @pad(%x: !image, %w: !kernel, %scale: tensor<f32>, %zero: tensor<ui8>) -> tensor<1x16x16x16xui8> {
  %r = relax.dataflow {
    %c = relax.nn.conv2d %x, %w {padding = array<i64: 1>, data_layout = "NHWC", kernel_layout = "OHWI", out_dtype = i32} : (!image, !kernel) -> !sums
    %f = relax.astype %c {dtype = f32} : (!sums) -> !floats
    %q = relax.quantize %f, %scale, %zero {out_dtype = ui8} : (!floats, tensor<f32>, tensor<ui8>) -> !image
    %p = relax.nn.pad %q {pad_width = array<i64: 0, 0, 1, 1, 1, 1, 0, 0>, pad_value = 7.0 : f64} : (!image) -> tensor<1x16x16x16xui8>
    relax.output %p : tensor<1x16x16x16xui8>
  } : tensor<1x16x16x16xui8>
  func.return %r : tensor<1x16x16x16xui8>
}

// Left as they are: an argument, a result, an image that is padded in two ways, and one whose rows of pixels are too short.
// CHECK-LABEL: func.func @left(
// CHECK-NOT: relax.nn.pad
// CHECK: func.return
func.func @left(%x: !image, %w: !kernel, %v: tensor<16x5x5x16xi8>, %s: tensor<1x40x5x16xui8>, %scale: tensor<f32>, %zero: tensor<ui8>) -> (!image, !sums, !sums, tensor<1x40x5x16xi32>) {
  %r:4 = relax.dataflow {
    %c = relax.nn.conv2d %x, %w {padding = array<i64: 1>, data_layout = "NHWC", kernel_layout = "OHWI", out_dtype = i32} : (!image, !kernel) -> !sums
    %f = relax.astype %c {dtype = f32} : (!sums) -> !floats
    %q = relax.quantize %f, %scale, %zero {out_dtype = ui8} : (!floats, tensor<f32>, tensor<ui8>) -> !image
    %d = relax.nn.conv2d %q, %w {padding = array<i64: 1>, data_layout = "NHWC", kernel_layout = "OHWI", out_dtype = i32} : (!image, !kernel) -> !sums
    %g = relax.astype %d {dtype = f32} : (!sums) -> !floats
    %t = relax.quantize %g, %scale, %zero {out_dtype = ui8} : (!floats, tensor<f32>, tensor<ui8>) -> !image
    %a = relax.nn.conv2d %t, %w {padding = array<i64: 1>, data_layout = "NHWC", kernel_layout = "OHWI", out_dtype = i32} : (!image, !kernel) -> !sums
    %b = relax.nn.conv2d %t, %v {padding = array<i64: 2>, data_layout = "NHWC", kernel_layout = "OHWI", out_dtype = i32} : (!image, tensor<16x5x5x16xi8>) -> !sums
    %h = relax.nn.conv2d %s, %w {padding = array<i64: 1>, data_layout = "NHWC", kernel_layout = "OHWI", out_dtype = i32} : (tensor<1x40x5x16xui8>, !kernel) -> tensor<1x40x5x16xi32>
    %i = relax.astype %h {dtype = f32} : (tensor<1x40x5x16xi32>) -> tensor<1x40x5x16xf32>
    %j = relax.quantize %i, %scale, %zero {out_dtype = ui8} : (tensor<1x40x5x16xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x40x5x16xui8>
    %k = relax.nn.conv2d %j, %w {padding = array<i64: 1>, data_layout = "NHWC", kernel_layout = "OHWI", out_dtype = i32} : (tensor<1x40x5x16xui8>, !kernel) -> tensor<1x40x5x16xi32>
    relax.output %q, %a, %b, %k : !image, !sums, !sums, tensor<1x40x5x16xi32>
  } : !image, !sums, !sums, tensor<1x40x5x16xi32>
  func.return %r#0, %r#1, %r#2, %r#3 : !image, !sums, !sums, tensor<1x40x5x16xi32>
}

// A maximum counts padding as the least number; what it makes is padded for the next op.
// CHECK-LABEL: func.func @pool(
// CHECK: %[[Q:.*]] = relax.quantize
// CHECK-NEXT: %[[P:.*]] = relax.nn.pad %[[Q]] {pad_width = array<i64: 0, 0, 1, 1, 1, 1, 0, 0>, pad_value = -1.280000e+02 : f64, op_pattern = 0 : i64}
// CHECK-NEXT: %[[M:.*]] = relax.nn.max_pool2d %[[P]] {pool_size = array<i64: 3, 3>, layout = "NHWC"} : (tensor<1x16x16x16xi8>) -> tensor<1x14x14x16xi8>
// CHECK-NEXT: %[[R:.*]] = relax.nn.pad %[[M]] {{.*}}pad_value = 0.000000e+00
// CHECK-NEXT: relax.nn.conv2d %[[R]], %w
// FUSED-LABEL: func.func private @fused_max_pool2d_pad(
func.func @pool(%x: tensor<1x14x14x16xi8>, %w: !kernel, %scale: tensor<f32>, %zero: tensor<i8>) -> !sums {
  %r = relax.dataflow {
    %c = relax.nn.conv2d %x, %w {padding = array<i64: 1>, data_layout = "NHWC", kernel_layout = "OHWI", out_dtype = i32} : (tensor<1x14x14x16xi8>, !kernel) -> !sums
    %f = relax.astype %c {dtype = f32} : (!sums) -> !floats
    %q = relax.quantize %f, %scale, %zero {out_dtype = i8} : (!floats, tensor<f32>, tensor<i8>) -> tensor<1x14x14x16xi8>
    %m = relax.nn.max_pool2d %q {pool_size = array<i64: 3, 3>, padding = array<i64: 1>, layout = "NHWC"} : (tensor<1x14x14x16xi8>) -> tensor<1x14x14x16xi8>
    %d = relax.nn.conv2d %m, %w {padding = array<i64: 1>, data_layout = "NHWC", kernel_layout = "OHWI", out_dtype = i32} : (tensor<1x14x14x16xi8>, !kernel) -> !sums
    relax.output %d : !sums
  } : !sums
  func.return %r : !sums
}
