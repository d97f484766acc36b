// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @dataflow_c1_types(%x: tensor<4xf32>) -> tensor<5xf32> {
  // expected-error@+1 {{dataflow_c1: the output types must be the result types: got (tensor<4xf32>), declared (tensor<5xf32>)}}
  %r = relax.dataflow {
    relax.output %x : tensor<4xf32>
  } : tensor<5xf32>
  return %r : tensor<5xf32>
}

// -----

func.func @dataflow_c1_count(%x: tensor<4xf32>) {
  // expected-error@+1 {{dataflow_c1: the output types must be the result types: got (tensor<4xf32>), declared ()}}
  relax.dataflow {
    relax.output %x : tensor<4xf32>
  }
  return
}

// -----

func.func @dataflow_c2_effects(%x: tensor<4xf32>) {
  relax.dataflow {
    // expected-error@+1 {{dataflow_c2: relax.call_packed 'f' may have side effects, mark it `pure = true` or move it out}}
    %0 = relax.call_packed %x {callee = "f"} : (tensor<4xf32>) -> tensor<4xf32>
    relax.output
  }
  return
}

// -----

func.func @constant_c1() {
  // expected-error@+1 {{constant_c1: the value has type tensor<2xf32>, the result tensor<3xf32>}}
  %0 = relax.constant {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<3xf32>
  return
}

// -----

func.func @match_cast_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{match_cast_c1: a value of type tensor<4xf32> never has type tensor<5xf32>}}
  %0 = relax.match_cast %x : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @tuple_get_item_c1(%x: tuple<tensor<4xf32>>) {
  // expected-error@+1 {{tuple_get_item_c1: index must be in [0, 1), got 1}}
  %0 = relax.tuple_get_item %x {index = 1 : i64} : (tuple<tensor<4xf32>>) -> tensor<4xf32>
  return
}

// -----

func.func @shape_c1() {
  // expected-error@+1 {{shape_c1: every dim must be known, got !relax.shape<[?]>}}
  %0 = relax.shape : () -> !relax.shape<[?]>
  return
}

// -----

func.func @tuple_type(%x: tensor<4xf32>) {
  // expected-error@+1 {{result 0 has type tuple<tensor<5xf32>>, but the op yields tuple<tensor<4xf32>>}}
  %0 = relax.tuple %x : (tensor<4xf32>) -> tuple<tensor<5xf32>>
  return
}

// -----

func.func @undefined_in_result(%x: tensor<?xf32>) {
  // expected-error@+1 {{symbol n in the result of relax.call_packed is not defined}}
  %0 = relax.call_packed %x {callee = "f"} : (tensor<?xf32>) -> tensor<?xf32, #relax.sym<n>>
  return
}

// -----

// An expression uses its symbols, it does not define them.
// expected-error@+1 {{symbol n in argument 0 of @use_is_no_definition is not defined}}
func.func @use_is_no_definition(%x: tensor<?xf32, #relax.sym<2 * n>>) {
  return
}

// -----

func.func @used_before_match_cast(%x: tensor<?xf32>) {
  // expected-error@+1 {{symbol n in the result of relax.shape is not defined}}
  %s = relax.shape : () -> !relax.shape<[n]>
  %0 = relax.match_cast %x : (tensor<?xf32>) -> tensor<?xf32, #relax.sym<n>>
  return
}

// -----

// expected-error@+1 {{relax.num_input must be in [0, 1], the number of arguments, got 2}}
func.func @num_input(%x: tensor<4xf32>) attributes {relax.num_input = 2 : i64} {
  return
}

// -----

func.func @literal_at_no_position(%x: tensor<4xf32>) {
  // expected-error@+1 {{call_packed_c1: a position of literals must be in [0, 2), got 2}}
  relax.call_packed %x {callee = "f", literals = {"2" = "a"}} : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @size_is_no_shape_of_one_dim(%x: tensor<4xf32>, %s: !relax.shape<[2, 3]>) {
  // expected-error@+1 {{call_packed_c1: sizes must be positions of shapes of one dim, at 1 stands !relax.shape<[2, 3]>}}
  relax.call_packed %x, %s {callee = "f", sizes = array<i64: 1>} : (tensor<4xf32>, !relax.shape<[2, 3]>) -> ()
  return
}

// -----

func.func @literal_is_no_string(%x: tensor<4xf32>) {
  // expected-error@+1 {{call_dps_packed_c1: literals must be strings by position, got '0' = 3 : i64}}
  %0 = relax.call_dps_packed %x {callee = "f", literals = {"0" = 3 : i64}} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @literal_position_is_a_name(%f: !relax.object) {
  // expected-error@+1 {{invoke_closure_c1: literals must be strings by position, got 'name' = "a"}}
  relax.invoke_closure %f {literals = {name = "a"}} : (!relax.object) -> ()
  return
}

// -----

func.func @literal_of_pure_closure(%f: !relax.object) {
  // expected-error@+1 {{invoke_pure_closure_c1: a position of literals must be in [0, 1), got 1}}
  %0 = relax.invoke_pure_closure %f {literals = {"1" = "a"}} : (!relax.object) -> !relax.object
  return
}

// -----

func.func @inplace_index_of_a_string(%x: tensor<4xf32>) {
  // expected-error@+1 {{call_packed_c2: inplace_indices must be the position of an argument, or -1, for each of 1 results, got [0]}}
  %0 = relax.call_packed %x {callee = "f", literals = {"0" = "a"}, inplace_indices = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @inplace_index_for_each_result(%x: tensor<4xf32>) {
  // expected-error@+1 {{call_packed_c2: inplace_indices must be the position of an argument, or -1, for each of 1 results, got [0, 0]}}
  %0 = relax.call_packed %x {callee = "f", inplace_indices = array<i64: 0, 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @written_in_place_and_read(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{call_packed_c3: an argument that "f" writes in place is read by relax.add}}
  %0 = relax.call_packed %x {callee = "f", inplace_indices = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relax.add %0, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
