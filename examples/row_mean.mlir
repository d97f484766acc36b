func.func @main(%x: tensor<?x64xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>> {
  %r = relax.dataflow {
    %0 = relax.multiply %x, %x : (tensor<?x64xf32, #relax.sym<n>>, tensor<?x64xf32, #relax.sym<n>>) -> tensor<?x64xf32, #relax.sym<n>>
    %1 = relax.mean %0 {axis = array<i64: 1>} : (tensor<?x64xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
    relax.output %1 : tensor<?xf32, #relax.sym<n>>
  } : tensor<?xf32, #relax.sym<n>>
  return %r : tensor<?xf32, #relax.sym<n>>
}
