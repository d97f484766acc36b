// RUN: relax-opt %s --split-input-file -p relax-lift-transform-params | filecheck %s

// A private function with parameters takes transformed ones; its callers pass on what their own transform made, once for each call.
// CHECK-LABEL: func.func @main_transform_params(
// CHECK-SAME: %[[V:[^:]+]]: tensor<4x8xf32> {relax.name = "a.weight"}, %[[W:[^:]+]]: tensor<4x8xf32> {relax.name = "b.weight"})
// CHECK: %[[VT:.*]] = relax.permute_dims %[[V]] :
// CHECK-NEXT: %[[WT:.*]] = relax.permute_dims %[[W]] :
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %x: tensor<?x8xf32, #relax.sym<n>>, %[[A:[^:]+]]: tensor<8x4xf32> {relax.name = "w_t"}, %[[B:[^:]+]]: tensor<8x4xf32> {relax.name = "w_t_1"})
// CHECK-NOT: permute_dims
// CHECK: func.call @linear(%x, %[[A]])
// CHECK-NEXT: func.call @linear(%x, %[[B]])
// CHECK-LABEL: func.func private @linear(
// CHECK-SAME: %x: tensor<?x8xf32, #relax.sym<k>>, %w_t: tensor<8x4xf32>) -> tensor<?x4xf32, #relax.sym<k>> {
// CHECK-NOT: permute_dims
func.func @main(%x: tensor<?x8xf32, #relax.sym<n>>, %v: tensor<4x8xf32> {relax.name = "a.weight"}, %w: tensor<4x8xf32> {relax.name = "b.weight"}) -> tensor<?x4xf32, #relax.sym<n>> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %a = func.call @linear(%x, %v) : (tensor<?x8xf32, #relax.sym<n>>, tensor<4x8xf32>) -> tensor<?x4xf32, #relax.sym<n>>
    %b = func.call @linear(%x, %w) : (tensor<?x8xf32, #relax.sym<n>>, tensor<4x8xf32>) -> tensor<?x4xf32, #relax.sym<n>>
    %c = relax.add %a, %b : (tensor<?x4xf32, #relax.sym<n>>, tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
    relax.output %c : tensor<?x4xf32, #relax.sym<n>>
  } : tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}
func.func private @linear(%x: tensor<?x8xf32, #relax.sym<k>>, %w: tensor<4x8xf32>) -> tensor<?x4xf32, #relax.sym<k>> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %w_t = relax.permute_dims %w : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %y = relax.matmul %x, %w_t : (tensor<?x8xf32, #relax.sym<k>>, tensor<8x4xf32>) -> tensor<?x4xf32, #relax.sym<k>>
    relax.output %y : tensor<?x4xf32, #relax.sym<k>>
  } : tensor<?x4xf32, #relax.sym<k>>
  return %r : tensor<?x4xf32, #relax.sym<k>>
}

// -----

// Through two calls; a size of the subroutine is that of the caller's weight; a call with effects has a dataflow block in front of it.
// CHECK-LABEL: func.func @main_transform_params(
// CHECK-SAME: %[[W:[^:]+]]: tensor<?x8xf32, #relax.sym<rows>> {relax.name = "w"})
// CHECK: relax.permute_dims %[[W]] : (tensor<?x8xf32, #relax.sym<rows>>) -> tensor<8x?xf32, #relax.sym<rows>>
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[T:[^:]+]]: tensor<8x?xf32, #relax.sym<rows>> {relax.name = "w_t"})
// CHECK-NOT: permute_dims
// CHECK: func.call @outer(%x, %[[T]])
// CHECK-LABEL: func.func private @outer(
// CHECK-NOT: permute_dims
// CHECK: func.call @inner(
// CHECK-LABEL: func.func private @inner(
// CHECK-SAME: tensor<8x?xf32, #relax.sym<m>>
// CHECK-NOT: permute_dims
func.func @main(%x: tensor<2x8xf32>, %w: tensor<?x8xf32, #relax.sym<rows>> {relax.name = "w"}) -> tensor<2x?xf32, #relax.sym<rows>> attributes {relax.num_input = 1 : i64} {
  %r = func.call @outer(%x, %w) : (tensor<2x8xf32>, tensor<?x8xf32, #relax.sym<rows>>) -> tensor<2x?xf32, #relax.sym<rows>>
  return %r : tensor<2x?xf32, #relax.sym<rows>>
}
func.func private @outer(%x: tensor<2x8xf32>, %w: tensor<?x8xf32, #relax.sym<k>>) -> tensor<2x?xf32, #relax.sym<k>> attributes {relax.num_input = 1 : i64} {
  %u = relax.call_packed %x {callee = "seen"} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %r = func.call @inner(%u, %w) : (tensor<2x8xf32>, tensor<?x8xf32, #relax.sym<k>>) -> tensor<2x?xf32, #relax.sym<k>>
  return %r : tensor<2x?xf32, #relax.sym<k>>
}
func.func private @inner(%x: tensor<2x8xf32>, %w: tensor<?x8xf32, #relax.sym<m>>) -> tensor<2x?xf32, #relax.sym<m>> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %w_t = relax.permute_dims %w : (tensor<?x8xf32, #relax.sym<m>>) -> tensor<8x?xf32, #relax.sym<m>>
    %y = relax.matmul %x, %w_t : (tensor<2x8xf32>, tensor<8x?xf32, #relax.sym<m>>) -> tensor<2x?xf32, #relax.sym<m>>
    relax.output %y : tensor<2x?xf32, #relax.sym<m>>
  } : tensor<2x?xf32, #relax.sym<m>>
  return %r : tensor<2x?xf32, #relax.sym<m>>
}

// -----

// What stop_lift_params keeps stays in the subroutine, and so does what depends on its inputs.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %x: tensor<4xf32>, %[[W:[^:]+]]: tensor<4xf32> {relax.name = "w"})
// CHECK: func.call @scaled(%x, %[[W]])
// CHECK-LABEL: func.func private @scaled(
// CHECK-NOT: relax.builtin.stop_lift_params
// CHECK: %n = relax.negative %
// CHECK: relax.add %x, %n
func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32> {relax.name = "w"}) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %a = func.call @scaled(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %a : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @scaled(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %s = relax.builtin.stop_lift_params %w : (tensor<4xf32>) -> tensor<4xf32>
    %n = relax.negative %s : (tensor<4xf32>) -> tensor<4xf32>
    %y = relax.add %x, %n : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %y : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
