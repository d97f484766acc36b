// RUN: relax-opt %s -p relax-reorder-permute-dims-after-concat | filecheck %s

// CHECK-LABEL: func.func @weights(
// CHECK-NEXT: %[[C:.*]] = relax.concat %w1, %w2 {axis = 0 : i64} : {{.*}} -> tensor<6x8xf32>
// CHECK-NEXT: %[[T:.*]] = relax.permute_dims %[[C]] {axes = array<i64: 1, 0>} : (tensor<6x8xf32>) -> tensor<8x6xf32>
// CHECK-NEXT: func.return %[[T]]
func.func @weights(%w1: tensor<4x8xf32>, %w2: tensor<2x8xf32>) -> tensor<8x6xf32> {
  %a = relax.permute_dims %w1 : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %b = relax.permute_dims %w2 {axes = array<i64: 1, 0>} : (tensor<2x8xf32>) -> tensor<8x2xf32>
  %w = relax.concat %a, %b {axis = -1 : i64} : (tensor<8x4xf32>, tensor<8x2xf32>) -> tensor<8x6xf32>
  return %w : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @declines_other_axes(
// CHECK: relax.permute_dims
// CHECK: relax.permute_dims
// CHECK: relax.concat
func.func @declines_other_axes(%w1: tensor<2x2x3xf32>, %w2: tensor<2x2x3xf32>) -> tensor<4x2x3xf32> {
  %a = relax.permute_dims %w1 {axes = array<i64: 1, 0, 2>} : (tensor<2x2x3xf32>) -> tensor<2x2x3xf32>
  %b = relax.permute_dims %w2 {axes = array<i64: 0, 1, 2>} : (tensor<2x2x3xf32>) -> tensor<2x2x3xf32>
  %w = relax.concat %a, %b : (tensor<2x2x3xf32>, tensor<2x2x3xf32>) -> tensor<4x2x3xf32>
  return %w : tensor<4x2x3xf32>
}

// CHECK-LABEL: func.func @declines_plain_operand(
// CHECK-NEXT: %[[A:.*]] = relax.permute_dims %w1
// CHECK-NEXT: relax.concat %[[A]], %w2
func.func @declines_plain_operand(%w1: tensor<4x8xf32>, %w2: tensor<8x2xf32>) -> tensor<8x6xf32> {
  %a = relax.permute_dims %w1 : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %w = relax.concat %a, %w2 {axis = 1 : i64} : (tensor<8x4xf32>, tensor<8x2xf32>) -> tensor<8x6xf32>
  return %w : tensor<8x6xf32>
}
