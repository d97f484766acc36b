// RUN: relax-opt %s -p relax-reorder-take-after-matmul | filecheck %s
// RUN: relax-opt %s -p 'relax-reorder-take-after-matmul{weights=constants}' | filecheck %s --check-prefix CALL

// CHECK-LABEL: func.func @columns(
// CHECK-NEXT: %[[P:.*]] = relax.matmul %x, %w : {{.*}} -> tensor<5x3x64xf32>
// CHECK-NEXT: %[[Y:.*]] = relax.take %[[P]], %i {axis = 2 : i64, mode = "clip"} : {{.*}} -> tensor<5x3x2xf32>
// CHECK-NEXT: func.return %[[Y]]
func.func @columns(%x: tensor<5x3x8xf32>, %i: tensor<2xi64>, %w: tensor<8x64xf32>) -> tensor<5x3x2xf32> attributes {relax.num_input = 2 : i64} {
  %c = relax.take %w, %i {axis = 1 : i64, mode = "clip"} : (tensor<8x64xf32>, tensor<2xi64>) -> tensor<8x2xf32>
  %y = relax.matmul %x, %c : (tensor<5x3x8xf32>, tensor<8x2xf32>) -> tensor<5x3x2xf32>
  return %y : tensor<5x3x2xf32>
}

// CHECK-LABEL: func.func @table(
// CHECK: %[[R:.*]] = relax.permute_dims %w {axes = array<i64: 1, 0, 2>} : (tensor<6x8x4xf32>) -> tensor<8x6x4xf32>
// CHECK: %[[F:.*]] = relax.reshape %[[R]], %{{.*}} -> tensor<8x24xf32>
// CHECK: %[[P:.*]] = relax.matmul %x, %[[F]]
// CHECK: %[[Q:.*]] = relax.reshape %[[P]], %{{.*}} -> tensor<?x6x4xf32, #relax.sym<n>>
// CHECK: relax.take %[[Q]], %i {axis = 1 : i64} : {{.*}} -> tensor<?x4xf32, #relax.sym<n>>
func.func @table(%x: tensor<?x8xf32, #relax.sym<n>>, %i: tensor<i64>, %w: tensor<6x8x4xf32>) -> tensor<?x4xf32, #relax.sym<n>> attributes {relax.num_input = 2 : i64} {
  %c = relax.take %w, %i {axis = 0 : i64} : (tensor<6x8x4xf32>, tensor<i64>) -> tensor<8x4xf32>
  %y = relax.matmul %x, %c : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
  return %y : tensor<?x4xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @declines_rows(
// CHECK-NEXT: relax.take %w, %i
func.func @declines_rows(%x: tensor<3x2xf32>, %i: tensor<2xi64>, %w: tensor<8x64xf32>) -> tensor<3x64xf32> attributes {relax.num_input = 2 : i64} {
  %c = relax.take %w, %i {axis = 0 : i64} : (tensor<8x64xf32>, tensor<2xi64>) -> tensor<2x64xf32>
  %y = relax.matmul %x, %c : (tensor<3x2xf32>, tensor<2x64xf32>) -> tensor<3x64xf32>
  return %y : tensor<3x64xf32>
}

// The choice by parameters is made once.
// CHECK-LABEL: func.func @declines_parameters(
// CHECK-NEXT: relax.take %w, %i
// CALL-LABEL: func.func @declines_parameters(
// CALL-NEXT: relax.matmul %x, %w
func.func @declines_parameters(%x: tensor<3x8xf32>, %i: tensor<2xi64>, %w: tensor<8x64xf32>) -> tensor<3x2xf32> attributes {relax.num_input = 1 : i64} {
  %c = relax.take %w, %i {axis = 1 : i64} : (tensor<8x64xf32>, tensor<2xi64>) -> tensor<8x2xf32>
  %y = relax.matmul %x, %c : (tensor<3x8xf32>, tensor<8x2xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}
