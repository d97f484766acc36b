// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: func.func @sum(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.sum %[[A]] {axis = array<i64: 0, -1>} : (tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<4xf32>
func.func @sum(%a: tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<4xf32> {
  %r = relax.sum %a {axis = array<i64: 0, -1>} : (tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @prod(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.prod %[[A]] {axis = array<i64: 0, -1>} : (tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<4xf32>
func.func @prod(%a: tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<4xf32> {
  %r = relax.prod %a {axis = array<i64: 0, -1>} : (tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @mean(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.mean %[[A]] {axis = array<i64: 0, -1>} : (tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<4xf32>
func.func @mean(%a: tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<4xf32> {
  %r = relax.mean %a {axis = array<i64: 0, -1>} : (tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @max(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.max %[[A]] {axis = array<i64: 0, -1>} : (tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<4xf32>
func.func @max(%a: tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<4xf32> {
  %r = relax.max %a {axis = array<i64: 0, -1>} : (tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @min(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.min %[[A]] {axis = array<i64: 0, -1>} : (tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<4xf32>
func.func @min(%a: tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<4xf32> {
  %r = relax.min %a {axis = array<i64: 0, -1>} : (tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @variance(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.variance %[[A]] {axis = array<i64: 0, -1>} : (tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<4xf32>
func.func @variance(%a: tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<4xf32> {
  %r = relax.variance %a {axis = array<i64: 0, -1>} : (tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @std(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.std %[[A]] {axis = array<i64: 0, -1>} : (tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<4xf32>
func.func @std(%a: tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<4xf32> {
  %r = relax.std %a {axis = array<i64: 0, -1>} : (tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @sum_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.sum %[[A]] : (tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<f32>
func.func @sum_2(%a: tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<f32> {
  %r = relax.sum %a : (tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK-LABEL: func.func @mean_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.mean %[[A]] {axis = array<i64: 2>, keepdims = true} : (tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<?x4x1xf32, #relax.sym<n>>
func.func @mean_2(%a: tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<?x4x1xf32, #relax.sym<n>> {
  %r = relax.mean %a {axis = array<i64: 2>, keepdims = true} : (tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<?x4x1xf32, #relax.sym<n>>
  return %r : tensor<?x4x1xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @argmax(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.argmax %[[A]] {axis = -1 : i64} : (tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<?x4xi64, #relax.sym<n>>
func.func @argmax(%a: tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<?x4xi64, #relax.sym<n>> {
  %r = relax.argmax %a {axis = -1 : i64} : (tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<?x4xi64, #relax.sym<n>>
  return %r : tensor<?x4xi64, #relax.sym<n>>
}

// CHECK-LABEL: func.func @argmax_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.argmax %[[A]] {keepdims = true} : (tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<1x1x1xi64>
func.func @argmax_2(%a: tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<1x1x1xi64> {
  %r = relax.argmax %a {keepdims = true} : (tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<1x1x1xi64>
  return %r : tensor<1x1x1xi64>
}

// CHECK-LABEL: func.func @argmin(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.argmin %[[A]] {axis = -1 : i64} : (tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<?x4xi64, #relax.sym<n>>
func.func @argmin(%a: tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<?x4xi64, #relax.sym<n>> {
  %r = relax.argmin %a {axis = -1 : i64} : (tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<?x4xi64, #relax.sym<n>>
  return %r : tensor<?x4xi64, #relax.sym<n>>
}

// CHECK-LABEL: func.func @argmin_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.argmin %[[A]] {keepdims = true} : (tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<1x1x1xi64>
func.func @argmin_2(%a: tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<1x1x1xi64> {
  %r = relax.argmin %a {keepdims = true} : (tensor<?x4x5xf32, #relax.sym<n>>) -> tensor<1x1x1xi64>
  return %r : tensor<1x1x1xi64>
}
