// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @attention_c1(%a: tensor<2x5x4x8xf32>, %b: tensor<2x7x4x8xf16>, %c: tensor<2x7x4x8xf32>) {
  // expected-error@below {{attention_c1: element types must be equal, got f32 and f16}}
  %0 = relax.nn.attention %a, %b, %c : (tensor<2x5x4x8xf32>, tensor<2x7x4x8xf16>, tensor<2x7x4x8xf32>) -> tensor<2x5x4x8xf32>
  return
}

// -----

func.func @attention_c2(%a: tensor<2x5x4x8xf32>, %b: tensor<2x7x4x8xf32>, %c: tensor<2x7x32xf32>) {
  // expected-error@below {{attention_c2: value must have rank 4, got [2, 7, 32]}}
  %0 = relax.nn.attention %a, %b, %c : (tensor<2x5x4x8xf32>, tensor<2x7x4x8xf32>, tensor<2x7x32xf32>) -> tensor<2x5x4x8xf32>
  return
}

// -----

func.func @attention_c3(%a: tensor<2x5x4x8xf32>, %b: tensor<3x7x4x8xf32>, %c: tensor<2x7x4x8xf32>) {
  // expected-error@below {{attention_c3: batch size of query and key must be equal, got 2 and 3}}
  %0 = relax.nn.attention %a, %b, %c : (tensor<2x5x4x8xf32>, tensor<3x7x4x8xf32>, tensor<2x7x4x8xf32>) -> tensor<2x5x4x8xf32>
  return
}

// -----

func.func @attention_c4(%a: tensor<2x5x4x8xf32>, %b: tensor<2x7x4x8xf32>, %c: tensor<2x6x4x8xf32>) {
  // expected-error@below {{attention_c4: sequence length of key and value must be equal, got 7 and 6}}
  %0 = relax.nn.attention %a, %b, %c : (tensor<2x5x4x8xf32>, tensor<2x7x4x8xf32>, tensor<2x6x4x8xf32>) -> tensor<2x5x4x8xf32>
  return
}

// -----

func.func @attention_c4(%a: tensor<2x5x4x8xf32>, %b: tensor<2x7x4x8xf32>, %c: tensor<2x7x2x8xf32>) {
  // expected-error@below {{attention_c4: number of heads of key and value must be equal, got 4 and 2}}
  %0 = relax.nn.attention %a, %b, %c : (tensor<2x5x4x8xf32>, tensor<2x7x4x8xf32>, tensor<2x7x2x8xf32>) -> tensor<2x5x4x8xf32>
  return
}

// -----

func.func @attention_c4(%a: tensor<2x5x4x8xf32>, %b: tensor<2x7x4x9xf32>, %c: tensor<2x7x4x8xf32>) {
  // expected-error@below {{attention_c4: head dim of query and key must be equal, got 8 and 9}}
  %0 = relax.nn.attention %a, %b, %c : (tensor<2x5x4x8xf32>, tensor<2x7x4x9xf32>, tensor<2x7x4x8xf32>) -> tensor<2x5x4x8xf32>
  return
}

// -----

func.func @attention_c5(%a: tensor<2x5x4x8xf32>, %b: tensor<2x7x3x8xf32>, %c: tensor<2x7x3x8xf32>) {
  // expected-error@below {{attention_c5: the 4 query heads must be a multiple of the 3 key heads}}
  %0 = relax.nn.attention %a, %b, %c : (tensor<2x5x4x8xf32>, tensor<2x7x3x8xf32>, tensor<2x7x3x8xf32>) -> tensor<2x5x4x8xf32>
  return
}

// -----

func.func @attention_c6(%a: tensor<2x5x4x8xf32>, %b: tensor<2x7x4x8xf32>, %c: tensor<2x7x4x8xf32>) {
  // expected-error@below {{attention_c6: causal_mask must be TopLeft or BottomRight, got 'causal'}}
  %0 = relax.nn.attention %a, %b, %c {causal_mask = "causal"} : (tensor<2x5x4x8xf32>, tensor<2x7x4x8xf32>, tensor<2x7x4x8xf32>) -> tensor<2x5x4x8xf32>
  return
}

// -----

func.func @attention_c7(%a: tensor<2x5x4x8xf32>, %b: tensor<2x7x4x8xf32>, %c: tensor<2x7x4x8xf32>) {
  // expected-error@below {{attention_c7: window_size must be positive and come with a causal_mask, got 4}}
  %0 = relax.nn.attention %a, %b, %c {window_size = 4 : i64} : (tensor<2x5x4x8xf32>, tensor<2x7x4x8xf32>, tensor<2x7x4x8xf32>) -> tensor<2x5x4x8xf32>
  return
}

// -----

