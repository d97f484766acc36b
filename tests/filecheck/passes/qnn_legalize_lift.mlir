// RUN: relax-opt %s -p relax-qnn-legalize,relax-lift-transform-params,dce | filecheck %s

// The sums of the weight and its transpose are of parameters alone: they are computed once.
// CHECK-LABEL: func.func @main_transform_params(
// CHECK: %[[W:.*]] = relax.permute_dims %w
// CHECK: %[[S:.*]] = relax.sum
// CHECK: %[[T:.*]] = relax.multiply %[[S]]
// CHECK: relax.output %[[W]], %[[T]]
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %x: tensor<4x8xui8>, %[[WT:.*]]: tensor<8x16xi8> {{.*}}, %[[T3:.*]]: tensor<16xi32>
// CHECK: %[[Y:.*]] = relax.matmul %x, %[[WT]] {out_dtype = i32} : (tensor<4x8xui8>, tensor<8x16xi8>) -> tensor<4x16xi32>
// CHECK-NEXT: %[[R:.*]] = relax.subtract %[[Y]], %[[T3]]
// CHECK-NEXT: relax.output %[[R]]
func.func @main(%x: tensor<4x8xui8>, %w: tensor<16x8xi8> {relax.name = "w"}) -> tensor<4x16xi32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %s = relax.constant {value = dense<0.3> : tensor<f32>} : () -> tensor<f32>
    %zx = relax.constant {value = dense<3> : tensor<i32>} : () -> tensor<i32>
    %zw = relax.constant {value = dense<0> : tensor<i32>} : () -> tensor<i32>
    %y = relax.qnn.dense %x, %w, %zx, %zw, %s, %s : (tensor<4x8xui8>, tensor<16x8xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<4x16xi32>
    relax.output %y : tensor<4x16xi32>
  } : tensor<4x16xi32>
  return %r : tensor<4x16xi32>
}
