// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: func.func @nonzero(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nonzero %[[A]] : (tensor<?x4x8xf32, #relax.sym<n>>) -> tensor<3x?xi64>
func.func @nonzero(%a: tensor<?x4x8xf32, #relax.sym<n>>) -> (tensor<3x?xi64>) {
  %r = relax.nonzero %a : (tensor<?x4x8xf32, #relax.sym<n>>) -> tensor<3x?xi64>
  return %r : tensor<3x?xi64>
}

// CHECK-LABEL: func.func @unique(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.unique %[[A]] : (tensor<?x4x8xf32, #relax.sym<n>>) -> tensor<?xf32>
func.func @unique(%a: tensor<?x4x8xf32, #relax.sym<n>>) -> (tensor<?xf32>) {
  %r = relax.unique %a : (tensor<?x4x8xf32, #relax.sym<n>>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func.func @unique_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.unique %[[A]] {sorted = false, return_index = true, return_inverse = true, return_counts = true} : (tensor<?x4x8xf32, #relax.sym<n>>) -> (tensor<?xf32>, tensor<?xi64>, tensor<?xi64, #relax.sym<32 * n>>, tensor<?xi64>)
func.func @unique_2(%a: tensor<?x4x8xf32, #relax.sym<n>>) -> (tensor<?xf32>, tensor<?xi64>, tensor<?xi64, #relax.sym<32 * n>>, tensor<?xi64>) {
  %r:4 = relax.unique %a {sorted = false, return_index = true, return_inverse = true, return_counts = true} : (tensor<?x4x8xf32, #relax.sym<n>>) -> (tensor<?xf32>, tensor<?xi64>, tensor<?xi64, #relax.sym<32 * n>>, tensor<?xi64>)
  return %r#0, %r#1, %r#2, %r#3 : tensor<?xf32>, tensor<?xi64>, tensor<?xi64, #relax.sym<32 * n>>, tensor<?xi64>
}

// CHECK-LABEL: func.func @unique_3(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.unique %[[A]] {return_inverse = true, axis = 1 : i64} : (tensor<4x8xi8>) -> (tensor<4x?xi8>, tensor<8xi64>)
func.func @unique_3(%a: tensor<4x8xi8>) -> (tensor<4x?xi8>, tensor<8xi64>) {
  %r:2 = relax.unique %a {return_inverse = true, axis = 1 : i64} : (tensor<4x8xi8>) -> (tensor<4x?xi8>, tensor<8xi64>)
  return %r#0, %r#1 : tensor<4x?xi8>, tensor<8xi64>
}
