// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: func.func @quantize(
// CHECK-SAME:    %[[A0:[a-z0-9]+]]: {{.*}}, %[[A1:[a-z0-9]+]]: {{.*}}, %[[A2:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.quantize %[[A0]], %[[A1]], %[[A2]] : (tensor<4x6xf32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
func.func @quantize(%a0: tensor<4x6xf32>, %a1: tensor<f32>, %a2: tensor<i32>) -> tensor<4x6xi8> {
  %r = relax.quantize %a0, %a1, %a2 : (tensor<4x6xf32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return %r : tensor<4x6xi8>
}

// CHECK-LABEL: func.func @quantize_2(
// CHECK-SAME:    %[[A0:[a-z0-9]+]]: {{.*}}, %[[A1:[a-z0-9]+]]: {{.*}}, %[[A2:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.quantize %[[A0]], %[[A1]], %[[A2]] {axis = 1 : i64, out_dtype = ui8} : (tensor<?x6xf16, #relax.sym<n>>, tensor<6xf16>, tensor<6xi8>) -> tensor<?x6xui8, #relax.sym<n>>
func.func @quantize_2(%a0: tensor<?x6xf16, #relax.sym<n>>, %a1: tensor<6xf16>, %a2: tensor<6xi8>) -> tensor<?x6xui8, #relax.sym<n>> {
  %r = relax.quantize %a0, %a1, %a2 {axis = 1 : i64, out_dtype = ui8} : (tensor<?x6xf16, #relax.sym<n>>, tensor<6xf16>, tensor<6xi8>) -> tensor<?x6xui8, #relax.sym<n>>
  return %r : tensor<?x6xui8, #relax.sym<n>>
}

// CHECK-LABEL: func.func @dequantize(
// CHECK-SAME:    %[[A0:[a-z0-9]+]]: {{.*}}, %[[A1:[a-z0-9]+]]: {{.*}}, %[[A2:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.dequantize %[[A0]], %[[A1]], %[[A2]] : (tensor<4x6xi8>, tensor<f32>, tensor<i8>) -> tensor<4x6xf32>
func.func @dequantize(%a0: tensor<4x6xi8>, %a1: tensor<f32>, %a2: tensor<i8>) -> tensor<4x6xf32> {
  %r = relax.dequantize %a0, %a1, %a2 : (tensor<4x6xi8>, tensor<f32>, tensor<i8>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @dequantize_2(
// CHECK-SAME:    %[[A0:[a-z0-9]+]]: {{.*}}, %[[A1:[a-z0-9]+]]: {{.*}}, %[[A2:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.dequantize %[[A0]], %[[A1]], %[[A2]] {axis = -1 : i64, out_dtype = f16} : (tensor<?x6xi16, #relax.sym<n>>, tensor<6xf32>, tensor<f32>) -> tensor<?x6xf16, #relax.sym<n>>
func.func @dequantize_2(%a0: tensor<?x6xi16, #relax.sym<n>>, %a1: tensor<6xf32>, %a2: tensor<f32>) -> tensor<?x6xf16, #relax.sym<n>> {
  %r = relax.dequantize %a0, %a1, %a2 {axis = -1 : i64, out_dtype = f16} : (tensor<?x6xi16, #relax.sym<n>>, tensor<6xf32>, tensor<f32>) -> tensor<?x6xf16, #relax.sym<n>>
  return %r : tensor<?x6xf16, #relax.sym<n>>
}

// CHECK-LABEL: func.func @qnn_quantize(
// CHECK-SAME:    %[[A0:[a-z0-9]+]]: {{.*}}, %[[A1:[a-z0-9]+]]: {{.*}}, %[[A2:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.qnn.quantize %[[A0]], %[[A1]], %[[A2]] {axis = 0 : i64, out_dtype = i32} : (tensor<4x6xf32>, tensor<4xf32>, tensor<i32>) -> tensor<4x6xi32>
func.func @qnn_quantize(%a0: tensor<4x6xf32>, %a1: tensor<4xf32>, %a2: tensor<i32>) -> tensor<4x6xi32> {
  %r = relax.qnn.quantize %a0, %a1, %a2 {axis = 0 : i64, out_dtype = i32} : (tensor<4x6xf32>, tensor<4xf32>, tensor<i32>) -> tensor<4x6xi32>
  return %r : tensor<4x6xi32>
}

// CHECK-LABEL: func.func @qnn_dequantize(
// CHECK-SAME:    %[[A0:[a-z0-9]+]]: {{.*}}, %[[A1:[a-z0-9]+]]: {{.*}}, %[[A2:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.qnn.dequantize %[[A0]], %[[A1]], %[[A2]] {out_dtype = f32} : (tensor<4x6xui8>, tensor<f32>, tensor<1xi32>) -> tensor<4x6xf32>
func.func @qnn_dequantize(%a0: tensor<4x6xui8>, %a1: tensor<f32>, %a2: tensor<1xi32>) -> tensor<4x6xf32> {
  %r = relax.qnn.dequantize %a0, %a1, %a2 {out_dtype = f32} : (tensor<4x6xui8>, tensor<f32>, tensor<1xi32>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @qnn_requantize(
// CHECK-SAME:    %[[A0:[a-z0-9]+]]: {{.*}}, %[[A1:[a-z0-9]+]]: {{.*}}, %[[A2:[a-z0-9]+]]: {{.*}}, %[[A3:[a-z0-9]+]]: {{.*}}, %[[A4:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.qnn.requantize %[[A0]], %[[A1]], %[[A2]], %[[A3]], %[[A4]] {axis = 1 : i64, rounding = "TONEAREST", compute_dtype = f32, out_dtype = ui8} : (tensor<?x6xi32, #relax.sym<n>>, tensor<6xf32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x6xui8, #relax.sym<n>>
func.func @qnn_requantize(%a0: tensor<?x6xi32, #relax.sym<n>>, %a1: tensor<6xf32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) -> tensor<?x6xui8, #relax.sym<n>> {
  %r = relax.qnn.requantize %a0, %a1, %a2, %a3, %a4 {axis = 1 : i64, rounding = "TONEAREST", compute_dtype = f32, out_dtype = ui8} : (tensor<?x6xi32, #relax.sym<n>>, tensor<6xf32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x6xui8, #relax.sym<n>>
  return %r : tensor<?x6xui8, #relax.sym<n>>
}

// CHECK-LABEL: func.func @qnn_requantize_2(
// CHECK-SAME:    %[[A0:[a-z0-9]+]]: {{.*}}, %[[A1:[a-z0-9]+]]: {{.*}}, %[[A2:[a-z0-9]+]]: {{.*}}, %[[A3:[a-z0-9]+]]: {{.*}}, %[[A4:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.qnn.requantize %[[A0]], %[[A1]], %[[A2]], %[[A3]], %[[A4]] : (tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<1xf32>, tensor<1xi32>) -> tensor<4x6xi8>
func.func @qnn_requantize_2(%a0: tensor<4x6xi8>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<1xf32>, %a4: tensor<1xi32>) -> tensor<4x6xi8> {
  %r = relax.qnn.requantize %a0, %a1, %a2, %a3, %a4 : (tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<1xf32>, tensor<1xi32>) -> tensor<4x6xi8>
  return %r : tensor<4x6xi8>
}

// CHECK-LABEL: func.func @qnn_add(
// CHECK-SAME:    %[[A0:[a-z0-9]+]]: {{.*}}, %[[A1:[a-z0-9]+]]: {{.*}}, %[[A2:[a-z0-9]+]]: {{.*}}, %[[A3:[a-z0-9]+]]: {{.*}}, %[[A4:[a-z0-9]+]]: {{.*}}, %[[A5:[a-z0-9]+]]: {{.*}}, %[[A6:[a-z0-9]+]]: {{.*}}, %[[A7:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.qnn.add %[[A0]], %[[A1]], %[[A2]], %[[A3]], %[[A4]], %[[A5]], %[[A6]], %[[A7]] : (tensor<?x6xi8, #relax.sym<n>>, tensor<6xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>>
func.func @qnn_add(%a0: tensor<?x6xi8, #relax.sym<n>>, %a1: tensor<6xi8>, %a2: tensor<f32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>> {
  %r = relax.qnn.add %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 : (tensor<?x6xi8, #relax.sym<n>>, tensor<6xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>>
  return %r : tensor<?x6xi8, #relax.sym<n>>
}

// CHECK-LABEL: func.func @qnn_subtract(
// CHECK-SAME:    %[[A0:[a-z0-9]+]]: {{.*}}, %[[A1:[a-z0-9]+]]: {{.*}}, %[[A2:[a-z0-9]+]]: {{.*}}, %[[A3:[a-z0-9]+]]: {{.*}}, %[[A4:[a-z0-9]+]]: {{.*}}, %[[A5:[a-z0-9]+]]: {{.*}}, %[[A6:[a-z0-9]+]]: {{.*}}, %[[A7:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.qnn.subtract %[[A0]], %[[A1]], %[[A2]], %[[A3]], %[[A4]], %[[A5]], %[[A6]], %[[A7]] {lhs_axis = 0 : i64, rounding = "UPWARD", compute_dtype = i64} : (tensor<4x6xui8>, tensor<4x6xui8>, tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xui8>
func.func @qnn_subtract(%a0: tensor<4x6xui8>, %a1: tensor<4x6xui8>, %a2: tensor<4xf32>, %a3: tensor<4xi32>, %a4: tensor<f32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) -> tensor<4x6xui8> {
  %r = relax.qnn.subtract %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 {lhs_axis = 0 : i64, rounding = "UPWARD", compute_dtype = i64} : (tensor<4x6xui8>, tensor<4x6xui8>, tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xui8>
  return %r : tensor<4x6xui8>
}

// CHECK-LABEL: func.func @qnn_mul(
// CHECK-SAME:    %[[A0:[a-z0-9]+]]: {{.*}}, %[[A1:[a-z0-9]+]]: {{.*}}, %[[A2:[a-z0-9]+]]: {{.*}}, %[[A3:[a-z0-9]+]]: {{.*}}, %[[A4:[a-z0-9]+]]: {{.*}}, %[[A5:[a-z0-9]+]]: {{.*}}, %[[A6:[a-z0-9]+]]: {{.*}}, %[[A7:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.qnn.mul %[[A0]], %[[A1]], %[[A2]], %[[A3]], %[[A4]], %[[A5]], %[[A6]], %[[A7]] {lhs_axis = 1 : i64, rhs_axis = 0 : i64} : (tensor<4x6xi8>, tensor<6xi8>, tensor<6xf32>, tensor<i32>, tensor<6xf32>, tensor<6xi32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
func.func @qnn_mul(%a0: tensor<4x6xi8>, %a1: tensor<6xi8>, %a2: tensor<6xf32>, %a3: tensor<i32>, %a4: tensor<6xf32>, %a5: tensor<6xi32>, %a6: tensor<f32>, %a7: tensor<i32>) -> tensor<4x6xi8> {
  %r = relax.qnn.mul %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 {lhs_axis = 1 : i64, rhs_axis = 0 : i64} : (tensor<4x6xi8>, tensor<6xi8>, tensor<6xf32>, tensor<i32>, tensor<6xf32>, tensor<6xi32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return %r : tensor<4x6xi8>
}

// CHECK-LABEL: func.func @qnn_concatenate(
// CHECK-SAME:    %[[A0:[a-z0-9]+]]: {{.*}}, %[[A1:[a-z0-9]+]]: {{.*}}, %[[A2:[a-z0-9]+]]: {{.*}}, %[[A3:[a-z0-9]+]]: {{.*}}, %[[A4:[a-z0-9]+]]: {{.*}}, %[[A5:[a-z0-9]+]]: {{.*}}, %[[A6:[a-z0-9]+]]: {{.*}}, %[[A7:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.qnn.concatenate %[[A0]], %[[A1]], %[[A2]], %[[A3]], %[[A4]], %[[A5]], %[[A6]], %[[A7]] {axis = 1 : i64} : (tensor<4x6xi8>, tensor<4x?xi8, #relax.sym<n>>, tensor<f32>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x?xi8, #relax.sym<n + 6>>
func.func @qnn_concatenate(%a0: tensor<4x6xi8>, %a1: tensor<4x?xi8, #relax.sym<n>>, %a2: tensor<f32>, %a3: tensor<f32>, %a4: tensor<i32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) -> tensor<4x?xi8, #relax.sym<n + 6>> {
  %r = relax.qnn.concatenate %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 {axis = 1 : i64} : (tensor<4x6xi8>, tensor<4x?xi8, #relax.sym<n>>, tensor<f32>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x?xi8, #relax.sym<n + 6>>
  return %r : tensor<4x?xi8, #relax.sym<n + 6>>
}

// CHECK-LABEL: func.func @qnn_dense(
// CHECK-SAME:    %[[A0:[a-z0-9]+]]: {{.*}}, %[[A1:[a-z0-9]+]]: {{.*}}, %[[A2:[a-z0-9]+]]: {{.*}}, %[[A3:[a-z0-9]+]]: {{.*}}, %[[A4:[a-z0-9]+]]: {{.*}}, %[[A5:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.qnn.dense %[[A0]], %[[A1]], %[[A2]], %[[A3]], %[[A4]], %[[A5]] {out_dtype = i32} : (tensor<?x6xui8, #relax.sym<n>>, tensor<3x6xi8>, tensor<i32>, tensor<3xi32>, tensor<f32>, tensor<3xf32>) -> tensor<?x3xi32, #relax.sym<n>>
func.func @qnn_dense(%a0: tensor<?x6xui8, #relax.sym<n>>, %a1: tensor<3x6xi8>, %a2: tensor<i32>, %a3: tensor<3xi32>, %a4: tensor<f32>, %a5: tensor<3xf32>) -> tensor<?x3xi32, #relax.sym<n>> {
  %r = relax.qnn.dense %a0, %a1, %a2, %a3, %a4, %a5 {out_dtype = i32} : (tensor<?x6xui8, #relax.sym<n>>, tensor<3x6xi8>, tensor<i32>, tensor<3xi32>, tensor<f32>, tensor<3xf32>) -> tensor<?x3xi32, #relax.sym<n>>
  return %r : tensor<?x3xi32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @qnn_batch_matmul(
// CHECK-SAME:    %[[A0:[a-z0-9]+]]: {{.*}}, %[[A1:[a-z0-9]+]]: {{.*}}, %[[A2:[a-z0-9]+]]: {{.*}}, %[[A3:[a-z0-9]+]]: {{.*}}, %[[A4:[a-z0-9]+]]: {{.*}}, %[[A5:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.qnn.batch_matmul %[[A0]], %[[A1]], %[[A2]], %[[A3]], %[[A4]], %[[A5]] : (tensor<?x4x6xi8, #relax.sym<b>>, tensor<?x5x6xi8, #relax.sym<b>>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<?x4x5xi32, #relax.sym<b>>
func.func @qnn_batch_matmul(%a0: tensor<?x4x6xi8, #relax.sym<b>>, %a1: tensor<?x5x6xi8, #relax.sym<b>>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) -> tensor<?x4x5xi32, #relax.sym<b>> {
  %r = relax.qnn.batch_matmul %a0, %a1, %a2, %a3, %a4, %a5 : (tensor<?x4x6xi8, #relax.sym<b>>, tensor<?x5x6xi8, #relax.sym<b>>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<?x4x5xi32, #relax.sym<b>>
  return %r : tensor<?x4x5xi32, #relax.sym<b>>
}

// CHECK-LABEL: func.func @qnn_conv2d(
// CHECK-SAME:    %[[A0:[a-z0-9]+]]: {{.*}}, %[[A1:[a-z0-9]+]]: {{.*}}, %[[A2:[a-z0-9]+]]: {{.*}}, %[[A3:[a-z0-9]+]]: {{.*}}, %[[A4:[a-z0-9]+]]: {{.*}}, %[[A5:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.qnn.conv2d %[[A0]], %[[A1]], %[[A2]], %[[A3]], %[[A4]], %[[A5]] {strides = array<i64: 2>, padding = array<i64: 1, 1>, out_dtype = i32} : (tensor<2x3x8x8xi8>, tensor<4x3x3x3xi8>, tensor<i32>, tensor<4xi32>, tensor<f32>, tensor<4xf32>) -> tensor<2x4x4x4xi32>
func.func @qnn_conv2d(%a0: tensor<2x3x8x8xi8>, %a1: tensor<4x3x3x3xi8>, %a2: tensor<i32>, %a3: tensor<4xi32>, %a4: tensor<f32>, %a5: tensor<4xf32>) -> tensor<2x4x4x4xi32> {
  %r = relax.qnn.conv2d %a0, %a1, %a2, %a3, %a4, %a5 {strides = array<i64: 2>, padding = array<i64: 1, 1>, out_dtype = i32} : (tensor<2x3x8x8xi8>, tensor<4x3x3x3xi8>, tensor<i32>, tensor<4xi32>, tensor<f32>, tensor<4xf32>) -> tensor<2x4x4x4xi32>
  return %r : tensor<2x4x4x4xi32>
}

// CHECK-LABEL: func.func @qnn_conv2d_2(
// CHECK-SAME:    %[[A0:[a-z0-9]+]]: {{.*}}, %[[A1:[a-z0-9]+]]: {{.*}}, %[[A2:[a-z0-9]+]]: {{.*}}, %[[A3:[a-z0-9]+]]: {{.*}}, %[[A4:[a-z0-9]+]]: {{.*}}, %[[A5:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.qnn.conv2d %[[A0]], %[[A1]], %[[A2]], %[[A3]], %[[A4]], %[[A5]] {groups = 4 : i64, data_layout = "NHWC", kernel_layout = "HWIO"} : (tensor<?x8x8x4xui8, #relax.sym<n>>, tensor<3x3x1x4xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<?x6x6x4xi32, #relax.sym<n>>
func.func @qnn_conv2d_2(%a0: tensor<?x8x8x4xui8, #relax.sym<n>>, %a1: tensor<3x3x1x4xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) -> tensor<?x6x6x4xi32, #relax.sym<n>> {
  %r = relax.qnn.conv2d %a0, %a1, %a2, %a3, %a4, %a5 {groups = 4 : i64, data_layout = "NHWC", kernel_layout = "HWIO"} : (tensor<?x8x8x4xui8, #relax.sym<n>>, tensor<3x3x1x4xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<?x6x6x4xi32, #relax.sym<n>>
  return %r : tensor<?x6x6x4xi32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @qnn_tanh(
// CHECK-SAME:    %[[A0:[a-z0-9]+]]: {{.*}}, %[[A1:[a-z0-9]+]]: {{.*}}, %[[A2:[a-z0-9]+]]: {{.*}}, %[[A3:[a-z0-9]+]]: {{.*}}, %[[A4:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.qnn.tanh %[[A0]], %[[A1]], %[[A2]], %[[A3]], %[[A4]] : (tensor<?x6xi8, #relax.sym<n>>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>>
func.func @qnn_tanh(%a0: tensor<?x6xi8, #relax.sym<n>>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>> {
  %r = relax.qnn.tanh %a0, %a1, %a2, %a3, %a4 : (tensor<?x6xi8, #relax.sym<n>>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>>
  return %r : tensor<?x6xi8, #relax.sym<n>>
}

// CHECK-LABEL: func.func @qnn_sigmoid(
// CHECK-SAME:    %[[A0:[a-z0-9]+]]: {{.*}}, %[[A1:[a-z0-9]+]]: {{.*}}, %[[A2:[a-z0-9]+]]: {{.*}}, %[[A3:[a-z0-9]+]]: {{.*}}, %[[A4:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.qnn.sigmoid %[[A0]], %[[A1]], %[[A2]], %[[A3]], %[[A4]] : (tensor<?x6xi8, #relax.sym<n>>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>>
func.func @qnn_sigmoid(%a0: tensor<?x6xi8, #relax.sym<n>>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>> {
  %r = relax.qnn.sigmoid %a0, %a1, %a2, %a3, %a4 : (tensor<?x6xi8, #relax.sym<n>>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>>
  return %r : tensor<?x6xi8, #relax.sym<n>>
}

// CHECK-LABEL: func.func @qnn_exp(
// CHECK-SAME:    %[[A0:[a-z0-9]+]]: {{.*}}, %[[A1:[a-z0-9]+]]: {{.*}}, %[[A2:[a-z0-9]+]]: {{.*}}, %[[A3:[a-z0-9]+]]: {{.*}}, %[[A4:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.qnn.exp %[[A0]], %[[A1]], %[[A2]], %[[A3]], %[[A4]] : (tensor<?x6xi8, #relax.sym<n>>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>>
func.func @qnn_exp(%a0: tensor<?x6xi8, #relax.sym<n>>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>> {
  %r = relax.qnn.exp %a0, %a1, %a2, %a3, %a4 : (tensor<?x6xi8, #relax.sym<n>>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>>
  return %r : tensor<?x6xi8, #relax.sym<n>>
}

// CHECK-LABEL: func.func @qnn_log(
// CHECK-SAME:    %[[A0:[a-z0-9]+]]: {{.*}}, %[[A1:[a-z0-9]+]]: {{.*}}, %[[A2:[a-z0-9]+]]: {{.*}}, %[[A3:[a-z0-9]+]]: {{.*}}, %[[A4:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.qnn.log %[[A0]], %[[A1]], %[[A2]], %[[A3]], %[[A4]] : (tensor<?x6xi8, #relax.sym<n>>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>>
func.func @qnn_log(%a0: tensor<?x6xi8, #relax.sym<n>>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>> {
  %r = relax.qnn.log %a0, %a1, %a2, %a3, %a4 : (tensor<?x6xi8, #relax.sym<n>>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>>
  return %r : tensor<?x6xi8, #relax.sym<n>>
}

// CHECK-LABEL: func.func @qnn_sqrt(
// CHECK-SAME:    %[[A0:[a-z0-9]+]]: {{.*}}, %[[A1:[a-z0-9]+]]: {{.*}}, %[[A2:[a-z0-9]+]]: {{.*}}, %[[A3:[a-z0-9]+]]: {{.*}}, %[[A4:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.qnn.sqrt %[[A0]], %[[A1]], %[[A2]], %[[A3]], %[[A4]] : (tensor<?x6xi8, #relax.sym<n>>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>>
func.func @qnn_sqrt(%a0: tensor<?x6xi8, #relax.sym<n>>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>> {
  %r = relax.qnn.sqrt %a0, %a1, %a2, %a3, %a4 : (tensor<?x6xi8, #relax.sym<n>>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>>
  return %r : tensor<?x6xi8, #relax.sym<n>>
}

// CHECK-LABEL: func.func @qnn_rsqrt(
// CHECK-SAME:    %[[A0:[a-z0-9]+]]: {{.*}}, %[[A1:[a-z0-9]+]]: {{.*}}, %[[A2:[a-z0-9]+]]: {{.*}}, %[[A3:[a-z0-9]+]]: {{.*}}, %[[A4:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.qnn.rsqrt %[[A0]], %[[A1]], %[[A2]], %[[A3]], %[[A4]] : (tensor<?x6xi8, #relax.sym<n>>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>>
func.func @qnn_rsqrt(%a0: tensor<?x6xi8, #relax.sym<n>>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>> {
  %r = relax.qnn.rsqrt %a0, %a1, %a2, %a3, %a4 : (tensor<?x6xi8, #relax.sym<n>>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>>
  return %r : tensor<?x6xi8, #relax.sym<n>>
}

// CHECK-LABEL: func.func @qnn_erf(
// CHECK-SAME:    %[[A0:[a-z0-9]+]]: {{.*}}, %[[A1:[a-z0-9]+]]: {{.*}}, %[[A2:[a-z0-9]+]]: {{.*}}, %[[A3:[a-z0-9]+]]: {{.*}}, %[[A4:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.qnn.erf %[[A0]], %[[A1]], %[[A2]], %[[A3]], %[[A4]] : (tensor<?x6xi8, #relax.sym<n>>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>>
func.func @qnn_erf(%a0: tensor<?x6xi8, #relax.sym<n>>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>> {
  %r = relax.qnn.erf %a0, %a1, %a2, %a3, %a4 : (tensor<?x6xi8, #relax.sym<n>>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>>
  return %r : tensor<?x6xi8, #relax.sym<n>>
}

// CHECK-LABEL: func.func @qnn_abs(
// CHECK-SAME:    %[[A0:[a-z0-9]+]]: {{.*}}, %[[A1:[a-z0-9]+]]: {{.*}}, %[[A2:[a-z0-9]+]]: {{.*}}, %[[A3:[a-z0-9]+]]: {{.*}}, %[[A4:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.qnn.abs %[[A0]], %[[A1]], %[[A2]], %[[A3]], %[[A4]] : (tensor<?x6xi8, #relax.sym<n>>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>>
func.func @qnn_abs(%a0: tensor<?x6xi8, #relax.sym<n>>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>> {
  %r = relax.qnn.abs %a0, %a1, %a2, %a3, %a4 : (tensor<?x6xi8, #relax.sym<n>>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>>
  return %r : tensor<?x6xi8, #relax.sym<n>>
}

// CHECK-LABEL: func.func @qnn_hardswish(
// CHECK-SAME:    %[[A0:[a-z0-9]+]]: {{.*}}, %[[A1:[a-z0-9]+]]: {{.*}}, %[[A2:[a-z0-9]+]]: {{.*}}, %[[A3:[a-z0-9]+]]: {{.*}}, %[[A4:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.qnn.hardswish %[[A0]], %[[A1]], %[[A2]], %[[A3]], %[[A4]] : (tensor<?x6xi8, #relax.sym<n>>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>>
func.func @qnn_hardswish(%a0: tensor<?x6xi8, #relax.sym<n>>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>> {
  %r = relax.qnn.hardswish %a0, %a1, %a2, %a3, %a4 : (tensor<?x6xi8, #relax.sym<n>>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<?x6xi8, #relax.sym<n>>
  return %r : tensor<?x6xi8, #relax.sym<n>>
}

// CHECK-LABEL: func.func @qnn_leaky_relu(
// CHECK-SAME:    %[[A0:[a-z0-9]+]]: {{.*}}, %[[A1:[a-z0-9]+]]: {{.*}}, %[[A2:[a-z0-9]+]]: {{.*}}, %[[A3:[a-z0-9]+]]: {{.*}}, %[[A4:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.qnn.leaky_relu %[[A0]], %[[A1]], %[[A2]], %[[A3]], %[[A4]] {alpha = 1.000000e-01 : f64, rounding = "TONEAREST"} : (tensor<4x6xui8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xui8>
func.func @qnn_leaky_relu(%a0: tensor<4x6xui8>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) -> tensor<4x6xui8> {
  %r = relax.qnn.leaky_relu %a0, %a1, %a2, %a3, %a4 {alpha = 1.000000e-01 : f64, rounding = "TONEAREST"} : (tensor<4x6xui8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xui8>
  return %r : tensor<4x6xui8>
}

// CHECK-LABEL: func.func @qnn_softmax(
// CHECK-SAME:    %[[A0:[a-z0-9]+]]: {{.*}}, %[[A1:[a-z0-9]+]]: {{.*}}, %[[A2:[a-z0-9]+]]: {{.*}}, %[[A3:[a-z0-9]+]]: {{.*}}, %[[A4:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.qnn.softmax %[[A0]], %[[A1]], %[[A2]], %[[A3]], %[[A4]] {axis = 0 : i64} : (tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
func.func @qnn_softmax(%a0: tensor<4x6xi8>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) -> tensor<4x6xi8> {
  %r = relax.qnn.softmax %a0, %a1, %a2, %a3, %a4 {axis = 0 : i64} : (tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return %r : tensor<4x6xi8>
}
