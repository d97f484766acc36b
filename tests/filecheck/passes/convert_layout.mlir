// RUN: relax-opt %s -p relax-convert-layout | filecheck %s

// One transpose at each end; the pooling, the bias and the sum of two branches are computed with channels last.
// CHECK-LABEL: func.func @network
// CHECK: %[[X:.*]] = relax.permute_dims %x {axes = array<i64: 0, 2, 3, 1>} : (tensor<1x4x8x8xui8>) -> tensor<1x8x8x4xui8>
// CHECK: %[[W:.*]] = relax.permute_dims %w {axes = array<i64: 0, 2, 3, 1>} : (tensor<4x4x1x1xi8>) -> tensor<4x1x1x4xi8>
// CHECK: %[[Y:.*]] = relax.qnn.conv2d %[[X]], %[[W]], {{.*}} {data_layout = "NHWC", kernel_layout = "OHWI", out_layout = "NHWC"}
// CHECK: %[[BIAS:.*]] = relax.permute_dims %{{.*}} {axes = array<i64: 0, 2, 3, 1>} : (tensor<1x4x1x1xi32>) -> tensor<1x1x1x4xi32>
// CHECK: %[[SUM:.*]] = relax.add %[[Y]], %[[BIAS]]
// CHECK: %[[Q:.*]] = relax.astype %[[SUM]] {dtype = ui8}
// CHECK: %[[P:.*]] = relax.nn.max_pool2d %[[Q]] {layout = "NHWC", out_layout = "NHWC"} : (tensor<1x8x8x4xui8>) -> tensor<1x8x8x4xui8>
// CHECK-NOT: relax.permute_dims %[[P]]
// CHECK: %[[Y2:.*]] = relax.qnn.conv2d %[[P]], %{{.*}} {data_layout = "NHWC"
// CHECK: %[[BOTH:.*]] = relax.add %[[Y2]], %[[SUM]]
// CHECK: %[[Z:.*]] = relax.permute_dims %[[BOTH]] {axes = array<i64: 0, 3, 1, 2>}
// CHECK-NEXT: return %[[Z]]
func.func @network(%x: tensor<1x4x8x8xui8>, %w: tensor<4x4x1x1xi8>, %b: tensor<4x1x1xi32>, %z: tensor<i32>, %s: tensor<f32>) -> tensor<1x4x8x8xi32> {
  %y = relax.qnn.conv2d %x, %w, %z, %z, %s, %s : (tensor<1x4x8x8xui8>, tensor<4x4x1x1xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<1x4x8x8xi32>
  %sum = relax.add %y, %b : (tensor<1x4x8x8xi32>, tensor<4x1x1xi32>) -> tensor<1x4x8x8xi32>
  %q = relax.astype %sum {dtype = ui8} : (tensor<1x4x8x8xi32>) -> tensor<1x4x8x8xui8>
  %p = relax.nn.max_pool2d %q : (tensor<1x4x8x8xui8>) -> tensor<1x4x8x8xui8>
  %y2 = relax.qnn.conv2d %p, %w, %z, %z, %s, %s : (tensor<1x4x8x8xui8>, tensor<4x4x1x1xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<1x4x8x8xi32>
  %both = relax.add %y2, %sum : (tensor<1x4x8x8xi32>, tensor<1x4x8x8xi32>) -> tensor<1x4x8x8xi32>
  return %both : tensor<1x4x8x8xi32>
}

// A mean over the image leaves the channels in order.
// CHECK-LABEL: func.func @mean
// CHECK: relax.max %{{.*}} {axis = array<i64: 1, 2>} : (tensor<2x8x8x4xi32>) -> tensor<2x4xi32>
// CHECK-NEXT: return
func.func @mean(%x: tensor<2x4x8x8xui8>, %w: tensor<4x4x1x1xi8>, %z: tensor<i32>, %s: tensor<f32>) -> tensor<2x4xi32> {
  %y = relax.qnn.conv2d %x, %w, %z, %z, %s, %s : (tensor<2x4x8x8xui8>, tensor<4x4x1x1xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<2x4x8x8xi32>
  %m = relax.max %y {axis = array<i64: 2, -1>} : (tensor<2x4x8x8xi32>) -> tensor<2x4xi32>
  return %m : tensor<2x4xi32>
}

// An operand of several dims that is not transposed would have to be: the transpose stays in front.
// CHECK-LABEL: func.func @other_operand
// CHECK: %[[Y:.*]] = relax.permute_dims %{{.*}} {axes = array<i64: 0, 3, 1, 2>}
// CHECK-NEXT: relax.add %[[Y]], %r
func.func @other_operand(%x: tensor<1x4x8x8xui8>, %w: tensor<4x4x1x1xi8>, %r: tensor<1x4x8x8xi32>, %z: tensor<i32>, %s: tensor<f32>) -> tensor<1x4x8x8xi32> {
  %y = relax.qnn.conv2d %x, %w, %z, %z, %s, %s : (tensor<1x4x8x8xui8>, tensor<4x4x1x1xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<1x4x8x8xi32>
  %sum = relax.add %y, %r : (tensor<1x4x8x8xi32>, tensor<1x4x8x8xi32>) -> tensor<1x4x8x8xi32>
  return %sum : tensor<1x4x8x8xi32>
}

// Groups, and other elements.
// CHECK-LABEL: func.func @left_alone
// CHECK-NOT: relax.permute_dims
func.func @left_alone(%x: tensor<1x4x8x8xui8>, %w: tensor<4x1x1x1xi8>, %h: tensor<4x4x1x1xi16>, %i: tensor<1x4x8x8xi16>, %z: tensor<i32>, %s: tensor<f32>) -> (tensor<1x4x8x8xi32>, tensor<1x4x8x8xi32>) {
  %y = relax.qnn.conv2d %x, %w, %z, %z, %s, %s {groups = 4 : i64} : (tensor<1x4x8x8xui8>, tensor<4x1x1x1xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<1x4x8x8xi32>
  %v = relax.qnn.conv2d %i, %h, %z, %z, %s, %s : (tensor<1x4x8x8xi16>, tensor<4x4x1x1xi16>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<1x4x8x8xi32>
  return %y, %v : tensor<1x4x8x8xi32>, tensor<1x4x8x8xi32>
}
