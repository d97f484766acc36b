// A scalar result before a tensor was taken for a buffer.
// relax-run scalar_results_first.mlir --check --dim k=3
func.func @main(%a: tensor<3x?xf32, #relax.sym<k>>, %c: i1, %b: tensor<3x?xf32, #relax.sym<k>>) -> (i1, i1, tensor<3x?xf32, #relax.sym<k>>, i1) {
  %r = scf.if %c -> (tensor<3x?xf32, #relax.sym<k>>) {
    scf.yield %a : tensor<3x?xf32, #relax.sym<k>>
  } else {
    scf.yield %b : tensor<3x?xf32, #relax.sym<k>>
  }
  return %c, %c, %r, %c : i1, i1, tensor<3x?xf32, #relax.sym<k>>, i1
}
