// ResNet-18 with the statistics of its batch norms as parameters: all arithmetic on weights is in the transform, and each convolution is
// one kernel with its bias, relu and, at the end of a block, the sum with the block's input. Those by 3x3 kernels that move by one are
// computed by Winograd's F(4x4, 3x3), but for images of 7x7.
// RUN: relax-opt %examples/resnet18.mlir -p graph --lift | filecheck %s
// RUN: relax-opt %examples/resnet18.mlir -p graph --lift | filecheck %s --check-prefix NONE

// NONE-NOT: relax.nn.batch_norm

// CHECK-LABEL: func.func @main_transform_params(
// CHECK-SAME: %conv1_weight: tensor<64x3x7x7xf32> {relax.name = "conv1.weight"}, %bn1_weight: tensor<64xf32> {relax.name = "bn1.weight"}
// CHECK-LABEL: func.func @main(
// CHECK-SAME: relax.params_from = @main_transform_params
// CHECK: %[[V0:.*]] = func.call @fused_conv2d_add_relu{{[0-9]*}}(%image, %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}})
// CHECK-NEXT: %[[V1:.*]] = func.call @max_pool2d(%[[V0]])
// CHECK-NEXT: %[[V2:.*]] = func.call @fused_winograd_conv2d_add_relu{{[0-9]*}}(%[[V1]], %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}})
// CHECK-NEXT: %[[V3:.*]] = func.call @fused_winograd_conv2d_add_add_relu{{[0-9]*}}(%[[V2]], %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}, %[[V1]])
// CHECK-NEXT: %[[V4:.*]] = func.call @fused_winograd_conv2d_add_relu{{[0-9]*}}(%[[V3]], %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}})
// CHECK-NEXT: %[[V5:.*]] = func.call @fused_winograd_conv2d_add_add_relu{{[0-9]*}}(%[[V4]], %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}, %[[V3]])
// CHECK-NEXT: %[[V6:.*]] = func.call @fused_conv2d_add_relu{{[0-9]*}}(%[[V5]], %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}})
// CHECK-NEXT: %[[V7:.*]] = func.call @fused_conv2d_add{{[0-9]*}}(%[[V5]], %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}})
// CHECK-NEXT: %[[V8:.*]] = func.call @fused_winograd_conv2d_add_add_relu{{[0-9]*}}(%[[V6]], %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}, %[[V7]])
// CHECK-NEXT: %[[V9:.*]] = func.call @fused_winograd_conv2d_add_relu{{[0-9]*}}(%[[V8]], %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}})
// CHECK-NEXT: %[[V10:.*]] = func.call @fused_winograd_conv2d_add_add_relu{{[0-9]*}}(%[[V9]], %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}, %[[V8]])
// CHECK-NEXT: %[[V11:.*]] = func.call @fused_conv2d_add_relu{{[0-9]*}}(%[[V10]], %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}})
// CHECK-NEXT: %[[V12:.*]] = func.call @fused_conv2d_add{{[0-9]*}}(%[[V10]], %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}})
// CHECK-NEXT: %[[V13:.*]] = func.call @fused_winograd_conv2d_add_add_relu{{[0-9]*}}(%[[V11]], %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}, %[[V12]])
// CHECK-NEXT: %[[V14:.*]] = func.call @fused_winograd_conv2d_add_relu{{[0-9]*}}(%[[V13]], %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}})
// CHECK-NEXT: %[[V15:.*]] = func.call @fused_winograd_conv2d_add_add_relu{{[0-9]*}}(%[[V14]], %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}, %[[V13]])
// CHECK-NEXT: %[[V16:.*]] = func.call @fused_conv2d_add_relu{{[0-9]*}}(%[[V15]], %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}})
// CHECK-NEXT: %[[V17:.*]] = func.call @fused_conv2d_add{{[0-9]*}}(%[[V15]], %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}})
// CHECK-NEXT: %[[V18:.*]] = func.call @fused_conv2d_add_add_relu{{[0-9]*}}(%[[V16]], %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}, %[[V17]])
// CHECK-NEXT: %[[V19:.*]] = func.call @fused_conv2d_add_relu{{[0-9]*}}(%[[V18]], %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}})
// CHECK-NEXT: %[[V20:.*]] = func.call @fused_conv2d_add_add_relu{{[0-9]*}}(%[[V19]], %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}}, %[[V18]])
// CHECK-NEXT: %[[V21:.*]] = func.call @adaptive_avg_pool2d(%[[V20]])
// CHECK-NEXT: %[[V22:.*]] = func.call @reshape{{[0-9]*}}(%[[V21]])
// CHECK-NEXT: %[[V23:.*]] = func.call @fused_packed_matmul_add{{[0-9]*}}(%[[V22]], %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}})
// CHECK-NEXT: relax.output %[[V23]]
