// The transform of parameters called them by their own positions, so that relax-run gave them other values than the program as it was read.
// relax-run parameters_without_names.mlir --check
func.func @main(%0: tensor<17xf32>, %1: tensor<17x3xi32>) -> tensor<17x3xi32> attributes {relax.num_input = 1 : i64} {
  return %1 : tensor<17x3xi32>
}
