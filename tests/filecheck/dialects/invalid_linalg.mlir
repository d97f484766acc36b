// RUN: relax-opt %s --verify-diagnostics --split-input-file

func.func @main(%x: tensor<8xf16>) -> tensor<8xf16> {
  %e = tensor.empty() : tensor<8xf16>
  // expected-error@+1 {{expected the body to yield f16, the element types of the outputs, got f32}}
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<8xf16>) outs(%e : tensor<8xf16>) {
  ^bb0(%a: f16, %b: f16):
    %c = arith.extf %a : f16 to f32
    linalg.yield %c : f32
  } -> tensor<8xf16>
  return %r : tensor<8xf16>
}

// -----

func.func @main(%x: tensor<8xf16>) -> (tensor<8xf16>, tensor<8xf16>) {
  %e = tensor.empty() : tensor<8xf16>
  // expected-error@+1 {{expected the body to yield f16, f16, the element types of the outputs, got f16}}
  %r, %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<8xf16>) outs(%e, %e : tensor<8xf16>, tensor<8xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16):
    linalg.yield %a : f16
  } -> (tensor<8xf16>, tensor<8xf16>)
  return %r, %s : tensor<8xf16>, tensor<8xf16>
}

// -----

func.func @main(%x: tensor<f32>) -> tensor<1x2xf32> {
  // expected-error@+1 {{expected no groups and dims that are 1, got 0 for (1, 2)}}
  %r = tensor.expand_shape %x [] output_shape [1, 2] : tensor<f32> into tensor<1x2xf32>
  return %r : tensor<1x2xf32>
}

// -----

func.func @main(%x: tensor<2x3xf32>, %o: tensor<3x2xf32>) -> tensor<3x2xf32> {
  // expected-error@+1 {{expected a permutation of the 2 dims, got [2147483648, 0]}}
  %r = linalg.transpose ins(%x : tensor<2x3xf32>) outs(%o : tensor<3x2xf32>) permutation = [2147483648, 0]
  return %r : tensor<3x2xf32>
}

// -----

func.func @main(%x: tensor<8x1xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{expected a division by a positive number in (d0) -> (d0, (d0 mod 0)), got one by 0}}
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0, d0 mod 0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<8x1xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
