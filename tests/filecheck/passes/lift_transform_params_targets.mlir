// RUN: relax-opt %s -p relax-lift-transform-params | filecheck %s
// RUN: relax-opt %s -p 'relax-lift-transform-params{bundle=true}' | filecheck %s --check-prefix=BUNDLE

// A private function with parameters is lifted from as well; its transform is public.
// CHECK-LABEL: func.func @inner_transform_params(
// CHECK: relax.negative
// CHECK-LABEL: func.func private @inner(
// CHECK-NOT: relax.negative
// CHECK: return
func.func private @inner(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %a = relax.negative %w : (tensor<4xf32>) -> tensor<4xf32>
    %0 = relax.add %x, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %0 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// Where nothing can be lifted the transform returns its parameters.
// CHECK-LABEL: func.func @identity_transform_params(
// CHECK-SAME: %[[W:[^:]+]]: tensor<4xf32>
// CHECK-NEXT: return %[[W]] : tensor<4xf32>
func.func @identity(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %0 = relax.add %x, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %0 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// Parameters that nothing reads reach the transform alone, which returns nothing, or an empty tuple.
// CHECK-LABEL: func.func @unread_transform_params(
// CHECK-SAME: %{{[^:]+}}: tensor<4xf32>)
// CHECK-NEXT: return
// CHECK-LABEL: func.func @unread(
// CHECK-SAME: %x: tensor<4xf32>) -> tensor<4xf32>
// BUNDLE-LABEL: func.func @unread_transform_params(
// BUNDLE-SAME: tuple<tensor<4xf32>>
// BUNDLE-NEXT: %[[NONE:.*]] = relax.tuple : () -> tuple<>
// BUNDLE-NEXT: return %[[NONE]] : tuple<>
func.func @unread(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  return %x : tensor<4xf32>
}

// A transform is no target, whatever it has.
// CHECK-LABEL: func.func @old_transform_params(
// CHECK-SAME: %{{[^:]+}}: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: relax.dataflow
// CHECK-NEXT: relax.abs
// CHECK-NOT: @old_transform_params_transform_params
func.func @old_transform_params(%w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 0 : i64, relax.transform} {
  %r = relax.dataflow {
    %0 = relax.abs %w : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %0 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// What is a transform its attributes say, not its name.
// CHECK-LABEL: func.func @my_transform_params_transform_params(
// CHECK: relax.negative
// CHECK-LABEL: func.func @my_transform_params(
// CHECK-SAME: relax.params_from = @my_transform_params_transform_params
// CHECK-NOT: relax.negative
// CHECK: return
func.func @my_transform_params(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %a = relax.negative %w : (tensor<4xf32>) -> tensor<4xf32>
    %0 = relax.add %x, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %0 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// A function that has the name of a transform keeps it.
// CHECK-LABEL: func.func @taken_transform_params_1(
// CHECK: relax.negative
// CHECK-LABEL: func.func @taken(
// CHECK-SAME: relax.params_from = @taken_transform_params_1
// CHECK-LABEL: func.func @taken_transform_params(
// CHECK: relax.abs
func.func @taken(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %a = relax.negative %w : (tensor<4xf32>) -> tensor<4xf32>
    %0 = relax.add %x, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %0 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @taken_transform_params(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relax.abs %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
