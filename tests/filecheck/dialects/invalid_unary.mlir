// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @acos_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{acos_c1: element type must be one of f64, f32, f16, bf16, got i32}}
  %r = relax.acos %a : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @acosh_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{acosh_c1: element type must be one of f64, f32, f16, bf16, got i32}}
  %r = relax.acosh %a : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @asin_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{asin_c1: element type must be one of f64, f32, f16, bf16, got i32}}
  %r = relax.asin %a : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @asinh_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{asinh_c1: element type must be one of f64, f32, f16, bf16, got i32}}
  %r = relax.asinh %a : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @atan_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{atan_c1: element type must be one of f64, f32, f16, bf16, got i32}}
  %r = relax.atan %a : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @atanh_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{atanh_c1: element type must be one of f64, f32, f16, bf16, got i32}}
  %r = relax.atanh %a : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @cos_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{cos_c1: element type must be one of f64, f32, f16, bf16, got i32}}
  %r = relax.cos %a : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @cosh_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{cosh_c1: element type must be one of f64, f32, f16, bf16, got i32}}
  %r = relax.cosh %a : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @erf_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{erf_c1: element type must be one of f64, f32, f16, bf16, got i32}}
  %r = relax.erf %a : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @exp_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{exp_c1: element type must be one of f64, f32, f16, bf16, got i32}}
  %r = relax.exp %a : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @log_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{log_c1: element type must be one of f64, f32, f16, bf16, got i32}}
  %r = relax.log %a : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @rsqrt_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{rsqrt_c1: element type must be one of f64, f32, f16, bf16, got i32}}
  %r = relax.rsqrt %a : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @sigmoid_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{sigmoid_c1: element type must be one of f64, f32, f16, bf16, got i32}}
  %r = relax.sigmoid %a : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @sin_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{sin_c1: element type must be one of f64, f32, f16, bf16, got i32}}
  %r = relax.sin %a : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @sinh_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{sinh_c1: element type must be one of f64, f32, f16, bf16, got i32}}
  %r = relax.sinh %a : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @sqrt_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{sqrt_c1: element type must be one of f64, f32, f16, bf16, got i32}}
  %r = relax.sqrt %a : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @tan_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{tan_c1: element type must be one of f64, f32, f16, bf16, got i32}}
  %r = relax.tan %a : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @tanh_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{tanh_c1: element type must be one of f64, f32, f16, bf16, got i32}}
  %r = relax.tanh %a : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @abs_c1(%a: tensor<2x3xi1>) {
  // expected-error@below {{abs_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.abs %a : (tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @ceil_c1(%a: tensor<2x3xi1>) {
  // expected-error@below {{ceil_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.ceil %a : (tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @floor_c1(%a: tensor<2x3xi1>) {
  // expected-error@below {{floor_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.floor %a : (tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @negative_c1(%a: tensor<2x3xi1>) {
  // expected-error@below {{negative_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.negative %a : (tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @round_c1(%a: tensor<2x3xi1>) {
  // expected-error@below {{round_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.round %a : (tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @sign_c1(%a: tensor<2x3xi1>) {
  // expected-error@below {{sign_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.sign %a : (tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @square_c1(%a: tensor<2x3xi1>) {
  // expected-error@below {{square_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.square %a : (tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @isfinite_c1(%a: tensor<2x3xi1>) {
  // expected-error@below {{isfinite_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.isfinite %a : (tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @isinf_c1(%a: tensor<2x3xi1>) {
  // expected-error@below {{isinf_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.isinf %a : (tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @isnan_c1(%a: tensor<2x3xi1>) {
  // expected-error@below {{isnan_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.isnan %a : (tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @bitwise_not_c1(%a: tensor<2x3xf32>) {
  // expected-error@below {{bitwise_not_c1: element type must be one of i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1, got f32}}
  %r = relax.bitwise_not %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @logical_not_c1(%a: tensor<2x3xf32>) {
  // expected-error@below {{logical_not_c1: element type must be one of i1, got f32}}
  %r = relax.logical_not %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @clip_c1(%a: tensor<2x3xi1>) {
  // expected-error@below {{clip_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.clip %a {min = 0 : i64, max = 1 : i64} : (tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @clip_c2(%a: tensor<2x3xf32>) {
  // expected-error@below {{clip_c2: min must not be NaN, got nan}}
  %r = relax.clip %a {min = 0x7FF8000000000000 : f64, max = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @clip_c2(%a: tensor<2x3xi32>) {
  // expected-error@below {{clip_c2: max must be an integer for element type i32, got 1.5}}
  %r = relax.clip %a {min = 0 : i64, max = 1.5 : f64} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @astype_c1(%a: tensor<2x3xf32>) {
  // expected-error@below {{astype_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, i1, got i4}}
  %r = relax.astype %a {dtype = i4} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @bitcast_c1(%a: tensor<2x3xi1>) {
  // expected-error@below {{bitcast_c1: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.bitcast %a {dtype = i8} : (tensor<2x3xi1>) -> tensor<2x3xi8>
  return
}

// -----

func.func @bitcast_c2(%a: tensor<2x3xf32>) {
  // expected-error@below {{bitcast_c2: the elements must have as many bits: f32 has 32, i64 has 64}}
  %r = relax.bitcast %a {dtype = i64} : (tensor<2x3xf32>) -> tensor<2x3xi64>
  return
}
