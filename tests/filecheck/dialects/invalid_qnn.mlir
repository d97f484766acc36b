// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @quantize_c1(%a0: tensor<4x6xf64>, %a1: tensor<f32>, %a2: tensor<i8>) {
  // expected-error@below {{quantize_c1: the data must have element type f32, f16 or bf16, got f64}}
  %r = relax.quantize %a0, %a1, %a2 : (tensor<4x6xf64>, tensor<f32>, tensor<i8>) -> tensor<4x6xi8>
  return
}

// -----

func.func @quantize_c2(%a0: tensor<4x6xf32>, %a1: tensor<f32>, %a2: tensor<i8>) {
  // expected-error@below {{quantize_c2: element type must be one of i8, ui8, i16, ui16, i32, got i64}}
  %r = relax.quantize %a0, %a1, %a2 {out_dtype = i64} : (tensor<4x6xf32>, tensor<f32>, tensor<i8>) -> tensor<4x6xi64>
  return
}

// -----

func.func @quantize_c3(%a0: tensor<4x6xf32>, %a1: tensor<4xf32>, %a2: tensor<i8>) {
  // expected-error@below {{quantize_c3: the scale must be one number or have shape [6], got [4]}}
  %r = relax.quantize %a0, %a1, %a2 : (tensor<4x6xf32>, tensor<4xf32>, tensor<i8>) -> tensor<4x6xi8>
  return
}

// -----

