// RUN: xdsl-opt %s -p relax-infer-shapes | filecheck %s

// CHECK:      func.func @stock_driver(%[[X:[a-z0-9]+]]: tensor<?x4xf32, #relax.sym<n>>)
// CHECK-NEXT:   %[[Y:.*]] = relax.add %[[X]], %[[X]]
func.func @stock_driver(%x: tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>> {
  %y = relax.add %x, %x : (tensor<?x4xf32, #relax.sym<n>>, tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
  return %y : tensor<?x4xf32, #relax.sym<n>>
}
