// RUN: relax-opt %s -p relax-dead-code-elimination | filecheck %s

// A call stays whose callee checks something, however deep; one of a function that only computes goes.
// CHECK-LABEL: func.func @main(
// CHECK-NEXT: func.call @outer(%x)
// CHECK-NEXT: func.return %x
func.func @main(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>> {
  %a = func.call @outer(%x) : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
  %b = func.call @computes(%x) : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
  return %x : tensor<?xf32, #relax.sym<n>>
}
func.func private @outer(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>> {
  %a = func.call @checks(%x) : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
  return %x : tensor<?xf32, #relax.sym<n>>
}
func.func private @checks(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>> {
  %a = relax.match_cast %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<3xf32>
  return %x : tensor<?xf32, #relax.sym<n>>
}
func.func private @computes(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>> {
  %a = relax.exp %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
  return %a : tensor<?xf32, #relax.sym<n>>
}
