// RUN: relax-opt %s -p relax-adjust-matmul-order | filecheck %s
// RUN: relax-opt %s -p 'relax-adjust-matmul-order{weights=constants}' | filecheck %s --check-prefix CALL

// A thin update of a weight is applied one matrix after the other, for any number of rows.
// CHECK-LABEL: func.func @update(
// CHECK-NEXT: %[[V:.*]] = relax.matmul %x, %a : {{.*}} -> tensor<?x4xf32, #relax.sym<n>>
// CHECK-NEXT: relax.matmul %[[V]], %b : {{.*}} -> tensor<?x64xf32, #relax.sym<n>>
// CHECK-NEXT: func.return
func.func @update(%x: tensor<?x64xf32, #relax.sym<n>>, %a: tensor<64x4xf32>, %b: tensor<4x64xf32>) -> tensor<?x64xf32, #relax.sym<n>> {
  %u = relax.matmul %a, %b : (tensor<64x4xf32>, tensor<4x64xf32>) -> tensor<64x64xf32>
  %y = relax.matmul %x, %u : (tensor<?x64xf32, #relax.sym<n>>, tensor<64x64xf32>) -> tensor<?x64xf32, #relax.sym<n>>
  return %y : tensor<?x64xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @transposed_update(
// CHECK-NEXT: %[[B:.*]] = relax.permute_dims %b {axes = array<i64: 1, 0>} : (tensor<4x64xf32>) -> tensor<64x4xf32>
// CHECK-NEXT: %[[A:.*]] = relax.permute_dims %a {axes = array<i64: 1, 0>} : (tensor<64x4xf32>) -> tensor<4x64xf32>
// CHECK-NEXT: %[[V:.*]] = relax.matmul %x, %[[B]]
// CHECK-NEXT: relax.matmul %[[V]], %[[A]]
func.func @transposed_update(%x: tensor<2x64xf32>, %a: tensor<64x4xf32>, %b: tensor<4x64xf32>) -> tensor<2x64xf32> {
  %u = relax.matmul %a, %b : (tensor<64x4xf32>, tensor<4x64xf32>) -> tensor<64x64xf32>
  %t = relax.permute_dims %u : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %y = relax.matmul %x, %t : (tensor<2x64xf32>, tensor<64x64xf32>) -> tensor<2x64xf32>
  return %y : tensor<2x64xf32>
}

// A vector is multiplied first.
// CHECK-LABEL: func.func @vector(
// CHECK-NEXT: %[[V:.*]] = relax.matmul %b, %v : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT: relax.matmul %a, %[[V]]
func.func @vector(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %v: tensor<8xf32>) -> tensor<8xf32> {
  %u = relax.matmul %a, %b : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = relax.matmul %u, %v : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// The product of two parameters costs nothing, so that it is made of them where it is small.
// CHECK-LABEL: func.func @parameters(
// CHECK-NEXT: %[[W:.*]] = relax.matmul %a, %b
// CHECK-NEXT: relax.matmul %x, %[[W]]
func.func @parameters(%x: tensor<2x8xf32>, %a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<2x8xf32> attributes {relax.num_input = 1 : i64} {
  %u = relax.matmul %x, %a : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<2x8xf32>
  %y = relax.matmul %u, %b : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// An update that is lifted is computed once, one that is not in each call.
// CHECK-LABEL: func.func @declines_lifted_update(
// CHECK-NEXT: relax.matmul %a, %b
// CALL-LABEL: func.func @declines_lifted_update(
// CALL-NEXT: %[[V:.*]] = relax.matmul %x, %a
// CALL-NEXT: relax.matmul %[[V]], %b
func.func @declines_lifted_update(%x: tensor<2x64xf32>, %a: tensor<64x4xf32>, %b: tensor<4x64xf32>) -> tensor<2x64xf32> attributes {relax.num_input = 1 : i64} {
  %u = relax.matmul %a, %b : (tensor<64x4xf32>, tensor<4x64xf32>) -> tensor<64x64xf32>
  %y = relax.matmul %x, %u : (tensor<2x64xf32>, tensor<64x64xf32>) -> tensor<2x64xf32>
  return %y : tensor<2x64xf32>
}

// Which order is cheaper depends on n.
// CHECK-LABEL: func.func @declines_unknown_sizes(
// CHECK-NEXT: relax.matmul %a, %b
func.func @declines_unknown_sizes(%x: tensor<?x64xf32, #relax.sym<n>>, %a: tensor<64x?xf32, #relax.sym<r>>, %b: tensor<?x64xf32, #relax.sym<r>>) -> tensor<?x64xf32, #relax.sym<n>> {
  %u = relax.matmul %a, %b : (tensor<64x?xf32, #relax.sym<r>>, tensor<?x64xf32, #relax.sym<r>>) -> tensor<64x64xf32>
  %y = relax.matmul %x, %u : (tensor<?x64xf32, #relax.sym<n>>, tensor<64x64xf32>) -> tensor<?x64xf32, #relax.sym<n>>
  return %y : tensor<?x64xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @declines_two_readers(
// CHECK-NEXT: %[[U:.*]] = relax.matmul %a, %b
// CHECK-NEXT: relax.matmul %x, %[[U]]
func.func @declines_two_readers(%x: tensor<2x64xf32>, %a: tensor<64x4xf32>, %b: tensor<4x64xf32>) -> (tensor<2x64xf32>, tensor<64x64xf32>) {
  %u = relax.matmul %a, %b : (tensor<64x4xf32>, tensor<4x64xf32>) -> tensor<64x64xf32>
  %y = relax.matmul %x, %u : (tensor<2x64xf32>, tensor<64x64xf32>) -> tensor<2x64xf32>
  return %y, %u : tensor<2x64xf32>, tensor<64x64xf32>
}

// Matrices in batches, of equal batch dims or with one of size 1, on either side.
// CHECK-LABEL: func.func @batches(
// CHECK-NEXT: %[[V:.*]] = relax.matmul %x, %a : {{.*}} -> tensor<2x?x3x4xf32, #relax.sym<n>>
// CHECK-NEXT: relax.matmul %[[V]], %b : {{.*}} -> tensor<2x?x3x64xf32, #relax.sym<n>>
func.func @batches(%x: tensor<2x?x3x64xf32, #relax.sym<n>>, %a: tensor<1x?x64x4xf32, #relax.sym<n>>, %b: tensor<?x4x64xf32, #relax.sym<n>>) -> tensor<2x?x3x64xf32, #relax.sym<n>> {
  %u = relax.matmul %a, %b : (tensor<1x?x64x4xf32, #relax.sym<n>>, tensor<?x4x64xf32, #relax.sym<n>>) -> tensor<1x?x64x64xf32, #relax.sym<n>>
  %y = relax.matmul %x, %u : (tensor<2x?x3x64xf32, #relax.sym<n>>, tensor<1x?x64x64xf32, #relax.sym<n>>) -> tensor<2x?x3x64xf32, #relax.sym<n>>
  return %y : tensor<2x?x3x64xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @batched_right(
// CHECK-NEXT: %[[V:.*]] = relax.matmul %b, %x : {{.*}} -> tensor<4x16x1xf32>
// CHECK-NEXT: relax.matmul %a, %[[V]]
func.func @batched_right(%x: tensor<4x16x1xf32>, %a: tensor<32x16xf32>, %b: tensor<16x16xf32>) -> tensor<4x32x1xf32> {
  %u = relax.matmul %a, %b : (tensor<32x16xf32>, tensor<16x16xf32>) -> tensor<32x16xf32>
  %y = relax.matmul %u, %x : (tensor<32x16xf32>, tensor<4x16x1xf32>) -> tensor<4x32x1xf32>
  return %y : tensor<4x32x1xf32>
}

// In many batches the product of the two matrices without batches comes first.
// CHECK-LABEL: func.func @once_for_all_batches(
// CHECK-NEXT: %[[U:.*]] = relax.matmul %a, %b : {{.*}} -> tensor<32x16xf32>
// CHECK-NEXT: relax.matmul %[[U]], %x
func.func @once_for_all_batches(%x: tensor<64x16x1xf32>, %a: tensor<32x16xf32>, %b: tensor<16x16xf32>) -> tensor<64x32x1xf32> {
  %u = relax.matmul %b, %x : (tensor<16x16xf32>, tensor<64x16x1xf32>) -> tensor<64x16x1xf32>
  %y = relax.matmul %a, %u : (tensor<32x16xf32>, tensor<64x16x1xf32>) -> tensor<64x32x1xf32>
  return %y : tensor<64x32x1xf32>
}

// CHECK-LABEL: func.func @transposed_batches(
// CHECK-NEXT: %[[B:.*]] = relax.permute_dims %b {axes = array<i64: 0, 2, 1>} : (tensor<3x4x64xf32>) -> tensor<3x64x4xf32>
// CHECK-NEXT: %[[A:.*]] = relax.permute_dims %a {axes = array<i64: 1, 0>} : (tensor<64x4xf32>) -> tensor<4x64xf32>
// CHECK-NEXT: %[[V:.*]] = relax.matmul %x, %[[B]]
// CHECK-NEXT: relax.matmul %[[V]], %[[A]]
func.func @transposed_batches(%x: tensor<3x2x64xf32>, %a: tensor<64x4xf32>, %b: tensor<3x4x64xf32>) -> tensor<3x2x64xf32> {
  %u = relax.matmul %a, %b : (tensor<64x4xf32>, tensor<3x4x64xf32>) -> tensor<3x64x64xf32>
  %t = relax.permute_dims %u {axes = array<i64: 0, 2, 1>} : (tensor<3x64x64xf32>) -> tensor<3x64x64xf32>
  %y = relax.matmul %x, %t : (tensor<3x2x64xf32>, tensor<3x64x64xf32>) -> tensor<3x2x64xf32>
  return %y : tensor<3x2x64xf32>
}

// Other axes of batches are swapped too.
// CHECK-LABEL: func.func @declines_other_axes(
// CHECK-NEXT: relax.matmul %a, %b
func.func @declines_other_axes(%x: tensor<64x2x64xf32>, %a: tensor<64x64x4xf32>, %b: tensor<64x4x64xf32>) -> tensor<64x2x64xf32> {
  %u = relax.matmul %a, %b : (tensor<64x64x4xf32>, tensor<64x4x64xf32>) -> tensor<64x64x64xf32>
  %t = relax.permute_dims %u : (tensor<64x64x64xf32>) -> tensor<64x64x64xf32>
  %y = relax.matmul %x, %t : (tensor<64x2x64xf32>, tensor<64x64x64xf32>) -> tensor<64x2x64xf32>
  return %y : tensor<64x2x64xf32>
}

// The product of a vector with a batch of matrices has one dim for the batch: it is no batch of vectors.
// CHECK-LABEL: func.func @declines_vector_of_batches(
// CHECK-NEXT: relax.matmul %a, %b
func.func @declines_vector_of_batches(%v: tensor<64xf32>, %a: tensor<3x64x4xf32>, %b: tensor<3x4x64xf32>) -> tensor<3x64xf32> {
  %u = relax.matmul %a, %b : (tensor<3x64x4xf32>, tensor<3x4x64xf32>) -> tensor<3x64x64xf32>
  %y = relax.matmul %v, %u : (tensor<64xf32>, tensor<3x64x64xf32>) -> tensor<3x64xf32>
  return %y : tensor<3x64xf32>
}

// Batch dims that are only equal at run time.
// CHECK-LABEL: func.func @declines_batches_of_unknown_size(
// CHECK-NEXT: relax.matmul %a, %b
func.func @declines_batches_of_unknown_size(%x: tensor<?x2x64xf32>, %a: tensor<4x64x4xf32>, %b: tensor<4x4x64xf32>) -> tensor<?x2x64xf32> {
  %u = relax.matmul %a, %b : (tensor<4x64x4xf32>, tensor<4x4x64xf32>) -> tensor<4x64x64xf32>
  %y = relax.matmul %x, %u : (tensor<?x2x64xf32>, tensor<4x64x64xf32>) -> tensor<?x2x64xf32>
  return %y : tensor<?x2x64xf32>
}

// Which order is cheaper depends on the sizes; within the declared ranges it is the other one: 1/n + 1/r > 1/2048.
// CHECK-LABEL: func.func @within_ranges(
// CHECK-NEXT: %[[B:.*]] = relax.permute_dims %b
// CHECK-NEXT: %[[A:.*]] = relax.permute_dims %a
// CHECK-NEXT: %[[V:.*]] = relax.matmul %x, %[[B]]
// CHECK-NEXT: relax.matmul %[[V]], %[[A]]
func.func @within_ranges(%x: tensor<?x4096xf32, #relax.sym<n>>, %a: tensor<4096x?xf32, #relax.sym<r>>, %b: tensor<?x4096xf32, #relax.sym<r>>) -> tensor<?x4096xf32, #relax.sym<n>> attributes {relax.sym_upper_bounds = {n = 2048 : i64, r = 2048 : i64}} {
  %u = relax.matmul %a, %b : (tensor<4096x?xf32, #relax.sym<r>>, tensor<?x4096xf32, #relax.sym<r>>) -> tensor<4096x4096xf32>
  %t = relax.permute_dims %u : (tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %y = relax.matmul %x, %t : (tensor<?x4096xf32, #relax.sym<n>>, tensor<4096x4096xf32>) -> tensor<?x4096xf32, #relax.sym<n>>
  return %y : tensor<?x4096xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @declines_beyond_ranges(
// CHECK-NEXT: relax.matmul %a, %b
func.func @declines_beyond_ranges(%x: tensor<?x4096xf32, #relax.sym<n>>, %a: tensor<4096x?xf32, #relax.sym<r>>, %b: tensor<?x4096xf32, #relax.sym<r>>) -> tensor<?x4096xf32, #relax.sym<n>> attributes {relax.sym_upper_bounds = {n = 8192 : i64, r = 8192 : i64}} {
  %u = relax.matmul %a, %b : (tensor<4096x?xf32, #relax.sym<r>>, tensor<?x4096xf32, #relax.sym<r>>) -> tensor<4096x4096xf32>
  %t = relax.permute_dims %u : (tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %y = relax.matmul %x, %t : (tensor<?x4096xf32, #relax.sym<n>>, tensor<4096x4096xf32>) -> tensor<?x4096xf32, #relax.sym<n>>
  return %y : tensor<?x4096xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @declines_within_one_range(
// CHECK-NEXT: relax.matmul %a, %b
func.func @declines_within_one_range(%x: tensor<?x4096xf32, #relax.sym<n>>, %a: tensor<4096x?xf32, #relax.sym<r>>, %b: tensor<?x4096xf32, #relax.sym<r>>) -> tensor<?x4096xf32, #relax.sym<n>> attributes {relax.sym_upper_bounds = {n = 4096 : i64}} {
  %u = relax.matmul %a, %b : (tensor<4096x?xf32, #relax.sym<r>>, tensor<?x4096xf32, #relax.sym<r>>) -> tensor<4096x4096xf32>
  %t = relax.permute_dims %u : (tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %y = relax.matmul %x, %t : (tensor<?x4096xf32, #relax.sym<n>>, tensor<4096x4096xf32>) -> tensor<?x4096xf32, #relax.sym<n>>
  return %y : tensor<?x4096xf32, #relax.sym<n>>
}
