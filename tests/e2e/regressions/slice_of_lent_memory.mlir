// Memory that a function of Python had lent was given back before a kernel read a slice of it in place.
// relax-run slice_of_lent_memory.mlir --check
builtin.module {
  func.func @main(%0: tensor<1x2x5x6x7xf32>, %1: tensor<7xf32>, %2: tensor<7xf32>, %3: tensor<7xf32>, %4: tensor<7xf32>) -> tensor<1x2x5x6x7xf32> {
    %5 = relax.call_packed %0 {callee = "fuzz.copy"} : (tensor<1x2x5x6x7xf32>) -> tensor<1x2x5x6x7xf32>
    %6, %7 = relax.split %5 {indices = array<i64: 0>, axis = 0 : i64} : (tensor<1x2x5x6x7xf32>) -> (tensor<?x2x5x6x7xf32>, tensor<1x2x5x6x7xf32>)
    %8, %9, %10 = relax.nn.batch_norm %7, %1, %2, %3, %4 {axis = 4 : i64, epsilon = 1.000000e-03 : f64} : (tensor<1x2x5x6x7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> (tensor<1x2x5x6x7xf32>, tensor<7xf32>, tensor<7xf32>)
    func.return %8 : tensor<1x2x5x6x7xf32>
  }
}
