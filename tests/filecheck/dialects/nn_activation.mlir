// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: func.func @relu(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.relu %[[A]] : (tensor<?x16xf32, #relax.sym<n>>) -> tensor<?x16xf32, #relax.sym<n>>
func.func @relu(%a: tensor<?x16xf32, #relax.sym<n>>) -> (tensor<?x16xf32, #relax.sym<n>>) {
  %r = relax.nn.relu %a : (tensor<?x16xf32, #relax.sym<n>>) -> tensor<?x16xf32, #relax.sym<n>>
  return %r : tensor<?x16xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @gelu(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.gelu %[[A]] : (tensor<?x16xf32, #relax.sym<n>>) -> tensor<?x16xf32, #relax.sym<n>>
func.func @gelu(%a: tensor<?x16xf32, #relax.sym<n>>) -> (tensor<?x16xf32, #relax.sym<n>>) {
  %r = relax.nn.gelu %a : (tensor<?x16xf32, #relax.sym<n>>) -> tensor<?x16xf32, #relax.sym<n>>
  return %r : tensor<?x16xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @gelu_tanh(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.gelu_tanh %[[A]] : (tensor<?x16xf32, #relax.sym<n>>) -> tensor<?x16xf32, #relax.sym<n>>
func.func @gelu_tanh(%a: tensor<?x16xf32, #relax.sym<n>>) -> (tensor<?x16xf32, #relax.sym<n>>) {
  %r = relax.nn.gelu_tanh %a : (tensor<?x16xf32, #relax.sym<n>>) -> tensor<?x16xf32, #relax.sym<n>>
  return %r : tensor<?x16xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @silu(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.silu %[[A]] : (tensor<?x16xf32, #relax.sym<n>>) -> tensor<?x16xf32, #relax.sym<n>>
func.func @silu(%a: tensor<?x16xf32, #relax.sym<n>>) -> (tensor<?x16xf32, #relax.sym<n>>) {
  %r = relax.nn.silu %a : (tensor<?x16xf32, #relax.sym<n>>) -> tensor<?x16xf32, #relax.sym<n>>
  return %r : tensor<?x16xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @selu(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.selu %[[A]] : (tensor<?x16xf32, #relax.sym<n>>) -> tensor<?x16xf32, #relax.sym<n>>
func.func @selu(%a: tensor<?x16xf32, #relax.sym<n>>) -> (tensor<?x16xf32, #relax.sym<n>>) {
  %r = relax.nn.selu %a : (tensor<?x16xf32, #relax.sym<n>>) -> tensor<?x16xf32, #relax.sym<n>>
  return %r : tensor<?x16xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @relu_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.relu %[[A]] : (tensor<4xi8>) -> tensor<4xi8>
func.func @relu_2(%a: tensor<4xi8>) -> (tensor<4xi8>) {
  %r = relax.nn.relu %a : (tensor<4xi8>) -> tensor<4xi8>
  return %r : tensor<4xi8>
}

// CHECK-LABEL: func.func @leakyrelu(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.leakyrelu %[[A]] : (tensor<?x16xf32, #relax.sym<n>>) -> tensor<?x16xf32, #relax.sym<n>>
func.func @leakyrelu(%a: tensor<?x16xf32, #relax.sym<n>>) -> (tensor<?x16xf32, #relax.sym<n>>) {
  %r = relax.nn.leakyrelu %a : (tensor<?x16xf32, #relax.sym<n>>) -> tensor<?x16xf32, #relax.sym<n>>
  return %r : tensor<?x16xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @leakyrelu_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.leakyrelu %[[A]] {alpha = 2.000000e-01 : f64} : (tensor<?x16xf32, #relax.sym<n>>) -> tensor<?x16xf32, #relax.sym<n>>
func.func @leakyrelu_2(%a: tensor<?x16xf32, #relax.sym<n>>) -> (tensor<?x16xf32, #relax.sym<n>>) {
  %r = relax.nn.leakyrelu %a {alpha = 2.000000e-01 : f64} : (tensor<?x16xf32, #relax.sym<n>>) -> tensor<?x16xf32, #relax.sym<n>>
  return %r : tensor<?x16xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @prelu(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.prelu %[[A]], %[[B]] : (tensor<?x3x8x8xf32, #relax.sym<n>>, tensor<3xf32>) -> tensor<?x3x8x8xf32, #relax.sym<n>>
func.func @prelu(%a: tensor<?x3x8x8xf32, #relax.sym<n>>, %b: tensor<3xf32>) -> (tensor<?x3x8x8xf32, #relax.sym<n>>) {
  %r = relax.nn.prelu %a, %b : (tensor<?x3x8x8xf32, #relax.sym<n>>, tensor<3xf32>) -> tensor<?x3x8x8xf32, #relax.sym<n>>
  return %r : tensor<?x3x8x8xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @prelu_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.prelu %[[A]], %[[B]] {axis = -1 : i64} : (tensor<2x4xbf16>, tensor<1xbf16>) -> tensor<2x4xbf16>
func.func @prelu_2(%a: tensor<2x4xbf16>, %b: tensor<1xbf16>) -> (tensor<2x4xbf16>) {
  %r = relax.nn.prelu %a, %b {axis = -1 : i64} : (tensor<2x4xbf16>, tensor<1xbf16>) -> tensor<2x4xbf16>
  return %r : tensor<2x4xbf16>
}

// CHECK-LABEL: func.func @softplus(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.softplus %[[A]] : (tensor<?x16xf32, #relax.sym<n>>) -> tensor<?x16xf32, #relax.sym<n>>
func.func @softplus(%a: tensor<?x16xf32, #relax.sym<n>>) -> (tensor<?x16xf32, #relax.sym<n>>) {
  %r = relax.nn.softplus %a : (tensor<?x16xf32, #relax.sym<n>>) -> tensor<?x16xf32, #relax.sym<n>>
  return %r : tensor<?x16xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @softplus_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.softplus %[[A]] {beta = 2.000000e+00 : f64, threshold = 3.000000e+00 : f64} : (tensor<*xf32>) -> tensor<*xf32>
func.func @softplus_2(%a: tensor<*xf32>) -> (tensor<*xf32>) {
  %r = relax.nn.softplus %a {beta = 2.000000e+00 : f64, threshold = 3.000000e+00 : f64} : (tensor<*xf32>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}
