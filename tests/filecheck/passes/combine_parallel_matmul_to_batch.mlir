// RUN: relax-opt %s -p 'relax-combine-parallel-matmul{to_batch=true}' | filecheck %s

// Two products of one value become a batch of two.
// CHECK-LABEL: func.func @dense(
// CHECK-NEXT: %[[X:.*]] = relax.stack %x, %x {axis = 0 : i64} : {{.*}} -> tensor<2x3x4xf32>
// CHECK-NEXT: %[[W:.*]] = relax.stack %w1, %w2 {axis = 0 : i64} : {{.*}} -> tensor<2x5x4xf32>
// CHECK-NEXT: %[[T:.*]] = relax.permute_dims %[[W]] {axes = array<i64: 0, 2, 1>}
// CHECK-NEXT: %[[Y:.*]] = relax.matmul %[[X]], %[[T]] : {{.*}} -> tensor<2x3x5xf32>
// CHECK-NEXT: %[[A:.*]], %[[B:.*]] = relax.split %[[Y]] {sections = 2 : i64, axis = 0 : i64} : {{.*}} -> (tensor<1x3x5xf32>, tensor<1x3x5xf32>)
// CHECK-NEXT: %[[Y1:.*]] = relax.squeeze %[[A]] {axis = array<i64: 0>}
// CHECK-NEXT: %[[Y2:.*]] = relax.squeeze %[[B]] {axis = array<i64: 0>}
// CHECK-NEXT: relax.tuple %[[Y1]], %[[Y2]]
func.func @dense(%x: tensor<3x4xf32>, %w1: tensor<5x4xf32>, %w2: tensor<5x4xf32>) -> tuple<tensor<3x5xf32>, tensor<3x5xf32>> {
  %y1 = relax.linear %x, %w1 : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
  %y2 = relax.linear %x, %w2 : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
  %t = relax.tuple %y1, %y2 : (tensor<3x5xf32>, tensor<3x5xf32>) -> tuple<tensor<3x5xf32>, tensor<3x5xf32>>
  return %t : tuple<tensor<3x5xf32>, tensor<3x5xf32>>
}

// CHECK-LABEL: func.func @bias(
// CHECK: %[[Y:.*]] = relax.matmul
// CHECK: %[[B:.*]] = relax.stack %{{.*}}, %{{.*}} {axis = 0 : i64} : (tensor<1x5xf32>, tensor<1x5xf32>) -> tensor<2x1x5xf32>
// CHECK: %[[A:.*]] = relax.add %[[Y]], %[[B]]
// CHECK: relax.nn.relu %[[A]]
func.func @bias(%x: tensor<3x4xf32>, %w1: tensor<4x5xf32>, %w2: tensor<4x5xf32>, %b1: tensor<5xf32>, %b2: tensor<5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  %y1 = relax.matmul %x, %w1 : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %a1 = relax.add %y1, %b1 : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  %r1 = relax.nn.relu %a1 : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %y2 = relax.matmul %x, %w2 : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %a2 = relax.add %y2, %b2 : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  %r2 = relax.nn.relu %a2 : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %r1, %r2 : tensor<3x5xf32>, tensor<3x5xf32>
}

// CHECK-LABEL: func.func @declines_other_widths(
// CHECK-NOT: relax.stack
func.func @declines_other_widths(%x: tensor<3x4xf32>, %w1: tensor<5x4xf32>, %w2: tensor<6x4xf32>) -> (tensor<3x5xf32>, tensor<3x6xf32>) {
  %y1 = relax.linear %x, %w1 : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
  %y2 = relax.linear %x, %w2 : (tensor<3x4xf32>, tensor<6x4xf32>) -> tensor<3x6xf32>
  return %y1, %y2 : tensor<3x5xf32>, tensor<3x6xf32>
}
