// The sign of an f64 was rounded to f16 by a call of a library function that is not there.
// relax-run asin_of_f16.mlir --check --input 0=-1.0
func.func @main(%x: tensor<f16>) -> (tensor<f16>, tensor<f16>) {
  %y = relax.asin %x : (tensor<f16>) -> tensor<f16>
  %z = relax.sinh %x : (tensor<f16>) -> tensor<f16>
  return %y, %z : tensor<f16>, tensor<f16>
}
