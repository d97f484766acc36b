// RUN: relax-opt %s -p relax-pack-weights | filecheck %s
// RUN: relax-opt %s -p relax-pack-weights,relax-lift-transform-params | filecheck %s --check-prefix=LIFTED

// A weight, or what follows from weights, is packed where a product reads it.
// CHECK-LABEL: func.func @transposed_weight(
// CHECK: %[[T:.*]] = relax.permute_dims %w
// CHECK: %[[P:.*]] = relax.pack_weight %[[T]] : (tensor<8x100xf32>) -> tensor<2x8x64xf32>
// CHECK: relax.packed_matmul %x, %[[P]] {columns = 100 : i64}

// Lifting moves the transpose and the packing together.
// LIFTED-LABEL: func.func @transposed_weight_transform_params(
// LIFTED: relax.permute_dims
// LIFTED: relax.pack_weight
// LIFTED-LABEL: func.func @transposed_weight(
// LIFTED-SAME: tensor<2x8x64xf32>
// LIFTED-NOT: relax.pack_weight
// LIFTED: relax.packed_matmul
func.func @transposed_weight(%x: tensor<?x8xf32, #relax.sym<n>>, %w: tensor<100x8xf32>) -> tensor<?x100xf32, #relax.sym<n>>
    attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %t = relax.permute_dims %w : (tensor<100x8xf32>) -> tensor<8x100xf32>
    %y = relax.matmul %x, %t : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x100xf32>) -> tensor<?x100xf32, #relax.sym<n>>
    relax.output %y : tensor<?x100xf32, #relax.sym<n>>
  } : tensor<?x100xf32, #relax.sym<n>>
  return %r : tensor<?x100xf32, #relax.sym<n>>
}

// CHECK-LABEL: func.func @keeps_out_dtype(
// CHECK: relax.packed_matmul %x, %{{.*}} {columns = 4 : i64, out_dtype = f32}
func.func @keeps_out_dtype(%x: tensor<2x8xf16>, %w: tensor<8x4xf16>) -> tensor<2x4xf32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %y = relax.matmul %x, %w {out_dtype = f32} : (tensor<2x8xf16>, tensor<8x4xf16>) -> tensor<2x4xf32>
    relax.output %y : tensor<2x4xf32>
  } : tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// A right operand that changes from call to call is left alone.
// CHECK-LABEL: func.func @declines_activations(
// CHECK-NOT: relax.pack_weight
// CHECK: relax.matmul
func.func @declines_activations(%x: tensor<2x8xf32>, %y: tensor<8x4xf32>, %w: tensor<4xf32>) -> tensor<2x4xf32>
    attributes {relax.num_input = 2 : i64} {
  %r = relax.dataflow {
    %z = relax.matmul %x, %y : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
    relax.output %z : tensor<2x4xf32>
  } : tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// A product of weights is lifted as it is, and a batch of matrices has no panels.
// CHECK-LABEL: func.func @declines_weights_and_batches(
// CHECK-NOT: relax.pack_weight
func.func @declines_weights_and_batches(%x: tensor<2x3x4xf32>, %v: tensor<3x8xf32>, %w: tensor<8x4xf32>, %b: tensor<2x4x5xf32>)
    -> (tensor<3x4xf32>, tensor<2x3x5xf32>) attributes {relax.num_input = 1 : i64} {
  %r, %s = relax.dataflow {
    %y = relax.matmul %v, %w : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
    %z = relax.matmul %x, %b : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    relax.output %y, %z : tensor<3x4xf32>, tensor<2x3x5xf32>
  } : tensor<3x4xf32>, tensor<2x3x5xf32>
  return %r, %s : tensor<3x4xf32>, tensor<2x3x5xf32>
}

// A function that does not say which arguments are parameters has none.
// CHECK-LABEL: func.func @declines_without_num_input(
// CHECK-NOT: relax.pack_weight
func.func @declines_without_num_input(%x: tensor<2x8xf32>, %w: tensor<8x4xf32>) -> tensor<2x4xf32> {
  %r = relax.dataflow {
    %y = relax.matmul %x, %w : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
    relax.output %y : tensor<2x4xf32>
  } : tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// Four rows of an 8-bit weight lie together; the packed weight is lifted as others are.
// CHECK-LABEL: func.func @bytes(
// CHECK: %[[P:.*]] = relax.pack_weight %w : (tensor<9x70xi8>) -> tensor<2x3x64x4xi8>
// CHECK: relax.packed_matmul %x, %[[P]] {columns = 70 : i64, out_dtype = i32}
// LIFTED-LABEL: func.func @bytes_transform_params(
// LIFTED: relax.pack_weight
// LIFTED-LABEL: func.func @bytes(
// LIFTED-SAME: tensor<2x3x64x4xi8>
// LIFTED-NOT: relax.pack_weight
func.func @bytes(%x: tensor<5x9xui8>, %w: tensor<9x70xi8>) -> tensor<5x70xi32> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %y = relax.matmul %x, %w {out_dtype = i32} : (tensor<5x9xui8>, tensor<9x70xi8>) -> tensor<5x70xi32>
    relax.output %y : tensor<5x70xi32>
  } : tensor<5x70xi32>
  return %r : tensor<5x70xi32>
}
