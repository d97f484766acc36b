// RUN: relax-opt %s -p 'relax-combine-parallel-batch-matmul{min_branches=2}' | filecheck %s
// RUN: relax-opt %s -p 'relax-combine-parallel-batch-matmul{min_branches=2 only_weights=true weights=constants}' | filecheck %s --check-prefix WEIGHTS

// Arguments are no constants.
// WEIGHTS-NOT: relax.concat

// CHECK-LABEL: func.func @columns(
// CHECK: %[[W:.*]] = relax.concat %w1, %w2 {axis = 2 : i64} : {{.*}} -> tensor<2x8x6xf32>
// CHECK: %[[Y:.*]] = relax.matmul %x, %[[W]] : {{.*}} -> tensor<2x?x6xf32, #relax.sym<n>>
// CHECK: %[[B:.*]] = relax.concat %b1, %b2 {axis = 1 : i64} : {{.*}} -> tensor<1x6xf32>
// CHECK: %[[A:.*]] = relax.add %[[B]], %[[Y]]
// CHECK: relax.strided_slice %[[A]] {axes = array<i64: 2>, begin = array<i64: 0>, end = array<i64: 4>
// CHECK: relax.strided_slice %[[A]] {axes = array<i64: 2>, begin = array<i64: 4>, end = array<i64: 6>
func.func @columns(%x: tensor<2x?x8xf32, #relax.sym<n>>, %w1: tensor<2x8x4xf32>, %b1: tensor<1x4xf32>, %w2: tensor<2x8x2xf32>, %b2: tensor<1x2xf32>)
    -> (tensor<2x?x4xf32, #relax.sym<n>>, tensor<2x?x2xf32, #relax.sym<n>>) {
  %y1 = relax.matmul %x, %w1 : (tensor<2x?x8xf32, #relax.sym<n>>, tensor<2x8x4xf32>) -> tensor<2x?x4xf32, #relax.sym<n>>
  %a1 = relax.add %b1, %y1 : (tensor<1x4xf32>, tensor<2x?x4xf32, #relax.sym<n>>) -> tensor<2x?x4xf32, #relax.sym<n>>
  %y2 = relax.matmul %x, %w2 : (tensor<2x?x8xf32, #relax.sym<n>>, tensor<2x8x2xf32>) -> tensor<2x?x2xf32, #relax.sym<n>>
  %a2 = relax.add %b2, %y2 : (tensor<1x2xf32>, tensor<2x?x2xf32, #relax.sym<n>>) -> tensor<2x?x2xf32, #relax.sym<n>>
  return %a1, %a2 : tensor<2x?x4xf32, #relax.sym<n>>, tensor<2x?x2xf32, #relax.sym<n>>
}

// Other batch dims, and matrices, are none of ours.
// CHECK-LABEL: func.func @declines_other_batches(
// CHECK-NOT: relax.concat
func.func @declines_other_batches(%x: tensor<2x3x8xf32>, %w1: tensor<2x8x4xf32>, %w2: tensor<1x8x4xf32>, %w3: tensor<8x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
  %y1 = relax.matmul %x, %w1 : (tensor<2x3x8xf32>, tensor<2x8x4xf32>) -> tensor<2x3x4xf32>
  %y2 = relax.matmul %x, %w2 : (tensor<2x3x8xf32>, tensor<1x8x4xf32>) -> tensor<2x3x4xf32>
  %y3 = relax.matmul %x, %w3 : (tensor<2x3x8xf32>, tensor<8x4xf32>) -> tensor<2x3x4xf32>
  return %y1, %y2, %y3 : tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>
}
