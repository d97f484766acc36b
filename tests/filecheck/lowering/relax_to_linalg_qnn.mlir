// RUN: relax-opt %s -p relax-to-linalg | filecheck %s

// One kernel; the scale goes along the last dim.
// CHECK-LABEL: func.func @quantize(
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK: %[[Z:.*]] = arith.uitofp %{{.*}} : i8 to f32
// CHECK: %[[Q:.*]] = arith.divf
// CHECK: %[[R:.*]] = math.roundeven %[[Q]]
// CHECK: arith.addf %[[R]], %[[Z]]
// CHECK: arith.fptoui
// CHECK-NOT: linalg.generic
func.func @quantize(%x: tensor<4x6xf32>, %s: tensor<6xf32>, %z: tensor<ui8>) -> tensor<4x6xui8> {
  %y = relax.quantize %x, %s, %z {out_dtype = ui8} : (tensor<4x6xf32>, tensor<6xf32>, tensor<ui8>) -> tensor<4x6xui8>
  return %y : tensor<4x6xui8>
}

// By a known scale and zero point: the data is clamped, and a sum rounds.
// CHECK-LABEL: func.func @quantize_by_constants(
// CHECK: %[[L:.*]] = arith.constant -2.000000e+00 : f32
// CHECK: %[[A:.*]] = arith.maxnumf %{{.*}}, %[[L]]
// CHECK: %[[H:.*]] = arith.constant 1.255000e+02 : f32
// CHECK: %[[B:.*]] = arith.minnumf %[[A]], %[[H]]
// CHECK: %[[Q:.*]] = arith.divf %[[B]]
// CHECK: %[[M:.*]] = arith.constant 0x4B400000 : f32
// CHECK: %[[R:.*]] = arith.addf %[[Q]], %[[M]]
// CHECK: %[[N:.*]] = arith.bitcast %[[R]] : f32 to i32
// CHECK: %[[S:.*]] = arith.subi %[[N]]
// CHECK: arith.trunci %[[S]] : i32 to i8
func.func @quantize_by_constants(%x: tensor<4x6xf32>) -> tensor<4x6xui8> {
  %s = relax.constant {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<4> : tensor<ui8>} : () -> tensor<ui8>
  %y = relax.quantize %x, %s, %z {out_dtype = ui8} : (tensor<4x6xf32>, tensor<f32>, tensor<ui8>) -> tensor<4x6xui8>
  return %y : tensor<4x6xui8>
}

// CHECK-LABEL: func.func @dequantize(
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (0)>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK: %[[Q:.*]] = arith.extui %{{.*}} : i8 to i32
// CHECK: %[[D:.*]] = arith.subi %[[Q]]
// CHECK: %[[F:.*]] = arith.sitofp %[[D]] : i32 to f32
// CHECK: arith.mulf %[[F]]
func.func @dequantize(%x: tensor<4x6xui8>, %s: tensor<4xf32>, %z: tensor<1xi32>) -> tensor<4x6xf32> {
  %y = relax.qnn.dequantize %x, %s, %z {axis = 0 : i64} : (tensor<4x6xui8>, tensor<4xf32>, tensor<1xi32>) -> tensor<4x6xf32>
  return %y : tensor<4x6xf32>
}

// Each factor is extended by its own sign.
// CHECK-LABEL: func.func @signs(
// CHECK: %[[X:.*]] = arith.extui %{{.*}} : i8 to i32
// CHECK: %[[W:.*]] = arith.extsi %{{.*}} : i8 to i32
// CHECK: arith.muli %[[X]], %[[W]]
func.func @signs(%x: tensor<4x8xui8>, %w: tensor<8x6xi8>) -> tensor<4x6xi32> {
  %y = relax.matmul %x, %w {out_dtype = i32} : (tensor<4x8xui8>, tensor<8x6xi8>) -> tensor<4x6xi32>
  return %y : tensor<4x6xi32>
}
