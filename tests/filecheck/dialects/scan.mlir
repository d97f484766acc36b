// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: func.func @cumsum(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.cumsum %[[A]] {axis = 1 : i64} : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
func.func @cumsum(%a: tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>> {
  %r = relax.cumsum %a {axis = 1 : i64} : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @cumsum_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.cumsum %[[A]] {dtype = i32, exclusive = true} : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?xi32, #relax.sym<4 * n>>
func.func @cumsum_2(%a: tensor<?x4xf32, #relax.sym<n>>) -> tensor<?xi32, #relax.sym<4 * n>> {
  %r = relax.cumsum %a {dtype = i32, exclusive = true} : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?xi32, #relax.sym<4 * n>>
  return %r : tensor<?xi32, #relax.sym<4 * n>>
}

// CHECK-LABEL: func.func @cumprod(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.cumprod %[[A]] {axis = 1 : i64} : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
func.func @cumprod(%a: tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>> {
  %r = relax.cumprod %a {axis = 1 : i64} : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @cumprod_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.cumprod %[[A]] {dtype = i32, exclusive = true} : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?xi32, #relax.sym<4 * n>>
func.func @cumprod_2(%a: tensor<?x4xf32, #relax.sym<n>>) -> tensor<?xi32, #relax.sym<4 * n>> {
  %r = relax.cumprod %a {dtype = i32, exclusive = true} : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?xi32, #relax.sym<4 * n>>
  return %r : tensor<?xi32, #relax.sym<4 * n>>
}
