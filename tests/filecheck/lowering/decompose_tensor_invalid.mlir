// RUN: relax-opt %s -p decompose-tensor --split-input-file --verify-diagnostics

func.func @no_padding_value(%x: tensor<3x5xf32>, %o: tensor<2x2x3x2xf32>) -> tensor<2x2x3x2xf32> {
  // expected-error@+1 {{decompose-tensor: linalg.pack of sizes that are no multiples needs a padding value}}
  %r = linalg.pack %x outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [3, 2] into %o : tensor<3x5xf32> -> tensor<2x2x3x2xf32>
  return %r : tensor<2x2x3x2xf32>
}

// -----

func.func @dynamic_size(%x: tensor<?x6xf32>, %o: tensor<?x2x2x3xf32>) -> tensor<?x2x2x3xf32> {
  // expected-error@+1 {{decompose-tensor: linalg.pack with dynamic sizes or tiles is not supported}}
  %r = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [2, 3] into %o : tensor<?x6xf32> -> tensor<?x2x2x3xf32>
  return %r : tensor<?x2x2x3xf32>
}
