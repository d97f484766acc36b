// RUN: relax-opt %s -p relax-expand-matmul-of-sum,dce | filecheck %s
// RUN: relax-opt %s -p 'relax-expand-matmul-of-sum{products=true weights=constants},dce' | filecheck %s --check-prefix PRODUCTS

// Without a product in it a sum is cheaper than a second product.
// PRODUCTS-LABEL: func.func @sum(
// PRODUCTS-NEXT: relax.add %w, %d
// CHECK-LABEL: func.func @sum(
// CHECK-NEXT: %[[A:.*]] = relax.matmul %x, %w
// CHECK-NEXT: %[[B:.*]] = relax.matmul %x, %d
// CHECK-NEXT: %[[Y:.*]] = relax.add %[[A]], %[[B]]
// CHECK-NEXT: func.return %[[Y]]
func.func @sum(%x: tensor<3x8xf32>, %d: tensor<8x4xf32>, %w: tensor<8x4xf32>) -> tensor<3x4xf32> attributes {relax.num_input = 2 : i64} {
  %s = relax.add %w, %d : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %y = relax.matmul %x, %s : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @transposed(
// CHECK-NEXT: %[[WT:.*]] = relax.permute_dims %w
// CHECK-NEXT: %[[DT:.*]] = relax.permute_dims %d
// CHECK-NEXT: %[[A:.*]] = relax.matmul %x, %[[WT]]
// CHECK-NEXT: %[[B:.*]] = relax.matmul %x, %[[DT]]
// CHECK-NEXT: relax.add %[[A]], %[[B]]
func.func @transposed(%x: tensor<3x8xf32>, %d: tensor<4x8xf32>, %w: tensor<4x8xf32>) -> tensor<3x4xf32> attributes {relax.num_input = 2 : i64} {
  %s = relax.add %w, %d : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %t = relax.permute_dims %s : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %y = relax.matmul %x, %t : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @low_rank(
// CHECK: %[[U:.*]] = relax.matmul %a, %b
// CHECK: %[[V:.*]] = relax.matmul %x, %w
// CHECK: %[[W:.*]] = relax.matmul %x, %[[U]]
// CHECK: relax.add %[[V]], %[[W]]
// PRODUCTS-LABEL: func.func @low_rank(
// PRODUCTS: %[[U:.*]] = relax.matmul %a, %b
// PRODUCTS: %[[V:.*]] = relax.matmul %x, %w
// PRODUCTS: %[[W:.*]] = relax.matmul %x, %[[U]]
// PRODUCTS: relax.add %[[V]], %[[W]]
func.func @low_rank(%x: tensor<3x8xf32>, %a: tensor<8x2xf32>, %b: tensor<2x4xf32>, %w: tensor<8x4xf32>) -> tensor<3x4xf32> attributes {relax.num_input = 3 : i64} {
  %u = relax.matmul %a, %b : (tensor<8x2xf32>, tensor<2x4xf32>) -> tensor<8x4xf32>
  %s = relax.add %w, %u : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %y = relax.matmul %x, %s : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// The sum of two parameters is computed once.
// CHECK-LABEL: func.func @declines_parameters(
// CHECK-NEXT: relax.add %w, %d
func.func @declines_parameters(%x: tensor<3x8xf32>, %d: tensor<8x4xf32>, %w: tensor<8x4xf32>) -> tensor<3x4xf32> attributes {relax.num_input = 1 : i64} {
  %s = relax.add %w, %d : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %y = relax.matmul %x, %s : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @declines_broadcast(
// CHECK-NEXT: relax.add %w, %d
func.func @declines_broadcast(%x: tensor<3x8xf32>, %d: tensor<4xf32>, %w: tensor<8x4xf32>) -> tensor<3x4xf32> {
  %s = relax.add %w, %d : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %y = relax.matmul %x, %s : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// The sum of two i8 may wrap around.
// CHECK-LABEL: func.func @declines_widened_integers(
// CHECK-NEXT: relax.add %w, %d
func.func @declines_widened_integers(%x: tensor<3x8xi8>, %d: tensor<8x4xi8>, %w: tensor<8x4xi8>) -> tensor<3x4xi32> {
  %s = relax.add %w, %d : (tensor<8x4xi8>, tensor<8x4xi8>) -> tensor<8x4xi8>
  %y = relax.matmul %x, %s {out_dtype = i32} : (tensor<3x8xi8>, tensor<8x4xi8>) -> tensor<3x4xi32>
  return %y : tensor<3x4xi32>
}
