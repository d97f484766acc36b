// RUN: relax-opt %s -p relax-recognize-quantized | filecheck %s

// A scale for each column, and zero points of other types than i32.
// CHECK-LABEL: func.func @matmul
// CHECK: %[[WT:.*]] = relax.permute_dims %w {axes = array<i64: 1, 0>} : (tensor<8x16xi8>) -> tensor<16x8xi8>
// CHECK: %[[ZX:.*]] = relax.constant {value = dense<7> : tensor<i32>}
// CHECK: %[[ZW:.*]] = relax.constant {value = dense<0> : tensor<i32>}
// CHECK: %[[SX:.*]] = relax.constant {value = dense<5.000000e-01> : tensor<f32>}
// CHECK: %[[T:.*]] = relax.qnn.dense %x, %[[WT]], %[[ZX]], %[[ZW]], %[[SX]], %sw
// CHECK: %[[S:.*]] = relax.multiply %{{.*}}, %sw : (tensor<f32>, tensor<16xf32>) -> tensor<16xf32>
// CHECK: %[[U:.*]] = relax.astype %[[T]] {dtype = f32}
// CHECK: %[[Y:.*]] = relax.multiply %[[U]], %[[S]]
// CHECK-NEXT: return %[[Y]]
func.func @matmul(%x: tensor<4x8xui8>, %w: tensor<8x16xi8>, %sw: tensor<16xf32>) -> tensor<4x16xf32> {
  %sx = relax.constant {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %zx = relax.constant {value = dense<7> : tensor<ui8>} : () -> tensor<ui8>
  %zw = relax.constant {value = dense<0> : tensor<16xi8>} : () -> tensor<16xi8>
  %a = relax.dequantize %x, %sx, %zx : (tensor<4x8xui8>, tensor<f32>, tensor<ui8>) -> tensor<4x8xf32>
  %b = relax.dequantize %w, %sw, %zw {axis = 1 : i64} : (tensor<8x16xi8>, tensor<16xf32>, tensor<16xi8>) -> tensor<8x16xf32>
  %y = relax.matmul %a, %b : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// A transpose in front of the product is undone, and one behind the dequantization of a matrix comes before it.
// CHECK-LABEL: func.func @transposed
// CHECK: relax.qnn.dense %x, %w, %{{.*}}, %{{.*}}, %s, %s
// CHECK-NOT: relax.permute_dims
func.func @transposed(%x: tensor<4x8xi8>, %w: tensor<16x8xi8>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<4x16xf32> {
  %a = relax.dequantize %x, %s, %z : (tensor<4x8xi8>, tensor<f32>, tensor<i8>) -> tensor<4x8xf32>
  %b = relax.dequantize %w, %s, %z : (tensor<16x8xi8>, tensor<f32>, tensor<i8>) -> tensor<16x8xf32>
  %bt = relax.permute_dims %b : (tensor<16x8xf32>) -> tensor<8x16xf32>
  %y = relax.matmul %a, %bt : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// CHECK-LABEL: func.func @convolution
// CHECK: relax.qnn.conv2d %x, %w, {{.*}} {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>}
// CHECK: %[[S:.*]] = relax.expand_dims %{{.*}} {axis = array<i64: 1, 2>} : (tensor<16xf32>) -> tensor<16x1x1xf32>
// CHECK: relax.multiply %{{.*}}, %[[S]]
func.func @convolution(%x: tensor<1x8x9x9xui8>, %w: tensor<16x8x3x3xi8>, %sx: tensor<f32>, %zx: tensor<ui8>, %sw: tensor<16xf32>, %zw: tensor<i8>) -> tensor<1x16x5x5xf32> {
  %a = relax.dequantize %x, %sx, %zx : (tensor<1x8x9x9xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x8x9x9xf32>
  %b = relax.dequantize %w, %sw, %zw {axis = 0 : i64} : (tensor<16x8x3x3xi8>, tensor<16xf32>, tensor<i8>) -> tensor<16x8x3x3xf32>
  %y = relax.nn.conv2d %a, %b {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>} : (tensor<1x8x9x9xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x5x5xf32>
  return %y : tensor<1x16x5x5xf32>
}

// What was quantized in the same way is there already; the maximum is taken of what it is the image of.
// CHECK-LABEL: func.func @pooled
// CHECK: %[[Y:.*]] = relax.nn.max_pool2d %x {pool_size = array<i64: 2, 2>} : (tensor<1x3x4x4xui8>) -> tensor<1x3x3x3xui8>
// CHECK-NEXT: return %[[Y]]
func.func @pooled(%x: tensor<1x3x4x4xui8>) -> tensor<1x3x3x3xui8> {
  %s = relax.constant {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<7> : tensor<ui8>} : () -> tensor<ui8>
  %a = relax.dequantize %x, %s, %z : (tensor<1x3x4x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x3x4x4xf32>
  %b = relax.nn.max_pool2d %a {pool_size = array<i64: 2, 2>} : (tensor<1x3x4x4xf32>) -> tensor<1x3x3x3xf32>
  %y = relax.quantize %b, %s, %z {out_dtype = ui8} : (tensor<1x3x3x3xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x3x3x3xui8>
  return %y : tensor<1x3x3x3xui8>
}

// A scale along the dim that is summed over is none of the result.
// CHECK-LABEL: func.func @scale_of_rows
// CHECK-NOT: relax.qnn
func.func @scale_of_rows(%x: tensor<4x8xi8>, %w: tensor<8x16xi8>, %s: tensor<f32>, %sw: tensor<8xf32>, %z: tensor<i8>) -> tensor<4x16xf32> {
  %a = relax.dequantize %x, %s, %z : (tensor<4x8xi8>, tensor<f32>, tensor<i8>) -> tensor<4x8xf32>
  %b = relax.dequantize %w, %sw, %z {axis = 0 : i64} : (tensor<8x16xi8>, tensor<8xf32>, tensor<i8>) -> tensor<8x16xf32>
  %y = relax.matmul %a, %b : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// The sum of 33,026 products may not fit an i32.
// CHECK-LABEL: func.func @long_rows
// CHECK-NOT: relax.qnn
func.func @long_rows(%x: tensor<4x33026xi8>, %w: tensor<33026x16xi8>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<4x16xf32> {
  %a = relax.dequantize %x, %s, %z : (tensor<4x33026xi8>, tensor<f32>, tensor<i8>) -> tensor<4x33026xf32>
  %b = relax.dequantize %w, %s, %z : (tensor<33026x16xi8>, tensor<f32>, tensor<i8>) -> tensor<33026x16xf32>
  %y = relax.matmul %a, %b : (tensor<4x33026xf32>, tensor<33026x16xf32>) -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// A negative scale turns the order of the elements around.
// CHECK-LABEL: func.func @negative_scale
// CHECK: relax.dequantize %x
// CHECK-NEXT: relax.nn.max_pool2d
func.func @negative_scale(%x: tensor<1x3x4x4xui8>) -> tensor<1x3x3x3xf32> {
  %s = relax.constant {value = dense<-0.5> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<7> : tensor<ui8>} : () -> tensor<ui8>
  %a = relax.dequantize %x, %s, %z : (tensor<1x3x4x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x3x4x4xf32>
  %b = relax.nn.max_pool2d %a {pool_size = array<i64: 2, 2>} : (tensor<1x3x4x4xf32>) -> tensor<1x3x3x3xf32>
  return %b : tensor<1x3x3x3xf32>
}

// Wider numbers, and a factor that is not quantized.
// CHECK-LABEL: func.func @others
// CHECK-NOT: relax.qnn
func.func @others(%x: tensor<4x8xi16>, %w: tensor<8x16xi16>, %f: tensor<16x8xf32>, %s: tensor<f32>, %z: tensor<i32>) -> tensor<4x8xf32> {
  %a = relax.dequantize %x, %s, %z : (tensor<4x8xi16>, tensor<f32>, tensor<i32>) -> tensor<4x8xf32>
  %b = relax.dequantize %w, %s, %z : (tensor<8x16xi16>, tensor<f32>, tensor<i32>) -> tensor<8x16xf32>
  %y = relax.matmul %a, %b : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %v = relax.matmul %y, %f : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  return %v : tensor<4x8xf32>
}

// A zero point of 32 bits that is not known, and one that is beyond 8 bits.
// CHECK-LABEL: func.func @wide_zero_points
// CHECK-NOT: relax.qnn
func.func @wide_zero_points(%x: tensor<4x8xi8>, %w: tensor<8x16xi8>, %s: tensor<f32>, %z: tensor<i32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %far = relax.constant {value = dense<128> : tensor<i32>} : () -> tensor<i32>
  %near = relax.constant {value = dense<127> : tensor<i32>} : () -> tensor<i32>
  %a = relax.dequantize %x, %s, %near : (tensor<4x8xi8>, tensor<f32>, tensor<i32>) -> tensor<4x8xf32>
  %b = relax.dequantize %w, %s, %z : (tensor<8x16xi8>, tensor<f32>, tensor<i32>) -> tensor<8x16xf32>
  %c = relax.dequantize %w, %s, %far : (tensor<8x16xi8>, tensor<f32>, tensor<i32>) -> tensor<8x16xf32>
  %y = relax.matmul %a, %b : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  %v = relax.matmul %a, %c : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  return %y, %v : tensor<4x16xf32>, tensor<4x16xf32>
}
