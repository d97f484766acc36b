// The parts of a tensor whose size data decides had no upper bound at -O 0, where a call hands that size over.
// relax-run split_of_what_data_decides.mlir --check --dim y=5
// relax-run split_of_what_data_decides.mlir --check --dim y=0
func.func @main(%rows: tensor<?x6xf32, #relax.sym<y>>, %begin: tensor<1xi64>, %end: tensor<1xi64>, %step: tensor<1xi64>)
    -> tensor<?xf32, #relax.sym<6 * y>> {
  %x = relax.flatten %rows : (tensor<?x6xf32, #relax.sym<y>>) -> tensor<?xf32, #relax.sym<6 * y>>
  %sliced = relax.dynamic_strided_slice %x, %begin, %end, %step
    : (tensor<?xf32, #relax.sym<6 * y>>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  %known = relax.match_cast %sliced : (tensor<?xf32>) -> tensor<?xf32, #relax.sym<c>>
  %parts:4 = relax.split %known {sections = 4, axis = 0}
    : (tensor<?xf32, #relax.sym<c>>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
  return %x : tensor<?xf32, #relax.sym<6 * y>>
}
