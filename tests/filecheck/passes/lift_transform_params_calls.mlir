// RUN: relax-opt %s --split-input-file -p 'relax-lift-transform-params{shared=true}' | filecheck %s

// A call is lifted like any op; its callee and the two functions name the same size differently.
// CHECK-LABEL: func.func @transform_params(
// CHECK-SAME: %[[W:[^:]+]]: tensor<?x4xf32, #relax.sym<b>>) -> (tensor<?x4xf32, #relax.sym<b>> {{.*}})
// CHECK: func.call @callee(%[[W]]) : (tensor<?x4xf32, #relax.sym<b>>) -> tensor<?x4xf32, #relax.sym<b>>
// CHECK-LABEL: func.func @decode(
// CHECK-NOT: func.call
// CHECK-LABEL: func.func @prefill(
// CHECK-NOT: func.call
// CHECK: func.func private @callee
func.func @decode(%x: tensor<4xf32>, %w: tensor<?x4xf32, #relax.sym<b>>) -> tensor<?x4xf32, #relax.sym<b>> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %v = func.call @callee(%w) : (tensor<?x4xf32, #relax.sym<b>>) -> tensor<?x4xf32, #relax.sym<b>>
    %a = relax.add %x, %v : (tensor<4xf32>, tensor<?x4xf32, #relax.sym<b>>) -> tensor<?x4xf32, #relax.sym<b>>
    relax.output %a : tensor<?x4xf32, #relax.sym<b>>
  } : tensor<?x4xf32, #relax.sym<b>>
  return %r : tensor<?x4xf32, #relax.sym<b>>
}
func.func @prefill(%x: tensor<4xf32>, %w: tensor<?x4xf32, #relax.sym<c>>) -> tensor<?x4xf32, #relax.sym<c>> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %v = func.call @callee(%w) : (tensor<?x4xf32, #relax.sym<c>>) -> tensor<?x4xf32, #relax.sym<c>>
    %a = relax.subtract %v, %x : (tensor<?x4xf32, #relax.sym<c>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<c>>
    relax.output %a : tensor<?x4xf32, #relax.sym<c>>
  } : tensor<?x4xf32, #relax.sym<c>>
  return %r : tensor<?x4xf32, #relax.sym<c>>
}
func.func private @callee(%w: tensor<?x4xf32, #relax.sym<a>>) -> tensor<?x4xf32, #relax.sym<a>> {
  %v = relax.negative %w : (tensor<?x4xf32, #relax.sym<a>>) -> tensor<?x4xf32, #relax.sym<a>>
  return %v : tensor<?x4xf32, #relax.sym<a>>
}

// -----

// One that takes an input is not.
// CHECK-LABEL: func.func @transform_params(
// CHECK-NOT: func.call
// CHECK-LABEL: func.func @with_input(
// CHECK: func.call @callee
func.func @with_input(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %v = func.call @callee(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %v : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @callee(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %v = relax.add %x, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %v : tensor<4xf32>
}
