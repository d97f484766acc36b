// RUN: relax-opt %s -p 'relax-lift-transform-params{shared=true remarks=true}' -o %t 2>&1 | filecheck %s
// RUN: relax-opt %s --remarks -p 'relax-lift-transform-params{shared=true}' -o %t 2>&1 | filecheck %s

// Each binding that depends on weights, with its position, and why it was or was not lifted; then the sums.
// CHECK: lift_transform_params_remarks.mlir:18:5: remark: lifting: %step lifted from @f into @transform_params as a step toward other outputs
// CHECK-NEXT: lift_transform_params_remarks.mlir:19:5: remark: lifting: %a lifted from @f into @transform_params as 'a'
// CHECK-NEXT: lift_transform_params_remarks.mlir:20:5: remark: lifting: %b stays in @f: not computed by @g
// CHECK-NEXT: lift_transform_params_remarks.mlir:22:5: remark: lifting: %y stays in @f: it takes %x, which is not known before run time
// CHECK-NOT: remark: lifting: %z
// CHECK: remark: lifting: %stop stays in @g: lifting stops here
// CHECK: remark: lifting: %outside stays in @g: it is outside of dataflow blocks
// CHECK: function           bytes in  bytes out  ops moved  ops left
// CHECK-NEXT: @transform_params        32         32          2
// CHECK-NEXT:   @f                     32         32          2         5
// CHECK-NEXT:   @g                     32         32          2         2
func.func @f(%x: tensor<4xf32>, %w1: tensor<4xf32>, %w2: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %step = relax.abs %w1 : (tensor<4xf32>) -> tensor<4xf32>
    %a = relax.negative %step : (tensor<4xf32>) -> tensor<4xf32>
    %b = relax.negative %w2 : (tensor<4xf32>) -> tensor<4xf32>
    %c = relax.constant {value = dense<1.0> : tensor<4xf32>} : () -> tensor<4xf32>
    %y = relax.add %x, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %z = relax.add %y, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %o = relax.add %z, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %o : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @g(%x: tensor<4xf32>, %w1: tensor<4xf32>, %w2: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %step = relax.abs %w1 : (tensor<4xf32>) -> tensor<4xf32>
    %a = relax.negative %step : (tensor<4xf32>) -> tensor<4xf32>
    %stop = relax.builtin.stop_lift_params %w2 : (tensor<4xf32>) -> tensor<4xf32>
    %y = relax.add %a, %stop : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %y : tensor<4xf32>
  } : tensor<4xf32>
  %outside = relax.add %r, %w2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %outside : tensor<4xf32>
}
