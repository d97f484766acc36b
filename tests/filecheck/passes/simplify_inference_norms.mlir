// RUN: relax-opt %s -p 'relax-simplify-inference{norms=true training=true},dce' | filecheck %s
// RUN: relax-opt %s -p 'relax-simplify-inference{norms=true functions=group_norm}' | filecheck %s --check-prefix ONE
// RUN: not relax-opt %s -p 'relax-simplify-inference{functions=missing}' 2>&1 | filecheck %s --check-prefix MISSING

// MISSING: error: no function @missing

// gamma and beta have the dims of the axes, in their order.
// CHECK-LABEL: func.func @layer_norm(
// CHECK: %[[M:.*]] = relax.mean %x {axis = array<i64: 3, 1>, keepdims = true} : {{.*}} -> tensor<?x1x4x1xf32, #relax.sym<n>>
// CHECK: %[[C:.*]] = relax.subtract %x, %[[M]]
// CHECK: %[[Q:.*]] = relax.multiply %[[C]], %[[C]]
// CHECK: %[[V:.*]] = relax.mean %[[Q]] {axis = array<i64: 3, 1>, keepdims = true}
// CHECK: %[[E:.*]] = relax.constant {value = dense<1.000000e-05> : tensor<f32>}
// CHECK: %[[A:.*]] = relax.add %[[V]], %[[E]]
// CHECK: %[[D:.*]] = relax.sqrt %[[A]]
// CHECK: %[[Y:.*]] = relax.divide %[[C]], %[[D]]
// CHECK: %[[G0:.*]] = relax.permute_dims %g {axes = array<i64: 1, 0>} : (tensor<5x3xf32>) -> tensor<3x5xf32>
// CHECK: %[[G:.*]] = relax.expand_dims %[[G0]] {axis = array<i64: 1>} : (tensor<3x5xf32>) -> tensor<3x1x5xf32>
// CHECK: relax.multiply %[[Y]], %[[G]] : {{.*}} -> tensor<?x3x4x5xf32, #relax.sym<n>>
// ONE-LABEL: func.func @layer_norm(
// ONE: relax.nn.layer_norm
func.func @layer_norm(%x: tensor<?x3x4x5xf32, #relax.sym<n>>, %g: tensor<5x3xf32>, %b: tensor<5x3xf32>) -> tensor<?x3x4x5xf32, #relax.sym<n>> {
  %y = relax.nn.layer_norm %x, %g, %b {axes = array<i64: 3, 1>}
    : (tensor<?x3x4x5xf32, #relax.sym<n>>, tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<?x3x4x5xf32, #relax.sym<n>>
  return %y : tensor<?x3x4x5xf32, #relax.sym<n>>
}

// The groups get a dim of their own; f16 is computed in f32.
// CHECK-LABEL: func.func @group_norm(
// CHECK: %[[S:.*]] = relax.shape : () -> !relax.shape<[n, 2, 3, 4]>
// CHECK: %[[X:.*]] = relax.astype %x {dtype = f32}
// CHECK: %[[R:.*]] = relax.reshape %[[X]], %[[S]]
// CHECK: relax.mean %[[R]] {axis = array<i64: 2, 3>, keepdims = true} : {{.*}} -> tensor<?x2x1x1xf32, #relax.sym<n>>
// CHECK: relax.reshape %{{.*}} -> tensor<?x6x4xf32, #relax.sym<n>>
// CHECK-NOT: relax.multiply %{{.*}}, %g
// CHECK: relax.astype %{{.*}} {dtype = f16}
// ONE-LABEL: func.func @group_norm(
// ONE-NOT: relax.nn.group_norm
func.func @group_norm(%x: tensor<?x6x4xf16, #relax.sym<n>>, %g: tensor<6xf16>, %b: tensor<6xf16>) -> tensor<?x6x4xf16, #relax.sym<n>> {
  %y = relax.nn.group_norm %x, %g, %b {num_groups = 2 : i64, channel_axis = 1 : i64, axes = array<i64: 2>, scale = false}
    : (tensor<?x6x4xf16, #relax.sym<n>>, tensor<6xf16>, tensor<6xf16>) -> tensor<?x6x4xf16, #relax.sym<n>>
  return %y : tensor<?x6x4xf16, #relax.sym<n>>
}

// CHECK-LABEL: func.func @instance_norm(
// CHECK: relax.mean %x {axis = array<i64: 2>, keepdims = true}
// CHECK: %[[G:.*]] = relax.expand_dims %g {axis = array<i64: 1>} : (tensor<6xf32>) -> tensor<6x1xf32>
// CHECK: relax.multiply %{{.*}}, %[[G]] : (tensor<2x6x4xf32>, tensor<6x1xf32>) -> tensor<2x6x4xf32>
func.func @instance_norm(%x: tensor<2x6x4xf32>, %g: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<2x6x4xf32> {
  %y = relax.nn.instance_norm %x, %g, %b {channel_axis = 1 : i64, axes = array<i64: 2>}
    : (tensor<2x6x4xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x4xf32>
  return %y : tensor<2x6x4xf32>
}

// In training the running statistics move by the momentum.
// CHECK-LABEL: func.func @training(
// CHECK: %[[M:.*]] = relax.mean %x {axis = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<3xf32>
// CHECK: %[[K:.*]] = relax.constant {value = dense<7.500000e-01> : tensor<f32>}
// CHECK: %[[A:.*]] = relax.multiply %[[K]], %m
// CHECK: %[[P:.*]] = relax.constant {value = dense<2.500000e-01> : tensor<f32>}
// CHECK: %[[B:.*]] = relax.multiply %[[P]], %[[M]]
// CHECK: %[[N:.*]] = relax.add %[[A]], %[[B]]
// CHECK: func.return %{{.*}}, %[[N]]
func.func @training(%x: tensor<2x3xf32>, %g: tensor<3xf32>, %b: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>) {
  %y, %m1, %v1 = relax.nn.batch_norm %x, %g, %b, %m, %v {axis = 1 : i64, momentum = 0.25 : f64, training = true}
    : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %y, %m1 : tensor<2x3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @l2_normalize(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf16>
// CHECK: %[[W:.*]] = relax.astype %[[X]] {dtype = f32}
// CHECK: %[[SQ:.*]] = relax.multiply %[[W]], %[[W]]
// CHECK: %[[SUM:.*]] = relax.sum %[[SQ]] {axis = array<i64: 1>, keepdims = true} : (tensor<2x3xf32>) -> tensor<2x1xf32>
// CHECK: %[[EPS:.*]] = relax.constant {value = dense<{{.*}}> : tensor<f32>}
// CHECK: %[[MAX:.*]] = relax.maximum %[[SUM]], %[[EPS]] : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
// CHECK: %[[ROOT:.*]] = relax.sqrt %[[MAX]]
// CHECK: %[[Y:.*]] = relax.divide %[[W]], %[[ROOT]]
// CHECK: relax.astype %[[Y]] {dtype = f16}
// ONE-LABEL: func.func @l2_normalize(
// ONE: relax.nn.l2_normalize
func.func @l2_normalize(%x: tensor<2x3xf16>) -> tensor<2x3xf16> {
  %y = relax.nn.l2_normalize %x {eps = 1.0e-6 : f64, axis = array<i64: -1>} : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return %y : tensor<2x3xf16>
}

// Where the rank is unknown so are the axes.
// CHECK-LABEL: func.func @declines_unknown_rank(
// CHECK: relax.nn.layer_norm
func.func @declines_unknown_rank(%x: tensor<*xf32>, %g: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<*xf32> {
  %y = relax.nn.layer_norm %x, %g, %b {axes = array<i64: -1>} : (tensor<*xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}
