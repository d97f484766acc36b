// RUN: relax-opt %s -p relax-to-linalg | filecheck %s

// The index is brought into the dim before the reads, once for all elements that it names.
// CHECK-LABEL: func.func @take(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<9x4xf32>, %[[I:[a-z0-9]+]]: tensor<?xi32>
// CHECK:         %[[PLACES:[0-9]+]] = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]{{.*}} ins(%[[I]] : tensor<?xi32>)
// CHECK:           %[[LOW:.*]] = arith.maxsi
// CHECK:           arith.minsi %[[LOW]]
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>]{{.*}} ins(%[[PLACES]] : tensor<?xi64>)
// CHECK-NOT:       arith.minsi
// CHECK:           tensor.extract %[[X]][%{{.*}}, %{{.*}}] : tensor<9x4xf32>
// CHECK-NOT:     scf.if
// CHECK:         func.return
func.func @take(%x: tensor<9x4xf32>, %i: tensor<?xi32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>> {
  %y = relax.take %x, %i {axis = 0 : i64} : (tensor<9x4xf32>, tensor<?xi32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
  return %y : tensor<?x4xf32, #relax.sym<n>>
}

// A dim that may be empty is not read without a look at its size.
// CHECK-LABEL: func.func @take_dynamic(
// CHECK:         %[[FILLED:.*]] = arith.cmpi slt
// CHECK:         scf.if %[[FILLED]]
// CHECK:           tensor.extract
// CHECK:         else
// CHECK:           linalg.fill
func.func @take_dynamic(%x: tensor<?xf32, #relax.sym<n>>, %i: tensor<3xi64>) -> tensor<3xf32> {
  %y = relax.take %x, %i : (tensor<?xf32, #relax.sym<n>>, tensor<3xi64>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// CHECK-LABEL: func.func @slice(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x4xf32>
// CHECK:         %[[BEGIN:.*]] = arith.minsi
// CHECK:         %[[SIZE:.*]] = arith.maxsi
// CHECK:         tensor.extract_slice %[[X]][%[[BEGIN]], 0] [%[[SIZE]], 2] [1, 2]
func.func @slice(%x: tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x2xf32, #relax.sym<max(0, n - 1)>> {
  %y = relax.strided_slice %x {axes = array<i64: 0, 1>, begin = array<i64: 1, 0>, end = array<i64: 9223372036854775807, 4>, strides = array<i64: 1, 2>} : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x2xf32, #relax.sym<max(0, n - 1)>>
  return %y : tensor<?x2xf32, #relax.sym<max(0, n - 1)>>
}

// A negative stride is no slice of the tensor dialect's.
// CHECK-LABEL: func.func @backwards(
// CHECK-NOT:     tensor.extract_slice
// CHECK:         tensor.extract
func.func @backwards(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = relax.strided_slice %x {axes = array<i64: 0>, begin = array<i64: -1>, end = array<i64: -9>, strides = array<i64: -1>} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// The size is bounded by that of the operand.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?xf32>
// CHECK:         %[[BOUND:.*]] = tensor.dim %[[X]]
// CHECK:         %[[COUNT:.*]] = arith.divsi
// CHECK-NEXT:    %[[SIZE:.*]] = arith.minsi %[[COUNT]], %[[BOUND]] : index
// CHECK:         tensor.empty(%[[SIZE]])
func.func @dynamic(%x: tensor<?xf32, #relax.sym<n>>, %b: tensor<1xi64>, %e: tensor<1xi64>, %s: tensor<1xi64>) -> tensor<?xf32> {
  %y = relax.dynamic_strided_slice %x, %b, %e, %s : (tensor<?xf32, #relax.sym<n>>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// A write that is out of range puts back what was there.
// CHECK-LABEL: func.func @scatter(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<5xf32>
// CHECK:         scf.for {{.*}} iter_args(%[[T:.*]] = %[[X]]) -> (tensor<5xf32>)
// CHECK:           %[[OLD:.*]] = tensor.extract %[[T]]
// CHECK-NEXT:      %[[NEW:.*]] = arith.addf %[[OLD]]
// CHECK-NEXT:      %[[VALUE:.*]] = arith.select %{{.*}}, %[[NEW]], %[[OLD]]
// CHECK-NEXT:      tensor.insert %[[VALUE]] into %[[T]]
func.func @scatter(%x: tensor<5xf32>, %i: tensor<3xi64>, %u: tensor<3xf32>) -> tensor<5xf32> {
  %y = relax.scatter_elements %x, %i, %u {reduction = "add"} : (tensor<5xf32>, tensor<3xi64>, tensor<3xf32>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// CHECK-LABEL: func.func @slice_scatter(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<6xf32>, %[[S:[a-z0-9]+]]: tensor<2xf32>
// CHECK:         tensor.insert_slice %[[S]] into %[[X]][1] [2] [2]
func.func @slice_scatter(%x: tensor<6xf32>, %s: tensor<2xf32>) -> tensor<6xf32> {
  %y = relax.slice_scatter %x, %s {start = 1 : i64, end = 5 : i64, step = 2 : i64} : (tensor<6xf32>, tensor<2xf32>) -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// CHECK-LABEL: func.func @one_hot(
// CHECK:         %[[DEPTH:.*]] = linalg.index 1
// CHECK-NEXT:    %[[HOT:.*]] = arith.cmpi eq, %{{.*}}, %[[DEPTH]]
// CHECK:         arith.select %[[HOT]]
func.func @one_hot(%i: tensor<3xi64>) -> tensor<3x7xf32> {
  %y = relax.one_hot %i {on_value = 1.000000e+00 : f32, off_value = 0.000000e+00 : f32, depth = 7 : i64} : (tensor<3xi64>) -> tensor<3x7xf32>
  return %y : tensor<3x7xf32>
}

// An index of 8 bits reaches each of 256 elements by its bits alone, negative or not.
// CHECK-LABEL: func.func @take_bytes(
// CHECK-SAME: tensor<256xi8>, %[[Q:.*]]: tensor<?xi8>
// CHECK: ^{{.*}}(%[[B:.*]]: i8, %{{.*}}: i8):
// CHECK-NEXT: %[[W:.*]] = arith.extui %[[B]] : i8 to i64
// CHECK-NEXT: %[[I:.*]] = arith.index_cast %[[W]] : i64 to index
// CHECK-NEXT: %[[E:.*]] = tensor.extract %{{.*}}[%[[I]]] : tensor<256xi8>
// CHECK-NEXT: linalg.yield %[[E]]
func.func @take_bytes(%t: tensor<256xui8>, %q: tensor<?xi8, #relax.sym<n>>) -> tensor<?xui8, #relax.sym<n>> {
  %y = relax.take %t, %q : (tensor<256xui8>, tensor<?xi8, #relax.sym<n>>) -> tensor<?xui8, #relax.sym<n>>
  return %y : tensor<?xui8, #relax.sym<n>>
}

// With one element less they do not.
// CHECK-LABEL: func.func @take_fewer_than_bytes(
// CHECK: arith.extsi
// CHECK: arith.minsi
func.func @take_fewer_than_bytes(%t: tensor<255xui8>, %q: tensor<?xi8, #relax.sym<n>>) -> tensor<?xui8, #relax.sym<n>> {
  %y = relax.take %t, %q : (tensor<255xui8>, tensor<?xi8, #relax.sym<n>>) -> tensor<?xui8, #relax.sym<n>>
  return %y : tensor<?xui8, #relax.sym<n>>
}
