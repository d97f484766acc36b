// RUN: relax-opt %s -p graph | filecheck %s --check-prefix CALL
// RUN: relax-opt %s -p graph --lift | filecheck %s --check-prefix LIFT
// RUN: relax-opt %s -p optimize --lift | filecheck %s --check-prefix OPTIMIZE

// Products with parameters are combined where parameters are lifted, as their weights are concatenated once; otherwise they stay.
// CALL-LABEL: func.func @projections(
// CALL: func.call @[[M:matmul.*]](%x, %wq)
// CALL: func.call @{{.*}}(%x, %wk)
// LIFT-LABEL: func.func @projections_transform_params(
// LIFT-SAME: %wq: {{.*}}, %wk: {{.*}}) -> (tensor<1x8x64xf32>
// LIFT: func.call @fused_concat_pack_weight(%wq, %wk)
// LIFT-LABEL: func.func @projections(
// LIFT-SAME: %x: {{.*}}, %[[P:.*]]: tensor<1x8x64xf32>
// LIFT-SAME: relax.params_from = @projections_transform_params
// LIFT: %[[Y:.*]] = func.call @packed_matmul(%x, %[[P]])
// LIFT: func.call @split(%[[Y]])
// OPTIMIZE-LABEL: func.func @projections_transform_params(
// OPTIMIZE: relax.pack_weight
// OPTIMIZE-LABEL: func.func @projections(
// OPTIMIZE: relax.packed_matmul %x,
// OPTIMIZE: relax.split
func.func @projections(%x: tensor<?x8xf32, #relax.sym<n>>, %wq: tensor<8x8xf32>, %wk: tensor<8x2xf32>)
    -> (tensor<?x8xf32, #relax.sym<n>>, tensor<?x2xf32, #relax.sym<n>>) attributes {relax.num_input = 1 : i64} {
  %r:2 = relax.dataflow {
    %q = relax.matmul %x, %wq : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x8xf32>) -> tensor<?x8xf32, #relax.sym<n>>
    %k = relax.matmul %x, %wk : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x2xf32>) -> tensor<?x2xf32, #relax.sym<n>>
    relax.output %q, %k : tensor<?x8xf32, #relax.sym<n>>, tensor<?x2xf32, #relax.sym<n>>
  } : tensor<?x8xf32, #relax.sym<n>>, tensor<?x2xf32, #relax.sym<n>>
  return %r#0, %r#1 : tensor<?x8xf32, #relax.sym<n>>, tensor<?x2xf32, #relax.sym<n>>
}

// A function that is called by another one takes what its caller passes.
// LIFT-LABEL: func.func @called(
// LIFT-SAME: %w: tensor<8x8xf32>
// LIFT-NOT: relax.params_from
// LIFT: func.func @caller(
func.func @called(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %t = relax.permute_dims %w {axes = array<i64: 1, 0>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %q = relax.matmul %x, %t : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    relax.output %q : tensor<4x8xf32>
  } : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
func.func @caller(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %w = relax.constant {value = dense<1.0> : tensor<8x8xf32>} : () -> tensor<8x8xf32>
  %y = func.call @called(%x, %w) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// What stands outside of dataflow blocks is lifted and fused too.
// LIFT-LABEL: func.func @outside_dataflow_transform_params(
// LIFT: func.call @{{.*}}pack_weight
// LIFT-LABEL: func.func @outside_dataflow(
// LIFT: %[[Y:.*]] = func.call @{{.*}}matmul{{.*}}(%x, %
// LIFT-NEXT: relax.output %[[Y]]
// CALL-LABEL: func.func @outside_dataflow(
// CALL: relax.dataflow
// CALL: func.call @fused_matmul_relu(
func.func @outside_dataflow(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> attributes {relax.num_input = 1 : i64} {
  %t = relax.permute_dims %w {axes = array<i64: 1, 0>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = relax.matmul %x, %t : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %z = relax.nn.relu %q : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %z : tensor<4x8xf32>
}
