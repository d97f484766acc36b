// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: func.func @softmax(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.softmax %[[A]] : (tensor<?x16xf32, #relax.sym<n>>) -> tensor<?x16xf32, #relax.sym<n>>
func.func @softmax(%a: tensor<?x16xf32, #relax.sym<n>>) -> (tensor<?x16xf32, #relax.sym<n>>) {
  %r = relax.nn.softmax %a : (tensor<?x16xf32, #relax.sym<n>>) -> tensor<?x16xf32, #relax.sym<n>>
  return %r : tensor<?x16xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @softmax_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.softmax %[[A]] {axis = 1 : i64} : (tensor<?x3x8x8xf32, #relax.sym<n>>) -> tensor<?x3x8x8xf32, #relax.sym<n>>
func.func @softmax_2(%a: tensor<?x3x8x8xf32, #relax.sym<n>>) -> (tensor<?x3x8x8xf32, #relax.sym<n>>) {
  %r = relax.nn.softmax %a {axis = 1 : i64} : (tensor<?x3x8x8xf32, #relax.sym<n>>) -> tensor<?x3x8x8xf32, #relax.sym<n>>
  return %r : tensor<?x3x8x8xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @log_softmax(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.log_softmax %[[A]] {axis = -2 : i64} : (tensor<?x16xf32, #relax.sym<n>>) -> tensor<?x16xf32, #relax.sym<n>>
func.func @log_softmax(%a: tensor<?x16xf32, #relax.sym<n>>) -> (tensor<?x16xf32, #relax.sym<n>>) {
  %r = relax.nn.log_softmax %a {axis = -2 : i64} : (tensor<?x16xf32, #relax.sym<n>>) -> tensor<?x16xf32, #relax.sym<n>>
  return %r : tensor<?x16xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @dropout(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.dropout %[[A]] : (tensor<?x16xf32, #relax.sym<n>>) -> (tensor<?x16xf32, #relax.sym<n>>, tensor<?x16xf32, #relax.sym<n>>)
func.func @dropout(%a: tensor<?x16xf32, #relax.sym<n>>) -> (tensor<?x16xf32, #relax.sym<n>>, tensor<?x16xf32, #relax.sym<n>>) {
  %r:2 = relax.nn.dropout %a : (tensor<?x16xf32, #relax.sym<n>>) -> (tensor<?x16xf32, #relax.sym<n>>, tensor<?x16xf32, #relax.sym<n>>)
  return %r#0, %r#1 : tensor<?x16xf32, #relax.sym<n>>, tensor<?x16xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @dropout_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.dropout %[[A]] {rate = 1.000000e-01 : f64} : (tensor<2xf16>) -> (tensor<2xf16>, tensor<2xf16>)
func.func @dropout_2(%a: tensor<2xf16>) -> (tensor<2xf16>, tensor<2xf16>) {
  %r:2 = relax.nn.dropout %a {rate = 1.000000e-01 : f64} : (tensor<2xf16>) -> (tensor<2xf16>, tensor<2xf16>)
  return %r#0, %r#1 : tensor<2xf16>, tensor<2xf16>
}
