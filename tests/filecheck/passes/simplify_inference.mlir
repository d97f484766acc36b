// RUN: relax-opt %s -p relax-simplify-inference,dce | filecheck %s

// batch_norm at inference is x * s + t, where s and t have the size of the weights.
// CHECK-LABEL: func.func @batch_norm(
// CHECK-SAME: %x: {{.*}}, %g: {{.*}}, %b: {{.*}}, %m: {{.*}}, %v: tensor<3xf32>
// CHECK: %[[EPS:.*]] = relax.constant {value = dense<1.000000e-03> : tensor<f32>}
// CHECK: %[[VAR:.*]] = relax.add %v, %[[EPS]] : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
// CHECK: %[[DEV:.*]] = relax.sqrt %[[VAR]]
// CHECK: %[[INV:.*]] = relax.divide %{{.*}}, %[[DEV]]
// CHECK: %[[S:.*]] = relax.multiply %[[INV]], %g
// CHECK: %[[NEG:.*]] = relax.negative %m
// CHECK: %[[T0:.*]] = relax.multiply %[[NEG]], %[[S]]
// CHECK: %[[T:.*]] = relax.add %[[T0]], %b
// CHECK: %[[S1:.*]] = relax.expand_dims %[[S]] {{.*}} -> tensor<3x1x1xf32>
// CHECK: %[[T1:.*]] = relax.expand_dims %[[T]] {{.*}} -> tensor<3x1x1xf32>
// CHECK: %[[P:.*]] = relax.multiply %x, %[[S1]]
// CHECK: %[[Y:.*]] = relax.add %[[P]], %[[T1]]
// CHECK: func.return %[[Y]]
func.func @batch_norm(%x: tensor<?x3x8x8xf32, #relax.sym<n>>, %g: tensor<3xf32>, %b: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>)
    -> tensor<?x3x8x8xf32, #relax.sym<n>> {
  %y, %m1, %v1 = relax.nn.batch_norm %x, %g, %b, %m, %v {axis = 1 : i64, epsilon = 1.0e-3 : f64, training = false}
    : (tensor<?x3x8x8xf32, #relax.sym<n>>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
    -> (tensor<?x3x8x8xf32, #relax.sym<n>>, tensor<3xf32>, tensor<3xf32>)
  return %y : tensor<?x3x8x8xf32, #relax.sym<n>>
}

// Without gamma and beta they are not read; the running statistics pass through.
// CHECK-LABEL: func.func @no_scale_no_center(
// CHECK-NOT: relax.multiply %{{.*}}, %g
// CHECK: func.return %{{.*}}, %m, %v
func.func @no_scale_no_center(%x: tensor<2x3xf32>, %g: tensor<3xf32>, %b: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>)
    -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %y, %m1, %v1 = relax.nn.batch_norm %x, %g, %b, %m, %v {axis = 1 : i64, scale = false, center = false, training = false}
    : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %y, %m1, %v1 : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>
}

// f16 is computed in f32 and rounded once.
// CHECK-LABEL: func.func @narrow(
// CHECK: %[[X:.*]] = relax.astype %x {dtype = f32}
// CHECK: %[[P:.*]] = relax.multiply %[[X]], %{{.*}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
// CHECK: %[[Y:.*]] = relax.add %[[P]], %{{.*}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
// CHECK: relax.astype %[[Y]] {dtype = f16}
func.func @narrow(%x: tensor<2x3xf16>, %g: tensor<3xf16>, %b: tensor<3xf16>, %m: tensor<3xf16>, %v: tensor<3xf16>) -> tensor<2x3xf16> {
  %y, %m1, %v1 = relax.nn.batch_norm %x, %g, %b, %m, %v {axis = 1 : i64, training = false}
    : (tensor<2x3xf16>, tensor<3xf16>, tensor<3xf16>, tensor<3xf16>, tensor<3xf16>) -> (tensor<2x3xf16>, tensor<3xf16>, tensor<3xf16>)
  return %y : tensor<2x3xf16>
}

// In training the statistics are those of the data.
// CHECK-LABEL: func.func @declines_training(
// CHECK: relax.nn.batch_norm
func.func @declines_training(%x: tensor<2x3xf32>, %g: tensor<3xf32>, %b: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) -> tensor<2x3xf32> {
  %y, %m1, %v1 = relax.nn.batch_norm %x, %g, %b, %m, %v {axis = 1 : i64, training = true}
    : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @dropout(
// CHECK-NEXT: func.return %x
func.func @dropout(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y, %mask = relax.nn.dropout %x {rate = 0.5 : f64} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @declines_dropout_with_mask(
// CHECK: relax.nn.dropout
func.func @declines_dropout_with_mask(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y, %mask = relax.nn.dropout %x {rate = 0.5 : f64} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %mask : tensor<4xf32>
}

// By default the norms that depend on the data stay whole.
// CHECK-LABEL: func.func @declines_norms_by_default(
// CHECK: relax.nn.layer_norm
func.func @declines_norms_by_default(%x: tensor<2x3xf32>, %g: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %y = relax.nn.layer_norm %x, %g, %b {axes = array<i64: -1>} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// The example of the two together: dropout of a batch_norm without spatial dims.
// CHECK-LABEL: func.func @batch_norm_dropout(
// CHECK-SAME: %x: tensor<1x10xf32>, %x1: tensor<10xf32>, %y: tensor<10xf32>, %a: tensor<10xf32>, %b: tensor<10xf32>
// CHECK: %[[V:.*]] = relax.add %b, %{{.*}} : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
// CHECK: %[[D:.*]] = relax.sqrt %[[V]]
// CHECK: %[[I:.*]] = relax.divide %{{.*}}, %[[D]] : (tensor<f32>, tensor<10xf32>) -> tensor<10xf32>
// CHECK: %[[S:.*]] = relax.multiply %[[I]], %x1
// CHECK: %[[N:.*]] = relax.negative %a
// CHECK: %[[T0:.*]] = relax.multiply %[[N]], %[[S]]
// CHECK: %[[T:.*]] = relax.add %[[T0]], %y
// CHECK: %[[P:.*]] = relax.multiply %x, %[[S]] : (tensor<1x10xf32>, tensor<10xf32>) -> tensor<1x10xf32>
// CHECK: %[[R:.*]] = relax.add %[[P]], %[[T]]
// CHECK-NEXT: func.return %[[R]]
func.func @batch_norm_dropout(%x: tensor<1x10xf32>, %x1: tensor<10xf32>, %y: tensor<10xf32>, %a: tensor<10xf32>, %b: tensor<10xf32>) -> tensor<1x10xf32> {
  %bn, %m, %v = relax.nn.batch_norm %x, %x1, %y, %a, %b {axis = 1 : i64, training = false}
    : (tensor<1x10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>) -> (tensor<1x10xf32>, tensor<10xf32>, tensor<10xf32>)
  %d, %mask = relax.nn.dropout %bn : (tensor<1x10xf32>) -> (tensor<1x10xf32>, tensor<1x10xf32>)
  return %d : tensor<1x10xf32>
}
