// The rows of a window that leads a group were taken from the loops that the group shares, which no schedule may do.
// relax-run average_of_windows_at_an_edge.mlir --check
func.func @main(%x: tensor<1x3x32x32xf32>) -> tensor<1x3x32x32xf32> {
  %y = relax.nn.avg_pool2d %x {count_include_pad = false, pool_size = array<i64: 2, 2>, padding = array<i64: 0, 0, 1, 1>} : (tensor<1x3x32x32xf32>) -> tensor<1x3x32x32xf32>
  return %y : tensor<1x3x32x32xf32>
}
