// RUN: relax-opt %s -p relax-to-linalg | filecheck %s

// CHECK-LABEL: func.func @relu(
// CHECK-SAME:    %[[X:.*]]: tensor<?x4xf32> {relax.dims = ["n", 4 : i64]})
// CHECK:         %[[ZERO:.*]] = arith.constant 0 : index
// CHECK:         %[[N:.*]] = tensor.dim %[[X]], %[[ZERO]]
// CHECK:         %[[OUT:.*]] = tensor.empty(%[[N]]) : tensor<?x4xf32>
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%[[X]] : tensor<?x4xf32>) outs(%[[OUT]] : tensor<?x4xf32>) {
// CHECK-NEXT:    ^bb0(%[[V:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      %[[LOW:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:      %[[Y:.*]] = arith.maximumf %[[V]], %[[LOW]] : f32
// CHECK-NEXT:      linalg.yield %[[Y]] : f32
func.func @relu(%x: tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>> {
  %r = relax.nn.relu %x : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @relu_unsigned(
// CHECK:         arith.maxui %{{.*}} : i8
func.func @relu_unsigned(%x: tensor<4xui8>) -> tensor<4xui8> {
  %r = relax.nn.relu %x : (tensor<4xui8>) -> tensor<4xui8>
  return %r : tensor<4xui8>
}

// f16 is computed in f32 and rounded once.
// CHECK-LABEL: func.func @gelu(
// CHECK:         ^bb0(%[[V:.*]]: f16, %{{.*}}: f16):
// CHECK-NEXT:      %[[WIDE:.*]] = arith.extf %[[V]] : f16 to f32
// CHECK:           math.erf %{{.*}} : f32
// CHECK-NOT:       arith.truncf
// CHECK:           %[[Y:.*]] = arith.mulf %[[WIDE]], %{{.*}} : f32
// CHECK-NEXT:      %[[R:.*]] = arith.truncf %[[Y]] : f32 to f16
// CHECK-NEXT:      linalg.yield %[[R]] : f16
func.func @gelu(%x: tensor<4xf16>) -> tensor<4xf16> {
  %r = relax.nn.gelu %x : (tensor<4xf16>) -> tensor<4xf16>
  return %r : tensor<4xf16>
}

// One slope for each channel.
// CHECK-LABEL: func.func @prelu(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3x4xf32>, %[[A:.*]]: tensor<3xf32>)
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>]{{.*}} ins(%[[X]], %[[A]] :
func.func @prelu(%x: tensor<2x3x4xf32>, %a: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %r = relax.nn.prelu %x, %a : (tensor<2x3x4xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}
