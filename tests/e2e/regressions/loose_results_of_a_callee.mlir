// Shape inference refined what a callee returns, what it is given, and what a branch yields, but not the types there.
// relax-run loose_results_of_a_callee.mlir --check --dim n=3
func.func private @callee(%x: tensor<7x?xf32, #relax.sym<n>>) -> (tensor<4x?xf32>, tensor<?x?xf32>) {
  %s = relax.strided_slice %x {axes = array<i64: 0>, begin = array<i64: 2>, end = array<i64: -1>} : (tensor<7x?xf32, #relax.sym<n>>) -> tensor<4x?xf32>
  %e = relax.exp %s : (tensor<4x?xf32>) -> tensor<?x?xf32>
  return %s, %e : tensor<4x?xf32>, tensor<?x?xf32>
}
func.func private @loose(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  return %x : tensor<?x?xf32>
}
func.func @main(%x: tensor<7x?xf32, #relax.sym<n>>, %c: i1) -> (tensor<4x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %a, %b = func.call @callee(%x) : (tensor<7x?xf32, #relax.sym<n>>) -> (tensor<4x?xf32>, tensor<?x?xf32>)
  %l = relax.negative %x : (tensor<7x?xf32, #relax.sym<n>>) -> tensor<?x?xf32>
  %d = func.call @loose(%l) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = scf.if %c -> (tensor<?x?xf32>) {
    %t = relax.tanh %x : (tensor<7x?xf32, #relax.sym<n>>) -> tensor<?x?xf32>
    scf.yield %t : tensor<?x?xf32>
  } else {
    scf.yield %b : tensor<?x?xf32>
  }
  return %a, %b, %d, %r : tensor<4x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}
