// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @pack_weight_c1(%w: tensor<8xf32>) {
  // expected-error@+1 {{pack_weight_c1: the weight must have two dims, got [8]}}
  %0 = relax.pack_weight %w : (tensor<8xf32>) -> tensor<1x8x64xf32>
  return
}

// -----

func.func @pack_weight_c2(%w: tensor<8x4xi1>) {
  // expected-error@+1 {{pack_weight_c2: element type must be one of}}
  %0 = relax.pack_weight %w : (tensor<8x4xi1>) -> tensor<1x8x64xi1>
  return
}

// -----

func.func @packed_matmul_c1(%x: tensor<2x8xf16>, %p: tensor<1x8x64xf32>) {
  // expected-error@+1 {{packed_matmul_c1: element types must be equal, got f16 and f32}}
  %0 = relax.packed_matmul %x, %p {columns = 4 : i64} : (tensor<2x8xf16>, tensor<1x8x64xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @packed_matmul_c2(%x: tensor<2x7xf32>, %p: tensor<1x8x64xf32>) {
  // expected-error@+1 {{packed_matmul_c2: contraction dimensions differ: lhs has 7, packed has 8}}
  %0 = relax.packed_matmul %x, %p {columns = 4 : i64} : (tensor<2x7xf32>, tensor<1x8x64xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @packed_matmul_c3(%x: tensor<2x8xf32>, %p: tensor<1x8x64xf32>) {
  // expected-error@+1 {{packed_matmul_c3: the packed weight must be [2, K, 64], got [1, 8, 64]}}
  %0 = relax.packed_matmul %x, %p {columns = 65 : i64} : (tensor<2x8xf32>, tensor<1x8x64xf32>) -> tensor<2x65xf32>
  return
}

// -----

func.func @packed_matmul_c4(%x: tensor<f32>, %p: tensor<1x8x64xf32>) {
  // expected-error@+1 {{packed_matmul_c4: the lhs must have rank 1 or more, got 0}}
  %0 = relax.packed_matmul %x, %p {columns = 4 : i64} : (tensor<f32>, tensor<1x8x64xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @packed_matmul_c2_of_bytes(%x: tensor<2x9xui8>, %p: tensor<1x2x64x4xi8>) {
  // expected-error@+1 {{packed_matmul_c2: contraction dimensions differ: lhs has 9, packed has 4 * 2}}
  %0 = relax.packed_matmul %x, %p {columns = 4 : i64, out_dtype = i32} : (tensor<2x9xui8>, tensor<1x2x64x4xi8>) -> tensor<2x4xi32>
  return
}

// -----

func.func @packed_matmul_c3_of_bytes(%x: tensor<2x8xi8>, %p: tensor<1x8x64xi8>) {
  // expected-error@+1 {{packed_matmul_c3: the packed weight must be [1, ceil(K / 4), 64, 4], got [1, 8, 64]}}
  %0 = relax.packed_matmul %x, %p {columns = 4 : i64} : (tensor<2x8xi8>, tensor<1x8x64xi8>) -> tensor<2x4xi8>
  return
}

// -----

func.func @pack_weight_c3(%w: tensor<8x100xf32>) {
  // expected-error@+1 {{pack_weight_c3: panel must be 16, 32 or 64, got 24}}
  %0 = relax.pack_weight %w {panel = 24 : i64} : (tensor<8x100xf32>) -> tensor<5x8x24xf32>
  return
}

// -----

func.func @packed_matmul_c3_of_16(%x: tensor<2x8xf32>, %p: tensor<1x8x16xf32>) {
  // expected-error@+1 {{packed_matmul_c3: the packed weight must be [2, K, 16], got [1, 8, 16]}}
  %0 = relax.packed_matmul %x, %p {columns = 17 : i64} : (tensor<2x8xf32>, tensor<1x8x16xf32>) -> tensor<2x17xf32>
  return
}

// -----

func.func @packed_matmul_c3_of_24(%x: tensor<2x8xf32>, %p: tensor<1x8x24xf32>) {
  // expected-error@+1 {{packed_matmul_c3: the packed weight must be [1, K, 64], or have panels of 16, 32 or 64 columns, got [1, 8, 24]}}
  %0 = relax.packed_matmul %x, %p {columns = 17 : i64} : (tensor<2x8xf32>, tensor<1x8x24xf32>) -> tensor<2x17xf32>
  return
}
