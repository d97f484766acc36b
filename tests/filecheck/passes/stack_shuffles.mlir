// RUN: relax-opt %s -p relax-stack-shuffles | filecheck %s
// RUN: relax-opt %s -p relax-stack-shuffles,relax-convert-to-dataflow,relax-fuse-ops | filecheck %s --check-prefix FUSED

// A channel shuffle whose halves go different ways: each half takes a half of both tensors, in turn.
// CHECK-LABEL: func.func @halves(
// CHECK:      %[[X0:.*]] = relax.strided_slice %x {axes = array<i64: 1>, begin = array<i64: 0>, end = array<i64: 2>} : (tensor<1x4x3xf32>) -> tensor<1x2x3xf32>
// CHECK-NEXT: %[[Y0:.*]] = relax.strided_slice %y {axes = array<i64: 1>, begin = array<i64: 0>, end = array<i64: 2>} : (tensor<1x4x3xf32>) -> tensor<1x2x3xf32>
// CHECK-NEXT: %[[S0:.*]] = relax.stack %[[X0]], %[[Y0]] {axis = 2 : i64} : (tensor<1x2x3xf32>, tensor<1x2x3xf32>) -> tensor<1x2x2x3xf32>
// CHECK-NEXT: relax.shape
// CHECK-NEXT: %[[A:.*]] = relax.reshape %[[S0]], {{.*}} -> tensor<1x4x3xf32>
// CHECK-NEXT: relax.strided_slice %x {axes = array<i64: 1>, begin = array<i64: 2>, end = array<i64: 4>}
// CHECK-NEXT: relax.strided_slice %y {axes = array<i64: 1>, begin = array<i64: 2>, end = array<i64: 4>}
// CHECK-NEXT: relax.stack
// CHECK-NEXT: relax.shape
// CHECK-NEXT: %[[B:.*]] = relax.reshape
// CHECK-NEXT: return %[[A]], %[[B]]
// FUSED-LABEL: func.func @halves(
// FUSED: func.call @fused_strided_slice_strided_slice_stack_reshape(%x, %y)
// FUSED-NEXT: func.call @fused_strided_slice_strided_slice_stack_reshape1(%x, %y)
func.func @halves(%x: tensor<1x4x3xf32>, %y: tensor<1x4x3xf32>) -> (tensor<1x4x3xf32>, tensor<1x4x3xf32>) {
  %c = relax.concat %x, %y {axis = 1 : i64} : (tensor<1x4x3xf32>, tensor<1x4x3xf32>) -> tensor<1x8x3xf32>
  %s = relax.shape : () -> !relax.shape<[1, 2, 4, 3]>
  %g = relax.reshape %c, %s : (tensor<1x8x3xf32>, !relax.shape<[1, 2, 4, 3]>) -> tensor<1x2x4x3xf32>
  %t = relax.permute_dims %g {axes = array<i64: 0, 2, 1, 3>} : (tensor<1x2x4x3xf32>) -> tensor<1x4x2x3xf32>
  %u = relax.shape : () -> !relax.shape<[1, 8, 3]>
  %r = relax.reshape %t, %u : (tensor<1x4x2x3xf32>, !relax.shape<[1, 8, 3]>) -> tensor<1x8x3xf32>
  %a, %b = relax.split %r {axis = 1 : i64, sections = 2 : i64} : (tensor<1x8x3xf32>) -> (tensor<1x4x3xf32>, tensor<1x4x3xf32>)
  return %a, %b : tensor<1x4x3xf32>, tensor<1x4x3xf32>
}

