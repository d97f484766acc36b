// The interpreter warned about the mean of an empty slice.
// relax-run norms_of_nothing.mlir --check --dim n=0
// relax-run norms_of_nothing.mlir --check --dim n=2
func.func @main(%x: tensor<2x?xf32, #relax.sym<n>>, %w: tensor<?xf32, #relax.sym<n>>) -> tensor<2x?xf32, #relax.sym<n>> {
  %y = relax.nn.rms_norm %x, %w {axes = array<i64: -1>} : (tensor<2x?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<n>>) -> tensor<2x?xf32, #relax.sym<n>>
  return %y : tensor<2x?xf32, #relax.sym<n>>
}
