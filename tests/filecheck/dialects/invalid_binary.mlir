// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @add_c1(%a: tensor<2x3xi1>, %b: tensor<2x3xi1>) {
  // expected-error@below {{add_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.add %a, %b : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @add_c2(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@below {{add_c2: shapes do not broadcast: [2, 3] and [2, 4]}}
  %r = relax.add %a, %b : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @subtract_c1(%a: tensor<2x3xi1>, %b: tensor<2x3xi1>) {
  // expected-error@below {{subtract_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.subtract %a, %b : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @subtract_c2(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@below {{subtract_c2: shapes do not broadcast: [2, 3] and [2, 4]}}
  %r = relax.subtract %a, %b : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @multiply_c1(%a: tensor<2x3xi1>, %b: tensor<2x3xi1>) {
  // expected-error@below {{multiply_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.multiply %a, %b : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @multiply_c2(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@below {{multiply_c2: shapes do not broadcast: [2, 3] and [2, 4]}}
  %r = relax.multiply %a, %b : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @divide_c1(%a: tensor<2x3xi1>, %b: tensor<2x3xi1>) {
  // expected-error@below {{divide_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.divide %a, %b : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @divide_c2(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@below {{divide_c2: shapes do not broadcast: [2, 3] and [2, 4]}}
  %r = relax.divide %a, %b : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @floor_divide_c1(%a: tensor<2x3xi1>, %b: tensor<2x3xi1>) {
  // expected-error@below {{floor_divide_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.floor_divide %a, %b : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @floor_divide_c2(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@below {{floor_divide_c2: shapes do not broadcast: [2, 3] and [2, 4]}}
  %r = relax.floor_divide %a, %b : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @power_c1(%a: tensor<2x3xi1>, %b: tensor<2x3xi1>) {
  // expected-error@below {{power_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.power %a, %b : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @power_c2(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@below {{power_c2: shapes do not broadcast: [2, 3] and [2, 4]}}
  %r = relax.power %a, %b : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @mod_c1(%a: tensor<2x3xi1>, %b: tensor<2x3xi1>) {
  // expected-error@below {{mod_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.mod %a, %b : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @mod_c2(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@below {{mod_c2: shapes do not broadcast: [2, 3] and [2, 4]}}
  %r = relax.mod %a, %b : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @floor_mod_c1(%a: tensor<2x3xi1>, %b: tensor<2x3xi1>) {
  // expected-error@below {{floor_mod_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.floor_mod %a, %b : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @floor_mod_c2(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@below {{floor_mod_c2: shapes do not broadcast: [2, 3] and [2, 4]}}
  %r = relax.floor_mod %a, %b : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @maximum_c1(%a: tensor<2x3xi1>, %b: tensor<2x3xi1>) {
  // expected-error@below {{maximum_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.maximum %a, %b : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @maximum_c2(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@below {{maximum_c2: shapes do not broadcast: [2, 3] and [2, 4]}}
  %r = relax.maximum %a, %b : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @minimum_c1(%a: tensor<2x3xi1>, %b: tensor<2x3xi1>) {
  // expected-error@below {{minimum_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.minimum %a, %b : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @minimum_c2(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@below {{minimum_c2: shapes do not broadcast: [2, 3] and [2, 4]}}
  %r = relax.minimum %a, %b : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @log_add_exp_c1(%a: tensor<2x3xi32>, %b: tensor<2x3xi32>) {
  // expected-error@below {{log_add_exp_c1: element type must be one of f64, f32, f16, bf16, got i32}}
  %r = relax.log_add_exp %a, %b : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @log_add_exp_c2(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@below {{log_add_exp_c2: shapes do not broadcast: [2, 3] and [2, 4]}}
  %r = relax.log_add_exp %a, %b : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @equal_c1(%a: tensor<2x3xi4>, %b: tensor<2x3xi4>) {
  // expected-error@below {{equal_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1, got i4}}
  %r = relax.equal %a, %b : (tensor<2x3xi4>, tensor<2x3xi4>) -> tensor<2x3xi4>
  return
}

// -----

func.func @equal_c2(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@below {{equal_c2: shapes do not broadcast: [2, 3] and [2, 4]}}
  %r = relax.equal %a, %b : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xi1>
  return
}

// -----

func.func @not_equal_c1(%a: tensor<2x3xi4>, %b: tensor<2x3xi4>) {
  // expected-error@below {{not_equal_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1, got i4}}
  %r = relax.not_equal %a, %b : (tensor<2x3xi4>, tensor<2x3xi4>) -> tensor<2x3xi4>
  return
}

// -----

func.func @not_equal_c2(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@below {{not_equal_c2: shapes do not broadcast: [2, 3] and [2, 4]}}
  %r = relax.not_equal %a, %b : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xi1>
  return
}

// -----

func.func @less_c1(%a: tensor<2x3xi4>, %b: tensor<2x3xi4>) {
  // expected-error@below {{less_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1, got i4}}
  %r = relax.less %a, %b : (tensor<2x3xi4>, tensor<2x3xi4>) -> tensor<2x3xi4>
  return
}

// -----

func.func @less_c2(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@below {{less_c2: shapes do not broadcast: [2, 3] and [2, 4]}}
  %r = relax.less %a, %b : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xi1>
  return
}

// -----

func.func @less_equal_c1(%a: tensor<2x3xi4>, %b: tensor<2x3xi4>) {
  // expected-error@below {{less_equal_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1, got i4}}
  %r = relax.less_equal %a, %b : (tensor<2x3xi4>, tensor<2x3xi4>) -> tensor<2x3xi4>
  return
}

// -----

func.func @less_equal_c2(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@below {{less_equal_c2: shapes do not broadcast: [2, 3] and [2, 4]}}
  %r = relax.less_equal %a, %b : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xi1>
  return
}

// -----

func.func @greater_c1(%a: tensor<2x3xi4>, %b: tensor<2x3xi4>) {
  // expected-error@below {{greater_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1, got i4}}
  %r = relax.greater %a, %b : (tensor<2x3xi4>, tensor<2x3xi4>) -> tensor<2x3xi4>
  return
}

// -----

func.func @greater_c2(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@below {{greater_c2: shapes do not broadcast: [2, 3] and [2, 4]}}
  %r = relax.greater %a, %b : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xi1>
  return
}

// -----

func.func @greater_equal_c1(%a: tensor<2x3xi4>, %b: tensor<2x3xi4>) {
  // expected-error@below {{greater_equal_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1, got i4}}
  %r = relax.greater_equal %a, %b : (tensor<2x3xi4>, tensor<2x3xi4>) -> tensor<2x3xi4>
  return
}

// -----

func.func @greater_equal_c2(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error@below {{greater_equal_c2: shapes do not broadcast: [2, 3] and [2, 4]}}
  %r = relax.greater_equal %a, %b : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xi1>
  return
}

// -----

func.func @logical_and_c1(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@below {{logical_and_c1: element type must be one of i1, got f32}}
  %r = relax.logical_and %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @logical_and_c2(%a: tensor<2x3xi1>, %b: tensor<2x4xi1>) {
  // expected-error@below {{logical_and_c2: shapes do not broadcast: [2, 3] and [2, 4]}}
  %r = relax.logical_and %a, %b : (tensor<2x3xi1>, tensor<2x4xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @logical_or_c1(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@below {{logical_or_c1: element type must be one of i1, got f32}}
  %r = relax.logical_or %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @logical_or_c2(%a: tensor<2x3xi1>, %b: tensor<2x4xi1>) {
  // expected-error@below {{logical_or_c2: shapes do not broadcast: [2, 3] and [2, 4]}}
  %r = relax.logical_or %a, %b : (tensor<2x3xi1>, tensor<2x4xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @logical_xor_c1(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@below {{logical_xor_c1: element type must be one of i1, got f32}}
  %r = relax.logical_xor %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @logical_xor_c2(%a: tensor<2x3xi1>, %b: tensor<2x4xi1>) {
  // expected-error@below {{logical_xor_c2: shapes do not broadcast: [2, 3] and [2, 4]}}
  %r = relax.logical_xor %a, %b : (tensor<2x3xi1>, tensor<2x4xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @bitwise_and_c1(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@below {{bitwise_and_c1: element type must be one of i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1, got f32}}
  %r = relax.bitwise_and %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @bitwise_and_c2(%a: tensor<2x3xi32>, %b: tensor<2x4xi32>) {
  // expected-error@below {{bitwise_and_c2: shapes do not broadcast: [2, 3] and [2, 4]}}
  %r = relax.bitwise_and %a, %b : (tensor<2x3xi32>, tensor<2x4xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @bitwise_or_c1(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@below {{bitwise_or_c1: element type must be one of i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1, got f32}}
  %r = relax.bitwise_or %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @bitwise_or_c2(%a: tensor<2x3xi32>, %b: tensor<2x4xi32>) {
  // expected-error@below {{bitwise_or_c2: shapes do not broadcast: [2, 3] and [2, 4]}}
  %r = relax.bitwise_or %a, %b : (tensor<2x3xi32>, tensor<2x4xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @bitwise_xor_c1(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@below {{bitwise_xor_c1: element type must be one of i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1, got f32}}
  %r = relax.bitwise_xor %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @bitwise_xor_c2(%a: tensor<2x3xi32>, %b: tensor<2x4xi32>) {
  // expected-error@below {{bitwise_xor_c2: shapes do not broadcast: [2, 3] and [2, 4]}}
  %r = relax.bitwise_xor %a, %b : (tensor<2x3xi32>, tensor<2x4xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @left_shift_c1(%a: tensor<2x3xi1>, %b: tensor<2x3xi1>) {
  // expected-error@below {{left_shift_c1: element type must be one of i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.left_shift %a, %b : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @left_shift_c2(%a: tensor<2x3xui8>, %b: tensor<2x4xui8>) {
  // expected-error@below {{left_shift_c2: shapes do not broadcast: [2, 3] and [2, 4]}}
  %r = relax.left_shift %a, %b : (tensor<2x3xui8>, tensor<2x4xui8>) -> tensor<2x3xui8>
  return
}

// -----

func.func @right_shift_c1(%a: tensor<2x3xi1>, %b: tensor<2x3xi1>) {
  // expected-error@below {{right_shift_c1: element type must be one of i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.right_shift %a, %b : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @right_shift_c2(%a: tensor<2x3xui8>, %b: tensor<2x4xui8>) {
  // expected-error@below {{right_shift_c2: shapes do not broadcast: [2, 3] and [2, 4]}}
  %r = relax.right_shift %a, %b : (tensor<2x3xui8>, tensor<2x4xui8>) -> tensor<2x3xui8>
  return
}

// -----

func.func @add_c1(%a: tensor<2x3xf32>, %b: tensor<2x3xi32>) {
  // expected-error@below {{add_c1: element types must be equal, got f32 and i32}}
  %r = relax.add %a, %b : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @where_c1(%a: tensor<2x3xi32>, %b: tensor<2x3xf32>, %c: tensor<2x3xf32>) {
  // expected-error@below {{where_c1: element type must be one of i1, got i32}}
  %r = relax.where %a, %b, %c : (tensor<2x3xi32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @where_c2(%a: tensor<2x3xi1>, %b: tensor<2x3xf32>, %c: tensor<2x3xi32>) {
  // expected-error@below {{where_c2: element types must be equal, got f32 and i32}}
  %r = relax.where %a, %b, %c : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @where_c3(%a: tensor<2x3xi1>, %b: tensor<3xf32>, %c: tensor<4xf32>) {
  // expected-error@below {{where_c3: shapes do not broadcast: [3] and [4]}}
  %r = relax.where %a, %b, %c : (tensor<2x3xi1>, tensor<3xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @where_c3(%a: tensor<4xi1>, %b: tensor<2x3xf32>, %c: tensor<2x3xf32>) {
  // expected-error@below {{where_c3: shapes do not broadcast: [4] and [2, 3]}}
  %r = relax.where %a, %b, %c : (tensor<4xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
