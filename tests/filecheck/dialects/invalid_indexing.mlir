// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @take_c1(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@below {{take_c1: element type must be one of}}
  %0 = relax.take %a, %b {axis = 0 : i64} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @take_c2(%a: tensor<2x3xf32>, %b: tensor<3xi64>) {
  // expected-error@below {{take_c2: without an axis the tensor must have at most one dim, got 2}}
  %0 = relax.take %a, %b : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @take_c2(%a: tensor<f32>, %b: tensor<3xi64>) {
  // expected-error@below {{take_c2: a scalar tensor has no axis}}
  %0 = relax.take %a, %b {axis = 0 : i64} : (tensor<f32>, tensor<3xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @take_c2(%a: tensor<2x3xf32>, %b: tensor<3xi64>) {
  // expected-error@below {{take_c2: axis must be in [-2, 2) for rank 2, got 2}}
  %0 = relax.take %a, %b {axis = 2 : i64} : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @take_c3(%a: tensor<2x3xf32>, %b: tensor<3xi64>) {
  // expected-error@below {{take_c3: mode must be one of fast, clip, wrap, nan, got raise}}
  %0 = relax.take %a, %b {axis = 0 : i64, mode = "raise"} : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @take_c3(%a: tensor<3xi64>, %b: tensor<3xi64>) {
  // expected-error@below {{take_c3: mode "nan" is for floating-point elements, got i64}}
  %0 = relax.take %a, %b {mode = "nan"} : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>
  return
}

// -----

func.func @strided_slice_c1(%a: tensor<2x3xf32>) {
  // expected-error@below {{strided_slice_c1: axis must be in [-2, 2) for rank 2, got 2}}
  %0 = relax.strided_slice %a {axes = array<i64: 2>, begin = array<i64: 0>, end = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @strided_slice_c2(%a: tensor<2x3xf32>) {
  // expected-error@below {{strided_slice_c2: expected 1 entries each, got begin 2, end 1, strides 1}}
  %0 = relax.strided_slice %a {axes = array<i64: 0>, begin = array<i64: 0, 1>, end = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @strided_slice_c2(%a: tensor<2x3xf32>) {
  // expected-error@below {{strided_slice_c2: begin and end must be given as two properties or as two shape operands}}
  %0 = relax.strided_slice %a {axes = array<i64: 0>, begin = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @strided_slice_c3(%a: tensor<2x3xf32>) {
  // expected-error@below {{strided_slice_c3: strides must not be 0, got [0]}}
  %0 = relax.strided_slice %a {axes = array<i64: 0>, begin = array<i64: 0>, end = array<i64: 1>, strides = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @dynamic_strided_slice_c1(%a: tensor<2x3xf32>, %b: tensor<2xi32>, %c: tensor<2xi64>, %d: tensor<2xi64>) {
  // expected-error@below {{dynamic_strided_slice_c1: begin, end and strides must be vectors of i64, got tensor<2xi32>}}
  %0 = relax.dynamic_strided_slice %a, %b, %c, %d : (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @dynamic_strided_slice_c2(%a: tensor<2x3xf32>, %b: tensor<3xi64>, %c: tensor<2xi64>, %d: tensor<2xi64>) {
  // expected-error@below {{dynamic_strided_slice_c2: expected 2 entries, got 3}}
  %0 = relax.dynamic_strided_slice %a, %b, %c, %d : (tensor<2x3xf32>, tensor<3xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @gather_elements_c1(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@below {{gather_elements_c1: element type must be one of}}
  %0 = relax.gather_elements %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_elements_c2(%a: tensor<2x3xf32>, %b: tensor<3xi64>) {
  // expected-error@below {{gather_elements_c2: data and indices must have the same rank of at least 1, got 2 and 1}}
  %0 = relax.gather_elements %a, %b : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_elements_c2(%a: tensor<2x3xf32>, %b: tensor<2x3xi64>) {
  // expected-error@below {{gather_elements_c2: axis must be in [-2, 2) for rank 2, got 2}}
  %0 = relax.gather_elements %a, %b {axis = 2 : i64} : (tensor<2x3xf32>, tensor<2x3xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_elements_c3(%a: tensor<2x3xf32>, %b: tensor<2x4xi64>) {
  // expected-error@below {{gather_elements_c3: dim 1 of the indices must be at most 3, got 4}}
  %0 = relax.gather_elements %a, %b : (tensor<2x3xf32>, tensor<2x4xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_nd_c1(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@below {{gather_nd_c1: element type must be one of}}
  %0 = relax.gather_nd %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_nd_c2(%a: tensor<2x3xf32>, %b: tensor<3xi64>) {
  // expected-error@below {{gather_nd_c2: 0 batch dims and 3 indices are more than the 2 dims of the data}}
  %0 = relax.gather_nd %a, %b : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_nd_c2(%a: tensor<2x3xf32>, %b: tensor<2x?xi64>) {
  // expected-error@below {{gather_nd_c2: the last dim of the indices must be known, got [2, ?]}}
  %0 = relax.gather_nd %a, %b : (tensor<2x3xf32>, tensor<2x?xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_nd_c3(%a: tensor<2x3xf32>, %b: tensor<4x1xi64>) {
  // expected-error@below {{gather_nd_c3: [2, 3] and [4, 1] have no 1 batch dims in common}}
  %0 = relax.gather_nd %a, %b {batch_dims = 1 : i64} : (tensor<2x3xf32>, tensor<4x1xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_elements_c1(%a: tensor<2x3xf32>, %b: tensor<2x3xi64>, %c: tensor<2x3xf16>) {
  // expected-error@below {{scatter_elements_c1: element types must be equal, got f32 and f16}}
  %0 = relax.scatter_elements %a, %b, %c : (tensor<2x3xf32>, tensor<2x3xi64>, tensor<2x3xf16>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_elements_c1(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %c: tensor<2x3xf32>) {
  // expected-error@below {{scatter_elements_c1: element type must be one of}}
  %0 = relax.scatter_elements %a, %b, %c : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_elements_c2(%a: tensor<2x3xf32>, %b: tensor<2x3xi64>, %c: tensor<2x3xf32>) {
  // expected-error@below {{scatter_elements_c2: axis must be in [-2, 2) for rank 2, got 2}}
  %0 = relax.scatter_elements %a, %b, %c {axis = 2 : i64} : (tensor<2x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_elements_c3(%a: tensor<2x3xf32>, %b: tensor<2x4xi64>, %c: tensor<2x4xf32>) {
  // expected-error@below {{scatter_elements_c3: dim 1 of the indices must be at most 3, got 4}}
  %0 = relax.scatter_elements %a, %b, %c : (tensor<2x3xf32>, tensor<2x4xi64>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_elements_c4(%a: tensor<2x3xf32>, %b: tensor<2x3xi64>, %c: tensor<1x3xf32>) {
  // expected-error@below {{scatter_elements_c4: updates must have shape [2, 3], got [1, 3]}}
  %0 = relax.scatter_elements %a, %b, %c : (tensor<2x3xf32>, tensor<2x3xi64>, tensor<1x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_elements_c5(%a: tensor<2x3xf32>, %b: tensor<2x3xi64>, %c: tensor<2x3xf32>) {
  // expected-error@below {{scatter_elements_c5: reduction must be one of update, add, mul, min, max, got mean}}
  %0 = relax.scatter_elements %a, %b, %c {reduction = "mean"} : (tensor<2x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_elements_c5(%a: tensor<3xi1>, %b: tensor<3xi64>, %c: tensor<3xi1>) {
  // expected-error@below {{scatter_elements_c5: reduction must be "update" for i1, got "add"}}
  %0 = relax.scatter_elements %a, %b, %c {reduction = "add"} : (tensor<3xi1>, tensor<3xi64>, tensor<3xi1>) -> tensor<3xi1>
  return
}

// -----

func.func @scatter_nd_c1(%a: tensor<2x3xf32>, %b: tensor<4x1xf32>, %c: tensor<4x3xf32>) {
  // expected-error@below {{scatter_nd_c1: element type must be one of}}
  %0 = relax.scatter_nd %a, %b, %c : (tensor<2x3xf32>, tensor<4x1xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_nd_c2(%a: tensor<2x3xf32>, %b: tensor<4x3xi64>, %c: tensor<4xf32>) {
  // expected-error@below {{scatter_nd_c2: 3 indices are more than the 2 dims of the data}}
  %0 = relax.scatter_nd %a, %b, %c : (tensor<2x3xf32>, tensor<4x3xi64>, tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_nd_c3(%a: tensor<2x3xf32>, %b: tensor<4x1xi64>, %c: tensor<4xf32>) {
  // expected-error@below {{scatter_nd_c3: updates must have shape [4, 3], got [4]}}
  %0 = relax.scatter_nd %a, %b, %c : (tensor<2x3xf32>, tensor<4x1xi64>, tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_nd_c4(%a: tensor<2x3xf32>, %b: tensor<4x1xi64>, %c: tensor<4x3xf32>) {
  // expected-error@below {{scatter_nd_c4: reduction must be one of update, add, mul, min, max, got sub}}
  %0 = relax.scatter_nd %a, %b, %c {reduction = "sub"} : (tensor<2x3xf32>, tensor<4x1xi64>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @index_tensor_c1(%a: tensor<2x3xf32>) {
  // expected-error@below {{index_tensor_c1: expected at least one index tensor}}
  %0 = relax.index_tensor %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @index_tensor_c1(%a: tensor<2x3xf32>, %b: tensor<3xi1>) {
  // expected-error@below {{index_tensor_c1: element type must be one of}}
  %0 = relax.index_tensor %a, %b : (tensor<2x3xf32>, tensor<3xi1>) -> tensor<2x3xf32>
  return
}

// -----

func.func @index_tensor_c2(%a: tensor<2x3xf32>, %b: tensor<3xi64>, %c: tensor<3xi64>, %d: tensor<3xi64>) {
  // expected-error@below {{index_tensor_c2: 3 index tensors for 2 dims}}
  %0 = relax.index_tensor %a, %b, %c, %d : (tensor<2x3xf32>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @index_tensor_c3(%a: tensor<2x3xf32>, %b: tensor<3xi64>, %c: tensor<2xi64>) {
  // expected-error@below {{index_tensor_c3: shapes do not broadcast: [3] and [2]}}
  %0 = relax.index_tensor %a, %b, %c : (tensor<2x3xf32>, tensor<3xi64>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @slice_scatter_c1(%a: tensor<2x3xf32>, %b: tensor<1x3xf16>) {
  // expected-error@below {{slice_scatter_c1: element types must be equal, got f32 and f16}}
  %0 = relax.slice_scatter %a, %b {start = 0 : i64, end = 1 : i64} : (tensor<2x3xf32>, tensor<1x3xf16>) -> tensor<2x3xf32>
  return
}

// -----

func.func @slice_scatter_c2(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error@below {{slice_scatter_c2: start and end must be given as two properties or as two shape operands}}
  %0 = relax.slice_scatter %a, %b {start = 0 : i64} : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @slice_scatter_c2(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error@below {{slice_scatter_c2: expected one start, one end, step > 0; got 1, 1, 0}}
  %0 = relax.slice_scatter %a, %b {start = 0 : i64, end = 1 : i64, step = 0 : i64} : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @slice_scatter_c3(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error@below {{slice_scatter_c3: axis must be in [-2, 2) for rank 2, got 2}}
  %0 = relax.slice_scatter %a, %b {start = 0 : i64, end = 1 : i64, axis = 2 : i64} : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @slice_scatter_c4(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@below {{slice_scatter_c4: updates must have shape [1, 3], got [2, 3]}}
  %0 = relax.slice_scatter %a, %b {start = 0 : i64, end = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @one_hot_c1(%a: tensor<2x3xf32>) {
  // expected-error@below {{one_hot_c1: element type must be one of}}
  %0 = relax.one_hot %a {on_value = 1 : i8, off_value = 0 : i8, depth = 3 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @one_hot_c2(%a: tensor<3xi64>) {
  // expected-error@below {{one_hot_c2: on_value and off_value must have one type, got i8 and i16}}
  %0 = relax.one_hot %a {on_value = 1 : i8, off_value = 0 : i16, depth = 3 : i64} : (tensor<3xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @one_hot_c3(%a: tensor<3xi64>) {
  // expected-error@below {{one_hot_c3: depth must be positive, got 0}}
  %0 = relax.one_hot %a {on_value = 1 : i8, off_value = 0 : i8, depth = 0 : i64} : (tensor<3xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @one_hot_c3(%a: tensor<3xi64>) {
  // expected-error@below {{one_hot_c3: axis must be in [-2, 2) for rank 2, got 2}}
  %0 = relax.one_hot %a {on_value = 1 : i8, off_value = 0 : i8, depth = 3 : i64, axis = 2 : i64} : (tensor<3xi64>) -> tensor<2x3xf32>
  return
}
