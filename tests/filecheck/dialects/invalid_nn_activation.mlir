// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @leakyrelu_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{leakyrelu_c1: element type must be one of f64, f32, f16, bf16, got i32}}
  %0 = relax.nn.leakyrelu %a : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @gelu_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{gelu_c1: element type must be one of f64, f32, f16, bf16, got i32}}
  %0 = relax.nn.gelu %a : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @gelu_tanh_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{gelu_tanh_c1: element type must be one of f64, f32, f16, bf16, got i32}}
  %0 = relax.nn.gelu_tanh %a : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @silu_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{silu_c1: element type must be one of f64, f32, f16, bf16, got i32}}
  %0 = relax.nn.silu %a : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @selu_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{selu_c1: element type must be one of f64, f32, f16, bf16, got i32}}
  %0 = relax.nn.selu %a : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @softplus_c1(%a: tensor<2x3xi32>) {
  // expected-error@below {{softplus_c1: element type must be one of f64, f32, f16, bf16, got i32}}
  %0 = relax.nn.softplus %a : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @relu_c1(%a: tensor<2xi1>) {
  // expected-error@below {{relu_c1: element type must be one of}}
  %0 = relax.nn.relu %a : (tensor<2xi1>) -> tensor<2xi1>
  return
}

// -----

func.func @prelu_c1(%a: tensor<2x3xf32>, %b: tensor<3xf16>) {
  // expected-error@below {{prelu_c1: element types must be equal, got f32 and f16}}
  %0 = relax.nn.prelu %a, %b : (tensor<2x3xf32>, tensor<3xf16>) -> tensor<2x3xf32>
  return
}

// -----

func.func @prelu_c1(%a: tensor<2x3xi32>, %b: tensor<3xi32>) {
  // expected-error@below {{prelu_c1: element type must be one of}}
  %0 = relax.nn.prelu %a, %b : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @prelu_c2(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@below {{prelu_c2: axis must be in [-2, 2) for rank 2, got 2}}
  %0 = relax.nn.prelu %a, %b {axis = 2 : i64} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @prelu_c3(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error@below {{prelu_c3: alpha must have rank 1, got 2}}
  %0 = relax.nn.prelu %a, %b : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @prelu_c3(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error@below {{prelu_c3: alpha must have 3 elements or 1, got 2}}
  %0 = relax.nn.prelu %a, %b : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @softplus_c2(%a: tensor<2xf32>) {
  // expected-error@below {{softplus_c2: beta must not be zero, got 0}}
  %0 = relax.nn.softplus %a {beta = 0.000000e+00 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
