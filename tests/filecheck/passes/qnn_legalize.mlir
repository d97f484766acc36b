// RUN: relax-opt %s -p relax-qnn-legalize,dce | filecheck %s

// No op of qnn is left.
// CHECK-NOT: relax.qnn.

// CHECK-LABEL: func.func @quantize(
// CHECK-SAME: %[[X:.*]]: tensor<4x6xf32>
// CHECK: %[[S:.*]] = relax.constant {value = dense<2.500000e-01> : tensor<f32>}
// CHECK: %[[Z:.*]] = relax.constant {value = dense<3.000000e+00> : tensor<f32>}
// CHECK: %[[D:.*]] = relax.divide %[[X]], %[[S]]
// CHECK-NEXT: %[[R:.*]] = relax.round %[[D]]
// CHECK-NEXT: %[[A:.*]] = relax.add %[[R]], %[[Z]]
// CHECK-NEXT: %[[C:.*]] = relax.clip %[[A]] {min = 0.000000e+00 : f64, max = 2.550000e+02 : f64}
// CHECK-NEXT: %[[Y:.*]] = relax.astype %[[C]] {dtype = ui8}
// CHECK-NEXT: func.return %[[Y]]
func.func @quantize(%x: tensor<4x6xf32>) -> tensor<4x6xui8> {
  %s = relax.constant {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<3> : tensor<i32>} : () -> tensor<i32>
  %y = relax.qnn.quantize %x, %s, %z {out_dtype = ui8} : (tensor<4x6xf32>, tensor<f32>, tensor<i32>) -> tensor<4x6xui8>
  return %y : tensor<4x6xui8>
}

