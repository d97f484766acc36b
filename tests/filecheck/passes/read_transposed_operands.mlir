// RUN: relax-opt %s -p relax-read-transposed-operands | filecheck %s

// The product reads rows of %k, and the scale goes to the operand with fewer rows.
// CHECK-LABEL: func.func @scaled(
// CHECK-NEXT: %[[C:.*]] = relax.constant
// CHECK-NEXT: %[[Q:.*]] = relax.multiply %q, %[[C]]
// CHECK-NEXT: relax.einsum %[[Q]], %k {subscripts = "...ik,...jk->...ij"} : (tensor<8x1x64xf32>, tensor<8x15x64xf32>) -> tensor<8x1x15xf32>
// CHECK-NEXT: func.return
func.func @scaled(%q: tensor<8x1x64xf32>, %k: tensor<8x15x64xf32>) -> tensor<8x1x15xf32> {
  %c = relax.constant {value = dense<0.5> : tensor<1xf32>} : () -> tensor<1xf32>
  %t = relax.permute_dims %k {axes = array<i64: 0, 2, 1>} : (tensor<8x15x64xf32>) -> tensor<8x64x15xf32>
  %s = relax.multiply %c, %t : (tensor<1xf32>, tensor<8x64x15xf32>) -> tensor<8x64x15xf32>
  %y = relax.matmul %q, %s : (tensor<8x1x64xf32>, tensor<8x64x15xf32>) -> tensor<8x1x15xf32>
  return %y : tensor<8x1x15xf32>
}

