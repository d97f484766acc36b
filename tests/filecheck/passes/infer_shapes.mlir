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

// Dims that are declared beside the type are those of the argument.
// CHECK-LABEL: func.func @declared_dims(
// CHECK-SAME: %x: tensor<?x4xf32, #relax.sym<n>>{{.*}}) -> tensor<?x4xf32, #relax.sym<n>>
func.func @declared_dims(%x: tensor<?x4xf32> {relax.dims = ["n", 4 : i64]}) -> tensor<?x?xf32> {
  %0 = relax.nn.silu %x : (tensor<?x4xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
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

// What a loop starts with is cast to what it carries, where the body yields another size.
// CHECK-LABEL: func.func @grows(
// CHECK: %[[S:.*]] = relax.match_cast %{{.*}} : (tensor<2xf32>) -> tensor<?xf32>
// CHECK-NEXT: scf.for {{.*}} = %[[S]]) -> (tensor<?xf32>)
// CHECK: %[[P:.*]] = relax.match_cast %{{.*}} : (tensor<4xf32>) -> tensor<?xf32>
// CHECK-NEXT: scf.yield %[[P]] : tensor<?xf32>
func.func @grows(%x: tensor<2xf32>, %from: index, %to: index, %step: index) -> tensor<?xf32> {
  %s = relax.exp %x : (tensor<2xf32>) -> tensor<?xf32>
  %f = scf.for %i = %from to %to step %step iter_args(%c = %s) -> (tensor<?xf32>) {
    %p = relax.nn.pad %s {pad_width = array<i64: 2, 0>} : (tensor<?xf32>) -> tensor<?xf32>
    scf.yield %p : tensor<?xf32>
  }
  return %f : tensor<?xf32>
}

// CHECK-LABEL: func.func @grows_while(
// CHECK: %[[S:.*]] = relax.match_cast %{{.*}} : (tensor<2xf32>) -> tensor<?xf32>
// CHECK-NEXT: scf.while (%{{.*}} = %[[S]]) : (tensor<?xf32>) -> tensor<?xf32>
// CHECK: %[[P:.*]] = relax.match_cast %{{.*}} : (tensor<4xf32>) -> tensor<?xf32>
// CHECK-NEXT: scf.yield %[[P]] : tensor<?xf32>
func.func @grows_while(%x: tensor<2xf32>, %again: i1) -> tensor<?xf32> {
  %s = relax.exp %x : (tensor<2xf32>) -> tensor<?xf32>
  %f = scf.while (%c = %s) : (tensor<?xf32>) -> tensor<?xf32> {
    scf.condition(%again) %c : tensor<?xf32>
  } do {
  ^bb0(%c: tensor<?xf32>):
    %p = relax.nn.pad %s {pad_width = array<i64: 2, 0>} : (tensor<?xf32>) -> tensor<?xf32>
    scf.yield %p : tensor<?xf32>
  }
  return %f : tensor<?xf32>
}
