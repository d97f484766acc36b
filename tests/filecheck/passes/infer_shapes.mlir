// RUN: relax-opt %s -p relax-infer-shapes | filecheck %s

// Unknown dims of arguments get names, and results follow.
// CHECK-LABEL: func.func @names_unknown_dims(
// CHECK-SAME: %x: tensor<?x4xf32, #relax.sym<x_0>>) -> tensor<?x4xf32, #relax.sym<x_0>>
// CHECK: relax.nn.silu %x : (tensor<?x4xf32, #relax.sym<x_0>>) -> tensor<?x4xf32, #relax.sym<x_0>>
func.func @names_unknown_dims(%x: tensor<?x4xf32>) -> tensor<?x?xf32> {
  %0 = relax.nn.silu %x : (tensor<?x4xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// A name that the function has already is not taken again.
// CHECK-LABEL: func.func @avoids_taken_names(
// CHECK-SAME: %x: tensor<?xf32, #relax.sym<x_0_1>>
func.func @avoids_taken_names(%x: tensor<?xf32>, %y: tensor<?xf32, #relax.sym<x_0>>) {
  return
}

// Through a dataflow block to the function's result.
// CHECK-LABEL: func.func @through_dataflow(
// CHECK-SAME: -> tensor<?x16xf32, #relax.sym<n>>
// CHECK: } : tensor<?x16xf32, #relax.sym<n>>
func.func @through_dataflow(%x: tensor<?x8xf32, #relax.sym<n>>, %w: tensor<8x16xf32>) -> tensor<?x?xf32> {
  %r = relax.dataflow {
    %0 = relax.matmul %x, %w : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x16xf32>) -> tensor<?x?xf32>
    relax.output %0 : tensor<?x?xf32>
  } : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// What a match_cast asserts is kept.
// CHECK-LABEL: func.func @keeps_match_cast(
// CHECK: relax.match_cast %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<m>>
func.func @keeps_match_cast(%x: tensor<?xf32, #relax.sym<n>>) {
  %0 = relax.match_cast %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<m>>
  return
}

// Functions of other dialects are not touched.
// CHECK-LABEL: func.func @leaves_foreign_functions(
// CHECK-SAME: %x: tensor<?xf32>) -> tensor<?xf32>
func.func @leaves_foreign_functions(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
