// One transform for all functions: what any of them computes of parameters is in it, and each takes what it uses.
// RUN: relax-opt %s -p optimize --lift-shared | filecheck %s

// CHECK-LABEL: func.func @transform_params(
// CHECK: %[[C:.*]] = relax.concat %q, %k
// CHECK: relax.pack_weight %[[C]]
// CHECK-LABEL: func.func @prefill(
// CHECK-SAME: relax.params_from = @transform_params
// CHECK: relax.packed_matmul %x,
// CHECK-NOT: relax.concat
// CHECK-LABEL: func.func @decode(
// CHECK-SAME: relax.params_from = @transform_params
// CHECK: relax.packed_matmul %x,
// CHECK-NOT: _transform_params
func.func @prefill(%x: tensor<?x8xf32, #relax.sym<n>>, %q: tensor<8x8xf32>, %k: tensor<8x2xf32>)
    -> (tensor<?x8xf32, #relax.sym<n>>, tensor<?x2xf32, #relax.sym<n>>) attributes {relax.num_input = 1 : i64} {
  %a = relax.matmul %x, %q : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x8xf32>) -> tensor<?x8xf32, #relax.sym<n>>
  %b = relax.matmul %x, %k : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x2xf32>) -> tensor<?x2xf32, #relax.sym<n>>
  return %a, %b : tensor<?x8xf32, #relax.sym<n>>, tensor<?x2xf32, #relax.sym<n>>
}
func.func @decode(%x: tensor<1x8xf32>, %q: tensor<8x8xf32>, %k: tensor<8x2xf32>) -> (tensor<1x8xf32>, tensor<1x2xf32>)
    attributes {relax.num_input = 1 : i64} {
  %a = relax.matmul %x, %q : (tensor<1x8xf32>, tensor<8x8xf32>) -> tensor<1x8xf32>
  %b = relax.matmul %x, %k : (tensor<1x8xf32>, tensor<8x2xf32>) -> tensor<1x2xf32>
  return %a, %b : tensor<1x8xf32>, tensor<1x2xf32>
}