// Where a tensor is the result of a convolution, with rows of 32 elements or more, the parts are slices of one stack, wherever it is cut: the
// kernel that computes the tensor writes it there.
// CHECK-LABEL: func.func @computed(
// CHECK:      %[[CONV:.*]] = relax.nn.conv2d
// CHECK-NEXT: %[[RELU:.*]] = relax.nn.relu %[[CONV]]
// CHECK:      %[[STACK:.*]] = relax.stack %x, %[[RELU]] {axis = 2 : i64} : {{.*}} -> tensor<1x4x2x6x6xf32>
// CHECK-NEXT: %[[WHOLE:.*]] = relax.reshape %[[STACK]], {{.*}} -> tensor<1x8x6x6xf32>
// CHECK-NEXT: %[[A:.*]] = relax.strided_slice %[[WHOLE]] {axes = array<i64: 1>, begin = array<i64: 0>, end = array<i64: 3>}
// CHECK-NEXT: %[[B:.*]] = relax.strided_slice %[[WHOLE]] {axes = array<i64: 1>, begin = array<i64: 3>, end = array<i64: 8>}
// CHECK-NEXT: return %[[A]], %[[B]]
// FUSED-LABEL: func.func @computed(
// FUSED: %[[WHOLE:.*]] = func.call @fused_conv2d_relu_stack_reshape(%x, %w)
// FUSED-NEXT: func.call @strided_slice(%[[WHOLE]])
// FUSED-NEXT: func.call @strided_slice1(%[[WHOLE]])
func.func @computed(%x: tensor<1x4x6x6xf32>, %w: tensor<4x4x1x1xf32>) -> (tensor<1x3x6x6xf32>, tensor<1x5x6x6xf32>) {
  %v = relax.nn.conv2d %x, %w : (tensor<1x4x6x6xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x6x6xf32>
  %y = relax.nn.relu %v : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  %c = relax.concat %x, %y {axis = 1 : i64} : (tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>) -> tensor<1x8x6x6xf32>
  %s = relax.shape : () -> !relax.shape<[1, 2, 4, 6, 6]>
  %g = relax.reshape %c, %s : (tensor<1x8x6x6xf32>, !relax.shape<[1, 2, 4, 6, 6]>) -> tensor<1x2x4x6x6xf32>
  %t = relax.permute_dims %g {axes = array<i64: 0, 2, 1, 3, 4>} : (tensor<1x2x4x6x6xf32>) -> tensor<1x4x2x6x6xf32>
  %u = relax.shape : () -> !relax.shape<[1, 8, 6, 6]>
  %r = relax.reshape %t, %u : (tensor<1x4x2x6x6xf32>, !relax.shape<[1, 8, 6, 6]>) -> tensor<1x8x6x6xf32>
  %a, %b = relax.split %r {indices = array<i64: 3>, axis = 1 : i64} : (tensor<1x8x6x6xf32>) -> (tensor<1x3x6x6xf32>, tensor<1x5x6x6xf32>)
  return %a, %b : tensor<1x3x6x6xf32>, tensor<1x5x6x6xf32>
}

// Three tensors, a batch of any size, along the last axis; negative axes count from the end.
// CHECK-LABEL: func.func @three(
// CHECK:      %[[U:.*]] = relax.shape : () -> !relax.shape<[n, 6]>
// CHECK-NEXT: %[[S:.*]] = relax.stack %x, %y, %x {axis = 2 : i64} : (tensor<?x2xf32, #relax.sym<n>>, tensor<?x2xf32, #relax.sym<n>>, tensor<?x2xf32, #relax.sym<n>>) -> tensor<?x2x3xf32, #relax.sym<n>>
// CHECK-NEXT: %[[R:.*]] = relax.reshape %[[S]], %[[U]]
// CHECK-NEXT: return %[[R]]
// FUSED-LABEL: func.func @three(
// FUSED: func.call @fused_stack_reshape(%x, %y)
func.func @three(%x: tensor<?x2xf32, #relax.sym<n>>, %y: tensor<?x2xf32, #relax.sym<n>>) -> tensor<?x6xf32, #relax.sym<n>> {
  %c = relax.concat %x, %y, %x {axis = -1 : i64} : (tensor<?x2xf32, #relax.sym<n>>, tensor<?x2xf32, #relax.sym<n>>, tensor<?x2xf32, #relax.sym<n>>) -> tensor<?x6xf32, #relax.sym<n>>
  %s = relax.shape : () -> !relax.shape<[n, 3, 2]>
  %g = relax.reshape %c, %s : (tensor<?x6xf32, #relax.sym<n>>, !relax.shape<[n, 3, 2]>) -> tensor<?x3x2xf32, #relax.sym<n>>
  %t = relax.permute_dims %g {axes = array<i64: 0, -1, -2>} : (tensor<?x3x2xf32, #relax.sym<n>>) -> tensor<?x2x3xf32, #relax.sym<n>>
  %u = relax.shape : () -> !relax.shape<[n, 6]>
  %r = relax.reshape %t, %u : (tensor<?x2x3xf32, #relax.sym<n>>, !relax.shape<[n, 6]>) -> tensor<?x6xf32, #relax.sym<n>>
  return %r : tensor<?x6xf32, #relax.sym<n>>
}

// A split that cuts between the tensors of a turn stays, and reads the stack.
// CHECK-LABEL: func.func @odd_parts(
// CHECK: relax.stack %x, %y {axis = 1 : i64}
// CHECK: relax.split {{.*}} {indices = array<i64: 3>}
func.func @odd_parts(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<3xf32>, tensor<5xf32>) {
  %c = relax.concat %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %s = relax.shape : () -> !relax.shape<[2, 4]>
  %g = relax.reshape %c, %s : (tensor<8xf32>, !relax.shape<[2, 4]>) -> tensor<2x4xf32>
  %t = relax.permute_dims %g : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %u = relax.shape : () -> !relax.shape<[8]>
  %r = relax.reshape %t, %u : (tensor<4x2xf32>, !relax.shape<[8]>) -> tensor<8xf32>
  %a, %b = relax.split %r {indices = array<i64: 3>} : (tensor<8xf32>) -> (tensor<3xf32>, tensor<5xf32>)
  return %a, %b : tensor<3xf32>, tensor<5xf32>
}

// Declined: groups that are not the tensors, tensors of different sizes, another transpose, another shape of the result, and what others read.
// CHECK-LABEL: func.func @other_groups(
// CHECK-NOT: relax.stack
func.func @other_groups(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<8xf32> {
  %c = relax.concat %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %s = relax.shape : () -> !relax.shape<[4, 2]>
  %g = relax.reshape %c, %s : (tensor<8xf32>, !relax.shape<[4, 2]>) -> tensor<4x2xf32>
  %t = relax.permute_dims %g : (tensor<4x2xf32>) -> tensor<2x4xf32>
  %u = relax.shape : () -> !relax.shape<[8]>
  %r = relax.reshape %t, %u : (tensor<2x4xf32>, !relax.shape<[8]>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// CHECK-LABEL: func.func @sizes(
// CHECK-NOT: relax.stack
func.func @sizes(%x: tensor<3xf32>, %y: tensor<5xf32>) -> tensor<8xf32> {
  %c = relax.concat %x, %y : (tensor<3xf32>, tensor<5xf32>) -> tensor<8xf32>
  %s = relax.shape : () -> !relax.shape<[2, 4]>
  %g = relax.reshape %c, %s : (tensor<8xf32>, !relax.shape<[2, 4]>) -> tensor<2x4xf32>
  %t = relax.permute_dims %g : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %u = relax.shape : () -> !relax.shape<[8]>
  %r = relax.reshape %t, %u : (tensor<4x2xf32>, !relax.shape<[8]>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// CHECK-LABEL: func.func @transposes(
// CHECK-NOT: relax.stack
func.func @transposes(%x: tensor<4x2xf32>, %y: tensor<4x2xf32>) -> tensor<8x2xf32> {
  %c = relax.concat %x, %y : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %s = relax.shape : () -> !relax.shape<[2, 4, 2]>
  %g = relax.reshape %c, %s : (tensor<8x2xf32>, !relax.shape<[2, 4, 2]>) -> tensor<2x4x2xf32>
  %t = relax.permute_dims %g {axes = array<i64: 0, 2, 1>} : (tensor<2x4x2xf32>) -> tensor<2x2x4xf32>
  %u = relax.shape : () -> !relax.shape<[8, 2]>
  %r = relax.reshape %t, %u : (tensor<2x2x4xf32>, !relax.shape<[8, 2]>) -> tensor<8x2xf32>
  return %r : tensor<8x2xf32>
}

// CHECK-LABEL: func.func @other_shape(
// CHECK-NOT: relax.stack
func.func @other_shape(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<2x4xf32> {
  %c = relax.concat %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %s = relax.shape : () -> !relax.shape<[2, 4]>
  %g = relax.reshape %c, %s : (tensor<8xf32>, !relax.shape<[2, 4]>) -> tensor<2x4xf32>
  %t = relax.permute_dims %g : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %r = relax.reshape %t, %s : (tensor<4x2xf32>, !relax.shape<[2, 4]>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @read_by_others(
// CHECK-NOT: relax.stack
func.func @read_by_others(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c = relax.concat %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %s = relax.shape : () -> !relax.shape<[2, 4]>
  %g = relax.reshape %c, %s : (tensor<8xf32>, !relax.shape<[2, 4]>) -> tensor<2x4xf32>
  %t = relax.permute_dims %g : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %u = relax.shape : () -> !relax.shape<[8]>
  %r = relax.reshape %t, %u : (tensor<4x2xf32>, !relax.shape<[8]>) -> tensor<8xf32>
  return %r, %c : tensor<8xf32>, tensor<8xf32>
}
