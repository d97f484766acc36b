func.func @main(%x: tensor<?x8xf32, #relax.sym<n>>, %w: tensor<4x8xf32> {relax.name = "fc.weight"})
    -> tensor<?x4xf32, #relax.sym<n>> attributes {relax.num_input = 1 : i64} {
  %r = relax.dataflow {
    %w_t = relax.permute_dims %w {axes = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %y = relax.matmul %x, %w_t : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
    %z = relax.nn.relu %y : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
    relax.output %z : tensor<?x4xf32, #relax.sym<n>>
  } : tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}
