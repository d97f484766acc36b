// Native code wrote the difference of two overlapping parts of the concatenation over it.
func.func @main(%a: tensor<1x5xf32>, %b: tensor<5x5xf32>, %c: tensor<2x5xf32>) -> tensor<6x5xf32> {
  %r = relax.dataflow {
    %joined = relax.concat %a, %b, %c {axis = 0 : i64} : (tensor<1x5xf32>, tensor<5x5xf32>, tensor<2x5xf32>) -> tensor<8x5xf32>
    %low = relax.strided_slice %joined {axes = array<i64: 0>, begin = array<i64: 0>, end = array<i64: 7>, strides = array<i64: 1>} : (tensor<8x5xf32>) -> tensor<7x5xf32>
    %high = relax.strided_slice %joined {axes = array<i64: 0>, begin = array<i64: 1>, end = array<i64: 8>, strides = array<i64: 1>} : (tensor<8x5xf32>) -> tensor<7x5xf32>
    %d = relax.subtract %high, %low : (tensor<7x5xf32>, tensor<7x5xf32>) -> tensor<7x5xf32>
    %low_d = relax.strided_slice %d {axes = array<i64: 0>, begin = array<i64: 0>, end = array<i64: 6>, strides = array<i64: 1>} : (tensor<7x5xf32>) -> tensor<6x5xf32>
    %high_d = relax.strided_slice %d {axes = array<i64: 0>, begin = array<i64: 1>, end = array<i64: 7>, strides = array<i64: 1>} : (tensor<7x5xf32>) -> tensor<6x5xf32>
    %dd = relax.subtract %high_d, %low_d : (tensor<6x5xf32>, tensor<6x5xf32>) -> tensor<6x5xf32>
    relax.output %dd : tensor<6x5xf32>
  } : tensor<6x5xf32>
  return %r : tensor<6x5xf32>
}
