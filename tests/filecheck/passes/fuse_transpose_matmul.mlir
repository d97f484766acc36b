// RUN: relax-opt %s -p relax-fuse-transpose-matmul | filecheck %s

// CHECK-LABEL: func.func @matrix(
// CHECK-NEXT: relax.linear %x, %w {out_dtype = f32} : (tensor<3x8xf16>, tensor<4x8xf16>) -> tensor<3x4xf32>
// CHECK-NEXT: func.return
func.func @matrix(%x: tensor<3x8xf16>, %w: tensor<4x8xf16>) -> tensor<3x4xf32> {
  %t = relax.permute_dims %w : (tensor<4x8xf16>) -> tensor<8x4xf16>
  %y = relax.matmul %x, %t {out_dtype = f32} : (tensor<3x8xf16>, tensor<8x4xf16>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @batch(
// CHECK: func.call @[[K:.*]](%w, %x) : (tensor<2x4x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x4xf32>
func.func @batch(%x: tensor<2x3x8xf32>, %w: tensor<2x4x8xf32>) -> tensor<2x3x4xf32> {
  %r = relax.dataflow {
    %t = relax.permute_dims %w {axes = array<i64: 0, 2, 1>} : (tensor<2x4x8xf32>) -> tensor<2x8x4xf32>
    %y = relax.matmul %x, %t : (tensor<2x3x8xf32>, tensor<2x8x4xf32>) -> tensor<2x3x4xf32>
    relax.output %y : tensor<2x3x4xf32>
  } : tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @declines_other_permutation(
// CHECK-NEXT: relax.permute_dims
// CHECK-NEXT: relax.matmul
func.func @declines_other_permutation(%x: tensor<2x3x8xf32>, %w: tensor<8x2x4xf32>) -> tensor<2x3x4xf32> {
  %t = relax.permute_dims %w {axes = array<i64: 1, 0, 2>} : (tensor<8x2x4xf32>) -> tensor<2x8x4xf32>
  %y = relax.matmul %x, %t : (tensor<2x3x8xf32>, tensor<2x8x4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @declines_transposed_lhs(
// CHECK-NEXT: relax.permute_dims
// CHECK-NEXT: relax.matmul
func.func @declines_transposed_lhs(%x: tensor<8x3xf32>, %w: tensor<8x4xf32>) -> tensor<3x4xf32> {
  %t = relax.permute_dims %x : (tensor<8x3xf32>) -> tensor<3x8xf32>
  %y = relax.matmul %t, %w : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// CHECK: func.func private @fused_permute_dims_matmul({{.*}}) -> tensor<2x3x4xf32> attributes {relax.primitive}
