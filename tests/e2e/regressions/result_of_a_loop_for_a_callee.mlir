// Shape inference refined what a loop yields, and a call of it no longer had the types of the callee.
// relax-run result_of_a_loop_for_a_callee.mlir --check
func.func private @callee(%x: tensor<8x?xf32>) -> tensor<8xf32> {
  %named = relax.match_cast %x : (tensor<8x?xf32>) -> tensor<8x?xf32, #relax.sym<n>>
  %y = relax.sum %named {axis = array<i64: 1>} : (tensor<8x?xf32, #relax.sym<n>>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

func.func @main(%x: tensor<8x3xf32>, %from: index, %to: index, %step: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %s = relax.exp %x : (tensor<8x3xf32>) -> tensor<8x?xf32>
  %f = scf.for %i = %from to %to step %step iter_args(%c = %s) -> (tensor<8x?xf32>) {
    scf.yield %c : tensor<8x?xf32>
  }
  %w = scf.while (%c = %s) : (tensor<8x?xf32>) -> tensor<8x?xf32> {
    %never = arith.constant false
    scf.condition(%never) %c : tensor<8x?xf32>
  } do {
  ^bb0(%c: tensor<8x?xf32>):
    scf.yield %c : tensor<8x?xf32>
  }
  %0 = func.call @callee(%f) : (tensor<8x?xf32>) -> tensor<8xf32>
  %1 = func.call @callee(%w) : (tensor<8x?xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
