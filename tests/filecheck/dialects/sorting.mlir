// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: func.func @sort(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.sort %[[A]] {axis = 0 : i64, descending = true} : (tensor<?x4x8xf32, #relax.sym<n>>) -> tensor<?x4x8xf32, #relax.sym<n>>
func.func @sort(%a: tensor<?x4x8xf32, #relax.sym<n>>) -> (tensor<?x4x8xf32, #relax.sym<n>>) {
  %r = relax.sort %a {axis = 0 : i64, descending = true} : (tensor<?x4x8xf32, #relax.sym<n>>) -> tensor<?x4x8xf32, #relax.sym<n>>
  return %r : tensor<?x4x8xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @argsort(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.argsort %[[A]] : (tensor<?x4x8xf32, #relax.sym<n>>) -> tensor<?x4x8xi32, #relax.sym<n>>
func.func @argsort(%a: tensor<?x4x8xf32, #relax.sym<n>>) -> (tensor<?x4x8xi32, #relax.sym<n>>) {
  %r = relax.argsort %a : (tensor<?x4x8xf32, #relax.sym<n>>) -> tensor<?x4x8xi32, #relax.sym<n>>
  return %r : tensor<?x4x8xi32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @argsort_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.argsort %[[A]] {axis = 1 : i64, dtype = i64} : (tensor<?x4x8xf32, #relax.sym<n>>) -> tensor<?x4x8xi64, #relax.sym<n>>
func.func @argsort_2(%a: tensor<?x4x8xf32, #relax.sym<n>>) -> (tensor<?x4x8xi64, #relax.sym<n>>) {
  %r = relax.argsort %a {axis = 1 : i64, dtype = i64} : (tensor<?x4x8xf32, #relax.sym<n>>) -> tensor<?x4x8xi64, #relax.sym<n>>
  return %r : tensor<?x4x8xi64, #relax.sym<n>>
}

// CHECK-LABEL: func.func @topk(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.topk %[[A]] {k = 3 : i64} : (tensor<?x4x8xf32, #relax.sym<n>>) -> (tensor<?x4x3xf32, #relax.sym<n>>, tensor<?x4x3xi32, #relax.sym<n>>)
func.func @topk(%a: tensor<?x4x8xf32, #relax.sym<n>>) -> (tensor<?x4x3xf32, #relax.sym<n>>, tensor<?x4x3xi32, #relax.sym<n>>) {
  %r:2 = relax.topk %a {k = 3 : i64} : (tensor<?x4x8xf32, #relax.sym<n>>) -> (tensor<?x4x3xf32, #relax.sym<n>>, tensor<?x4x3xi32, #relax.sym<n>>)
  return %r#0, %r#1 : tensor<?x4x3xf32, #relax.sym<n>>, tensor<?x4x3xi32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @topk_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.topk %[[A]] {k = 3 : i64, ret_type = "values", largest = false} : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<min(3, n)>>
func.func @topk_2(%a: tensor<?xf32, #relax.sym<n>>) -> (tensor<?xf32, #relax.sym<min(3, n)>>) {
  %r = relax.topk %a {k = 3 : i64, ret_type = "values", largest = false} : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<min(3, n)>>
  return %r : tensor<?xf32, #relax.sym<min(3, n)>>
}

// CHECK-LABEL: func.func @topk_3(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.topk %[[A]] {k = 2 : i64, ret_type = "indices", dtype = i64} : (tensor<?x4x8xf32, #relax.sym<n>>) -> tensor<?x4x2xi64, #relax.sym<n>>
func.func @topk_3(%a: tensor<?x4x8xf32, #relax.sym<n>>) -> (tensor<?x4x2xi64, #relax.sym<n>>) {
  %r = relax.topk %a {k = 2 : i64, ret_type = "indices", dtype = i64} : (tensor<?x4x8xf32, #relax.sym<n>>) -> tensor<?x4x2xi64, #relax.sym<n>>
  return %r : tensor<?x4x2xi64, #relax.sym<n>>
}
