// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: func.func @matmul(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.matmul %[[A]], %[[B]] {out_dtype = f32} : (tensor<?x8xf16, #relax.sym<n>>, tensor<8x4xf16>) -> tensor<?x4xf32, #relax.sym<n>>
func.func @matmul(%a: tensor<?x8xf16, #relax.sym<n>>, %b: tensor<8x4xf16>) -> (tensor<?x4xf32, #relax.sym<n>>) {
  %r = relax.matmul %a, %b {out_dtype = f32} : (tensor<?x8xf16, #relax.sym<n>>, tensor<8x4xf16>) -> tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @matmul_signs(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.matmul %[[A]], %[[B]] {out_dtype = i32} : (tensor<2x8xui8>, tensor<8x4xi8>) -> tensor<2x4xi32>
func.func @matmul_signs(%a: tensor<2x8xui8>, %b: tensor<8x4xi8>) -> (tensor<2x4xi32>) {
  %r = relax.matmul %a, %b {out_dtype = i32} : (tensor<2x8xui8>, tensor<8x4xi8>) -> tensor<2x4xi32>
  return %r : tensor<2x4xi32>
}

// CHECK-LABEL: func.func @matmul_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.matmul %[[A]], %[[B]] : (tensor<8xf32>, tensor<?x8x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
func.func @matmul_2(%a: tensor<8xf32>, %b: tensor<?x8x4xf32, #relax.sym<n>>) -> (tensor<?x4xf32, #relax.sym<n>>) {
  %r = relax.matmul %a, %b : (tensor<8xf32>, tensor<?x8x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @linear(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %[[C:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.linear %[[A]], %[[B]], %[[C]] : (tensor<?x8xf32, #relax.sym<n>>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
func.func @linear(%a: tensor<?x8xf32, #relax.sym<n>>, %b: tensor<4x8xf32>, %c: tensor<4xf32>) -> (tensor<?x4xf32, #relax.sym<n>>) {
  %r = relax.linear %a, %b, %c : (tensor<?x8xf32, #relax.sym<n>>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @linear_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.linear %[[A]], %[[B]] : (tensor<?x8xf32, #relax.sym<n>>, tensor<8xf32>) -> tensor<?xf32, #relax.sym<n>>
func.func @linear_2(%a: tensor<?x8xf32, #relax.sym<n>>, %b: tensor<8xf32>) -> (tensor<?xf32, #relax.sym<n>>) {
  %r = relax.linear %a, %b : (tensor<?x8xf32, #relax.sym<n>>, tensor<8xf32>) -> tensor<?xf32, #relax.sym<n>>
  return %r : tensor<?xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @einsum(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.einsum %[[A]], %[[B]] {subscripts = "bij,bjk->bik"} : (tensor<?x2x3xf32, #relax.sym<b>>, tensor<?x3x4xf32, #relax.sym<b>>) -> tensor<?x2x4xf32, #relax.sym<b>>
func.func @einsum(%a: tensor<?x2x3xf32, #relax.sym<b>>, %b: tensor<?x3x4xf32, #relax.sym<b>>) -> (tensor<?x2x4xf32, #relax.sym<b>>) {
  %r = relax.einsum %a, %b {subscripts = "bij,bjk->bik"} : (tensor<?x2x3xf32, #relax.sym<b>>, tensor<?x3x4xf32, #relax.sym<b>>) -> tensor<?x2x4xf32, #relax.sym<b>>
  return %r : tensor<?x2x4xf32, #relax.sym<b>>
}

// CHECK-LABEL: func.func @einsum_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.einsum %[[A]] {subscripts = "ii"} : (tensor<3x3xf32>) -> tensor<f32>
func.func @einsum_2(%a: tensor<3x3xf32>) -> (tensor<f32>) {
  %r = relax.einsum %a {subscripts = "ii"} : (tensor<3x3xf32>) -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK-LABEL: func.func @outer(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.outer %[[A]], %[[B]] : (tensor<?xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
func.func @outer(%a: tensor<?xf32, #relax.sym<n>>, %b: tensor<4xf32>) -> (tensor<?x4xf32, #relax.sym<n>>) {
  %r = relax.outer %a, %b : (tensor<?xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}
