// The op of the package in a program; `n` is any size.
func.func @main(%x: tensor<?x4xf32, #relax.sym<n>>, %y: tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>> {
  %r = relax.dataflow {
    %s = acme.swish_plus %x, %y {beta = 2.0 : f64} : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
    relax.output %s : tensor<?x4xf32, #relax.sym<n>>
  } : tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}
