// RUN: relax-opt %s -p 'relax-bind-element-types{types="x=f32"}' | filecheck %s
// RUN: not relax-opt %s -p 'relax-bind-element-types{types="x=i1"}' 2>&1 | filecheck %s --check-prefix=NARROW
// RUN: not relax-opt %s -p 'relax-bind-element-types{types="x"}' 2>&1 | filecheck %s --check-prefix=SPELLING
// RUN: not relax-opt %s -p 'relax-bind-element-types{types="s=f32"}' 2>&1 | filecheck %s --check-prefix=KNOWN
// RUN: not relax-opt %s -p 'relax-bind-element-types{function=inner types="x=f32"}' 2>&1 | filecheck %s --check-prefix=CALLED

// NARROW: error: @main: exp_c1: element type must be one of f64, f32, f16, bf16, got i1
// SPELLING: error: an element type is written "argument=type", of f64, f32,
// KNOWN: error: @main has no argument s of unknown element type; it has x
// CALLED: error: @inner is called; the element types of its arguments follow from the calls

// Element types follow through ops and casts; a call keeps the types of its callee, by a cast.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[^:]+]]: tensor<?x4xf32, #relax.sym<n>>, %{{[^:]+}}: tensor<4xi8>) -> (tensor<*xf32>, tensor<?x4x!relax.unknown, #relax.sym<n>>)
// CHECK: %[[Y:.*]] = relax.exp %[[X]] : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
// CHECK: %[[Z:.*]] = relax.match_cast %[[Y]] : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<*xf32>
// CHECK: %[[U:.*]] = relax.match_cast %[[Y]] : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4x!relax.unknown, #relax.sym<n>>
// CHECK: func.call @inner(%[[U]])
func.func @main(%x: tensor<?x4x!relax.unknown, #relax.sym<n>>, %s: tensor<4xi8>) -> (tensor<*x!relax.unknown>, tensor<?x4x!relax.unknown, #relax.sym<n>>) {
  %y = relax.exp %x : (tensor<?x4x!relax.unknown, #relax.sym<n>>) -> tensor<?x4x!relax.unknown, #relax.sym<n>>
  %z = relax.match_cast %y : (tensor<?x4x!relax.unknown, #relax.sym<n>>) -> tensor<*x!relax.unknown>
  %r = func.call @inner(%y) : (tensor<?x4x!relax.unknown, #relax.sym<n>>) -> tensor<?x4x!relax.unknown, #relax.sym<n>>
  return %z, %r : tensor<*x!relax.unknown>, tensor<?x4x!relax.unknown, #relax.sym<n>>
}

// A function that is not named stays as it is.
// CHECK-LABEL: func.func private @inner(
// CHECK-SAME: tensor<?x4x!relax.unknown, #relax.sym<m>>) -> tensor<?x4x!relax.unknown, #relax.sym<m>>
func.func private @inner(%x: tensor<?x4x!relax.unknown, #relax.sym<m>>) -> tensor<?x4x!relax.unknown, #relax.sym<m>> {
  return %x : tensor<?x4x!relax.unknown, #relax.sym<m>>
}
