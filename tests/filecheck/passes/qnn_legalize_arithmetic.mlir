// RUN: relax-opt %s -p relax-qnn-legalize,dce | filecheck %s

// The four terms of dense for each pair of matrices: -48 is 3 * -2 * 8.
// CHECK-LABEL: func.func @batch_matmul(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x8xi8>, %[[Y:.*]]: tensor<2x5x8xi8>
// CHECK: %[[YT:.*]] = relax.permute_dims %[[Y]] {axes = array<i64: 0, 2, 1>}
// CHECK: %[[T1:.*]] = relax.matmul %[[X]], %[[YT]] {out_dtype = i32}
// CHECK: %[[SX:.*]] = relax.sum %{{.*}} {axis = array<i64: 2>, keepdims = true}
// CHECK: %[[T2:.*]] = relax.multiply %[[SX]]
// CHECK: %[[SY:.*]] = relax.sum %{{.*}} {axis = array<i64: 2>, keepdims = false}
// CHECK: %[[ROW:.*]] = relax.expand_dims %[[SY]] {axis = array<i64: 1>}
// CHECK: %[[T3:.*]] = relax.multiply %[[ROW]]
// CHECK: %[[T4:.*]] = relax.constant {value = dense<-48> : tensor<i32>}
// CHECK: %[[A:.*]] = relax.subtract %[[T1]], %[[T2]]
// CHECK: %[[B:.*]] = relax.subtract %[[T4]], %[[T3]]
// CHECK: relax.add %[[A]], %[[B]]
func.func @batch_matmul(%x: tensor<2x3x8xi8>, %y: tensor<2x5x8xi8>) -> tensor<2x3x5xi32> {
  %zx = relax.constant {value = dense<3> : tensor<i32>} : () -> tensor<i32>
  %zy = relax.constant {value = dense<-2> : tensor<i32>} : () -> tensor<i32>
  %s = relax.constant {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %r = relax.qnn.batch_matmul %x, %y, %zx, %zy, %s, %s : (tensor<2x3x8xi8>, tensor<2x5x8xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<2x3x5xi32>
  return %r : tensor<2x3x5xi32>
}

// The zero point, which the difference has lost, is added.
// CHECK-LABEL: func.func @subtract(
// CHECK: %[[D:.*]] = relax.subtract %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
// CHECK: %[[Z:.*]] = relax.constant {value = dense<3> : tensor<i32>}
// CHECK-NEXT: %[[R:.*]] = relax.add %[[D]], %[[Z]]
// CHECK-NEXT: %[[C:.*]] = relax.clip %[[R]] {min = -128 : i64, max = 127 : i64}
// CHECK-NEXT: relax.astype %[[C]] {dtype = i8}
func.func @subtract(%x: tensor<4xi8>, %y: tensor<4xi8>) -> tensor<4xi8> {
  %s = relax.constant {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<3> : tensor<i32>} : () -> tensor<i32>
  %r = relax.qnn.subtract %x, %y, %s, %z, %s, %z, %s, %z : (tensor<4xi8>, tensor<4xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4xi8>
  return %r : tensor<4xi8>
}

// The product of the scales is the output's, so that there is nothing to rescale.
// CHECK-LABEL: func.func @mul(
// CHECK-NOT: shift
// CHECK: %[[A:.*]] = relax.subtract
// CHECK: %[[B:.*]] = relax.subtract
// CHECK: %[[P:.*]] = relax.multiply %[[A]], %[[B]] : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
// CHECK-NOT: shift
// CHECK: %[[R:.*]] = relax.add %[[P]]
// CHECK-NEXT: relax.clip %[[R]]
func.func @mul(%x: tensor<4xi8>, %y: tensor<4xi8>) -> tensor<4xi8> {
  %s = relax.constant {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %q = relax.constant {value = dense<0.25> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<3> : tensor<i32>} : () -> tensor<i32>
  %r = relax.qnn.mul %x, %y, %s, %z, %s, %z, %q, %z : (tensor<4xi8>, tensor<4xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4xi8>
  return %r : tensor<4xi8>
}

// Its twin: the output has another scale.
// CHECK-LABEL: func.func @mul_other(
// CHECK: relax.multiply
// CHECK: relax.right_shift
func.func @mul_other(%x: tensor<4xi8>, %y: tensor<4xi8>) -> tensor<4xi8> {
  %s = relax.constant {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %q = relax.constant {value = dense<0.3> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<3> : tensor<i32>} : () -> tensor<i32>
  %r = relax.qnn.mul %x, %y, %s, %z, %s, %z, %q, %z : (tensor<4xi8>, tensor<4xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4xi8>
  return %r : tensor<4xi8>
}

// The first tensor has the output's scale and zero point and is joined as it is; the second is requantized.
// CHECK-LABEL: func.func @concatenate(
// CHECK-SAME: %[[X:.*]]: tensor<4xi8>, %[[Y:.*]]: tensor<5xi8>
// CHECK: relax.astype %[[Y]] {dtype = i32}
// CHECK: relax.left_shift
// CHECK: %[[Q:.*]] = relax.astype %{{.*}} {dtype = i8}
// CHECK-NEXT: relax.concat %[[X]], %[[Q]] {axis = 0 : i64}
func.func @concatenate(%x: tensor<4xi8>, %y: tensor<5xi8>) -> tensor<9xi8> {
  %s = relax.constant {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %t = relax.constant {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<3> : tensor<i32>} : () -> tensor<i32>
  %r = relax.qnn.concatenate %x, %y, %s, %t, %z, %z, %s, %z {axis = 0 : i64} : (tensor<4xi8>, tensor<5xi8>, tensor<f32>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<9xi8>
  return %r : tensor<9xi8>
}

// A quarter of the element, and three quarters of the zero point, where the element is below that.
// CHECK-LABEL: func.func @leaky_relu(
// CHECK: %[[X:.*]] = relax.astype %x {dtype = i32}
// CHECK: relax.add
// CHECK: %[[TWO:.*]] = relax.constant {value = dense<2> : tensor<i32>}
// CHECK-NEXT: relax.right_shift %{{.*}}, %[[TWO]] : (tensor<4xi32>, tensor<i32>)
// CHECK: relax.constant {value = dense<1610612736> : tensor<i64>}
// CHECK: %[[N:.*]] = relax.add %{{.*}}, %{{.*}} : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
// CHECK: %[[BELOW:.*]] = relax.less
// CHECK: relax.where %[[BELOW]], %[[N]], %[[X]]
func.func @leaky_relu(%x: tensor<4xi8>) -> tensor<4xi8> {
  %s = relax.constant {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<3> : tensor<i32>} : () -> tensor<i32>
  %r = relax.qnn.leaky_relu %x, %s, %z, %s, %z {alpha = 0.25 : f64} : (tensor<4xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4xi8>
  return %r : tensor<4xi8>
}

// Powers of two by shifts, without floats.
// CHECK-LABEL: func.func @softmax(
// CHECK-NOT: f32
// CHECK: %[[M:.*]] = relax.max %{{.*}} {axis = array<i64: -1>, keepdims = true}
// CHECK: relax.subtract %{{.*}}, %[[M]]
// CHECK: %[[P:.*]] = relax.left_shift
// CHECK: %[[S:.*]] = relax.sum %[[P]] {axis = array<i64: -1>, keepdims = true}
// CHECK: relax.divide %{{.*}}, %[[S]]
// CHECK-NOT: f32
func.func @softmax(%x: tensor<2x4xi8>) -> tensor<2x4xi8> {
  %s = relax.constant {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %z = relax.constant {value = dense<3> : tensor<i32>} : () -> tensor<i32>
  %r = relax.qnn.softmax %x, %s, %z, %s, %z : (tensor<2x4xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<2x4xi8>
  return %r : tensor<2x4xi8>
}
