// RUN: relax-opt %s -p relax-fuse-ops --split-input-file | filecheck %s

// Calls of kernels that say how they may be fused are nodes like ops: their bodies form one kernel with what is between them, and the
// sizes in it are named as the caller names them.
// CHECK-LABEL: func.func @joined(
// CHECK:         %[[R:.*]] = func.call @fused_double_relu_double(%x) : (tensor<?x8xf32, #relax.sym<m>>) -> tensor<?x8xf32, #relax.sym<m>>
// CHECK-NEXT:    relax.output %[[R]]
// CHECK-NOT:   @double(
// CHECK-LABEL: func.func private @fused_double_relu_double(
// CHECK-SAME:    relax.primitive
// CHECK:         linalg.generic
// CHECK:         builtin.unrealized_conversion_cast %{{.*}} : tensor<?x8xf32> to tensor<?x8xf32, #relax.sym<m>>
// CHECK:         relax.nn.relu
// CHECK:         linalg.generic
// CHECK-NOT:   @double(
func.func @joined(%x: tensor<?x8xf32, #relax.sym<m>>) -> tensor<?x8xf32, #relax.sym<m>> {
  %r = relax.dataflow {
    %a = func.call @double(%x) {op_pattern = 0 : i64} : (tensor<?x8xf32, #relax.sym<m>>) -> tensor<?x8xf32, #relax.sym<m>>
    %b = relax.nn.relu %a : (tensor<?x8xf32, #relax.sym<m>>) -> tensor<?x8xf32, #relax.sym<m>>
    %c = func.call @double(%b) {op_pattern = 0 : i64} : (tensor<?x8xf32, #relax.sym<m>>) -> tensor<?x8xf32, #relax.sym<m>>
    relax.output %c : tensor<?x8xf32, #relax.sym<m>>
  } : tensor<?x8xf32, #relax.sym<m>>
  return %r : tensor<?x8xf32, #relax.sym<m>>
}
func.func private @double(%x: tensor<?x8xf32, #relax.sym<n>>) -> tensor<?x8xf32, #relax.sym<n>> attributes {relax.primitive} {
  %0 = builtin.unrealized_conversion_cast %x : tensor<?x8xf32, #relax.sym<n>> to tensor<?x8xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<?x8xf32>) outs(%0 : tensor<?x8xf32>) {
  ^bb0(%2: f32, %3: f32):
    %4 = arith.addf %2, %2 : f32
    linalg.yield %4 : f32
  } -> tensor<?x8xf32>
  %5 = builtin.unrealized_conversion_cast %1 : tensor<?x8xf32> to tensor<?x8xf32, #relax.sym<n>>
  return %5 : tensor<?x8xf32, #relax.sym<n>>
}

// -----

// A call that says nothing is not fused, and ends the group before it.
// CHECK-LABEL: func.func @silent(
// CHECK:         func.call @relu(%x)
// CHECK-NEXT:    func.call @half(
// CHECK-LABEL: func.func private @half(
func.func @silent(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = relax.dataflow {
    %a = relax.nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    %b = func.call @half(%a) : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %b : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @half(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.primitive} {
  %0 = arith.addf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// An opaque kernel is not fused; a kernel that stays alone stays as it is, and one that is called elsewhere as well is not erased.
// CHECK-LABEL: func.func @opaque(
// CHECK:         %[[A:.*]] = func.call @fused_twice_relu(%x)
// CHECK-NEXT:    %[[B:.*]] = func.call @sort(%[[A]]) {op_pattern = 8 : i64}
// CHECK-NEXT:    func.call @twice(%[[B]]) {op_pattern = 0 : i64}
// CHECK-LABEL: func.func private @twice(
func.func @opaque(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = relax.dataflow {
    %a = func.call @twice(%x) {op_pattern = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    %b = relax.nn.relu %a : (tensor<4xf32>) -> tensor<4xf32>
    %c = func.call @sort(%b) {op_pattern = 8 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    %d = func.call @twice(%c) {op_pattern = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %d : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.primitive} {
  %0 = arith.addf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @sort(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.primitive} {
  %0 = arith.addf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
