// RUN: relax-opt %s -p relax-combine-parallel-matmul --split-input-file | filecheck %s
// RUN: relax-opt %s -p 'relax-combine-parallel-matmul{max_columns=9}' --split-input-file | filecheck %s --check-prefix COST
// RUN: relax-opt %s -p 'relax-combine-parallel-matmul{only_weights=false}' --split-input-file | filecheck %s --check-prefix ANY
// RUN: relax-opt %s -p 'relax-combine-parallel-matmul{weights=constants}' --split-input-file | filecheck %s --check-prefix CONSTANTS

// Arguments are no constants.
// CONSTANTS-LABEL: func.func @qkv(
// CONSTANTS-NOT: relax.concat
// CHECK-LABEL: func.func @qkv(
// CHECK-NEXT: %[[W:.*]] = relax.concat %wq, %wk, %wv {axis = 1 : i64} : {{.*}} -> tensor<8x12xf32>
// CHECK-NEXT: %[[Y:.*]] = relax.matmul %x, %[[W]] : {{.*}} -> tensor<?x12xf32, #relax.sym<n>>
// CHECK-NEXT: %[[Q:.*]], %[[K:.*]], %[[V:.*]] = relax.split %[[Y]] {indices = array<i64: 8, 10>, axis = 1 : i64}
// CHECK-NEXT: func.return %[[Q]], %[[K]], %[[V]]
// COST-LABEL: func.func @qkv(
// COST-NOT: relax.concat
func.func @qkv(%x: tensor<?x8xf32, #relax.sym<n>>, %wq: tensor<8x8xf32>, %wk: tensor<8x2xf32>, %wv: tensor<8x2xf32>)
    -> (tensor<?x8xf32, #relax.sym<n>>, tensor<?x2xf32, #relax.sym<n>>, tensor<?x2xf32, #relax.sym<n>>) attributes {relax.num_input = 1 : i64} {
  %q = relax.matmul %x, %wq : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x8xf32>) -> tensor<?x8xf32, #relax.sym<n>>
  %k = relax.matmul %x, %wk : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x2xf32>) -> tensor<?x2xf32, #relax.sym<n>>
  %v = relax.matmul %x, %wv : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x2xf32>) -> tensor<?x2xf32, #relax.sym<n>>
  return %q, %k, %v : tensor<?x8xf32, #relax.sym<n>>, tensor<?x2xf32, #relax.sym<n>>, tensor<?x2xf32, #relax.sym<n>>
}

// -----

// Every branch has a bias and a silu: they are combined as well. The transposed weight of the second one is moved before the first reader.
// COST-LABEL: func.func @bias_and_activation(
// CHECK-LABEL: func.func @bias_and_activation(
// CHECK: %[[T:.*]] = relax.permute_dims %w2
// CHECK: %[[W:.*]] = relax.concat %w1, %[[T]] {axis = 1 : i64}
// CHECK: %[[Y:.*]] = relax.matmul %x, %[[W]]
// CHECK: %[[B:.*]] = relax.concat %b1, %b2 {axis = 0 : i64} : {{.*}} -> tensor<6xf32>
// CHECK: %[[A:.*]] = relax.add %[[Y]], %[[B]]
// CHECK: %[[S:.*]] = relax.nn.silu %[[A]]
// CHECK: %[[S1:.*]], %[[S2:.*]] = relax.split %[[S]] {indices = array<i64: 4>, axis = 1 : i64}
// CHECK: %[[E:.*]] = relax.exp %[[S1]]
// CHECK: relax.output %[[E]], %[[S2]]
func.func @bias_and_activation(%x: tensor<3x8xf32>, %w1: tensor<8x4xf32>, %w2: tensor<2x8xf32>, %b1: tensor<4xf32>, %b2: tensor<2xf32>) -> (tensor<3x4xf32>, tensor<3x2xf32>) {
  %r:2 = relax.dataflow {
    %y1 = relax.matmul %x, %w1 : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
    %a1 = relax.add %y1, %b1 : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    %s1 = relax.nn.silu %a1 : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %e = relax.exp %s1 : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %t = relax.permute_dims %w2 : (tensor<2x8xf32>) -> tensor<8x2xf32>
    %y2 = relax.matmul %x, %t : (tensor<3x8xf32>, tensor<8x2xf32>) -> tensor<3x2xf32>
    %a2 = relax.add %b2, %y2 : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %s2 = relax.nn.silu %a2 : (tensor<3x2xf32>) -> tensor<3x2xf32>
    relax.output %e, %s2 : tensor<3x4xf32>, tensor<3x2xf32>
  } : tensor<3x4xf32>, tensor<3x2xf32>
  return %r#0, %r#1 : tensor<3x4xf32>, tensor<3x2xf32>
}

