// RUN: relax-opt %s --verify-diagnostics --split-input-file -p split-at-sizes

func.func @inside(%x: tensor<4xi64>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  // expected-error@+1 {{split-at-sizes: the size of a tensor depends on data inside of scf.for, and nothing bounds it}}
  %r = scf.for %i = %zero to %four step %one iter_args(%a = %y) -> (tensor<?xf32>) {
    %v = tensor.extract %x[%i] : tensor<4xi64>
    %n = arith.index_cast %v : i64 to index
    %e = tensor.empty(%n) : tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// expected-error@+1 {{split-at-sizes: @donated has sizes that depend on data and that nothing bounds, which relax.donate excludes}}
func.func @donated(%x: tensor<1xi64>, %y: tensor<4xf32> {relax.donate = 1 : i64}) -> (tensor<?xf32>, tensor<4xf32>) {
  %zero = arith.constant 0 : index
  %v = tensor.extract %x[%zero] : tensor<1xi64>
  %n = arith.index_cast %v : i64 to index
  %e = tensor.empty(%n) : tensor<?xf32>
  return %e, %y : tensor<?xf32>, tensor<4xf32>
}
