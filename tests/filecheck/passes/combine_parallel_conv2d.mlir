// RUN: relax-opt %s -p 'relax-combine-parallel-conv2d{min_branches=2}' --split-input-file | filecheck %s
// RUN: relax-opt %s -p relax-combine-parallel-conv2d --split-input-file | filecheck %s --check-prefix THREE
// RUN: relax-opt %s -p 'relax-combine-parallel-conv2d{min_branches=2 only_weights=true weights=parameters}' --split-input-file | filecheck %s --check-prefix WEIGHTS

// Two of the three readers are convolutions that fit.
// CHECK-LABEL: func.func @pair(
// CHECK: %[[W:.*]] = relax.concat %w1, %w2 {axis = 0 : i64} : {{.*}} -> tensor<8x4x1x1xf32>
// CHECK-NEXT: %[[Y:.*]] = relax.nn.conv2d %x, %[[W]] : {{.*}} -> tensor<1x8x16x16xf32>
// CHECK-NEXT: %[[Y1:.*]] = relax.strided_slice %[[Y]] {axes = array<i64: 1>, begin = array<i64: 0>, end = array<i64: 4>, strides = array<i64: 1>}
// CHECK-NEXT: %[[Y2:.*]] = relax.strided_slice %[[Y]] {axes = array<i64: 1>, begin = array<i64: 4>, end = array<i64: 8>, strides = array<i64: 1>}
// CHECK-NEXT: relax.tuple %[[Y1]], %[[Y2]], %{{.*}}
// THREE-LABEL: func.func @pair(
// THREE-NOT: relax.concat
func.func @pair(%x: tensor<1x4x16x16xf32>, %w1: tensor<4x4x1x1xf32>, %w2: tensor<4x4x1x1xf32>)
    -> tuple<tensor<1x4x16x16xf32>, tensor<1x4x16x16xf32>, tensor<1x4x16x16xf32>> {
  %y1 = relax.nn.conv2d %x, %w1 : (tensor<1x4x16x16xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x16x16xf32>
  %y2 = relax.nn.conv2d %x, %w2 : (tensor<1x4x16x16xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x16x16xf32>
  %y3 = relax.nn.max_pool2d %x : (tensor<1x4x16x16xf32>) -> tensor<1x4x16x16xf32>
  %t = relax.tuple %y1, %y2, %y3 : (tensor<1x4x16x16xf32>, tensor<1x4x16x16xf32>, tensor<1x4x16x16xf32>)
    -> tuple<tensor<1x4x16x16xf32>, tensor<1x4x16x16xf32>, tensor<1x4x16x16xf32>>
  return %t : tuple<tensor<1x4x16x16xf32>, tensor<1x4x16x16xf32>, tensor<1x4x16x16xf32>>
}

// -----

// Bias and relu come along up to where the branches differ; other layouts have their channels elsewhere.
// CHECK-LABEL: func.func @tails(
// CHECK: %[[W:.*]] = relax.concat %w1, %w2 {axis = 3 : i64} : {{.*}} -> tensor<3x3x4x5xf32>
// CHECK: %[[Y:.*]] = relax.nn.conv2d %x, %[[W]]
// CHECK: %[[B:.*]] = relax.concat %b1, %b2 {axis = 0 : i64} : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
// CHECK: %[[A:.*]] = relax.add %[[Y]], %[[B]]
// CHECK: %[[R:.*]] = relax.nn.relu %[[A]]
// CHECK: %[[R1:.*]] = relax.strided_slice %[[R]] {axes = array<i64: 3>, begin = array<i64: 0>, end = array<i64: 2>
// CHECK: %[[R2:.*]] = relax.strided_slice %[[R]] {axes = array<i64: 3>, begin = array<i64: 2>, end = array<i64: 5>
// CHECK-DAG: relax.exp %[[R1]]
// CHECK-DAG: relax.tanh %[[R2]]
func.func @tails(%x: tensor<1x8x8x4xf32>, %w1: tensor<3x3x4x2xf32>, %b1: tensor<2xf32>, %w2: tensor<3x3x4x3xf32>, %b2: tensor<3xf32>) -> (tensor<1x6x6x2xf32>, tensor<1x6x6x3xf32>) {
  %y1 = relax.nn.conv2d %x, %w1 {data_layout = "NHWC", kernel_layout = "HWIO"} : (tensor<1x8x8x4xf32>, tensor<3x3x4x2xf32>) -> tensor<1x6x6x2xf32>
  %a1 = relax.add %y1, %b1 : (tensor<1x6x6x2xf32>, tensor<2xf32>) -> tensor<1x6x6x2xf32>
  %r1 = relax.nn.relu %a1 : (tensor<1x6x6x2xf32>) -> tensor<1x6x6x2xf32>
  %e1 = relax.exp %r1 : (tensor<1x6x6x2xf32>) -> tensor<1x6x6x2xf32>
  %y2 = relax.nn.conv2d %x, %w2 {data_layout = "NHWC", kernel_layout = "HWIO"} : (tensor<1x8x8x4xf32>, tensor<3x3x4x3xf32>) -> tensor<1x6x6x3xf32>
  %a2 = relax.add %y2, %b2 : (tensor<1x6x6x3xf32>, tensor<3xf32>) -> tensor<1x6x6x3xf32>
  %r2 = relax.nn.relu %a2 : (tensor<1x6x6x3xf32>) -> tensor<1x6x6x3xf32>
  %e2 = relax.tanh %r2 : (tensor<1x6x6x3xf32>) -> tensor<1x6x6x3xf32>
  return %e1, %e2 : tensor<1x6x6x2xf32>, tensor<1x6x6x3xf32>
}

// -----

// CHECK-LABEL: func.func @declines_other_kernel(
// CHECK-NOT: relax.concat
func.func @declines_other_kernel(%x: tensor<1x4x8x8xf32>, %w1: tensor<4x4x3x3xf32>, %w2: tensor<4x4x1x1xf32>) -> (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) {
  %y1 = relax.nn.conv2d %x, %w1 {padding = array<i64: 1>} : (tensor<1x4x8x8xf32>, tensor<4x4x3x3xf32>) -> tensor<1x4x8x8xf32>
  %y2 = relax.nn.conv2d %x, %w2 : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  return %y1, %y2 : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>
}

// -----

// CHECK-LABEL: func.func @declines_groups(
// CHECK-NOT: relax.concat
func.func @declines_groups(%x: tensor<1x4x8x8xf32>, %w1: tensor<4x2x1x1xf32>, %w2: tensor<4x2x1x1xf32>) -> (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) {
  %y1 = relax.nn.conv2d %x, %w1 {groups = 2 : i64} : (tensor<1x4x8x8xf32>, tensor<4x2x1x1xf32>) -> tensor<1x4x8x8xf32>
  %y2 = relax.nn.conv2d %x, %w2 {groups = 2 : i64} : (tensor<1x4x8x8xf32>, tensor<4x2x1x1xf32>) -> tensor<1x4x8x8xf32>
  return %y1, %y2 : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>
}

// -----

// A scalar has no channels: the sums stay apart.
// CHECK-LABEL: func.func @declines_scalar_tail(
// CHECK: relax.strided_slice
// CHECK: relax.strided_slice
// CHECK: relax.multiply %{{.*}}, %s
// CHECK: relax.multiply %{{.*}}, %s
func.func @declines_scalar_tail(%x: tensor<1x4x8x8xf32>, %w1: tensor<4x4x1x1xf32>, %w2: tensor<4x4x1x1xf32>, %s: tensor<f32>) -> (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) {
  %y1 = relax.nn.conv2d %x, %w1 : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %m1 = relax.multiply %y1, %s : (tensor<1x4x8x8xf32>, tensor<f32>) -> tensor<1x4x8x8xf32>
  %y2 = relax.nn.conv2d %x, %w2 : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %m2 = relax.multiply %y2, %s : (tensor<1x4x8x8xf32>, tensor<f32>) -> tensor<1x4x8x8xf32>
  return %m1, %m2 : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>
}

// -----

// With `only_weights` what is concatenated must be weights: the tail that reads an input stays apart.
// WEIGHTS-LABEL: func.func @weights(
// WEIGHTS: %[[W:.*]] = relax.concat %w1, %w2 {axis = 0 : i64}
// WEIGHTS: %[[Y:.*]] = relax.nn.conv2d %x, %[[W]]
// WEIGHTS: %[[B:.*]] = relax.concat %b1, %b2
// WEIGHTS: %[[A:.*]] = relax.add %[[Y]], %[[B]]
// WEIGHTS: %[[A1:.*]] = relax.strided_slice %[[A]]
// WEIGHTS: %[[A2:.*]] = relax.strided_slice %[[A]]
// WEIGHTS: relax.multiply %[[A1]], %i1
// WEIGHTS: relax.multiply %[[A2]], %i2
// CHECK-LABEL: func.func @weights(
// CHECK: relax.concat %i1, %i2
func.func @weights(%x: tensor<1x4x8x8xf32>, %i1: tensor<4x1x1xf32>, %i2: tensor<4x1x1xf32>, %w1: tensor<4x4x1x1xf32>, %w2: tensor<4x4x1x1xf32>, %b1: tensor<4x1x1xf32>, %b2: tensor<4x1x1xf32>)
    -> (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) attributes {relax.num_input = 3 : i64} {
  %y1 = relax.nn.conv2d %x, %w1 : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %a1 = relax.add %y1, %b1 : (tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %m1 = relax.multiply %a1, %i1 : (tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %y2 = relax.nn.conv2d %x, %w2 : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %a2 = relax.add %y2, %b2 : (tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %m2 = relax.multiply %a2, %i2 : (tensor<1x4x8x8xf32>, tensor<4x1x1xf32>) -> tensor<1x4x8x8xf32>
  return %m1, %m2 : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>
}

// -----

// Without `relax.num_input` an argument may be an input.
// WEIGHTS-LABEL: func.func @declines_undeclared(
// WEIGHTS-NOT: relax.concat
// CHECK-LABEL: func.func @declines_undeclared(
// CHECK: relax.concat %w1, %w2
func.func @declines_undeclared(%x: tensor<1x4x8x8xf32>, %w1: tensor<4x4x1x1xf32>, %w2: tensor<4x4x1x1xf32>) -> (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) {
  %y1 = relax.nn.conv2d %x, %w1 : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  %y2 = relax.nn.conv2d %x, %w2 : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32>
  return %y1, %y2 : tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>
}
