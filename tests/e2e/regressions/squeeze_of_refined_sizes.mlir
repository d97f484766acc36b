// A squeeze without axes removed what inference found to be 1 later, or what a caller's sizes made 1.
// relax-run squeeze_of_refined_sizes.mlir --check --dim n=1
// relax-run squeeze_of_refined_sizes.mlir --check --dim n=3
func.func private @columns(%x: tensor<?x1xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>> {
  %s = relax.squeeze %x : (tensor<?x1xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
  return %s : tensor<?xf32, #relax.sym<n>>
}
func.func @main(%x: tensor<1x1x4xf32>, %y: tensor<1x1xf32>, %z: tensor<?x1x2xf32, #relax.sym<n>>)
    -> (tensor<?x4xf32>, tensor<1xf32>, tensor<?x2xf32, #relax.sym<n>>) {
  %u = relax.exp %x : (tensor<1x1x4xf32>) -> tensor<?x1x4xf32>
  %s = relax.squeeze %u : (tensor<?x1x4xf32>) -> tensor<?x4xf32>
  %t = func.call @columns(%y) : (tensor<1x1xf32>) -> tensor<1xf32>
  %v = relax.squeeze %z : (tensor<?x1x2xf32, #relax.sym<n>>) -> tensor<?x2xf32, #relax.sym<n>>
  return %s, %t, %v : tensor<?x4xf32>, tensor<1xf32>, tensor<?x2xf32, #relax.sym<n>>
}