// A scale for each index of the first dim, which is an argument.
// CHECK-LABEL: func.func @dequantize_axis(
// CHECK-SAME: %[[X:.*]]: tensor<4x6xi8>, %[[S:.*]]: tensor<4xf32>, %[[Z:.*]]: tensor<4xi32>
// CHECK: %[[Q:.*]] = relax.astype %[[X]] {dtype = i32}
// CHECK: %[[Z1:.*]] = relax.expand_dims %[[Z]] {axis = array<i64: 1>} : (tensor<4xi32>) -> tensor<4x1xi32>
// CHECK: %[[T:.*]] = relax.subtract %[[Q]], %[[Z1]]
// CHECK: %[[F:.*]] = relax.astype %[[T]] {dtype = f32}
// CHECK: %[[S1:.*]] = relax.expand_dims %[[S]] {axis = array<i64: 1>}
// CHECK: %[[Y:.*]] = relax.multiply %[[F]], %[[S1]]
// CHECK-NEXT: func.return %[[Y]]
func.func @dequantize_axis(%x: tensor<4x6xi8>, %s: tensor<4xf32>, %z: tensor<4xi32>) -> tensor<4x6xf32> {
  %y = relax.qnn.dequantize %x, %s, %z {axis = 0 : i64} : (tensor<4x6xi8>, tensor<4xf32>, tensor<4xi32>) -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// 0.75 = 1610612736 * 2^-31: the exponent is 0.
// CHECK-LABEL: func.func @requantize_upward(
// CHECK-SAME: %[[X:.*]]: tensor<4x6xi32>
// CHECK-NOT: relax.left_shift
// CHECK: %[[T:.*]] = relax.astype %[[X]] {dtype = i64}
// CHECK: %[[M:.*]] = relax.constant {value = dense<1610612736> : tensor<i64>}
// CHECK: %[[P:.*]] = relax.multiply %[[T]], %[[M]]
// CHECK: %[[H:.*]] = relax.constant {value = dense<1073741824> : tensor<i64>}
// CHECK: %[[A:.*]] = relax.add %[[P]], %[[H]]
// CHECK: %[[N:.*]] = relax.constant {value = dense<31> : tensor<i64>}
// CHECK: %[[R:.*]] = relax.right_shift %[[A]], %[[N]]
// CHECK: %[[I:.*]] = relax.astype %[[R]] {dtype = i32}
// CHECK: %[[Z:.*]] = relax.constant {value = dense<7> : tensor<i32>}
// CHECK: %[[B:.*]] = relax.add %[[I]], %[[Z]]
// CHECK: %[[C:.*]] = relax.clip %[[B]] {min = -128 : i64, max = 127 : i64}
// CHECK: relax.astype %[[C]] {dtype = i8}
func.func @requantize_upward(%x: tensor<4x6xi32>) -> tensor<4x6xi8> {
  %s = relax.constant {value = dense<0.75> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %so = relax.constant {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %zo = relax.constant {value = dense<7> : tensor<i32>} : () -> tensor<i32>
  %y = relax.qnn.requantize %x, %s, %z, %so, %zo : (tensor<4x6xi32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return %y : tensor<4x6xi8>
}

// Away from zero: the rounder of negative products is one less.
// CHECK-LABEL: func.func @requantize_to_nearest(
// CHECK: %[[P:.*]] = relax.multiply
// CHECK: %[[H:.*]] = relax.constant {value = dense<1073741824> : tensor<i64>}
// CHECK: %[[L:.*]] = relax.constant {value = dense<1073741823> : tensor<i64>}
// CHECK: %[[G:.*]] = relax.greater_equal %[[P]]
// CHECK: %[[W:.*]] = relax.where %[[G]], %[[H]], %[[L]]
// CHECK: relax.add %[[P]], %[[W]]
func.func @requantize_to_nearest(%x: tensor<4x6xi32>) -> tensor<4x6xi8> {
  %s = relax.constant {value = dense<0.75> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %so = relax.constant {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %y = relax.qnn.requantize %x, %s, %z, %so, %z {rounding = "TONEAREST"} : (tensor<4x6xi32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return %y : tensor<4x6xi8>
}

// In f32, halves to even: quantization by a scale of 1 clips before it rounds.
// CHECK-LABEL: func.func @requantize_in_f32(
// CHECK: %[[P:.*]] = relax.multiply
// CHECK: %[[T:.*]] = relax.add %[[P]]
// CHECK: %[[ONE:.*]] = relax.constant {value = dense<1.000000e+00> : tensor<f32>}
// CHECK: %[[ZERO:.*]] = relax.constant {value = dense<0> : tensor<i32>}
// CHECK: %[[Y:.*]] = relax.quantize %[[T]], %[[ONE]], %[[ZERO]] {out_dtype = ui8}
// CHECK-NEXT: func.return %[[Y]]
func.func @requantize_in_f32(%x: tensor<4x6xi32>) -> tensor<4x6xui8> {
  %s = relax.constant {value = dense<0.75> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %so = relax.constant {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %zo = relax.constant {value = dense<3> : tensor<i32>} : () -> tensor<i32>
  %y = relax.qnn.requantize %x, %s, %z, %so, %zo {rounding = "TONEAREST", compute_dtype = f32, out_dtype = ui8} : (tensor<4x6xi32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xui8>
  return %y : tensor<4x6xui8>
}

// A power of two is a shift in i32.
// CHECK-LABEL: func.func @requantize_power_of_two(
// CHECK-SAME: %[[X:.*]]: tensor<4x6xi32>
// CHECK-NOT: i64>
// CHECK: %[[H:.*]] = relax.constant {value = dense<2> : tensor<i32>}
// CHECK: %[[A:.*]] = relax.add %[[X]], %[[H]]
// CHECK: %[[N:.*]] = relax.constant {value = dense<2> : tensor<i32>}
// CHECK: %[[Y:.*]] = relax.right_shift %[[A]], %[[N]]
// CHECK-NEXT: func.return %[[Y]]
func.func @requantize_power_of_two(%x: tensor<4x6xi32>) -> tensor<4x6xi32> {
  %s = relax.constant {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %so = relax.constant {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %y = relax.qnn.requantize %x, %s, %z, %so, %z {out_dtype = i32} : (tensor<4x6xi32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi32>
  return %y : tensor<4x6xi32>
}

// Equal scales: the zero points alone.
// CHECK-LABEL: func.func @requantize_equal_scales(
// CHECK-NOT: relax.multiply
// CHECK-NOT: shift
// CHECK: relax.subtract
// CHECK: relax.clip
// CHECK-NOT: relax.multiply
// CHECK-LABEL: func.func @requantize_channels(
func.func @requantize_equal_scales(%x: tensor<4x6xui8>) -> tensor<4x6xi8> {
  %s = relax.constant {value = dense<0.3> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<128> : tensor<i32>} : () -> tensor<i32>
  %zo = relax.constant {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %y = relax.qnn.requantize %x, %s, %z, %s, %zo : (tensor<4x6xui8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return %y : tensor<4x6xi8>
}

// 3 = 0.75 * 2^2 and 0.375 = 0.75 * 2^-1: one multiplier, shifts for each channel.
// CHECK: relax.left_shift %{{.*}}, %[[L:.*]] : (tensor<2x5xi64>, tensor<2x1xi64>) -> tensor<2x5xi64>
// CHECK: relax.constant {value = dense<1610612736> : tensor<i64>}
// CHECK: relax.constant {value = dense<[{{\[}}1073741824], [2147483648{{\]}}]> : tensor<2x1xi64>}
// CHECK: relax.constant {value = dense<[{{\[}}31], [32{{\]}}]> : tensor<2x1xi64>}
func.func @requantize_channels(%x: tensor<2x5xi32>) -> tensor<2x5xi8> {
  %s = relax.constant {value = dense<[3.0, 0.375]> : tensor<2xf32>} : () -> tensor<2xf32>
  %z = relax.constant {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %so = relax.constant {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %y = relax.qnn.requantize %x, %s, %z, %so, %z {axis = 0 : i64} : (tensor<2x5xi32>, tensor<2xf32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<2x5xi8>
  return %y : tensor<2x5xi8>
}

// In f32 the scales may be arguments.
// CHECK-LABEL: func.func @requantize_f32(
// CHECK-SAME: %[[X:.*]]: tensor<4x6xi8>, %[[S:.*]]: tensor<f32>, %[[SO:.*]]: tensor<f32>
// CHECK: %[[A:.*]] = relax.astype %[[S]] {dtype = f64}
// CHECK: %[[B:.*]] = relax.astype %[[SO]] {dtype = f64}
// CHECK: %[[M:.*]] = relax.divide %[[A]], %[[B]]
// CHECK: relax.astype %[[M]] {dtype = f32}
// CHECK: relax.constant {value = dense<5.000000e-01> : tensor<f32>}
// CHECK: relax.floor
// CHECK-NOT: i64>
func.func @requantize_f32(%x: tensor<4x6xi8>, %s: tensor<f32>, %so: tensor<f32>) -> tensor<4x6xi8> {
  %z = relax.constant {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %y = relax.qnn.requantize %x, %s, %z, %so, %z {compute_dtype = f32} : (tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return %y : tensor<4x6xi8>
}

// Operands that have the output's scale and zero point are only cast.
// CHECK-LABEL: func.func @add_same(
// CHECK-SAME: %[[A:.*]]: tensor<4x6xi8>, %[[B:.*]]: tensor<4x6xi8>
// CHECK: %[[A32:.*]] = relax.astype %[[A]] {dtype = i32}
// CHECK-NEXT: %[[B32:.*]] = relax.astype %[[B]] {dtype = i32}
// CHECK-NEXT: %[[T:.*]] = relax.add %[[A32]], %[[B32]]
// CHECK: %[[R:.*]] = relax.subtract %[[T]], %{{.*}} : (tensor<4x6xi32>, tensor<i32>)
// CHECK-NEXT: %[[C:.*]] = relax.clip %[[R]]
// CHECK-NEXT: relax.astype %[[C]] {dtype = i8}
func.func @add_same(%a: tensor<4x6xi8>, %b: tensor<4x6xi8>) -> tensor<4x6xi8> {
  %s = relax.constant {value = dense<0.3> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<5> : tensor<i32>} : () -> tensor<i32>
  %y = relax.qnn.add %a, %b, %s, %z, %s, %z, %s, %z : (tensor<4x6xi8>, tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return %y : tensor<4x6xi8>
}

// Its twin: one of them has another scale.
// CHECK-LABEL: func.func @add_other(
// CHECK: relax.right_shift
// CHECK-NOT: relax.right_shift
// CHECK-LABEL: func.func @dense_both(
func.func @add_other(%a: tensor<4x6xi8>, %b: tensor<4x6xi8>) -> tensor<4x6xi8> {
  %s = relax.constant {value = dense<0.3> : tensor<f32>} : () -> tensor<f32>
  %t = relax.constant {value = dense<0.7> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<5> : tensor<i32>} : () -> tensor<i32>
  %y = relax.qnn.add %a, %b, %s, %z, %t, %z, %s, %z : (tensor<4x6xi8>, tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return %y : tensor<4x6xi8>
}

// Four terms: 120 is 3 * 5 * 8.
// CHECK-SAME: %[[X:.*]]: tensor<?x8xi8, #relax.sym<n>>, %[[W:.*]]: tensor<16x8xi8>
// CHECK: %[[WT:.*]] = relax.permute_dims %[[W]] {axes = array<i64: 1, 0>}
// CHECK: %[[T1:.*]] = relax.matmul %[[X]], %[[WT]] {out_dtype = i32}
// CHECK: %[[X32:.*]] = relax.astype %[[X]] {dtype = i32}
// CHECK: %[[SX:.*]] = relax.sum %[[X32]] {axis = array<i64: -1>, keepdims = true}
// CHECK: %[[T2:.*]] = relax.multiply %[[SX]]
// CHECK: %[[W32:.*]] = relax.astype %[[W]] {dtype = i32}
// CHECK: %[[SW:.*]] = relax.sum %[[W32]] {axis = array<i64: 1>, keepdims = false}
// CHECK: %[[T3:.*]] = relax.multiply %[[SW]]
// CHECK: %[[T4:.*]] = relax.constant {value = dense<120> : tensor<i32>}
// CHECK: %[[A:.*]] = relax.subtract %[[T1]], %[[T2]]
// CHECK: %[[B:.*]] = relax.subtract %[[T4]], %[[T3]]
// CHECK: %[[Y:.*]] = relax.add %[[A]], %[[B]]
// CHECK-NEXT: func.return %[[Y]]
func.func @dense_both(%x: tensor<?x8xi8, #relax.sym<n>>, %w: tensor<16x8xi8>) -> tensor<?x16xi32, #relax.sym<n>> {
  %s = relax.constant {value = dense<0.3> : tensor<f32>} : () -> tensor<f32>
  %zx = relax.constant {value = dense<3> : tensor<i32>} : () -> tensor<i32>
  %zw = relax.constant {value = dense<5> : tensor<i32>} : () -> tensor<i32>
  %y = relax.qnn.dense %x, %w, %zx, %zw, %s, %s : (tensor<?x8xi8, #relax.sym<n>>, tensor<16x8xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<?x16xi32, #relax.sym<n>>
  return %y : tensor<?x16xi32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @dense_no_zero_points(
// CHECK-NOT: relax.sum
// CHECK: %[[Y:.*]] = relax.matmul %{{.*}}, %{{.*}} {out_dtype = i32} : (tensor<4x8xui8>, tensor<8x16xi8>) -> tensor<4x16xi32>
// CHECK-NEXT: func.return %[[Y]]
func.func @dense_no_zero_points(%x: tensor<4x8xui8>, %w: tensor<16x8xi8>) -> tensor<4x16xi32> {
  %s = relax.constant {value = dense<0.3> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %y = relax.qnn.dense %x, %w, %z, %z, %s, %s : (tensor<4x8xui8>, tensor<16x8xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<4x16xi32>
  return %y : tensor<4x16xi32>
}

// Zero points that are not constants: all four terms.
// CHECK-LABEL: func.func @dense_unknown_zero_points(
// CHECK: relax.matmul
// CHECK: relax.sum
// CHECK: relax.sum
// CHECK: relax.multiply %{{.*}}, %{{.*}} : (tensor<i32>, tensor<i32>) -> tensor<i32>
func.func @dense_unknown_zero_points(%x: tensor<4x8xi8>, %w: tensor<16x8xi8>, %zx: tensor<i32>, %zw: tensor<i32>) -> tensor<4x16xi32> {
  %s = relax.constant {value = dense<0.3> : tensor<f32>} : () -> tensor<f32>
  %y = relax.qnn.dense %x, %w, %zx, %zw, %s, %s : (tensor<4x8xi8>, tensor<16x8xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<4x16xi32>
  return %y : tensor<4x16xi32>
}

// The data is padded with its zero point; the sums of the windows are means of multiples.
// CHECK-LABEL: func.func @conv2d(
// CHECK-SAME: %[[X:.*]]: tensor<1x3x8x8xui8>, %[[W:.*]]: tensor<4x3x3x3xi8>
// CHECK: %[[P:.*]] = relax.nn.pad %[[X]] {pad_width = array<i64: 0, 0, 0, 0, 1, 1, 1, 1>, pad_value = 3.000000e+00 : f64}
// CHECK: %[[T1:.*]] = relax.nn.conv2d %[[P]], %[[W]] {out_dtype = i32}
// CHECK: %[[SX:.*]] = relax.sum %{{.*}} {axis = array<i64: 1>, keepdims = true}
// CHECK: %[[NINE:.*]] = relax.constant {value = dense<9> : tensor<i32>}
// CHECK: %[[MX:.*]] = relax.multiply %[[SX]], %[[NINE]]
// CHECK: %[[PX:.*]] = relax.nn.avg_pool2d %[[MX]] {pool_size = array<i64: 3, 3>
// CHECK: %[[T2:.*]] = relax.multiply %[[PX]]
// CHECK: relax.sum %{{.*}} {axis = array<i64: 1, 2, 3>, keepdims = false}
// CHECK: relax.constant {value = dense<405> : tensor<i32>}
// CHECK: relax.subtract %[[T1]], %[[T2]]
func.func @conv2d(%x: tensor<1x3x8x8xui8>, %w: tensor<4x3x3x3xi8>) -> tensor<1x4x8x8xi32> {
  %zx = relax.constant {value = dense<3> : tensor<i32>} : () -> tensor<i32>
  %zw = relax.constant {value = dense<5> : tensor<i32>} : () -> tensor<i32>
  %s = relax.constant {value = dense<0.1> : tensor<f32>} : () -> tensor<f32>
  %y = relax.qnn.conv2d %x, %w, %zx, %zw, %s, %s {padding = array<i64: 1>}
    : (tensor<1x3x8x8xui8>, tensor<4x3x3x3xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<1x4x8x8xi32>
  return %y : tensor<1x4x8x8xi32>
}

// Groups: the convolution of the differences.
// CHECK-LABEL: func.func @conv2d_groups(
// CHECK-NOT: relax.sum
// CHECK: relax.nn.conv2d %{{.*}}, %{{.*}} {groups = 2 : i64} : (tensor<1x6x8x8xi32>, tensor<4x3x3x3xi32>) -> tensor<1x4x6x6xi32>
// CHECK-NOT: relax.sum
func.func @conv2d_groups(%x: tensor<1x6x8x8xi8>, %w: tensor<4x3x3x3xi8>) -> tensor<1x4x6x6xi32> {
  %z = relax.constant {value = dense<3> : tensor<i32>} : () -> tensor<i32>
  %s = relax.constant {value = dense<0.1> : tensor<f32>} : () -> tensor<f32>
  %y = relax.qnn.conv2d %x, %w, %z, %z, %s, %s {groups = 2 : i64}
    : (tensor<1x6x8x8xi8>, tensor<4x3x3x3xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<1x4x6x6xi32>
  return %y : tensor<1x4x6x6xi32>
}

// A depthwise convolution has groups, but keeps its 8-bit product.
// CHECK-LABEL: func.func @conv2d_depthwise(
// CHECK: relax.nn.conv2d %{{.*}}, %{{.*}} {groups = 4 : i64, out_dtype = i32} : (tensor<1x4x8x8xi8>, tensor<8x1x3x3xi8>)
// CHECK: relax.nn.avg_pool2d
// CHECK: relax.repeat %{{.*}} {repeats = 2 : i64, axis = 1 : i64}
func.func @conv2d_depthwise(%x: tensor<1x4x8x8xi8>, %w: tensor<8x1x3x3xi8>) -> tensor<1x8x6x6xi32> {
  %z = relax.constant {value = dense<3> : tensor<i32>} : () -> tensor<i32>
  %s = relax.constant {value = dense<0.1> : tensor<f32>} : () -> tensor<f32>
  %y = relax.qnn.conv2d %x, %w, %z, %z, %s, %s {groups = 4 : i64}
    : (tensor<1x4x8x8xi8>, tensor<8x1x3x3xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<1x8x6x6xi32>
  return %y : tensor<1x8x6x6xi32>
}

// CHECK-LABEL: func.func @tanh(
// CHECK-SAME: %[[X:.*]]: tensor<4x6xi8>
// CHECK: %[[TABLE:.*]] = relax.constant {value = dense<{{.*}}> : tensor<256xi8>}
// CHECK: %[[Y:.*]] = relax.take %[[TABLE]], %[[X]] {axis = 0 : i64, mode = "fast"}
// CHECK-NEXT: func.return %[[Y]]
func.func @tanh(%x: tensor<4x6xi8>) -> tensor<4x6xi8> {
  %s = relax.constant {value = dense<0.05> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %y = relax.qnn.tanh %x, %s, %z, %s, %z : (tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return %y : tensor<4x6xi8>
}

// Its twin has too many values for a table.
// CHECK-LABEL: func.func @tanh_i16(
// CHECK-NOT: relax.take
// CHECK: relax.tanh %{{.*}} : (tensor<4x6xf64>) -> tensor<4x6xf64>
func.func @tanh_i16(%x: tensor<4x6xi16>) -> tensor<4x6xi16> {
  %s = relax.constant {value = dense<0.05> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %y = relax.qnn.tanh %x, %s, %z, %s, %z : (tensor<4x6xi16>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi16>
  return %y : tensor<4x6xi16>
}

// Relax's own ops are one kernel each, and stay.
// CHECK-LABEL: func.func @relax_quantize(
// CHECK: relax.quantize
func.func @relax_quantize(%x: tensor<4x6xf32>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<4x6xi8> {
  %y = relax.quantize %x, %s, %z : (tensor<4x6xf32>, tensor<f32>, tensor<i8>) -> tensor<4x6xi8>
  return %y : tensor<4x6xi8>
}
