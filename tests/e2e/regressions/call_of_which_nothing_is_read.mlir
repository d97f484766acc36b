// A private function with a weight, whose last call was dead code, was asked for all the parameters of the others where they share a transform.
// relax-run call_of_which_nothing_is_read.mlir --check --dim n=3
func.func private @callee(%x: tensor<?xf32, #relax.sym<n>>, %w: tensor<f32>) -> tensor<?xf32, #relax.sym<n>> {
  %y = relax.add %x, %w : (tensor<?xf32, #relax.sym<n>>, tensor<f32>) -> tensor<?xf32, #relax.sym<n>>
  return %y : tensor<?xf32, #relax.sym<n>>
}

func.func @main(%x: tensor<?xf32, #relax.sym<n>>, %w: tensor<f32> {relax.name = "w"}, %v: tensor<f32> {relax.name = "v"}) -> tensor<?xf32, #relax.sym<n>>
    attributes {relax.num_input = 1 : i64} {
  %unread = func.call @callee(%x, %w) : (tensor<?xf32, #relax.sym<n>>, tensor<f32>) -> tensor<?xf32, #relax.sym<n>>
  %scale = relax.exp %v : (tensor<f32>) -> tensor<f32>
  %y = relax.multiply %x, %scale : (tensor<?xf32, #relax.sym<n>>, tensor<f32>) -> tensor<?xf32, #relax.sym<n>>
  return %y : tensor<?xf32, #relax.sym<n>>
}
