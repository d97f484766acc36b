// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @max_pool1d_c1(%a: tensor<2x3x8xi1>) {
  // expected-error@below {{max_pool1d_c1: element type must be one of}}
  %0 = relax.nn.max_pool1d %a : (tensor<2x3x8xi1>) -> tensor<2x3x8xi1>
  return
}

// -----

func.func @max_pool1d_c2(%a: tensor<2x3x8xf32>) {
  // expected-error@below {{max_pool1d_c2: layout must be a permutation of NCW, got 'NC'}}
  %0 = relax.nn.max_pool1d %a {layout = "NC"} : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  return
}

// -----

func.func @max_pool1d_c3(%a: tensor<2x3x8xf32>) {
  // expected-error@below {{max_pool1d_c3: pool_size must be at least 1, got [0]}}
  %0 = relax.nn.max_pool1d %a {pool_size = array<i64: 0>} : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  return
}

// -----

func.func @max_pool1d_c4(%a: tensor<2x3xf32>) {
  // expected-error@below {{max_pool1d_c4: the operand must have rank 3, got [2, 3]}}
  %0 = relax.nn.max_pool1d %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @max_pool1d_c5(%a: tensor<2x3x8xf32>) {
  // expected-error@below {{max_pool1d_c5: a window of 9 does not fit into the padded size 8}}
  %0 = relax.nn.max_pool1d %a {pool_size = array<i64: 9>} : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  return
}

// -----

func.func @avg_pool1d_c1(%a: tensor<2x3x8xi1>) {
  // expected-error@below {{avg_pool1d_c1: element type must be one of}}
  %0 = relax.nn.avg_pool1d %a : (tensor<2x3x8xi1>) -> tensor<2x3x8xi1>
  return
}

// -----

func.func @avg_pool1d_c2(%a: tensor<2x3x8xf32>) {
  // expected-error@below {{avg_pool1d_c2: layout must be a permutation of NCW, got 'NC'}}
  %0 = relax.nn.avg_pool1d %a {layout = "NC"} : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  return
}

// -----

func.func @avg_pool1d_c3(%a: tensor<2x3x8xf32>) {
  // expected-error@below {{avg_pool1d_c3: pool_size must be at least 1, got [0]}}
  %0 = relax.nn.avg_pool1d %a {pool_size = array<i64: 0>} : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  return
}

// -----

func.func @avg_pool1d_c4(%a: tensor<2x3xf32>) {
  // expected-error@below {{avg_pool1d_c4: the operand must have rank 3, got [2, 3]}}
  %0 = relax.nn.avg_pool1d %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @avg_pool1d_c5(%a: tensor<2x3x8xf32>) {
  // expected-error@below {{avg_pool1d_c5: a window of 9 does not fit into the padded size 8}}
  %0 = relax.nn.avg_pool1d %a {pool_size = array<i64: 9>} : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  return
}

// -----

func.func @adaptive_avg_pool1d_c1(%a: tensor<2x3x8xi1>) {
  // expected-error@below {{adaptive_avg_pool1d_c1: element type must be one of}}
  %0 = relax.nn.adaptive_avg_pool1d %a : (tensor<2x3x8xi1>) -> tensor<2x3x8xi1>
  return
}

// -----

func.func @adaptive_avg_pool1d_c2(%a: tensor<2x3x8xf32>) {
  // expected-error@below {{adaptive_avg_pool1d_c2: layout must be a permutation of NCW, got 'NC'}}
  %0 = relax.nn.adaptive_avg_pool1d %a {layout = "NC"} : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  return
}

// -----

func.func @adaptive_avg_pool1d_c3(%a: tensor<2x3x8xf32>) {
  // expected-error@below {{adaptive_avg_pool1d_c3: output_size must be at least 1, got [0]}}
  %0 = relax.nn.adaptive_avg_pool1d %a {output_size = array<i64: 0>} : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  return
}

// -----

func.func @adaptive_avg_pool1d_c4(%a: tensor<2x3xf32>) {
  // expected-error@below {{adaptive_avg_pool1d_c4: the operand must have rank 3, got [2, 3]}}
  %0 = relax.nn.adaptive_avg_pool1d %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @avg_pool2d_c1(%a: tensor<2x3x8x8xi1>) {
  // expected-error@below {{avg_pool2d_c1: element type must be one of}}
  %0 = relax.nn.avg_pool2d %a : (tensor<2x3x8x8xi1>) -> tensor<2x3x8x8xi1>
  return
}

// -----

func.func @avg_pool2d_c2(%a: tensor<2x3x8x8xf32>) {
  // expected-error@below {{avg_pool2d_c2: layout must be a permutation of NCHW, got 'NC'}}
  %0 = relax.nn.avg_pool2d %a {layout = "NC"} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  return
}

// -----

func.func @avg_pool2d_c3(%a: tensor<2x3x8x8xf32>) {
  // expected-error@below {{avg_pool2d_c3: pool_size must be at least 1, got [0]}}
  %0 = relax.nn.avg_pool2d %a {pool_size = array<i64: 0>} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  return
}

// -----

func.func @avg_pool2d_c4(%a: tensor<2x3xf32>) {
  // expected-error@below {{avg_pool2d_c4: the operand must have rank 4, got [2, 3]}}
  %0 = relax.nn.avg_pool2d %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @avg_pool2d_c5(%a: tensor<2x3x8x8xf32>) {
  // expected-error@below {{avg_pool2d_c5: a window of 9 does not fit into the padded size 8}}
  %0 = relax.nn.avg_pool2d %a {pool_size = array<i64: 9>} : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  return
}

// -----

func.func @max_pool3d_c1(%a: tensor<2x3x8x8x8xi1>) {
  // expected-error@below {{max_pool3d_c1: element type must be one of}}
  %0 = relax.nn.max_pool3d %a : (tensor<2x3x8x8x8xi1>) -> tensor<2x3x8x8x8xi1>
  return
}

// -----

func.func @max_pool3d_c2(%a: tensor<2x3x8x8x8xf32>) {
  // expected-error@below {{max_pool3d_c2: layout must be a permutation of NCDHW, got 'NC'}}
  %0 = relax.nn.max_pool3d %a {layout = "NC"} : (tensor<2x3x8x8x8xf32>) -> tensor<2x3x8x8x8xf32>
  return
}

// -----

func.func @max_pool3d_c3(%a: tensor<2x3x8x8x8xf32>) {
  // expected-error@below {{max_pool3d_c3: pool_size must be at least 1, got [0]}}
  %0 = relax.nn.max_pool3d %a {pool_size = array<i64: 0>} : (tensor<2x3x8x8x8xf32>) -> tensor<2x3x8x8x8xf32>
  return
}

// -----

func.func @max_pool3d_c4(%a: tensor<2x3xf32>) {
  // expected-error@below {{max_pool3d_c4: the operand must have rank 5, got [2, 3]}}
  %0 = relax.nn.max_pool3d %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @max_pool3d_c5(%a: tensor<2x3x8x8x8xf32>) {
  // expected-error@below {{max_pool3d_c5: a window of 9 does not fit into the padded size 8}}
  %0 = relax.nn.max_pool3d %a {pool_size = array<i64: 9>} : (tensor<2x3x8x8x8xf32>) -> tensor<2x3x8x8x8xf32>
  return
}

// -----

func.func @avg_pool3d_c1(%a: tensor<2x3x8x8x8xi1>) {
  // expected-error@below {{avg_pool3d_c1: element type must be one of}}
  %0 = relax.nn.avg_pool3d %a : (tensor<2x3x8x8x8xi1>) -> tensor<2x3x8x8x8xi1>
  return
}

// -----

func.func @avg_pool3d_c2(%a: tensor<2x3x8x8x8xf32>) {
  // expected-error@below {{avg_pool3d_c2: layout must be a permutation of NCDHW, got 'NC'}}
  %0 = relax.nn.avg_pool3d %a {layout = "NC"} : (tensor<2x3x8x8x8xf32>) -> tensor<2x3x8x8x8xf32>
  return
}

// -----

func.func @avg_pool3d_c3(%a: tensor<2x3x8x8x8xf32>) {
  // expected-error@below {{avg_pool3d_c3: pool_size must be at least 1, got [0]}}
  %0 = relax.nn.avg_pool3d %a {pool_size = array<i64: 0>} : (tensor<2x3x8x8x8xf32>) -> tensor<2x3x8x8x8xf32>
  return
}

// -----

func.func @avg_pool3d_c4(%a: tensor<2x3xf32>) {
  // expected-error@below {{avg_pool3d_c4: the operand must have rank 5, got [2, 3]}}
  %0 = relax.nn.avg_pool3d %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @avg_pool3d_c5(%a: tensor<2x3x8x8x8xf32>) {
  // expected-error@below {{avg_pool3d_c5: a window of 9 does not fit into the padded size 8}}
  %0 = relax.nn.avg_pool3d %a {pool_size = array<i64: 9>} : (tensor<2x3x8x8x8xf32>) -> tensor<2x3x8x8x8xf32>
  return
}

// -----

func.func @adaptive_avg_pool3d_c1(%a: tensor<2x3x8x8x8xi1>) {
  // expected-error@below {{adaptive_avg_pool3d_c1: element type must be one of}}
  %0 = relax.nn.adaptive_avg_pool3d %a : (tensor<2x3x8x8x8xi1>) -> tensor<2x3x8x8x8xi1>
  return
}

// -----

func.func @adaptive_avg_pool3d_c2(%a: tensor<2x3x8x8x8xf32>) {
  // expected-error@below {{adaptive_avg_pool3d_c2: layout must be a permutation of NCDHW, got 'NC'}}
  %0 = relax.nn.adaptive_avg_pool3d %a {layout = "NC"} : (tensor<2x3x8x8x8xf32>) -> tensor<2x3x8x8x8xf32>
  return
}

// -----

func.func @adaptive_avg_pool3d_c3(%a: tensor<2x3x8x8x8xf32>) {
  // expected-error@below {{adaptive_avg_pool3d_c3: output_size must be at least 1, got [0]}}
  %0 = relax.nn.adaptive_avg_pool3d %a {output_size = array<i64: 0>} : (tensor<2x3x8x8x8xf32>) -> tensor<2x3x8x8x8xf32>
  return
}

// -----

func.func @adaptive_avg_pool3d_c4(%a: tensor<2x3xf32>) {
  // expected-error@below {{adaptive_avg_pool3d_c4: the operand must have rank 5, got [2, 3]}}
  %0 = relax.nn.adaptive_avg_pool3d %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
