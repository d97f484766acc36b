// RUN: relax-opt %s -p relax-canonicalize-bindings | filecheck %s

// What a tuple holds may say more than what was read from it: a loop's carried value keeps its type.
// CHECK-LABEL: func.func @carried
// CHECK: %[[X:.*]] = relax.match_cast %x : (tensor<?x?xf32, #relax.sym<n, n>>) -> tensor<?x?xf32, #relax.sym<n, ?>>
// CHECK-NEXT: scf.for {{.*}} = %[[X]]) -> (tensor<?x?xf32, #relax.sym<n, ?>>)
// CHECK: %[[Y:.*]] = relax.match_cast %x
// CHECK-NEXT: scf.yield %[[Y]]
func.func @carried(%x: tensor<?x?xf32, #relax.sym<n, n>>, %from: index, %to: index, %step: index) -> tensor<?x?xf32, #relax.sym<n, ?>> {
  %t = relax.tuple %x : (tensor<?x?xf32, #relax.sym<n, n>>) -> tuple<tensor<?x?xf32, #relax.sym<n, n>>>
  %weaker = relax.tuple_get_item %t {index = 0 : i64} : (tuple<tensor<?x?xf32, #relax.sym<n, n>>>) -> tensor<?x?xf32, #relax.sym<n, ?>>
  %y = scf.for %i = %from to %to step %step iter_args(%carried = %weaker) -> (tensor<?x?xf32, #relax.sym<n, ?>>) {
    scf.yield %weaker : tensor<?x?xf32, #relax.sym<n, ?>>
  }
  return %y : tensor<?x?xf32, #relax.sym<n, ?>>
}

// CHECK-LABEL: func.func @while
// CHECK: %[[X:.*]] = relax.match_cast %x
// CHECK-NEXT: scf.while (%{{.*}} = %[[X]])
// CHECK: %[[Y:.*]] = relax.match_cast %x
// CHECK-NEXT: scf.condition(%c) %[[Y]]
// CHECK: %[[Z:.*]] = relax.match_cast %x
// CHECK-NEXT: scf.yield %[[Z]]
func.func @while(%x: tensor<?x?xf32, #relax.sym<n, n>>, %c: i1) -> tensor<?x?xf32, #relax.sym<n, ?>> {
  %t = relax.tuple %x : (tensor<?x?xf32, #relax.sym<n, n>>) -> tuple<tensor<?x?xf32, #relax.sym<n, n>>>
  %weaker = relax.tuple_get_item %t {index = 0 : i64} : (tuple<tensor<?x?xf32, #relax.sym<n, n>>>) -> tensor<?x?xf32, #relax.sym<n, ?>>
  %y = scf.while (%a = %weaker) : (tensor<?x?xf32, #relax.sym<n, ?>>) -> tensor<?x?xf32, #relax.sym<n, ?>> {
    scf.condition(%c) %weaker : tensor<?x?xf32, #relax.sym<n, ?>>
  } do {
  ^bb0(%b: tensor<?x?xf32, #relax.sym<n, ?>>):
    scf.yield %weaker : tensor<?x?xf32, #relax.sym<n, ?>>
  }
  return %y : tensor<?x?xf32, #relax.sym<n, ?>>
}

// Types are inferred again, and a callee keeps its own: what a loop yields is cast back for it.
// CHECK-LABEL: func.func @yields_for_a_callee
// CHECK: %[[Y:.*]] = scf.for {{.*}} -> (tensor<33x64xf32>)
// CHECK: %[[C:.*]] = relax.match_cast %[[Y]] : (tensor<33x64xf32>) -> tensor<?x64xf32>
// CHECK-NEXT: func.call @takes_any_rows(%[[C]])
func.func @yields_for_a_callee(%x: tensor<33x64xf32>, %from: index, %to: index, %step: index) {
  %s = relax.ceil %x : (tensor<33x64xf32>) -> tensor<?x64xf32>
  %y = scf.for %i = %from to %to step %step iter_args(%carried = %s) -> (tensor<?x64xf32>) {
    scf.yield %carried : tensor<?x64xf32>
  }
  func.call @takes_any_rows(%y) : (tensor<?x64xf32>) -> ()
  return
}
func.func private @takes_any_rows(%x: tensor<?x64xf32>) {
  return
}
