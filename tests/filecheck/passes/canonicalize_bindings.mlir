// RUN: relax-opt %s --split-input-file -p relax-canonicalize-bindings | filecheck %s

// What a cast says about a symbol holds from there on; the result is cast back to what the function promises.
// CHECK-LABEL: func.func @size(
// CHECK: %[[A:.*]] = relax.negative %[[X:.*]] : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
// CHECK: relax.match_cast %[[X]] : (tensor<?xf32, #relax.sym<n>>) -> tensor<4xf32>
// CHECK: %[[B:.*]] = relax.negative %[[A]] : (tensor<?xf32, #relax.sym<n>>) -> tensor<4xf32>
// CHECK: %[[R:.*]] = relax.match_cast %{{.*}} : (tensor<4xf32>) -> tensor<?xf32, #relax.sym<n>>
// CHECK: return %[[R]]
func.func @size(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>> {
  %r = relax.dataflow {
    %a = relax.negative %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
    %c = relax.match_cast %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<4xf32>
    %b = relax.negative %a : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
    relax.output %b : tensor<?xf32, #relax.sym<n>>
  } : tensor<?xf32, #relax.sym<n>>
  return %r : tensor<?xf32, #relax.sym<n>>
}

// -----

// A new symbol for a known size is that size, and the cast goes.
// CHECK-LABEL: func.func @new_symbol(
// CHECK-NEXT: relax.negative %{{.*}} : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
// CHECK-NEXT: return
func.func @new_symbol(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>> {
  %c = relax.match_cast %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<k>>
  %b = relax.negative %c : (tensor<?xf32, #relax.sym<k>>) -> tensor<?xf32, #relax.sym<n>>
  return %b : tensor<?xf32, #relax.sym<n>>
}

// -----

// A cast of an unknown size says something, and stays.
// CHECK-LABEL: func.func @unknown(
// CHECK-NEXT: relax.match_cast
func.func @unknown(%x: tensor<?xf32>) -> tensor<4xf32> {
  %c = relax.match_cast %x : (tensor<?xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}

// -----

// In a branch it holds in that branch.
// CHECK-LABEL: func.func @branch(
// CHECK: scf.if
// CHECK: relax.match_cast %{{.*}} : (tensor<?xf32, #relax.sym<n>>) -> tensor<4xf32>
// CHECK: relax.negative %{{.*}} : (tensor<?xf32, #relax.sym<n>>) -> tensor<4xf32>
// CHECK: relax.match_cast %{{.*}} : (tensor<4xf32>) -> tensor<?xf32, #relax.sym<n>>
// CHECK-NEXT: scf.yield
// CHECK: relax.abs %{{.*}} : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
func.func @branch(%c: i1, %x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>> {
  %r = scf.if %c -> (tensor<?xf32, #relax.sym<n>>) {
    %d = relax.match_cast %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<4xf32>
    %y = relax.negative %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
    scf.yield %y : tensor<?xf32, #relax.sym<n>>
  } else {
    %z = relax.abs %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
    scf.yield %z : tensor<?xf32, #relax.sym<n>>
  }
  return %r : tensor<?xf32, #relax.sym<n>>
}

// -----

// A field of a tuple made here, and a tuple made of all fields of another.
// CHECK-LABEL: func.func @tuples(
// CHECK-SAME: %[[X:[^:]+]]: tensor<4xf32>, %[[T:[^:]+]]: tuple<tensor<4xf32>, tensor<8xf32>>)
// CHECK: return %[[X]], %[[T]] :
func.func @tuples(%x: tensor<4xf32>, %t: tuple<tensor<4xf32>, tensor<8xf32>>) -> (tensor<4xf32>, tuple<tensor<4xf32>, tensor<8xf32>>) {
  %p = relax.tuple %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  %y = relax.tuple_get_item %p {index = 1 : i64} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
  %a = relax.tuple_get_item %t {index = 0 : i64} : (tuple<tensor<4xf32>, tensor<8xf32>>) -> tensor<4xf32>
  %b = relax.tuple_get_item %t {index = 1 : i64} : (tuple<tensor<4xf32>, tensor<8xf32>>) -> tensor<8xf32>
  %u = relax.tuple %a, %b : (tensor<4xf32>, tensor<8xf32>) -> tuple<tensor<4xf32>, tensor<8xf32>>
  return %y, %u : tensor<4xf32>, tuple<tensor<4xf32>, tensor<8xf32>>
}

// -----

// Not all fields are not the tuple.
// CHECK-LABEL: func.func @part(
// CHECK: %[[U:.*]] = relax.tuple %
// CHECK-NEXT: return %[[U]]
func.func @part(%t: tuple<tensor<4xf32>, tensor<4xf32>>) -> tuple<tensor<4xf32>, tensor<4xf32>> {
  %a = relax.tuple_get_item %t {index = 0 : i64} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
  %u = relax.tuple %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  return %u : tuple<tensor<4xf32>, tensor<4xf32>>
}

// A tuple that leaves a dataflow block to be taken apart stays in it; its fields leave.
// CHECK-LABEL: func.func @fields(
// CHECK-SAME:    %[[X:[^:]+]]: tensor<4xf32>
// CHECK-NEXT:    %[[Y:.*]] = relax.dataflow {
// CHECK:           %[[INNER:.*]] = relax.negative %[[X]]
// CHECK:           relax.output %[[INNER]] : tensor<4xf32>
// CHECK-NOT:     relax.tuple_get_item
// CHECK:         return %[[Y]], %[[X]]
func.func @fields(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %t = relax.dataflow {
    %y = relax.negative %x : (tensor<4xf32>) -> tensor<4xf32>
    %u = relax.tuple %y, %x : (tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
    relax.output %u : tuple<tensor<4xf32>, tensor<4xf32>>
  } : tuple<tensor<4xf32>, tensor<4xf32>>
  %a = relax.tuple_get_item %t {index = 0 : i64} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
  %b = relax.tuple_get_item %t {index = 1 : i64} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// Types are derived again: what a cast taught reaches values of unknown dims, and the results of functions that nothing calls.
// CHECK-LABEL: func.func @derived(
// CHECK-SAME: -> tensor<?x4xf32, #relax.sym<m>> {
// CHECK-NEXT: %[[Y:.*]] = relax.add %{{.*}}, %{{.*}} -> tensor<?x4xf32, #relax.sym<m>>
// CHECK-NEXT: func.return %[[Y]] : tensor<?x4xf32, #relax.sym<m>>
func.func @derived(%x: tensor<?x4xf32, #relax.sym<m>>) -> tensor<?x?xf32> {
  %c = relax.match_cast %x : (tensor<?x4xf32, #relax.sym<m>>) -> tensor<?x?xf32, #relax.sym<o, p>>
  %y = relax.add %c, %x : (tensor<?x?xf32, #relax.sym<o, p>>, tensor<?x4xf32, #relax.sym<m>>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// The type of a function that is called stays.
// CHECK-LABEL: func.func @caller(
// CHECK: func.call @called(%{{.*}}) : (tensor<4xf32>) -> tensor<?xf32>
// CHECK-LABEL: func.func private @called(
// CHECK-SAME: -> tensor<?xf32> {
// CHECK: %[[Y:.*]] = relax.exp %{{.*}} -> tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = relax.match_cast %[[Y]] : (tensor<4xf32>) -> tensor<?xf32>
// CHECK-NEXT: func.return %[[C]]
func.func @caller(%x: tensor<4xf32>) -> tensor<?xf32> {
  %y = func.call @called(%x) : (tensor<4xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func private @called(%x: tensor<4xf32>) -> tensor<?xf32> {
  %y = relax.exp %x : (tensor<4xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// An output that a dataflow block has already leaves it once.
// CHECK-LABEL: func.func @twice(
// CHECK-NEXT: %[[R:.*]] = relax.dataflow {
// CHECK: relax.output %{{[^,]*}} : tensor<4xf32>
// CHECK: func.return %[[R]], %[[R]]
func.func @twice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r, %s = relax.dataflow {
    %a = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %a, %a : tensor<4xf32>, tensor<4xf32>
  } : tensor<4xf32>, tensor<4xf32>
  return %r, %s : tensor<4xf32>, tensor<4xf32>
}
