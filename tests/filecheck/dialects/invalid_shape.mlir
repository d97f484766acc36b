// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @shape_of_c1(%a: tensor<*xf32>) {
  // expected-error@below {{shape_of_c1: the rank must be known, got tensor<*xf32>}}
  %r = relax.shape_of %a : (tensor<*xf32>) -> !relax.shape<[]>
  return
}

// -----

func.func @tensor_to_shape_c1(%a: tensor<2xi32>) {
  // expected-error@below {{tensor_to_shape_c1: element type must be one of i64, got i32}}
  %r = relax.tensor_to_shape %a : (tensor<2xi32>) -> !relax.shape<[?, ?]>
  return
}

// -----

func.func @tensor_to_shape_c1(%a: tensor<?xi64>) {
  // expected-error@below {{tensor_to_shape_c1: the operand must be a vector of known length, got shape [?]}}
  %r = relax.tensor_to_shape %a : (tensor<?xi64>) -> !relax.shape<[?, ?]>
  return
}

// -----

func.func @tensor_to_shape_c2(%a: tensor<2xi64>) {
  %b = relax.shape : () -> !relax.shape<[4]>
  // expected-error@below {{tensor_to_shape_c2: there must be 2 bounds, got 1}}
  %r = relax.tensor_to_shape %a, %b : (tensor<2xi64>, !relax.shape<[4]>) -> !relax.shape<[?, ?]>
  return
}

// -----

func.func @symbol_value_c1() {
  %a = relax.shape : () -> !relax.shape<[2, 3]>
  // expected-error@below {{symbol_value_c1: index must be in [0, 2), got 2}}
  %r = relax.symbol_value %a {index = 2 : i64} : (!relax.shape<[2, 3]>) -> tensor<i64>
  return
}

// -----

func.func @symbol_value_c2() {
  %a = relax.shape : () -> !relax.shape<[2, 3]>
  // expected-error@below {{symbol_value_c2: element type must be one of f64, f32, f16, bf16, i8, i16, i32, i64, ui8, ui16, ui32, ui64, got i1}}
  %r = relax.symbol_value %a {dtype = i1} : (!relax.shape<[2, 3]>) -> tensor<i1>
  return
}