// -----

// One branch without a bias: the products alone are combined. Gate and up of a gated MLP have different activations.
// CHECK-LABEL: func.func @tails_that_differ(
// CHECK: %[[P:.*]], %[[R:.*]] = relax.split
// CHECK: relax.nn.silu %[[P]]
// CHECK: relax.add %[[R]], %b
func.func @tails_that_differ(%x: tensor<3x8xf32>, %w1: tensor<8x4xf32>, %w2: tensor<8x4xf32>, %b: tensor<4xf32>) -> tensor<3x4xf32> {
  %y1 = relax.matmul %x, %w1 : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  %s1 = relax.nn.silu %y1 : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %y2 = relax.matmul %x, %w2 : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  %a2 = relax.add %y2, %b : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  %z = relax.multiply %s1, %a2 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %z : tensor<3x4xf32>
}

// -----

// A width that is no number comes last; a second one is left out.
// CHECK-LABEL: func.func @dynamic_width(
// CHECK: relax.matmul %x, %w3
// CHECK: %[[W:.*]] = relax.concat %w2, %w1 {axis = 1 : i64} : {{.*}} -> tensor<8x?xf32, #relax.sym<m + 4>>
// CHECK: %[[Y:.*]] = relax.matmul %x, %[[W]]
// CHECK: %[[P:.*]], %[[Q:.*]] = relax.split %[[Y]] {indices = array<i64: 4>, axis = 1 : i64} : {{.*}} -> (tensor<3x4xf32>, tensor<3x?xf32, #relax.sym<m>>)
func.func @dynamic_width(%x: tensor<3x8xf32>, %w1: tensor<8x?xf32, #relax.sym<m>>, %w2: tensor<8x4xf32>, %w3: tensor<8x?xf32, #relax.sym<k>>)
    -> (tensor<3x?xf32, #relax.sym<m>>, tensor<3x4xf32>, tensor<3x?xf32, #relax.sym<k>>) {
  %y1 = relax.matmul %x, %w1 : (tensor<3x8xf32>, tensor<8x?xf32, #relax.sym<m>>) -> tensor<3x?xf32, #relax.sym<m>>
  %y2 = relax.matmul %x, %w2 : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  %y3 = relax.matmul %x, %w3 : (tensor<3x8xf32>, tensor<8x?xf32, #relax.sym<k>>) -> tensor<3x?xf32, #relax.sym<k>>
  return %y1, %y2, %y3 : tensor<3x?xf32, #relax.sym<m>>, tensor<3x4xf32>, tensor<3x?xf32, #relax.sym<k>>
}

// -----

// linear has rows for columns, and its own bias.
// CHECK-LABEL: func.func @linear(
// CHECK: %[[W:.*]] = relax.concat %w1, %w2 {axis = 0 : i64} : {{.*}} -> tensor<6x8xf32>
// CHECK: %[[B:.*]] = relax.concat %b1, %b2 {axis = 0 : i64} : {{.*}} -> tensor<6xf32>
// CHECK: relax.linear %x, %[[W]], %[[B]]
func.func @linear(%x: tensor<3x8xf32>, %w1: tensor<4x8xf32>, %b1: tensor<4xf32>, %w2: tensor<2x8xf32>, %b2: tensor<2xf32>) -> (tensor<3x4xf32>, tensor<3x2xf32>) {
  %y1 = relax.linear %x, %w1, %b1 : (tensor<3x8xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  %y2 = relax.linear %x, %w2, %b2 : (tensor<3x8xf32>, tensor<2x8xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  return %y1, %y2 : tensor<3x4xf32>, tensor<3x2xf32>
}

// -----

// Weights of other ranks, or with other batch dims, are combined among themselves.
// CHECK-LABEL: func.func @ranks(
// CHECK-DAG: relax.concat %w1, %w3 {axis = 1 : i64}
// CHECK-DAG: relax.concat %w2, %w4 {axis = 2 : i64}
func.func @ranks(%x: tensor<2x3x8xf32>, %w1: tensor<8x4xf32>, %w2: tensor<2x8x4xf32>, %w3: tensor<8x2xf32>, %w4: tensor<2x8x3xf32>)
    -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x2xf32>, tensor<2x3x3xf32>) {
  %y1 = relax.matmul %x, %w1 : (tensor<2x3x8xf32>, tensor<8x4xf32>) -> tensor<2x3x4xf32>
  %y2 = relax.matmul %x, %w2 : (tensor<2x3x8xf32>, tensor<2x8x4xf32>) -> tensor<2x3x4xf32>
  %y3 = relax.matmul %x, %w3 : (tensor<2x3x8xf32>, tensor<8x2xf32>) -> tensor<2x3x2xf32>
  %y4 = relax.matmul %x, %w4 : (tensor<2x3x8xf32>, tensor<2x8x3xf32>) -> tensor<2x3x3xf32>
  return %y1, %y2, %y3, %y4 : tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x2xf32>, tensor<2x3x3xf32>
}

// -----

// CHECK-LABEL: func.func @declines_other_operand(
// CHECK-NOT: relax.concat
func.func @declines_other_operand(%x: tensor<3x8xf32>, %z: tensor<3x8xf32>, %w1: tensor<8x4xf32>, %w2: tensor<8x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %y1 = relax.matmul %x, %w1 : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  %y2 = relax.matmul %z, %w2 : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  return %y1, %y2 : tensor<3x4xf32>, tensor<3x4xf32>
}

// -----

// The second weight depends on the first product.
// ANY-LABEL: func.func @declines_dependent(
// ANY-NOT: relax.concat
func.func @declines_dependent(%x: tensor<8x8xf32>, %w1: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %y1 = relax.matmul %x, %w1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %e = relax.tanh %y1 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %y2 = relax.matmul %x, %e : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y2 : tensor<8x8xf32>
}

// -----

// The concatenation of two activations is not free.
// ANY-LABEL: func.func @declines_activations(
// CHECK-LABEL: func.func @declines_activations(
// CHECK-NOT: relax.concat
// ANY: relax.concat
func.func @declines_activations(%x: tensor<3x8xf32>, %k1: tensor<8x4xf32>, %k2: tensor<8x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) attributes {relax.num_input = 3 : i64} {
  %y1 = relax.matmul %x, %k1 : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  %y2 = relax.matmul %x, %k2 : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  return %y1, %y2 : tensor<3x4xf32>, tensor<3x4xf32>
}

// -----

// A sum of two branches is no bias of either.
// CHECK-LABEL: func.func @sum_of_branches(
// CHECK: %[[P:.*]], %[[R:.*]] = relax.split
// CHECK-NEXT: relax.add %[[P]], %[[R]]
// ANY-LABEL: func.func @sum_of_branches(
// ANY: %[[P:.*]], %[[R:.*]] = relax.split
// ANY-NEXT: relax.add %[[P]], %[[R]]
func.func @sum_of_branches(%x: tensor<3x8xf32>, %w1: tensor<8x4xf32>, %w2: tensor<8x4xf32>) -> tensor<3x4xf32> {
  %y1 = relax.matmul %x, %w1 : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  %y2 = relax.matmul %x, %w2 : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  %z = relax.add %y1, %y2 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %z : tensor<3x4xf32>
}