// Dims in front may be merged while the last two are swapped, as exporters write it.
// CHECK-LABEL: func.func @merged(
// CHECK-NOT: relax.permute_dims
// CHECK: relax.einsum %q, %k {{.*}} -> tensor<1x8x?x?xf32, #relax.sym<m, n>>
func.func @merged(%q: tensor<1x8x?x64xf32, #relax.sym<m>>, %k: tensor<1x8x?x64xf32, #relax.sym<n>>) -> tensor<1x8x?x?xf32, #relax.sym<m, n>> {
  %a = relax.shape : () -> !relax.shape<[8, n, 64]>
  %b = relax.shape : () -> !relax.shape<[1, 8, 64, n]>
  %r = relax.reshape %k, %a : (tensor<1x8x?x64xf32, #relax.sym<n>>, !relax.shape<[8, n, 64]>) -> tensor<8x?x64xf32, #relax.sym<n>>
  %t = relax.permute_dims %r {axes = array<i64: 0, 2, 1>} : (tensor<8x?x64xf32, #relax.sym<n>>) -> tensor<8x64x?xf32, #relax.sym<n>>
  %s = relax.reshape %t, %b : (tensor<8x64x?xf32, #relax.sym<n>>, !relax.shape<[1, 8, 64, n]>) -> tensor<1x8x64x?xf32, #relax.sym<n>>
  %y = relax.matmul %q, %s : (tensor<1x8x?x64xf32, #relax.sym<m>>, tensor<1x8x64x?xf32, #relax.sym<n>>) -> tensor<1x8x?x?xf32, #relax.sym<m, n>>
  return %y : tensor<1x8x?x?xf32, #relax.sym<m, n>>
}

// Batches are broadcast as those of the product were.
// CHECK-LABEL: func.func @broadcast(
// CHECK-NEXT: relax.einsum %q, %k {{.*}} : (tensor<2x8x3x4xbf16>, tensor<8x5x4xbf16>) -> tensor<2x8x3x5xbf16>
func.func @broadcast(%q: tensor<2x8x3x4xbf16>, %k: tensor<8x5x4xbf16>) -> tensor<2x8x3x5xbf16> {
  %t = relax.permute_dims %k {axes = array<i64: 0, 2, 1>} : (tensor<8x5x4xbf16>) -> tensor<8x4x5xbf16>
  %y = relax.matmul %q, %t : (tensor<2x8x3x4xbf16>, tensor<8x4x5xbf16>) -> tensor<2x8x3x5xbf16>
  return %y : tensor<2x8x3x5xbf16>
}

// Weights are transposed once.
// CHECK-LABEL: func.func @declines_weights(
// CHECK-NOT: relax.einsum
func.func @declines_weights(%q: tensor<2x3x4xf32>, %w: tensor<2x5x4xf32>) -> tensor<2x3x5xf32> attributes {relax.num_input = 1 : i64} {
  %t = relax.permute_dims %w {axes = array<i64: 0, 2, 1>} : (tensor<2x5x4xf32>) -> tensor<2x4x5xf32>
  %y = relax.matmul %q, %t : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return %y : tensor<2x3x5xf32>
}

// Something else reads the transpose; other dims are permuted; the result is wider; the last two dims of a reshape are others.
// CHECK-LABEL: func.func @declines_other_forms(
// CHECK-NOT: relax.einsum
func.func @declines_other_forms(%q: tensor<2x3x4xf32>, %k: tensor<2x5x4xf32>, %p: tensor<5x2x4xf32>, %h: tensor<3x4xf16>, %g: tensor<5x4xf16>)
    -> (tensor<2x4x5xf32>, tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<3x5xf32>, tensor<2x3x10xf32>) {
  %t = relax.permute_dims %k {axes = array<i64: 0, 2, 1>} : (tensor<2x5x4xf32>) -> tensor<2x4x5xf32>
  %y = relax.matmul %q, %t : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %a = relax.shape : () -> !relax.shape<[10, 4]>
  %r = relax.reshape %p, %a : (tensor<5x2x4xf32>, !relax.shape<[10, 4]>) -> tensor<10x4xf32>
  %v = relax.permute_dims %r : (tensor<10x4xf32>) -> tensor<4x10xf32>
  %b = relax.shape : () -> !relax.shape<[1, 4, 10]>
  %s = relax.reshape %v, %b : (tensor<4x10xf32>, !relax.shape<[1, 4, 10]>) -> tensor<1x4x10xf32>
  %z = relax.matmul %q, %s : (tensor<2x3x4xf32>, tensor<1x4x10xf32>) -> tensor<2x3x10xf32>
  %o = relax.permute_dims %p {axes = array<i64: 1, 2, 0>} : (tensor<5x2x4xf32>) -> tensor<2x4x5xf32>
  %m = relax.matmul %q, %o : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %n = relax.permute_dims %g : (tensor<5x4xf16>) -> tensor<4x5xf16>
  %x = relax.matmul %h, %n {out_dtype = f32} : (tensor<3x4xf16>, tensor<4x5xf16>) -> tensor<3x5xf32>
  return %t, %y, %m, %x, %z : tensor<2x4x5xf32>, tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<3x5xf32>, tensor<2x3x10xf32>
}

// A scale of a matrix with fewer rows, of 16 bits, or that differs from column to column stays, and so does the transpose below it.
// CHECK-LABEL: func.func @declines_scales(
// CHECK-NOT: relax.einsum
func.func @declines_scales(%q: tensor<9x4xf32>, %k: tensor<5x4xf32>, %h: tensor<3x4xf16>, %g: tensor<5x4xf16>, %c: tensor<5xf32>)
    -> (tensor<9x5xf32>, tensor<3x5xf16>, tensor<9x5xf32>) {
  %two = relax.constant {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %half = relax.constant {value = dense<0.5> : tensor<f16>} : () -> tensor<f16>
  %t = relax.permute_dims %k : (tensor<5x4xf32>) -> tensor<4x5xf32>
  %s = relax.multiply %t, %two : (tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
  %x = relax.matmul %q, %s : (tensor<9x4xf32>, tensor<4x5xf32>) -> tensor<9x5xf32>
  %u = relax.permute_dims %g : (tensor<5x4xf16>) -> tensor<4x5xf16>
  %v = relax.multiply %u, %half : (tensor<4x5xf16>, tensor<f16>) -> tensor<4x5xf16>
  %y = relax.matmul %h, %v : (tensor<3x4xf16>, tensor<4x5xf16>) -> tensor<3x5xf16>
  %w = relax.permute_dims %k : (tensor<5x4xf32>) -> tensor<4x5xf32>
  %o = relax.multiply %w, %c : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  %z = relax.matmul %q, %o : (tensor<9x4xf32>, tensor<4x5xf32>) -> tensor<9x5xf32>
  return %x, %y, %z : tensor<9x5xf32>, tensor<3x5xf16>, tensor<9x5xf32>
}
