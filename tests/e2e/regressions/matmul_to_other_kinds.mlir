// The interpreter refused out_dtype = bf16 of integers; compiled code converted floats to unsigned integers as if to signed ones.
// relax-run matmul_to_other_kinds.mlir --check --input '0=[1.5,-200.0,3.25,1.0]' --input '1=[100.0,-3.0,-1.0,2.5]' --input '2=[1,2,30,-4]'
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>, %i: tensor<2x2xi64>) -> (tensor<2x2xui8>, tensor<2x2xi64>, tensor<2x2xbf16>) {
  %x = relax.matmul %a, %b {out_dtype = ui8} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xui8>
  %y = relax.linear %a, %b {out_dtype = i64} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xi64>
  %z = relax.matmul %i, %i {out_dtype = bf16} : (tensor<2x2xi64>, tensor<2x2xi64>) -> tensor<2x2xbf16>
  return %x, %y, %z : tensor<2x2xui8>, tensor<2x2xi64>, tensor<2x2xbf16>
}
