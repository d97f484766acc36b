// A constant without elements made an IndexError.
func.func @main(%x: tensor<3x2xi64>) -> (tensor<0x2xi64>, tensor<3x2xi64>) {
  %0 = relax.constant {value = dense<> : tensor<0x2xi64>} : () -> tensor<0x2xi64>
  %1 = relax.concat %0, %x {axis = 0 : i64} : (tensor<0x2xi64>, tensor<3x2xi64>) -> tensor<3x2xi64>
  return %0, %1 : tensor<0x2xi64>, tensor<3x2xi64>
}
