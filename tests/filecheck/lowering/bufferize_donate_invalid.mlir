// RUN: relax-opt %s -p buffers --split-input-file --verify-diagnostics

func.func @main(%cache: tensor<8x4xf32> {relax.donate = 0 : i64}, %row: tensor<1x4xf32>, %w: tensor<4x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %k = relax.slice_scatter %cache, %row {start = 2 : i64, end = 3 : i64} : (tensor<8x4xf32>, tensor<1x4xf32>) -> tensor<8x4xf32>
  // expected-error@+1 {{@main: relax.donate: result 0 cannot take the memory of argument 'cache': @matmul reads the argument after @slice_scatter has overwritten it}}
  %m = relax.matmul %cache, %w : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  return %k, %m : tensor<8x4xf32>, tensor<8x4xf32>
}

// -----

// The old value is another result.
func.func @main(%cache: tensor<8x4xf32> {relax.donate = 0 : i64}, %row: tensor<1x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %k = relax.slice_scatter %cache, %row {start = 2 : i64, end = 3 : i64} : (tensor<8x4xf32>, tensor<1x4xf32>) -> tensor<8x4xf32>
  // expected-error@+1 {{@main: relax.donate: result 0 cannot take the memory of argument 'cache': func.return reads the argument after @slice_scatter has overwritten it}}
  return %k, %cache : tensor<8x4xf32>, tensor<8x4xf32>
}

// -----

func.func @main(%x: tensor<4x4xf32> {relax.donate = 0 : i64}, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{@main: relax.donate: result 0 cannot take the memory of argument 'x': @matmul reads the argument while it computes the result}}
  %m = relax.matmul %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %m : tensor<4x4xf32>
}

// -----

// expected-error@+1 {{@main: relax.donate: result 0 cannot take the memory of argument 'x': the result is not computed in one piece of memory of its own}}
func.func @main(%x: tensor<4x4xf32> {relax.donate = 0 : i64}, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  return %y : tensor<4x4xf32>
}
