// RUN: relax-opt %s -p relax-fold-constant --split-input-file | filecheck %s
// RUN: relax-opt %s -p 'relax-fold-constant{max_elements=3}' --split-input-file | filecheck %s --check-prefix SMALL

// A chain of ops on constants becomes one constant; constants that nothing reads any more go.
// CHECK-LABEL: func.func @chain(
// CHECK-NEXT: %[[C:.*]] = relax.constant {value = dense<[2.000000e+00, 6.000000e+00]> : tensor<2xf32>}
// CHECK-NEXT: relax.multiply %x, %[[C]]
// CHECK-NEXT: func.return
func.func @chain(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = relax.constant {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %b = relax.add %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %c = relax.constant {value = dense<[0.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %d = relax.add %b, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %y = relax.multiply %x, %d : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @declines_arguments(
// CHECK: relax.add %w, %{{.*}}
func.func @declines_arguments(%x: tensor<2xf32>, %w: tensor<2xf32>) -> tensor<2xf32> attributes {relax.num_input = 1 : i64} {
  %a = relax.constant {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %b = relax.add %w, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %b : tensor<2xf32>
}

// -----

// Several results are several constants.
// CHECK-LABEL: func.func @results(
// CHECK-DAG: %[[A:.*]] = relax.constant {value = dense<[1, 2]> : tensor<2xi64>}
// CHECK-DAG: %[[B:.*]] = relax.constant {value = dense<3> : tensor<1xi64>}
// CHECK: func.return %[[A]], %[[B]]
func.func @results() -> (tensor<2xi64>, tensor<1xi64>) {
  %a = relax.constant {value = dense<[1, 2, 3]> : tensor<3xi64>} : () -> tensor<3xi64>
  %b, %c = relax.split %a {indices = array<i64: 2>} : (tensor<3xi64>) -> (tensor<2xi64>, tensor<1xi64>)
  return %b, %c : tensor<2xi64>, tensor<1xi64>
}

// -----

// What makes a tensor of nothing is folded while it is small.
// CHECK-LABEL: func.func @creation(
// CHECK: relax.constant {value = dense<[0, 1, 2, 3]> : tensor<4xi64>}
// CHECK: %[[S:.*]] = relax.shape
// CHECK: relax.zeros %[[S]]
// SMALL-LABEL: func.func @creation(
// SMALL: relax.arange
func.func @creation() -> (tensor<4xi64>, tensor<1025xf32>) {
  %a = relax.arange {start = 0 : i64, end = 4 : i64, step = 1 : i64, dtype = i64} : () -> tensor<4xi64>
  %t = relax.shape : () -> !relax.shape<[1025]>
  %z = relax.zeros %t {dtype = f32} : (!relax.shape<[1025]>) -> tensor<1025xf32>
  return %a, %z : tensor<4xi64>, tensor<1025xf32>
}

// -----

// Shapes are values too: what the type tells needs no tensor.
// CHECK-LABEL: func.func @shape_values(
// CHECK-NEXT: %[[S:.*]] = relax.shape : () -> !relax.shape<[n, 4]>
// CHECK-NEXT: relax.reshape %y, %[[S]]
// CHECK-NEXT: %[[T:.*]] = relax.constant {value = dense<[3, 4]> : tensor<2xi64>}
// CHECK-NEXT: func.return
func.func @shape_values(%x: tensor<?x4xf32, #relax.sym<n>>, %y: tensor<?xf32, #relax.sym<4 * n>>, %z: tensor<3x4xf32>)
    -> (tensor<?x4xf32, #relax.sym<n>>, tensor<2xi64>) {
  %s = relax.shape_of %x : (tensor<?x4xf32, #relax.sym<n>>) -> !relax.shape<[n, 4]>
  %r = relax.reshape %y, %s : (tensor<?xf32, #relax.sym<4 * n>>, !relax.shape<[n, 4]>) -> tensor<?x4xf32, #relax.sym<n>>
  %u = relax.shape_of %z : (tensor<3x4xf32>) -> !relax.shape<[3, 4]>
  %t = relax.shape_to_tensor %u : (!relax.shape<[3, 4]>) -> tensor<2xi64>
  return %r, %t : tensor<?x4xf32, #relax.sym<n>>, tensor<2xi64>
}

// -----

// A shape from a constant tensor names its sizes.
// CHECK-LABEL: func.func @tensor_to_shape(
// CHECK-NEXT: %[[S:.*]] = relax.shape : () -> !relax.shape<[2, 3]>
// CHECK-NEXT: relax.match_cast %[[S]] : (!relax.shape<[2, 3]>) -> !relax.shape<[a, b]>
func.func @tensor_to_shape(%x: tensor<6xf32>) -> tensor<?x?xf32> {
  %t = relax.constant {value = dense<[2, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  %u = relax.tensor_to_shape %t : (tensor<2xi64>) -> !relax.shape<[?, ?]>
  %s = relax.match_cast %u : (!relax.shape<[?, ?]>) -> !relax.shape<[a, b]>
  %r = relax.reshape %x, %s : (tensor<6xf32>, !relax.shape<[a, b]>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: func.func @branch(
// CHECK-NEXT: %[[Y:.*]] = relax.exp %x
// CHECK-NEXT: func.return %[[Y]]
func.func @branch(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = relax.constant {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %n = relax.logical_not %c : (tensor<i1>) -> tensor<i1>
  %b = tensor.extract %n[] : tensor<i1>
  %y = scf.if %b -> (tensor<4xf32>) {
    %a = relax.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  } else {
    %a = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @declines_unknown_condition(
// CHECK: scf.if %c
func.func @declines_unknown_condition(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = scf.if %c -> (tensor<4xf32>) {
    scf.yield %x : tensor<4xf32>
  } else {
    %a = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @tuple_item(
// CHECK-NEXT: relax.add %y, %y
func.func @tuple_item(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %t = relax.tuple %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  %i = relax.tuple_get_item %t {index = 1 : i64} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
  %z = relax.add %i, %i : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @declines_tuple_argument(
// CHECK-NEXT: relax.tuple_get_item
func.func @declines_tuple_argument(%t: tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32> {
  %i = relax.tuple_get_item %t {index = 1 : i64} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
  return %i : tensor<4xf32>
}

// -----

// Calls of kernels are folded, the kernels are left alone.
// CHECK-LABEL: func.func @kernel_call(
// CHECK-NEXT: relax.constant {value = dense<2.000000e+00> : tensor<1xf32>}
// CHECK-LABEL: func.func private @kernel(
// CHECK: relax.add
// CHECK: relax.add
func.func @kernel_call() -> tensor<1xf32> {
  %a = relax.constant {value = dense<1.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %b = func.call @kernel(%a) : (tensor<1xf32>) -> tensor<1xf32>
  return %b : tensor<1xf32>
}

func.func private @kernel(%x: tensor<1xf32>) -> tensor<1xf32> attributes {relax.primitive} {
  %a = relax.constant {value = dense<0.5> : tensor<1xf32>} : () -> tensor<1xf32>
  %b = relax.add %a, %a : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  %c = relax.add %b, %x : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  return %c : tensor<1xf32>
}

// -----

// What may do anything is not run, and stop_lift_params says to stop.
// CHECK-LABEL: func.func @declines_opaque(
// CHECK: relax.call_dps_packed
// CHECK: relax.builtin.stop_lift_params
func.func @declines_opaque() -> (tensor<1xf32>, tensor<1xf32>) {
  %a = relax.constant {value = dense<1.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %b = relax.call_dps_packed %a {callee = "f"} : (tensor<1xf32>) -> tensor<1xf32>
  %c = relax.builtin.stop_lift_params %a : (tensor<1xf32>) -> tensor<1xf32>
  return %b, %c : tensor<1xf32>, tensor<1xf32>
}

// What a folded shape tells reaches what is computed from it; twin: nothing is folded, nothing is derived.
// CHECK-LABEL: func.func @derived(
// CHECK-SAME: -> tensor<4x4xf32> {
// CHECK: %[[S:.*]] = relax.shape : () -> !relax.shape<[4, 4]>
// CHECK-NEXT: relax.reshape %{{.*}}, %[[S]] : (tensor<16xf32>, !relax.shape<[4, 4]>) -> tensor<4x4xf32>
func.func @derived(%x: tensor<16xf32>) -> tensor<?x?xf32> {
  %a = relax.constant {value = dense<2> : tensor<2xi64>} : () -> tensor<2xi64>
  %b = relax.multiply %a, %a : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  %s = relax.tensor_to_shape %b : (tensor<2xi64>) -> !relax.shape<[?, ?]>
  %y = relax.reshape %x, %s : (tensor<16xf32>, !relax.shape<[?, ?]>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @nothing_folded(
// CHECK-SAME: -> tensor<?xf32> {
func.func @nothing_folded(%x: tensor<16xf32>) -> tensor<?xf32> {
  %y = relax.exp %x : (tensor<16xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// What nothing reads goes, folded or not; what has effects or checks something stays.
// CHECK-LABEL: func.func @dead(
// CHECK-NOT: relax.exp
// CHECK: relax.call_packed %x {callee = "print"}
// CHECK-NEXT: relax.match_cast
// CHECK-NEXT: func.return
func.func @dead(%x: tensor<?xf32>) -> tensor<?xf32> {
  %a = relax.exp %x : (tensor<?xf32>) -> tensor<?xf32>
  relax.call_packed %x {callee = "print"} : (tensor<?xf32>) -> ()
  %c = relax.match_cast %x : (tensor<?xf32>) -> tensor<4xf32>
  return %x : tensor<?xf32>
}
