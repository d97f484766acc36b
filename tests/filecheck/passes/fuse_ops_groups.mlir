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

// A tuple is no computation: it stays outside, and what it holds leaves the kernels.
// CHECK-LABEL: func.func @declines_tuple(
// CHECK: %[[A:.*]] = func.call @{{exp[0-9]*}}(
// CHECK: %[[T:.*]] = relax.tuple %[[A]],
// CHECK: %[[I:.*]] = relax.tuple_get_item %[[T]]
// CHECK: func.call @{{negative[0-9]*}}(%[[I]]) :
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

// CHECK: func.func private @[[SPLIT]](
// CHECK: %{{.*}}, %[[SECOND:.*]] = relax.split
// CHECK-NEXT: func.return %[[SECOND]] : tensor<2xf32>
