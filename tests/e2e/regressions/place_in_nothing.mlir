// An argmax that compiled with a dim of 0 at run time was refused once inference had found the dim to be 0.
// relax-run place_in_nothing.mlir --check
func.func @main(%a: tensor<2x4xf32>, %b: tensor<0xui16>, %w: tensor<0x3xf32>, %x: tensor<3xf32>) -> (tensor<2xi64>, tensor<i64>, tensor<1xi64>) {
  %s = relax.strided_slice %a {axes = array<i64: 1>, begin = array<i64: 5>, end = array<i64: -1>, strides = array<i64: 3>} : (tensor<2x4xf32>) -> tensor<2x?xf32>
  %0 = relax.argmax %s {axis = 1 : i64, keepdims = false} : (tensor<2x?xf32>) -> tensor<2xi64>
  %t = relax.sign %b : (tensor<0xui16>) -> tensor<?xui16>
  %1 = relax.argmin %t : (tensor<?xui16>) -> tensor<i64>
  %u = relax.linear %x, %w : (tensor<3xf32>, tensor<0x3xf32>) -> tensor<?xf32>
  %2 = relax.argmax %u {axis = 0 : i64, keepdims = true} : (tensor<?xf32>) -> tensor<1xi64>
  return %0, %1, %2 : tensor<2xi64>, tensor<i64>, tensor<1xi64>
}
