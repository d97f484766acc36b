// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: func.func @layer_norm(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %[[C:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.layer_norm %[[A]], %[[B]], %[[C]] {axes = array<i64: -1>} : (tensor<?x16xf32, #relax.sym<n>>, tensor<16xf32>, tensor<16xf32>) -> tensor<?x16xf32, #relax.sym<n>>
func.func @layer_norm(%a: tensor<?x16xf32, #relax.sym<n>>, %b: tensor<16xf32>, %c: tensor<16xf32>) -> (tensor<?x16xf32, #relax.sym<n>>) {
  %r = relax.nn.layer_norm %a, %b, %c {axes = array<i64: -1>} : (tensor<?x16xf32, #relax.sym<n>>, tensor<16xf32>, tensor<16xf32>) -> tensor<?x16xf32, #relax.sym<n>>
  return %r : tensor<?x16xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @layer_norm_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %[[C:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.layer_norm %[[A]], %[[B]], %[[C]] {axes = array<i64: 1, 2>, epsilon = 1.000000e-03 : f64, center = false, scale = false} : (tensor<2x?x4xf32, #relax.sym<s>>, tensor<?x4xf32, #relax.sym<s>>, tensor<?x4xf32, #relax.sym<s>>) -> tensor<2x?x4xf32, #relax.sym<s>>
func.func @layer_norm_2(%a: tensor<2x?x4xf32, #relax.sym<s>>, %b: tensor<?x4xf32, #relax.sym<s>>, %c: tensor<?x4xf32, #relax.sym<s>>) -> (tensor<2x?x4xf32, #relax.sym<s>>) {
  %r = relax.nn.layer_norm %a, %b, %c {axes = array<i64: 1, 2>, epsilon = 1.000000e-03 : f64, center = false, scale = false} : (tensor<2x?x4xf32, #relax.sym<s>>, tensor<?x4xf32, #relax.sym<s>>, tensor<?x4xf32, #relax.sym<s>>) -> tensor<2x?x4xf32, #relax.sym<s>>
  return %r : tensor<2x?x4xf32, #relax.sym<s>>
}

// CHECK-LABEL: func.func @rms_norm(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.rms_norm %[[A]], %[[B]] {axes = array<i64: -1>} : (tensor<?x16xf32, #relax.sym<n>>, tensor<16xf32>) -> tensor<?x16xf32, #relax.sym<n>>
func.func @rms_norm(%a: tensor<?x16xf32, #relax.sym<n>>, %b: tensor<16xf32>) -> (tensor<?x16xf32, #relax.sym<n>>) {
  %r = relax.nn.rms_norm %a, %b {axes = array<i64: -1>} : (tensor<?x16xf32, #relax.sym<n>>, tensor<16xf32>) -> tensor<?x16xf32, #relax.sym<n>>
  return %r : tensor<?x16xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @l2_normalize(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<?x16xf32, #relax.sym<n>>)
// CHECK:         = relax.nn.l2_normalize %[[A]] {eps = 1.000000e-12 : f64, axis = array<i64: 1>} : (tensor<?x16xf32, #relax.sym<n>>) -> tensor<?x16xf32, #relax.sym<n>>
func.func @l2_normalize(%a: tensor<?x16xf32, #relax.sym<n>>) -> (tensor<?x16xf32, #relax.sym<n>>) {
  %r = relax.nn.l2_normalize %a {eps = 1.0e-12 : f64, axis = array<i64: 1>} : (tensor<?x16xf32, #relax.sym<n>>) -> tensor<?x16xf32, #relax.sym<n>>
  return %r : tensor<?x16xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @rms_norm_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.rms_norm %[[A]], %[[B]] {axes = array<i64: 1>, epsilon = 1.000000e-06 : f64} : (tensor<2x4xf16>, tensor<4xf16>) -> tensor<2x4xf16>
func.func @rms_norm_2(%a: tensor<2x4xf16>, %b: tensor<4xf16>) -> (tensor<2x4xf16>) {
  %r = relax.nn.rms_norm %a, %b {axes = array<i64: 1>, epsilon = 1.000000e-06 : f64} : (tensor<2x4xf16>, tensor<4xf16>) -> tensor<2x4xf16>
  return %r : tensor<2x4xf16>
}

// CHECK-LABEL: func.func @group_norm(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %[[C:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.group_norm %[[A]], %[[B]], %[[C]] {num_groups = 3 : i64, channel_axis = 1 : i64, axes = array<i64: 2, 3>} : (tensor<?x3x8x8xf32, #relax.sym<n>>, tensor<3xf32>, tensor<3xf32>) -> tensor<?x3x8x8xf32, #relax.sym<n>>
func.func @group_norm(%a: tensor<?x3x8x8xf32, #relax.sym<n>>, %b: tensor<3xf32>, %c: tensor<3xf32>) -> (tensor<?x3x8x8xf32, #relax.sym<n>>) {
  %r = relax.nn.group_norm %a, %b, %c {num_groups = 3 : i64, channel_axis = 1 : i64, axes = array<i64: 2, 3>} : (tensor<?x3x8x8xf32, #relax.sym<n>>, tensor<3xf32>, tensor<3xf32>) -> tensor<?x3x8x8xf32, #relax.sym<n>>
  return %r : tensor<?x3x8x8xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @instance_norm(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %[[C:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.instance_norm %[[A]], %[[B]], %[[C]] {channel_axis = 1 : i64, axes = array<i64: 2, 3>} : (tensor<?x3x8x8xf32, #relax.sym<n>>, tensor<3xf32>, tensor<3xf32>) -> tensor<?x3x8x8xf32, #relax.sym<n>>
func.func @instance_norm(%a: tensor<?x3x8x8xf32, #relax.sym<n>>, %b: tensor<3xf32>, %c: tensor<3xf32>) -> (tensor<?x3x8x8xf32, #relax.sym<n>>) {
  %r = relax.nn.instance_norm %a, %b, %c {channel_axis = 1 : i64, axes = array<i64: 2, 3>} : (tensor<?x3x8x8xf32, #relax.sym<n>>, tensor<3xf32>, tensor<3xf32>) -> tensor<?x3x8x8xf32, #relax.sym<n>>
  return %r : tensor<?x3x8x8xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @batch_norm(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %[[C:[a-z0-9]+]]: {{.*}}, %[[D:[a-z0-9]+]]: {{.*}}, %[[E:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.batch_norm %[[A]], %[[B]], %[[C]], %[[D]], %[[E]] {axis = 1 : i64} : (tensor<?x3x8x8xf32, #relax.sym<n>>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<?x3x8x8xf32, #relax.sym<n>>, tensor<3xf32>, tensor<3xf32>)
func.func @batch_norm(%a: tensor<?x3x8x8xf32, #relax.sym<n>>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<3xf32>) -> (tensor<?x3x8x8xf32, #relax.sym<n>>, tensor<3xf32>, tensor<3xf32>) {
  %r:3 = relax.nn.batch_norm %a, %b, %c, %d, %e {axis = 1 : i64} : (tensor<?x3x8x8xf32, #relax.sym<n>>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<?x3x8x8xf32, #relax.sym<n>>, tensor<3xf32>, tensor<3xf32>)
  return %r#0, %r#1, %r#2 : tensor<?x3x8x8xf32, #relax.sym<n>>, tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @batch_norm_2(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %[[C:[a-z0-9]+]]: {{.*}}, %[[D:[a-z0-9]+]]: {{.*}}, %[[E:[a-z0-9]+]]: {{.*}}
// CHECK:         = relax.nn.batch_norm %[[A]], %[[B]], %[[C]], %[[D]], %[[E]] {axis = 1 : i64, epsilon = 1.000000e-03 : f64, center = false, scale = true, momentum = 2.000000e-01 : f64, training = false} : (tensor<?x3x8x8xf32, #relax.sym<n>>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<?x3x8x8xf32, #relax.sym<n>>, tensor<3xf32>, tensor<3xf32>)
func.func @batch_norm_2(%a: tensor<?x3x8x8xf32, #relax.sym<n>>, %b: tensor<3xf32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %e: tensor<3xf32>) -> (tensor<?x3x8x8xf32, #relax.sym<n>>, tensor<3xf32>, tensor<3xf32>) {
  %r:3 = relax.nn.batch_norm %a, %b, %c, %d, %e {axis = 1 : i64, epsilon = 1.000000e-03 : f64, center = false, scale = true, momentum = 2.000000e-01 : f64, training = false} : (tensor<?x3x8x8xf32, #relax.sym<n>>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<?x3x8x8xf32, #relax.sym<n>>, tensor<3xf32>, tensor<3xf32>)
  return %r#0, %r#1, %r#2 : tensor<?x3x8x8xf32, #relax.sym<n>>, tensor<3xf32>, tensor<3xf32>
}
