// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @matmul_c1(%a: tensor<2x3xui8>, %b: tensor<3x2xi8>) {
  // expected-error@below {{matmul_c1: element types must be equal, got ui8 and i8}}
  %0 = relax.matmul %a, %b {out_dtype = i64} : (tensor<2x3xui8>, tensor<3x2xi8>) -> tensor<2x2xi64>
  return
}

// -----

func.func @matmul_c1(%a: tensor<2x3xf32>, %b: tensor<3x2xf16>) {
  // expected-error@below {{matmul_c1: element types must be equal, got f32 and f16}}
  %0 = relax.matmul %a, %b : (tensor<2x3xf32>, tensor<3x2xf16>) -> tensor<2x3xf32>
  return
}

// -----

func.func @matmul_c2(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@below {{matmul_c2: contraction dimensions differ: lhs has 3, rhs has 2}}
  %0 = relax.matmul %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @matmul_c3(%a: tensor<2x3xf32>, %b: tensor<f32>) {
  // expected-error@below {{matmul_c3: operands must have rank 1 or more, got 2 and 0}}
  %0 = relax.matmul %a, %b : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @matmul_c4(%a: tensor<2x2x3xf32>, %b: tensor<4x3x2xf32>) {
  // expected-error@below {{matmul_c4: shapes do not broadcast: [2] and [4]}}
  %0 = relax.matmul %a, %b : (tensor<2x2x3xf32>, tensor<4x3x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @matmul_c5(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) {
  // expected-error@below {{matmul_c5: element type must be one of}}
  %0 = relax.matmul %a, %b {out_dtype = i1} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xi1>
  return
}

// -----

func.func @linear_c1(%a: tensor<2x3xf32>, %b: tensor<2x3xf16>) {
  // expected-error@below {{linear_c1: element types must be equal, got f32 and f16}}
  %0 = relax.linear %a, %b : (tensor<2x3xf32>, tensor<2x3xf16>) -> tensor<2x3xf32>
  return
}

// -----

func.func @linear_c1(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %c: tensor<2xf16>) {
  // expected-error@below {{linear_c1: the bias must have element type f32, got f16}}
  %0 = relax.linear %a, %b, %c : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf16>) -> tensor<2x3xf32>
  return
}

// -----

func.func @linear_c2(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) {
  // expected-error@below {{linear_c2: contraction dimensions differ: data has 3, weight has 2}}
  %0 = relax.linear %a, %b : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @linear_c3(%a: tensor<2x3xf32>, %b: tensor<1x2x3xf32>) {
  // expected-error@below {{linear_c3: got data of shape [2, 3] and weight of shape [1, 2, 3]}}
  %0 = relax.linear %a, %b : (tensor<2x3xf32>, tensor<1x2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @linear_c4(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>, %c: tensor<3xf32>) {
  // expected-error@below {{linear_c4: shapes do not broadcast: [2, 4] and [3]}}
  %0 = relax.linear %a, %b, %c : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @einsum_c1() {
  // expected-error@below {{einsum_c1: expected at least one operand}}
  %0 = relax.einsum {subscripts = "->"} : () -> tensor<2x3xf32>
  return
}

// -----

func.func @einsum_c2(%a: tensor<2x3xf32>) {
  // expected-error@below {{einsum_c2: subscripts must be lists of letters with at most one "...", got "i1->i"}}
  %0 = relax.einsum %a {subscripts = "i1->i"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @einsum_c2(%a: tensor<2x3xf32>) {
  // expected-error@below {{einsum_c2: each label of the result must be one of an operand, and stand once, got "ij->ii"}}
  %0 = relax.einsum %a {subscripts = "ij->ii"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @einsum_c3(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@below {{einsum_c3: "ij->i" is for 1 operands, got 2}}
  %0 = relax.einsum %a, %b {subscripts = "ij->i"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @einsum_c3(%a: tensor<2x3xf32>) {
  // expected-error@below {{einsum_c3: "i" does not fit an operand of rank 2}}
  %0 = relax.einsum %a {subscripts = "i->i"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @einsum_c4(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@below {{einsum_c4: label j is 3, but 2 in [2, 3]}}
  %0 = relax.einsum %a, %b {subscripts = "ij,jk->ik"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @outer_c1(%a: tensor<2xf32>, %b: tensor<2xi8>) {
  // expected-error@below {{outer_c1: element types must be equal, got f32 and i8}}
  %0 = relax.outer %a, %b : (tensor<2xf32>, tensor<2xi8>) -> tensor<2x3xf32>
  return
}

// -----

func.func @outer_c2(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error@below {{outer_c2: operands must be vectors, got [2, 3] and [2]}}
  %0 = relax.outer %a, %b : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}
