// RUN: relax-opt %s -p relax-fuse-attention | filecheck %s
// RUN: relax-opt %s -p relax-fuse-attention,relax-fuse-ops | filecheck %s --check-prefix FUSED
// RUN: relax-opt %s -p relax-fuse-attention --remarks -o %t 2>&1 | grep attention: | filecheck %s --check-prefix REMARKS

// The product, what is element-wise on its rows, their softmax, and the product of that are one kernel. The mask is computed before.
// CHECK-LABEL: func.func @masked(
// CHECK:      %[[M:.*]] = relax.negative %m
// CHECK-NEXT: %[[O:.*]] = func.call @fused_matmul_multiply_add_softmax_matmul(%q, %k, %[[M]], %v) {op_pattern = 4 : i64}
// CHECK-NEXT: relax.nn.relu %[[O]]
// FUSED-LABEL: func.func @masked(
// FUSED:      func.call @fused_{{.*}}matmul_multiply_add_softmax_matmul_relu(
func.func @masked(%q: tensor<2x5x8xf32>, %k: tensor<2x8x7xf32>, %v: tensor<2x7x8xf32>, %m: tensor<1x1x7xf32>) -> tensor<2x5x8xf32> {
  %r = relax.dataflow {
    %s = relax.matmul %q, %k : (tensor<2x5x8xf32>, tensor<2x8x7xf32>) -> tensor<2x5x7xf32>
    %c = relax.constant {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
    %t = relax.multiply %s, %c : (tensor<2x5x7xf32>, tensor<f32>) -> tensor<2x5x7xf32>
    %n = relax.negative %m : (tensor<1x1x7xf32>) -> tensor<1x1x7xf32>
    %a = relax.add %t, %n : (tensor<2x5x7xf32>, tensor<1x1x7xf32>) -> tensor<2x5x7xf32>
    %p = relax.nn.softmax %a : (tensor<2x5x7xf32>) -> tensor<2x5x7xf32>
    %o = relax.matmul %p, %v : (tensor<2x5x7xf32>, tensor<2x7x8xf32>) -> tensor<2x5x8xf32>
    %y = relax.nn.relu %o : (tensor<2x5x8xf32>) -> tensor<2x5x8xf32>
    relax.output %y : tensor<2x5x8xf32>
  } : tensor<2x5x8xf32>
  return %r : tensor<2x5x8xf32>
}

// `relax-read-transposed-operands` makes the first product this one. Scores may be any operand: here a `where` and a sum read them last.
// CHECK-LABEL: func.func @einsum(
// CHECK:      func.call @fused_einsum_where_add_softmax_matmul(
func.func @einsum(%q: tensor<?x8xf32, #relax.sym<n>>, %k: tensor<?x8xf32, #relax.sym<n>>, %v: tensor<?x8xf32, #relax.sym<n>>, %b: tensor<?x?xi1, #relax.sym<n, n>>, %l: tensor<f32>, %m: tensor<?x?xf32, #relax.sym<n, n>>) -> tensor<?x8xf32, #relax.sym<n>> {
  %r = relax.dataflow {
    %s = relax.einsum %q, %k {subscripts = "md,nd->mn"} : (tensor<?x8xf32, #relax.sym<n>>, tensor<?x8xf32, #relax.sym<n>>) -> tensor<?x?xf32, #relax.sym<n, n>>
    %w = relax.where %b, %l, %s : (tensor<?x?xi1, #relax.sym<n, n>>, tensor<f32>, tensor<?x?xf32, #relax.sym<n, n>>) -> tensor<?x?xf32, #relax.sym<n, n>>
    %a = relax.add %m, %w : (tensor<?x?xf32, #relax.sym<n, n>>, tensor<?x?xf32, #relax.sym<n, n>>) -> tensor<?x?xf32, #relax.sym<n, n>>
    %p = relax.nn.softmax %a {axis = 1 : i64} : (tensor<?x?xf32, #relax.sym<n, n>>) -> tensor<?x?xf32, #relax.sym<n, n>>
    %o = relax.matmul %p, %v : (tensor<?x?xf32, #relax.sym<n, n>>, tensor<?x8xf32, #relax.sym<n>>) -> tensor<?x8xf32, #relax.sym<n>>
    relax.output %o : tensor<?x8xf32, #relax.sym<n>>
  } : tensor<?x8xf32, #relax.sym<n>>
  return %r : tensor<?x8xf32, #relax.sym<n>>
}

// Two layers are two kernels.
// CHECK-LABEL: func.func @layers(
// CHECK:      %[[O:.*]] = func.call @fused_matmul_softmax_matmul(%x, %k, %v)
// CHECK-NEXT: func.call @fused_matmul_softmax_matmul(%[[O]], %k, %v)
func.func @layers(%x: tensor<5x8xf32>, %k: tensor<8x7xf32>, %v: tensor<7x8xf32>) -> tensor<5x8xf32> {
  %r = relax.dataflow {
    %s = relax.matmul %x, %k : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
    %p = relax.nn.softmax %s : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %o = relax.matmul %p, %v : (tensor<5x7xf32>, tensor<7x8xf32>) -> tensor<5x8xf32>
    %t = relax.matmul %o, %k : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
    %u = relax.nn.softmax %t : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %y = relax.matmul %u, %v : (tensor<5x7xf32>, tensor<7x8xf32>) -> tensor<5x8xf32>
    relax.output %y : tensor<5x8xf32>
  } : tensor<5x8xf32>
  return %r : tensor<5x8xf32>
}

// A single row has no blocks. What is grouped has no such remark.
// REMARKS:      remark: fusion: relax.matmul ({{.*}}) is not grouped with the softmax before it, as attention: relax.matmul ({{.*}}) makes a single row
// CHECK-LABEL: func.func @declines_single_row(
// CHECK-NOT:   func.call
func.func @declines_single_row(%q: tensor<2x1x8xf32>, %k: tensor<2x8x7xf32>, %v: tensor<2x7x8xf32>) -> tensor<2x1x8xf32> {
  %r = relax.dataflow {
    %s = relax.matmul %q, %k : (tensor<2x1x8xf32>, tensor<2x8x7xf32>) -> tensor<2x1x7xf32>
    %p = relax.nn.softmax %s : (tensor<2x1x7xf32>) -> tensor<2x1x7xf32>
    %o = relax.matmul %p, %v : (tensor<2x1x7xf32>, tensor<2x7x8xf32>) -> tensor<2x1x8xf32>
    relax.output %o : tensor<2x1x8xf32>
  } : tensor<2x1x8xf32>
  return %r : tensor<2x1x8xf32>
}

// Scores, or their softmax, that something else reads are needed as a whole.
// REMARKS-NEXT: is not grouped with the softmax before it, as attention: relax.matmul ({{.*}}) has readers beside these
// REMARKS-NEXT: is not grouped with the softmax before it, as attention: relax.nn.softmax ({{.*}}) has readers beside these
// CHECK-LABEL: func.func @declines_scores_read_elsewhere(
// CHECK-NOT:   func.call
func.func @declines_scores_read_elsewhere(%q: tensor<5x8xf32>, %k: tensor<8x7xf32>, %v: tensor<7x8xf32>) -> (tensor<5x8xf32>, tensor<5x7xf32>, tensor<5x8xf32>, tensor<5x7xf32>) {
  %r:4 = relax.dataflow {
    %s = relax.matmul %q, %k : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
    %p = relax.nn.softmax %s : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %o = relax.matmul %p, %v : (tensor<5x7xf32>, tensor<7x8xf32>) -> tensor<5x8xf32>
    %t = relax.matmul %o, %k : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
    %u = relax.nn.softmax %t : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %y = relax.matmul %u, %v : (tensor<5x7xf32>, tensor<7x8xf32>) -> tensor<5x8xf32>
    relax.output %o, %s, %y, %u : tensor<5x8xf32>, tensor<5x7xf32>, tensor<5x8xf32>, tensor<5x7xf32>
  } : tensor<5x8xf32>, tensor<5x7xf32>, tensor<5x8xf32>, tensor<5x7xf32>
  return %r#0, %r#1, %r#2, %r#3 : tensor<5x8xf32>, tensor<5x7xf32>, tensor<5x8xf32>, tensor<5x7xf32>
}

// The softmax of columns needs all rows.
// REMARKS-NEXT: is not grouped with the softmax before it, as attention: relax.nn.softmax ({{.*}}) is not that of the last axis
// CHECK-LABEL: func.func @declines_softmax_of_columns(
// CHECK-NOT:   func.call
func.func @declines_softmax_of_columns(%q: tensor<5x8xf32>, %k: tensor<8x7xf32>, %v: tensor<7x8xf32>) -> tensor<5x8xf32> {
  %r = relax.dataflow {
    %s = relax.matmul %q, %k : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
    %p = relax.nn.softmax %s {axis = 0 : i64} : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %o = relax.matmul %p, %v : (tensor<5x7xf32>, tensor<7x8xf32>) -> tensor<5x8xf32>
    relax.output %o : tensor<5x8xf32>
  } : tensor<5x8xf32>
  return %r : tensor<5x8xf32>
}

// An attribute keeps an op apart.
// REMARKS-NEXT: is not grouped with the softmax before it, as attention: relax.nn.softmax ({{.*}}) has an op_pattern of 8, want 4
// CHECK-LABEL: func.func @declines_overridden_pattern(
// CHECK-NOT:   func.call
func.func @declines_overridden_pattern(%q: tensor<5x8xf32>, %k: tensor<8x7xf32>, %v: tensor<7x8xf32>) -> (tensor<5x8xf32>, tensor<5x8xf32>) {
  %r:2 = relax.dataflow {
    %s = relax.matmul %q, %k : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
    %p = relax.nn.softmax %s {op_pattern = 8 : i64} : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %o = relax.matmul %p, %v : (tensor<5x7xf32>, tensor<7x8xf32>) -> tensor<5x8xf32>
    %s2 = relax.matmul %o, %k : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
    %p2 = relax.nn.softmax %s2 : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %o2 = relax.matmul %p2, %v {op_pattern = 8 : i64} : (tensor<5x7xf32>, tensor<7x8xf32>) -> tensor<5x8xf32>
    relax.output %o, %o2 : tensor<5x8xf32>, tensor<5x8xf32>
  } : tensor<5x8xf32>, tensor<5x8xf32>
  return %r#0, %r#1 : tensor<5x8xf32>, tensor<5x8xf32>
}

// Two products without a softmax between them, a sum that makes the rows larger, and the softmax as a right factor.
// REMARKS-NEXT: is not grouped with the softmax before it, as attention: relax.matmul ({{.*}}) has another shape than relax.add (
// CHECK-LABEL: func.func @declines_others(
// CHECK-NOT:   func.call
// CHECK:       return
func.func @declines_others(%q: tensor<5x8xf32>, %k: tensor<8x7xf32>, %v: tensor<7x8xf32>, %m: tensor<2x5x7xf32>, %w: tensor<8x5xf32>) -> (tensor<5x8xf32>, tensor<2x5x8xf32>, tensor<8x7xf32>) {
  %r:3 = relax.dataflow {
    %s = relax.matmul %q, %k : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
    %p = relax.exp %s : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %o = relax.matmul %p, %v : (tensor<5x7xf32>, tensor<7x8xf32>) -> tensor<5x8xf32>
    %s2 = relax.matmul %q, %k : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
    %t2 = relax.add %s2, %m : (tensor<5x7xf32>, tensor<2x5x7xf32>) -> tensor<2x5x7xf32>
    %p2 = relax.nn.softmax %t2 : (tensor<2x5x7xf32>) -> tensor<2x5x7xf32>
    %o2 = relax.matmul %p2, %v : (tensor<2x5x7xf32>, tensor<7x8xf32>) -> tensor<2x5x8xf32>
    %s3 = relax.matmul %q, %k : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
    %p3 = relax.nn.softmax %s3 : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %o3 = relax.matmul %w, %p3 : (tensor<8x5xf32>, tensor<5x7xf32>) -> tensor<8x7xf32>
    relax.output %o, %o2, %o3 : tensor<5x8xf32>, tensor<2x5x8xf32>, tensor<8x7xf32>
  } : tensor<5x8xf32>, tensor<2x5x8xf32>, tensor<8x7xf32>
  return %r#0, %r#1, %r#2 : tensor<5x8xf32>, tensor<2x5x8xf32>, tensor<8x7xf32>
}

// What moves rows apart, in what is computed before or behind the softmax, and two softmaxes.
// CHECK-LABEL: func.func @declines_ops_between(
// CHECK-NOT:   func.call
// CHECK:       return
// REMARKS-NEXT: is not grouped with the softmax before it, as attention: relax.reshape ({{.*}}) is not element-wise
// REMARKS-NEXT: is not grouped with the softmax before it, as attention: relax.permute_dims ({{.*}}) is not element-wise
// REMARKS-NEXT: is not grouped with the softmax before it, as attention: relax.matmul ({{.*}}) has 2 softmaxes behind it, want 1
func.func @declines_ops_between(%q: tensor<4x8xf32>, %k: tensor<8x4xf32>, %v: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %r:3 = relax.dataflow {
    %s = relax.matmul %q, %k : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    %n = relax.shape : () -> !relax.shape<[2, 8]>
    %t = relax.reshape %s, %n : (tensor<4x4xf32>, !relax.shape<[2, 8]>) -> tensor<2x8xf32>
    %m = relax.shape : () -> !relax.shape<[4, 4]>
    %u = relax.reshape %t, %m : (tensor<2x8xf32>, !relax.shape<[4, 4]>) -> tensor<4x4xf32>
    %p = relax.nn.softmax %u : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %o = relax.matmul %p, %v : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %s2 = relax.matmul %q, %k : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    %p2 = relax.nn.softmax %s2 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %t2 = relax.permute_dims %p2 {axes = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %o2 = relax.matmul %t2, %v : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %s3 = relax.matmul %q, %k : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    %p3 = relax.nn.softmax %s3 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %t3 = relax.nn.softmax %p3 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %o3 = relax.matmul %t3, %v : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    relax.output %o, %o2, %o3 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
  } : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
  return %r#0, %r#1, %r#2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// What torch writes behind a softmax: rows without a number are 0.
// CHECK-LABEL: func.func @twice_read(
// CHECK:       func.call @fused_matmul_softmax_isnan_where_matmul(%q, %k, %v)
func.func @twice_read(%q: tensor<5x8xf32>, %k: tensor<8x7xf32>, %v: tensor<7x8xf32>) -> tensor<5x8xf32> {
  %r = relax.dataflow {
    %zero = relax.constant {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %s = relax.matmul %q, %k : (tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
    %p = relax.nn.softmax %s : (tensor<5x7xf32>) -> tensor<5x7xf32>
    %n = relax.isnan %p : (tensor<5x7xf32>) -> tensor<5x7xi1>
    %w = relax.where %n, %zero, %p : (tensor<5x7xi1>, tensor<f32>, tensor<5x7xf32>) -> tensor<5x7xf32>
    %o = relax.matmul %w, %v : (tensor<5x7xf32>, tensor<7x8xf32>) -> tensor<5x8xf32>
    relax.output %o : tensor<5x8xf32>
  } : tensor<5x8xf32>
  return %r : tensor<5x8xf32>
}

// The softmax is the other factor as well.
// REMARKS-NEXT: is not grouped with the softmax before it, as attention: relax.nn.softmax ({{.*}}) has readers beside these
// REMARKS-NOT:  attention
// CHECK-LABEL: func.func @declines_square(
// CHECK-NOT:   func.call
func.func @declines_square(%q: tensor<5x8xf32>, %k: tensor<8x5xf32>) -> tensor<5x5xf32> {
  %r = relax.dataflow {
    %s = relax.matmul %q, %k : (tensor<5x8xf32>, tensor<8x5xf32>) -> tensor<5x5xf32>
    %p = relax.nn.softmax %s : (tensor<5x5xf32>) -> tensor<5x5xf32>
    %o = relax.matmul %p, %p : (tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
    relax.output %o : tensor<5x5xf32>
  } : tensor<5x5xf32>
  return %r : tensor<5x5xf32>
}
