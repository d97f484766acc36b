// RUN: relax-opt %s -p relax-to-linalg | filecheck %s

// f16 accumulates in f32, and is rounded once.
// CHECK-LABEL: func.func @matmul(
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         linalg.fill ins(%[[ZERO]] : f32)
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK:           arith.mulf
// CHECK-NEXT:      arith.addf
// CHECK:         arith.truncf
func.func @matmul(%x: tensor<2x3xf16>, %w: tensor<3x4xf16>) -> tensor<2x4xf16> {
  %y = relax.matmul %x, %w : (tensor<2x3xf16>, tensor<3x4xf16>) -> tensor<2x4xf16>
  return %y : tensor<2x4xf16>
}

// The weight is read as it lies.
// CHECK-LABEL: func.func @linear(
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>]
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>]
func.func @linear(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
  %y = relax.linear %x, %w, %b : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// What only one operand has is summed first; then two operands are contracted at a time.
// CHECK-LABEL: func.func @einsum(
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
// CHECK-NOT:     linalg.generic
// CHECK:         func.return
func.func @einsum(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>, %z: tensor<4x5xf32>) -> tensor<2xf32> {
  %r = relax.einsum %x, %y, %z {subscripts = "ij,jk,kl->i"} : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// A label twice is a diagonal.
// CHECK-LABEL: func.func @diagonal(
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0) -> (d0, d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
func.func @diagonal(%x: tensor<3x3xf32>) -> tensor<3xf32> {
  %r = relax.einsum %x {subscripts = "ii->i"} : (tensor<3x3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
