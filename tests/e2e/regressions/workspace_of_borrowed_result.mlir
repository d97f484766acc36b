// The workspace of a kernel depended on the size of a result that a Python function lends.
// relax-run workspace_of_borrowed_result.mlir --check --dim n=3
// relax-run workspace_of_borrowed_result.mlir --check --dim n=0
func.func @main(%x: tensor<16x?xf64, #relax.sym<n>>, %g: tensor<?xf64, #relax.sym<n>>, %v: tensor<?xf64, #relax.sym<n>>) -> (tensor<16x?xf64, #relax.sym<n>>, tensor<?xf64, #relax.sym<n>>) {
  %y = relax.call_packed %x {callee = "fuzz.reverse", pure = true} : (tensor<16x?xf64, #relax.sym<n>>) -> tensor<16x?xf64, #relax.sym<n>>
  %r:2 = relax.dataflow {
    %a, %b, %c = relax.nn.batch_norm %y, %g, %g, %g, %v {axis = 1 : i64, training = true} : (tensor<16x?xf64, #relax.sym<n>>, tensor<?xf64, #relax.sym<n>>, tensor<?xf64, #relax.sym<n>>, tensor<?xf64, #relax.sym<n>>, tensor<?xf64, #relax.sym<n>>) -> (tensor<16x?xf64, #relax.sym<n>>, tensor<?xf64, #relax.sym<n>>, tensor<?xf64, #relax.sym<n>>)
    relax.output %a, %c : tensor<16x?xf64, #relax.sym<n>>, tensor<?xf64, #relax.sym<n>>
  } : tensor<16x?xf64, #relax.sym<n>>, tensor<?xf64, #relax.sym<n>>
  return %r#0, %r#1 : tensor<16x?xf64, #relax.sym<n>>, tensor<?xf64, #relax.sym<n>>
}
