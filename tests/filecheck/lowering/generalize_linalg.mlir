// RUN: relax-opt %s -p generalize-linalg | filecheck %s

// CHECK-LABEL: func.func @matmul(
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK: arith.mulf
// CHECK: arith.addf
func.func @matmul(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<2x3xf32>, tensor<3x4xf32>) outs(%c : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @transpose(
// CHECK: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]
func.func @transpose(%a: tensor<2x3x4xf32>, %c: tensor<4x2x3xf32>) -> tensor<4x2x3xf32> {
  %r = linalg.transpose ins(%a : tensor<2x3x4xf32>) outs(%c : tensor<4x2x3xf32>) permutation = [2, 0, 1]
  return %r : tensor<4x2x3xf32>
}

// CHECK-LABEL: func.func @elementwise_arith(
// CHECK: %[[E:.*]] = tensor.empty(%{{.*}}) : tensor<?xf32>
// CHECK: linalg.generic {{.*}} outs(%[[E]] : tensor<?xf32>)
// CHECK: arith.addf %{{.*}}, %{{.*}} : f32
func.func @elementwise_arith(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %r = arith.addf %a, %b : tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func.func @kept(
// CHECK: linalg.fill
func.func @kept(%f: f32, %c: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.fill ins(%f : f32) outs(%c : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