func.func @attention_bias_c1(%a: tensor<2x5x4x8xf32>, %b: tensor<2x7x4x8xf32>, %c: tensor<2x7x4x8xf32>, %d: tensor<2x4x5x7xf64>) {
  // expected-error@below {{attention_bias_c1: element types must be equal}}
  %0 = relax.nn.attention_bias %a, %b, %c, %d : (tensor<2x5x4x8xf32>, tensor<2x7x4x8xf32>, tensor<2x7x4x8xf32>, tensor<2x4x5x7xf64>) -> tensor<2x5x4x8xf32>
  return
}

// -----

func.func @attention_bias_c2(%a: tensor<2x5x4x8xf32>, %b: tensor<2x7x4x8xf32>, %c: tensor<2x7x4x8xf32>, %d: tensor<5x7xf32>) {
  // expected-error@below {{attention_bias_c2: bias must have rank 4, got [5, 7]}}
  %0 = relax.nn.attention_bias %a, %b, %c, %d : (tensor<2x5x4x8xf32>, tensor<2x7x4x8xf32>, tensor<2x7x4x8xf32>, tensor<5x7xf32>) -> tensor<2x5x4x8xf32>
  return
}

// -----

func.func @attention_bias_c3(%a: tensor<2x5x4x8xf32>, %b: tensor<2x7x4x8xf32>, %c: tensor<1x7x4x8xf32>, %d: tensor<2x4x5x7xf32>) {
  // expected-error@below {{attention_bias_c3: batch size of query and value}}
  %0 = relax.nn.attention_bias %a, %b, %c, %d : (tensor<2x5x4x8xf32>, tensor<2x7x4x8xf32>, tensor<1x7x4x8xf32>, tensor<2x4x5x7xf32>) -> tensor<2x5x4x8xf32>
  return
}

// -----

func.func @attention_bias_c4(%a: tensor<2x5x4x8xf32>, %b: tensor<2x7x4x9xf32>, %c: tensor<2x7x4x8xf32>, %d: tensor<2x4x5x7xf32>) {
  // expected-error@below {{attention_bias_c4: head dim of query and key must be equal, got 8 and 9}}
  %0 = relax.nn.attention_bias %a, %b, %c, %d : (tensor<2x5x4x8xf32>, tensor<2x7x4x9xf32>, tensor<2x7x4x8xf32>, tensor<2x4x5x7xf32>) -> tensor<2x5x4x8xf32>
  return
}

// -----

func.func @attention_bias_c5(%a: tensor<2x5x4x8xf32>, %b: tensor<2x7x3x8xf32>, %c: tensor<2x7x3x8xf32>, %d: tensor<2x4x5x7xf32>) {
  // expected-error@below {{attention_bias_c5: the 4 query heads must be a multiple}}
  %0 = relax.nn.attention_bias %a, %b, %c, %d : (tensor<2x5x4x8xf32>, tensor<2x7x3x8xf32>, tensor<2x7x3x8xf32>, tensor<2x4x5x7xf32>) -> tensor<2x5x4x8xf32>
  return
}

// -----

func.func @attention_bias_c6(%a: tensor<2x5x4x8xf32>, %b: tensor<2x7x4x8xf32>, %c: tensor<2x7x4x8xf32>, %d: tensor<2x4x5x7xf32>) {
  // expected-error@below {{attention_bias_c6: causal_mask must be}}
  %0 = relax.nn.attention_bias %a, %b, %c, %d {causal_mask = ""} : (tensor<2x5x4x8xf32>, tensor<2x7x4x8xf32>, tensor<2x7x4x8xf32>, tensor<2x4x5x7xf32>) -> tensor<2x5x4x8xf32>
  return
}

// -----

func.func @attention_bias_c7(%a: tensor<2x5x4x8xf32>, %b: tensor<2x7x4x8xf32>, %c: tensor<2x7x4x8xf32>, %d: tensor<2x4x5x7xf32>) {
  // expected-error@below {{attention_bias_c7: window_size must be positive}}
  %0 = relax.nn.attention_bias %a, %b, %c, %d {causal_mask = "TopLeft", window_size = 0 : i64} : (tensor<2x5x4x8xf32>, tensor<2x7x4x8xf32>, tensor<2x7x4x8xf32>, tensor<2x4x5x7xf32>) -> tensor<2x5x4x8xf32>
  return
}

// -----

func.func @attention_bias_c8(%a: tensor<2x5x4x8xf32>, %b: tensor<2x7x4x8xf32>, %c: tensor<2x7x4x8xf32>, %d: tensor<2x4x5x6xf32>) {
  // expected-error@below {{attention_bias_c8: bias must broadcast to [2, 4, 5, 7], got [2, 4, 5, 6]}}
  %0 = relax.nn.attention_bias %a, %b, %c, %d : (tensor<2x5x4x8xf32>, tensor<2x7x4x8xf32>, tensor<2x7x4x8xf32>, tensor<2x4x5x6xf32>) -> tensor<2x5x4x8xf32>
  return
}
