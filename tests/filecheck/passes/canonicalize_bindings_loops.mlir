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
