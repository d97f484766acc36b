// RUN: relax-opt %s -p relax-fuse-ops | filecheck %s

// An attribute says another kind of pattern than the op's own: opaque ops are not fused.
// CHECK-LABEL: func.func @declines_overridden_pattern(
// CHECK: %[[A:.*]] = func.call @{{exp[0-9]*}}(
// CHECK: func.call @{{negative[0-9]*}}(%[[A]]) :
func.func @declines_overridden_pattern(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = relax.dataflow {
    %0 = relax.exp %x {op_pattern = 8 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.negative %0 : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %1 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// An opaque op that is said to be element-wise is fused.
// CHECK-LABEL: func.func @overridden_pattern(
// CHECK: func.call @fused_sort_exp(
func.func @overridden_pattern(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = relax.dataflow {
    %0 = relax.sort %x {op_pattern = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %1 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// Injective ops join each other, and what is element-wise joins them, but not a reduction.
// CHECK-LABEL: func.func @declines_injective_into_reduction(
// CHECK: %[[A:.*]] = func.call @fused_exp_permute_dims_reshape(
// CHECK: func.call @{{sum[0-9]*}}(%[[A]]) :
func.func @declines_injective_into_reduction(%x: tensor<4x6xf32>) -> tensor<24xf32> {
  %r = relax.dataflow {
    %0 = relax.exp %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %1 = relax.permute_dims %0 : (tensor<4x6xf32>) -> tensor<6x4xf32>
    %s = relax.shape : () -> !relax.shape<[24, 1]>
    %2 = relax.reshape %1, %s : (tensor<6x4xf32>, !relax.shape<[24, 1]>) -> tensor<24x1xf32>
    %3 = relax.sum %2 {axis = array<i64: 1>} : (tensor<24x1xf32>) -> tensor<24xf32>
    relax.output %3 : tensor<24xf32>
  } : tensor<24xf32>
  return %r : tensor<24xf32>
}

// A reduction starts no fusion: what reads it has another loop.
// CHECK-LABEL: func.func @declines_sum_read_twice(
// CHECK: %[[S:.*]] = func.call @{{sum[0-9]*}}(%x) :
// CHECK: func.call @fused_exp_add(%[[S]]) :
func.func @declines_sum_read_twice(%x: tensor<4x6xf32>) -> tensor<4xf32> {
  %r = relax.dataflow {
    %0 = relax.sum %x {axis = array<i64: 1>} : (tensor<4x6xf32>) -> tensor<4xf32>
    %1 = relax.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
    %2 = relax.add %1, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %2 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// Results of a split that meet again are inside of one kernel.
// CHECK-LABEL: func.func @split_that_meets(
// CHECK: %[[A:.*]] = func.call @fused_split_concat(%x) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: relax.output %[[A]]
func.func @split_that_meets(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = relax.dataflow {
    %0, %1 = relax.split %x {sections = 2 : i64} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    %2 = relax.concat %1, %0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
    relax.output %2 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// A result that is read alone is the kernel's only one.
// CHECK-LABEL: func.func @split_read_in_part(
// CHECK: %[[B:.*]] = func.call @[[SPLIT:split]](%x) : (tensor<4xf32>) -> tensor<2xf32>
// CHECK-NEXT: relax.output %[[B]]
func.func @split_read_in_part(%x: tensor<4xf32>) -> tensor<2xf32> {
  %r = relax.dataflow {
    %0, %1 = relax.split %x {sections = 2 : i64} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    relax.output %1 : tensor<2xf32>
  } : tensor<2xf32>
  return %r : tensor<2xf32>
}

// A tuple is no computation: it stays outside, and what it holds leaves the kernels; its fields are read directly.
// CHECK-LABEL: func.func @declines_tuple(
// CHECK: %[[A:.*]] = func.call @{{exp[0-9]*}}(
// CHECK-NEXT: relax.tuple %[[A]],
// CHECK-NEXT: %{{.*}} = func.call @{{negative[0-9]*}}(%[[A]]) :
func.func @declines_tuple(%x: tensor<4xf32>) -> (tensor<4xf32>, tuple<tensor<4xf32>, tensor<4xf32>>) {
  %r, %s = relax.dataflow {
    %0 = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.tuple %0, %x : (tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
    %2 = relax.tuple_get_item %1 {index = 0 : i64} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
    %3 = relax.negative %2 : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %3, %1 : tensor<4xf32>, tuple<tensor<4xf32>, tensor<4xf32>>
  } : tensor<4xf32>, tuple<tensor<4xf32>, tensor<4xf32>>
  return %r, %s : tensor<4xf32>, tuple<tensor<4xf32>, tensor<4xf32>>
}

// Several results that are packed into a tuple, and read from it again, fuse with their readers.
// CHECK-LABEL: func.func @repacked(
// CHECK: %[[Y:.*]] = func.call @fused_split_exp_abs_add(%{{.*}}) : (tensor<8xf32>) -> tensor<4xf32>
// CHECK-NEXT: relax.output %[[Y]]
func.func @repacked(%x: tensor<8xf32>) -> tensor<4xf32> {
  %r = relax.dataflow {
    %a, %b = relax.split %x {sections = 2 : i64} : (tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %t = relax.tuple %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
    %c = relax.tuple_get_item %t {index = 0 : i64} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
    %d = relax.tuple_get_item %t {index = 1 : i64} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
    %e = relax.exp %c : (tensor<4xf32>) -> tensor<4xf32>
    %f = relax.abs %d : (tensor<4xf32>) -> tensor<4xf32>
    %y = relax.add %e, %f : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %y : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK: func.func private @[[SPLIT]](
// CHECK: %{{.*}}, %[[SECOND:.*]] = relax.split
// CHECK-NEXT: func.return %[[SECOND]] : tensor<2xf32>