func.func @quantize_c4(%a0: tensor<4x6xf32>, %a1: tensor<f32>, %a2: tensor<i8>) {
  // expected-error@below {{quantize_c4: axis must be in [-2, 2) for rank 2, got 2}}
  %r = relax.quantize %a0, %a1, %a2 {axis = 2 : i64} : (tensor<4x6xf32>, tensor<f32>, tensor<i8>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_quantize_c1(%a0: tensor<4x6xf64>, %a1: tensor<f32>, %a2: tensor<i32>) {
  // expected-error@below {{qnn.quantize_c1: the data must have element type f32, f16 or bf16, got f64}}
  %r = relax.qnn.quantize %a0, %a1, %a2 : (tensor<4x6xf64>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_quantize_c2(%a0: tensor<4x6xf32>, %a1: tensor<f32>, %a2: tensor<i32>) {
  // expected-error@below {{qnn.quantize_c2: element type must be one of i8, ui8, i16, ui16, i32, got i64}}
  %r = relax.qnn.quantize %a0, %a1, %a2 {out_dtype = i64} : (tensor<4x6xf32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi64>
  return
}

// -----

func.func @qnn_quantize_c3(%a0: tensor<4x6xf32>, %a1: tensor<4xf32>, %a2: tensor<i32>) {
  // expected-error@below {{qnn.quantize_c3: the scale must be one number or have shape [6], got [4]}}
  %r = relax.qnn.quantize %a0, %a1, %a2 : (tensor<4x6xf32>, tensor<4xf32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_quantize_c4(%a0: tensor<4x6xf32>, %a1: tensor<f32>, %a2: tensor<i32>) {
  // expected-error@below {{qnn.quantize_c4: axis must be in [-2, 2) for rank 2, got 2}}
  %r = relax.qnn.quantize %a0, %a1, %a2 {axis = 2 : i64} : (tensor<4x6xf32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @quantize_c3(%a0: tensor<4x6xf32>, %a1: tensor<f64>, %a2: tensor<i32>) {
  // expected-error@below {{quantize_c3: the scale must have element type f32, f16 or bf16, got f64}}
  %r = relax.quantize %a0, %a1, %a2 : (tensor<4x6xf32>, tensor<f64>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @quantize_c3(%a0: tensor<4x6xf32>, %a1: tensor<f32>, %a2: tensor<i64>) {
  // expected-error@below {{quantize_c3: element type must be one of i8, ui8, i16, ui16, i32, f32, f16, got i64}}
  %r = relax.quantize %a0, %a1, %a2 : (tensor<4x6xf32>, tensor<f32>, tensor<i64>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_quantize_c3(%a0: tensor<4x6xf32>, %a1: tensor<f32>, %a2: tensor<i8>) {
  // expected-error@below {{qnn.quantize_c3: the zero point must have element type i32, got i8}}
  %r = relax.qnn.quantize %a0, %a1, %a2 : (tensor<4x6xf32>, tensor<f32>, tensor<i8>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_quantize_c3(%a0: tensor<4x6xf32>, %a1: tensor<f16>, %a2: tensor<i32>) {
  // expected-error@below {{qnn.quantize_c3: the scale must have element type f32, got f16}}
  %r = relax.qnn.quantize %a0, %a1, %a2 : (tensor<4x6xf32>, tensor<f16>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @dequantize_c1(%a0: tensor<4x6xf32>, %a1: tensor<f32>, %a2: tensor<i8>) {
  // expected-error@below {{dequantize_c1: element type must be one of i8, ui8, i16, ui16, i32, got f32}}
  %r = relax.dequantize %a0, %a1, %a2 : (tensor<4x6xf32>, tensor<f32>, tensor<i8>) -> tensor<4x6xf32>
  return
}

// -----

func.func @dequantize_c2(%a0: tensor<4x6xi8>, %a1: tensor<f32>, %a2: tensor<i8>) {
  // expected-error@below {{dequantize_c2: element type must be one of f32, f16, got f64}}
  %r = relax.dequantize %a0, %a1, %a2 {out_dtype = f64} : (tensor<4x6xi8>, tensor<f32>, tensor<i8>) -> tensor<4x6xf64>
  return
}

// -----

func.func @dequantize_c3(%a0: tensor<4x6xi8>, %a1: tensor<6x1xf32>, %a2: tensor<i8>) {
  // expected-error@below {{dequantize_c3: the scale must be one number or have shape [6], got [6, 1]}}
  %r = relax.dequantize %a0, %a1, %a2 : (tensor<4x6xi8>, tensor<6x1xf32>, tensor<i8>) -> tensor<4x6xf32>
  return
}

// -----

func.func @dequantize_c4(%a0: tensor<4x6xi8>, %a1: tensor<f32>, %a2: tensor<i8>) {
  // expected-error@below {{dequantize_c4: axis must be in [-2, 2) for rank 2, got -3}}
  %r = relax.dequantize %a0, %a1, %a2 {axis = -3 : i64} : (tensor<4x6xi8>, tensor<f32>, tensor<i8>) -> tensor<4x6xf32>
  return
}

// -----

func.func @qnn_dequantize_c1(%a0: tensor<4x6xf32>, %a1: tensor<f32>, %a2: tensor<i32>) {
  // expected-error@below {{qnn.dequantize_c1: element type must be one of i8, ui8, i16, ui16, i32, got f32}}
  %r = relax.qnn.dequantize %a0, %a1, %a2 : (tensor<4x6xf32>, tensor<f32>, tensor<i32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @qnn_dequantize_c2(%a0: tensor<4x6xi8>, %a1: tensor<f32>, %a2: tensor<i32>) {
  // expected-error@below {{qnn.dequantize_c2: element type must be one of f32, f16, got f64}}
  %r = relax.qnn.dequantize %a0, %a1, %a2 {out_dtype = f64} : (tensor<4x6xi8>, tensor<f32>, tensor<i32>) -> tensor<4x6xf64>
  return
}

// -----

func.func @qnn_dequantize_c3(%a0: tensor<4x6xi8>, %a1: tensor<6x1xf32>, %a2: tensor<i32>) {
  // expected-error@below {{qnn.dequantize_c3: the scale must be one number or have shape [6], got [6, 1]}}
  %r = relax.qnn.dequantize %a0, %a1, %a2 : (tensor<4x6xi8>, tensor<6x1xf32>, tensor<i32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @qnn_dequantize_c4(%a0: tensor<4x6xi8>, %a1: tensor<f32>, %a2: tensor<i32>) {
  // expected-error@below {{qnn.dequantize_c4: axis must be in [-2, 2) for rank 2, got -3}}
  %r = relax.qnn.dequantize %a0, %a1, %a2 {axis = -3 : i64} : (tensor<4x6xi8>, tensor<f32>, tensor<i32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @qnn_requantize_c1(%a0: tensor<4x6xi64>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.requantize_c1: element type must be one of i8, ui8, i16, ui16, i32, got i64}}
  %r = relax.qnn.requantize %a0, %a1, %a2, %a3, %a4 : (tensor<4x6xi64>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_requantize_c2(%a0: tensor<4x6xi8>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.requantize_c2: element type must be one of i8, ui8, i16, ui16, i32, got f32}}
  %r = relax.qnn.requantize %a0, %a1, %a2, %a3, %a4 {out_dtype = f32} : (tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @qnn_requantize_c3(%a0: tensor<4x6xi8>, %a1: tensor<f32>, %a2: tensor<4xi32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.requantize_c3: input_zero_point must be one number or have shape [6], got [4]}}
  %r = relax.qnn.requantize %a0, %a1, %a2, %a3, %a4 : (tensor<4x6xi8>, tensor<f32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_requantize_c3(%a0: tensor<4x6xi8>, %a1: tensor<f16>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.requantize_c3: input_scale must have element type f32, got f16}}
  %r = relax.qnn.requantize %a0, %a1, %a2, %a3, %a4 : (tensor<4x6xi8>, tensor<f16>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_requantize_c4(%a0: tensor<4x6xi8>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.requantize_c4: axis must be in [-2, 2) for rank 2, got 5}}
  %r = relax.qnn.requantize %a0, %a1, %a2, %a3, %a4 {axis = 5 : i64} : (tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_requantize_c5(%a0: tensor<4x6xi8>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<6xf32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.requantize_c5: output_scale must be one number, got shape [6]}}
  %r = relax.qnn.requantize %a0, %a1, %a2, %a3, %a4 : (tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<6xf32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_requantize_c6(%a0: tensor<4x6xi8>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.requantize_c6: rounding must be one of UPWARD, TONEAREST, got DOWN}}
  %r = relax.qnn.requantize %a0, %a1, %a2, %a3, %a4 {rounding = "DOWN"} : (tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_requantize_c6(%a0: tensor<4x6xi8>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.requantize_c6: compute_dtype must be i64 or f32, got i32}}
  %r = relax.qnn.requantize %a0, %a1, %a2, %a3, %a4 {compute_dtype = i32} : (tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_add_c1(%a0: tensor<4x6xi8>, %a1: tensor<4x6xui8>, %a2: tensor<f32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) {
  // expected-error@below {{qnn.add_c1: element types must be equal, got i8 and ui8}}
  %r = relax.qnn.add %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 : (tensor<4x6xi8>, tensor<4x6xui8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_add_c1(%a0: tensor<4x6xf32>, %a1: tensor<4x6xf32>, %a2: tensor<f32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) {
  // expected-error@below {{qnn.add_c1: element type must be one of i8, ui8, i16, ui16, i32, got f32}}
  %r = relax.qnn.add %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @qnn_add_c2(%a0: tensor<4x6xi8>, %a1: tensor<4x5xi8>, %a2: tensor<f32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) {
  // expected-error@below {{qnn.add_c2: shapes do not broadcast: [4, 6] and [4, 5]}}
  %r = relax.qnn.add %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 : (tensor<4x6xi8>, tensor<4x5xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_add_c3(%a0: tensor<4x6xi8>, %a1: tensor<4x6xi8>, %a2: tensor<f32>, %a3: tensor<i32>, %a4: tensor<4xf32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) {
  // expected-error@below {{qnn.add_c3: rhs_scale must be one number or have shape [6], got [4]}}
  %r = relax.qnn.add %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 : (tensor<4x6xi8>, tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<4xf32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_add_c4(%a0: tensor<4x6xi8>, %a1: tensor<4x6xi8>, %a2: tensor<f32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) {
  // expected-error@below {{qnn.add_c4: axis must be in [-2, 2) for rank 2, got 2}}
  %r = relax.qnn.add %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 {rhs_axis = 2 : i64} : (tensor<4x6xi8>, tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_add_c5(%a0: tensor<4x6xi8>, %a1: tensor<4x6xi8>, %a2: tensor<f32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<6xi32>) {
  // expected-error@below {{qnn.add_c5: output_zero_point must be one number, got shape [6]}}
  %r = relax.qnn.add %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 : (tensor<4x6xi8>, tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<6xi32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_add_c6(%a0: tensor<4x6xi8>, %a1: tensor<4x6xi8>, %a2: tensor<f32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) {
  // expected-error@below {{qnn.add_c6: rounding must be one of UPWARD, TONEAREST, got UP}}
  %r = relax.qnn.add %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 {rounding = "UP"} : (tensor<4x6xi8>, tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_subtract_c1(%a0: tensor<4x6xi8>, %a1: tensor<4x6xui8>, %a2: tensor<f32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) {
  // expected-error@below {{qnn.subtract_c1: element types must be equal, got i8 and ui8}}
  %r = relax.qnn.subtract %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 : (tensor<4x6xi8>, tensor<4x6xui8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_subtract_c1(%a0: tensor<4x6xf32>, %a1: tensor<4x6xf32>, %a2: tensor<f32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) {
  // expected-error@below {{qnn.subtract_c1: element type must be one of i8, ui8, i16, ui16, i32, got f32}}
  %r = relax.qnn.subtract %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @qnn_subtract_c2(%a0: tensor<4x6xi8>, %a1: tensor<4x5xi8>, %a2: tensor<f32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) {
  // expected-error@below {{qnn.subtract_c2: shapes do not broadcast: [4, 6] and [4, 5]}}
  %r = relax.qnn.subtract %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 : (tensor<4x6xi8>, tensor<4x5xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_subtract_c3(%a0: tensor<4x6xi8>, %a1: tensor<4x6xi8>, %a2: tensor<f32>, %a3: tensor<i32>, %a4: tensor<4xf32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) {
  // expected-error@below {{qnn.subtract_c3: rhs_scale must be one number or have shape [6], got [4]}}
  %r = relax.qnn.subtract %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 : (tensor<4x6xi8>, tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<4xf32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_subtract_c4(%a0: tensor<4x6xi8>, %a1: tensor<4x6xi8>, %a2: tensor<f32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) {
  // expected-error@below {{qnn.subtract_c4: axis must be in [-2, 2) for rank 2, got 2}}
  %r = relax.qnn.subtract %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 {rhs_axis = 2 : i64} : (tensor<4x6xi8>, tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_subtract_c5(%a0: tensor<4x6xi8>, %a1: tensor<4x6xi8>, %a2: tensor<f32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<6xi32>) {
  // expected-error@below {{qnn.subtract_c5: output_zero_point must be one number, got shape [6]}}
  %r = relax.qnn.subtract %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 : (tensor<4x6xi8>, tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<6xi32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_subtract_c6(%a0: tensor<4x6xi8>, %a1: tensor<4x6xi8>, %a2: tensor<f32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) {
  // expected-error@below {{qnn.subtract_c6: rounding must be one of UPWARD, TONEAREST, got UP}}
  %r = relax.qnn.subtract %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 {rounding = "UP"} : (tensor<4x6xi8>, tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_mul_c1(%a0: tensor<4x6xi8>, %a1: tensor<4x6xui8>, %a2: tensor<f32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) {
  // expected-error@below {{qnn.mul_c1: element types must be equal, got i8 and ui8}}
  %r = relax.qnn.mul %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 : (tensor<4x6xi8>, tensor<4x6xui8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_mul_c1(%a0: tensor<4x6xf32>, %a1: tensor<4x6xf32>, %a2: tensor<f32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) {
  // expected-error@below {{qnn.mul_c1: element type must be one of i8, ui8, i16, ui16, i32, got f32}}
  %r = relax.qnn.mul %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @qnn_mul_c2(%a0: tensor<4x6xi8>, %a1: tensor<4x5xi8>, %a2: tensor<f32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) {
  // expected-error@below {{qnn.mul_c2: shapes do not broadcast: [4, 6] and [4, 5]}}
  %r = relax.qnn.mul %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 : (tensor<4x6xi8>, tensor<4x5xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_mul_c3(%a0: tensor<4x6xi8>, %a1: tensor<4x6xi8>, %a2: tensor<f32>, %a3: tensor<i32>, %a4: tensor<4xf32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) {
  // expected-error@below {{qnn.mul_c3: rhs_scale must be one number or have shape [6], got [4]}}
  %r = relax.qnn.mul %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 : (tensor<4x6xi8>, tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<4xf32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_mul_c4(%a0: tensor<4x6xi8>, %a1: tensor<4x6xi8>, %a2: tensor<f32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) {
  // expected-error@below {{qnn.mul_c4: axis must be in [-2, 2) for rank 2, got 2}}
  %r = relax.qnn.mul %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 {rhs_axis = 2 : i64} : (tensor<4x6xi8>, tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_mul_c5(%a0: tensor<4x6xi8>, %a1: tensor<4x6xi8>, %a2: tensor<f32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<6xi32>) {
  // expected-error@below {{qnn.mul_c5: output_zero_point must be one number, got shape [6]}}
  %r = relax.qnn.mul %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 : (tensor<4x6xi8>, tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<6xi32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_mul_c6(%a0: tensor<4x6xi8>, %a1: tensor<4x6xi8>, %a2: tensor<f32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) {
  // expected-error@below {{qnn.mul_c6: rounding must be one of UPWARD, TONEAREST, got UP}}
  %r = relax.qnn.mul %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 {rounding = "UP"} : (tensor<4x6xi8>, tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_mul_c7(%a0: tensor<6x6xi8>, %a1: tensor<6x6xi8>, %a2: tensor<6xf32>, %a3: tensor<i32>, %a4: tensor<6xf32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) {
  // expected-error@below {{qnn.mul_c7: lhs_axis and rhs_axis must be the same dim of the result, got -2 and -1}}
  %r = relax.qnn.mul %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 {lhs_axis = 0 : i64} : (tensor<6x6xi8>, tensor<6x6xi8>, tensor<6xf32>, tensor<i32>, tensor<6xf32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<6x6xi8>
  return
}

// -----

func.func @qnn_concatenate_c1(%a0: tensor<f32>, %a1: tensor<i32>) {
  // expected-error@below {{qnn.concatenate_c1: expected at least one tensor}}
  %r = relax.qnn.concatenate %a0, %a1 : (tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_concatenate_c1(%a0: tensor<4x6xi8>, %a1: tensor<4x6xui8>, %a2: tensor<f32>, %a3: tensor<f32>, %a4: tensor<i32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) {
  // expected-error@below {{qnn.concatenate_c1: element types must be equal, got i8 and ui8}}
  %r = relax.qnn.concatenate %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 : (tensor<4x6xi8>, tensor<4x6xui8>, tensor<f32>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_concatenate_c2(%a0: tensor<4x6xi8>, %a1: tensor<4xi8>, %a2: tensor<f32>, %a3: tensor<f32>, %a4: tensor<i32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) {
  // expected-error@below {{qnn.concatenate_c2: ranks must be equal, got 2 and 1}}
  %r = relax.qnn.concatenate %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 : (tensor<4x6xi8>, tensor<4xi8>, tensor<f32>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_concatenate_c2(%a0: tensor<4x6xi8>, %a1: tensor<4x6xi8>, %a2: tensor<f32>, %a3: tensor<f32>, %a4: tensor<i32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) {
  // expected-error@below {{qnn.concatenate_c2: axis must be in [-2, 2) for rank 2, got 2}}
  %r = relax.qnn.concatenate %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 {axis = 2 : i64} : (tensor<4x6xi8>, tensor<4x6xi8>, tensor<f32>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_concatenate_c3(%a0: tensor<4x6xi8>, %a1: tensor<4x5xi8>, %a2: tensor<f32>, %a3: tensor<f32>, %a4: tensor<i32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) {
  // expected-error@below {{qnn.concatenate_c3: dims 1 must be equal, got 6 and 5}}
  %r = relax.qnn.concatenate %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 : (tensor<4x6xi8>, tensor<4x5xi8>, tensor<f32>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_concatenate_c4(%a0: tensor<4x6xi8>, %a1: tensor<4x6xi8>, %a2: tensor<f32>, %a3: tensor<6xf32>, %a4: tensor<i32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) {
  // expected-error@below {{qnn.concatenate_c4: scale 1 must be one number, got shape [6]}}
  %r = relax.qnn.concatenate %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 : (tensor<4x6xi8>, tensor<4x6xi8>, tensor<f32>, tensor<6xf32>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_concatenate_c5(%a0: tensor<4x6xi8>, %a1: tensor<4x6xi8>, %a2: tensor<f32>, %a3: tensor<f32>, %a4: tensor<i32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) {
  // expected-error@below {{qnn.concatenate_c5: compute_dtype must be i64 or f32, got f16}}
  %r = relax.qnn.concatenate %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 {compute_dtype = f16} : (tensor<4x6xi8>, tensor<4x6xi8>, tensor<f32>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_dense_c1(%a0: tensor<4x6xf32>, %a1: tensor<3x6xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) {
  // expected-error@below {{qnn.dense_c1: element type must be one of i8, ui8, i16, got f32}}
  %r = relax.qnn.dense %a0, %a1, %a2, %a3, %a4, %a5 : (tensor<4x6xf32>, tensor<3x6xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<4x3xi32>
  return
}

// -----

func.func @qnn_dense_c2(%a0: tensor<4x6xi8>, %a1: tensor<6xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) {
  // expected-error@below {{qnn.dense_c2: got data of shape [4, 6] and weight of shape [6]}}
  %r = relax.qnn.dense %a0, %a1, %a2, %a3, %a4, %a5 : (tensor<4x6xi8>, tensor<6xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<4x3xi32>
  return
}

// -----

func.func @qnn_dense_c3(%a0: tensor<4x6xi8>, %a1: tensor<3x5xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) {
  // expected-error@below {{qnn.dense_c3: contraction dimensions differ: data has 6, weight has 5}}
  %r = relax.qnn.dense %a0, %a1, %a2, %a3, %a4, %a5 : (tensor<4x6xi8>, tensor<3x5xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<4x3xi32>
  return
}

// -----

func.func @qnn_dense_c4(%a0: tensor<4x6xi8>, %a1: tensor<3x6xi8>, %a2: tensor<6xi32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) {
  // expected-error@below {{qnn.dense_c4: input_zero_point must be one number, got shape [6]}}
  %r = relax.qnn.dense %a0, %a1, %a2, %a3, %a4, %a5 : (tensor<4x6xi8>, tensor<3x6xi8>, tensor<6xi32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<4x3xi32>
  return
}

// -----

func.func @qnn_dense_c5(%a0: tensor<4x6xi8>, %a1: tensor<3x6xi8>, %a2: tensor<i32>, %a3: tensor<6xi32>, %a4: tensor<f32>, %a5: tensor<f32>) {
  // expected-error@below {{qnn.dense_c5: kernel_zero_point must be one number or have shape [3], got [6]}}
  %r = relax.qnn.dense %a0, %a1, %a2, %a3, %a4, %a5 : (tensor<4x6xi8>, tensor<3x6xi8>, tensor<i32>, tensor<6xi32>, tensor<f32>, tensor<f32>) -> tensor<4x3xi32>
  return
}

// -----

func.func @qnn_dense_c6(%a0: tensor<4x6xi8>, %a1: tensor<3x6xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) {
  // expected-error@below {{qnn.dense_c6: element type must be one of i32, got i16}}
  %r = relax.qnn.dense %a0, %a1, %a2, %a3, %a4, %a5 {out_dtype = i16} : (tensor<4x6xi8>, tensor<3x6xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<4x3xi16>
  return
}

// -----

func.func @qnn_batch_matmul_c1(%a0: tensor<2x4x6xi32>, %a1: tensor<2x5x6xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) {
  // expected-error@below {{qnn.batch_matmul_c1: element type must be one of i8, ui8, i16, got i32}}
  %r = relax.qnn.batch_matmul %a0, %a1, %a2, %a3, %a4, %a5 : (tensor<2x4x6xi32>, tensor<2x5x6xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<2x4x5xi32>
  return
}

// -----

func.func @qnn_batch_matmul_c2(%a0: tensor<2x4x6xi8>, %a1: tensor<5x6xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) {
  // expected-error@below {{qnn.batch_matmul_c2: operands must have rank 3, got [5, 6]}}
  %r = relax.qnn.batch_matmul %a0, %a1, %a2, %a3, %a4, %a5 : (tensor<2x4x6xi8>, tensor<5x6xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<2x4x5xi32>
  return
}

// -----

func.func @qnn_batch_matmul_c3(%a0: tensor<2x4x6xi8>, %a1: tensor<2x5x7xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) {
  // expected-error@below {{qnn.batch_matmul_c3: contraction dimensions differ: x has 6, y has 7}}
  %r = relax.qnn.batch_matmul %a0, %a1, %a2, %a3, %a4, %a5 : (tensor<2x4x6xi8>, tensor<2x5x7xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<2x4x5xi32>
  return
}

// -----

func.func @qnn_batch_matmul_c4(%a0: tensor<2x4x6xi8>, %a1: tensor<3x5x6xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) {
  // expected-error@below {{qnn.batch_matmul_c4: shapes do not broadcast: [2] and [3]}}
  %r = relax.qnn.batch_matmul %a0, %a1, %a2, %a3, %a4, %a5 : (tensor<2x4x6xi8>, tensor<3x5x6xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<2x4x5xi32>
  return
}

// -----

func.func @qnn_batch_matmul_c5(%a0: tensor<2x4x6xi8>, %a1: tensor<2x5x6xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<6xf32>) {
  // expected-error@below {{qnn.batch_matmul_c5: y_scale must be one number, got shape [6]}}
  %r = relax.qnn.batch_matmul %a0, %a1, %a2, %a3, %a4, %a5 : (tensor<2x4x6xi8>, tensor<2x5x6xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<6xf32>) -> tensor<2x4x5xi32>
  return
}

// -----

func.func @qnn_batch_matmul_c6(%a0: tensor<2x4x6xi8>, %a1: tensor<2x5x6xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) {
  // expected-error@below {{qnn.batch_matmul_c6: element type must be one of i32, got f32}}
  %r = relax.qnn.batch_matmul %a0, %a1, %a2, %a3, %a4, %a5 {out_dtype = f32} : (tensor<2x4x6xi8>, tensor<2x5x6xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<2x4x5xf32>
  return
}

// -----

func.func @qnn_conv2d_c1(%a0: tensor<2x3x8x8xf32>, %a1: tensor<4x3x3x3xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) {
  // expected-error@below {{qnn.conv2d_c1: element type must be one of i8, ui8, i16, got f32}}
  %r = relax.qnn.conv2d %a0, %a1, %a2, %a3, %a4, %a5 : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<2x4x6x6xi32>
  return
}

// -----

func.func @qnn_conv2d_c1(%a0: tensor<2x3x8x8xi8>, %a1: tensor<4x3x3x3xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) {
  // expected-error@below {{qnn.conv2d_c1: element type must be one of i32, got i8}}
  %r = relax.qnn.conv2d %a0, %a1, %a2, %a3, %a4, %a5 {out_dtype = i8} : (tensor<2x3x8x8xi8>, tensor<4x3x3x3xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<2x4x6x6xi32>
  return
}

// -----

func.func @qnn_conv2d_c2(%a0: tensor<2x3x8x8xi8>, %a1: tensor<4x3x3x3xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) {
  // expected-error@below {{qnn.conv2d_c2: data_layout must be a permutation of NCHW, got 'NCHW4c'}}
  %r = relax.qnn.conv2d %a0, %a1, %a2, %a3, %a4, %a5 {data_layout = "NCHW4c"} : (tensor<2x3x8x8xi8>, tensor<4x3x3x3xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<2x4x6x6xi32>
  return
}

// -----

func.func @qnn_conv2d_c3(%a0: tensor<2x3x8x8xi8>, %a1: tensor<4x3x3x3xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) {
  // expected-error@below {{qnn.conv2d_c3: strides must be at least 1, got [0]}}
  %r = relax.qnn.conv2d %a0, %a1, %a2, %a3, %a4, %a5 {strides = array<i64: 0>} : (tensor<2x3x8x8xi8>, tensor<4x3x3x3xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<2x4x6x6xi32>
  return
}

// -----

func.func @qnn_conv2d_c4(%a0: tensor<2x3x8x8xi8>, %a1: tensor<4x3x3xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) {
  // expected-error@below {{qnn.conv2d_c4: kernel must have rank 4, got [4, 3, 3]}}
  %r = relax.qnn.conv2d %a0, %a1, %a2, %a3, %a4, %a5 : (tensor<2x3x8x8xi8>, tensor<4x3x3xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<2x4x6x6xi32>
  return
}

// -----

func.func @qnn_conv2d_c5(%a0: tensor<2x3x8x8xi8>, %a1: tensor<4x2x3x3xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) {
  // expected-error@below {{qnn.conv2d_c5: data must have 2 channels (groups * kernel's), got 3}}
  %r = relax.qnn.conv2d %a0, %a1, %a2, %a3, %a4, %a5 : (tensor<2x3x8x8xi8>, tensor<4x2x3x3xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<2x4x6x6xi32>
  return
}

// -----

func.func @qnn_conv2d_c6(%a0: tensor<2x3x8x8xi8>, %a1: tensor<4x1x3x3xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) {
  // expected-error@below {{qnn.conv2d_c6: groups must divide the 4 output channels, got 3}}
  %r = relax.qnn.conv2d %a0, %a1, %a2, %a3, %a4, %a5 {groups = 3 : i64} : (tensor<2x3x8x8xi8>, tensor<4x1x3x3xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<2x4x6x6xi32>
  return
}

// -----

func.func @qnn_conv2d_c7(%a0: tensor<2x3x8x8xi8>, %a1: tensor<4x3x9x3xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) {
  // expected-error@below {{qnn.conv2d_c7: a window of 9 does not fit into the padded size 8}}
  %r = relax.qnn.conv2d %a0, %a1, %a2, %a3, %a4, %a5 : (tensor<2x3x8x8xi8>, tensor<4x3x9x3xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<2x4x6x6xi32>
  return
}

// -----

func.func @qnn_conv2d_c8(%a0: tensor<2x3x8x8xi8>, %a1: tensor<4x3x3x3xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<3xf32>, %a5: tensor<f32>) {
  // expected-error@below {{qnn.conv2d_c8: input_scale must be one number, got shape [3]}}
  %r = relax.qnn.conv2d %a0, %a1, %a2, %a3, %a4, %a5 : (tensor<2x3x8x8xi8>, tensor<4x3x3x3xi8>, tensor<i32>, tensor<i32>, tensor<3xf32>, tensor<f32>) -> tensor<2x4x6x6xi32>
  return
}

// -----

func.func @qnn_conv2d_c9(%a0: tensor<2x3x8x8xi8>, %a1: tensor<4x3x3x3xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<3xf32>) {
  // expected-error@below {{qnn.conv2d_c9: kernel_scale must be one number or have shape [4], got [3]}}
  %r = relax.qnn.conv2d %a0, %a1, %a2, %a3, %a4, %a5 : (tensor<2x3x8x8xi8>, tensor<4x3x3x3xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<3xf32>) -> tensor<2x4x6x6xi32>
  return
}

// -----

func.func @qnn_tanh_c1(%a0: tensor<4x6xf32>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.tanh_c1: element type must be one of i8, ui8, i16, ui16, i32, got f32}}
  %r = relax.qnn.tanh %a0, %a1, %a2, %a3, %a4 : (tensor<4x6xf32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @qnn_tanh_c2(%a0: tensor<4x6xi8>, %a1: tensor<6xf32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.tanh_c2: scale must be one number, got shape [6]}}
  %r = relax.qnn.tanh %a0, %a1, %a2, %a3, %a4 : (tensor<4x6xi8>, tensor<6xf32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_sigmoid_c1(%a0: tensor<4x6xf32>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.sigmoid_c1: element type must be one of i8, ui8, i16, ui16, i32, got f32}}
  %r = relax.qnn.sigmoid %a0, %a1, %a2, %a3, %a4 : (tensor<4x6xf32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @qnn_sigmoid_c2(%a0: tensor<4x6xi8>, %a1: tensor<6xf32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.sigmoid_c2: scale must be one number, got shape [6]}}
  %r = relax.qnn.sigmoid %a0, %a1, %a2, %a3, %a4 : (tensor<4x6xi8>, tensor<6xf32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_exp_c1(%a0: tensor<4x6xf32>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.exp_c1: element type must be one of i8, ui8, i16, ui16, i32, got f32}}
  %r = relax.qnn.exp %a0, %a1, %a2, %a3, %a4 : (tensor<4x6xf32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @qnn_exp_c2(%a0: tensor<4x6xi8>, %a1: tensor<6xf32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.exp_c2: scale must be one number, got shape [6]}}
  %r = relax.qnn.exp %a0, %a1, %a2, %a3, %a4 : (tensor<4x6xi8>, tensor<6xf32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_log_c1(%a0: tensor<4x6xf32>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.log_c1: element type must be one of i8, ui8, i16, ui16, i32, got f32}}
  %r = relax.qnn.log %a0, %a1, %a2, %a3, %a4 : (tensor<4x6xf32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @qnn_log_c2(%a0: tensor<4x6xi8>, %a1: tensor<6xf32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.log_c2: scale must be one number, got shape [6]}}
  %r = relax.qnn.log %a0, %a1, %a2, %a3, %a4 : (tensor<4x6xi8>, tensor<6xf32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_sqrt_c1(%a0: tensor<4x6xf32>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.sqrt_c1: element type must be one of i8, ui8, i16, ui16, i32, got f32}}
  %r = relax.qnn.sqrt %a0, %a1, %a2, %a3, %a4 : (tensor<4x6xf32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @qnn_sqrt_c2(%a0: tensor<4x6xi8>, %a1: tensor<6xf32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.sqrt_c2: scale must be one number, got shape [6]}}
  %r = relax.qnn.sqrt %a0, %a1, %a2, %a3, %a4 : (tensor<4x6xi8>, tensor<6xf32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_rsqrt_c1(%a0: tensor<4x6xf32>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.rsqrt_c1: element type must be one of i8, ui8, i16, ui16, i32, got f32}}
  %r = relax.qnn.rsqrt %a0, %a1, %a2, %a3, %a4 : (tensor<4x6xf32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @qnn_rsqrt_c2(%a0: tensor<4x6xi8>, %a1: tensor<6xf32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.rsqrt_c2: scale must be one number, got shape [6]}}
  %r = relax.qnn.rsqrt %a0, %a1, %a2, %a3, %a4 : (tensor<4x6xi8>, tensor<6xf32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_erf_c1(%a0: tensor<4x6xf32>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.erf_c1: element type must be one of i8, ui8, i16, ui16, i32, got f32}}
  %r = relax.qnn.erf %a0, %a1, %a2, %a3, %a4 : (tensor<4x6xf32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @qnn_erf_c2(%a0: tensor<4x6xi8>, %a1: tensor<6xf32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.erf_c2: scale must be one number, got shape [6]}}
  %r = relax.qnn.erf %a0, %a1, %a2, %a3, %a4 : (tensor<4x6xi8>, tensor<6xf32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_abs_c1(%a0: tensor<4x6xf32>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.abs_c1: element type must be one of i8, ui8, i16, ui16, i32, got f32}}
  %r = relax.qnn.abs %a0, %a1, %a2, %a3, %a4 : (tensor<4x6xf32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @qnn_abs_c2(%a0: tensor<4x6xi8>, %a1: tensor<6xf32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.abs_c2: scale must be one number, got shape [6]}}
  %r = relax.qnn.abs %a0, %a1, %a2, %a3, %a4 : (tensor<4x6xi8>, tensor<6xf32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_hardswish_c1(%a0: tensor<4x6xf32>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.hardswish_c1: element type must be one of i8, ui8, i16, ui16, i32, got f32}}
  %r = relax.qnn.hardswish %a0, %a1, %a2, %a3, %a4 : (tensor<4x6xf32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @qnn_hardswish_c2(%a0: tensor<4x6xi8>, %a1: tensor<6xf32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.hardswish_c2: scale must be one number, got shape [6]}}
  %r = relax.qnn.hardswish %a0, %a1, %a2, %a3, %a4 : (tensor<4x6xi8>, tensor<6xf32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_leaky_relu_c1(%a0: tensor<4x6xf32>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.leaky_relu_c1: element type must be one of i8, ui8, i16, ui16, i32, got f32}}
  %r = relax.qnn.leaky_relu %a0, %a1, %a2, %a3, %a4 {alpha = 0.1 : f64} : (tensor<4x6xf32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @qnn_leaky_relu_c2(%a0: tensor<4x6xi8>, %a1: tensor<6xf32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.leaky_relu_c2: scale must be one number, got shape [6]}}
  %r = relax.qnn.leaky_relu %a0, %a1, %a2, %a3, %a4 {alpha = 0.1 : f64} : (tensor<4x6xi8>, tensor<6xf32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_softmax_c1(%a0: tensor<4x6xf32>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.softmax_c1: element type must be one of i8, got f32}}
  %r = relax.qnn.softmax %a0, %a1, %a2, %a3, %a4 : (tensor<4x6xf32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @qnn_softmax_c2(%a0: tensor<4x6xi8>, %a1: tensor<6xf32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.softmax_c2: scale must be one number, got shape [6]}}
  %r = relax.qnn.softmax %a0, %a1, %a2, %a3, %a4 : (tensor<4x6xi8>, tensor<6xf32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_leaky_relu_c3(%a0: tensor<4x6xi8>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.leaky_relu_c3: rounding must be one of UPWARD, TONEAREST, got NONE}}
  %r = relax.qnn.leaky_relu %a0, %a1, %a2, %a3, %a4 {alpha = 0.1 : f64, rounding = "NONE"} : (tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_leaky_relu_c4(%a0: tensor<4x6xi8>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.leaky_relu_c4: alpha must be finite and not negative, got -0.1}}
  %r = relax.qnn.leaky_relu %a0, %a1, %a2, %a3, %a4 {alpha = -0.1 : f64} : (tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}

// -----

func.func @qnn_softmax_c3(%a0: tensor<4x6xi8>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error@below {{qnn.softmax_c3: axis must be in [-2, 2) for rank 2, got 2}}
  %r = relax.qnn.softmax %a0, %a1, %a2, %a3, %a4 {axis = 2 : i64} : (tensor<4x6xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x6xi8>
  return
}
