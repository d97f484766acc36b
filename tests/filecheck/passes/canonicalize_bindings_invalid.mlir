// RUN: relax-opt %s --verify-diagnostics -p relax-canonicalize-bindings

func.func @contradiction(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<8xf32> {
  %c = relax.match_cast %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<4xf32>
  // expected-error@+1 {{relax.match_cast asserts 8 of a dim that is 4}}
  %d = relax.match_cast %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<8xf32>
  return %d : tensor<8xf32>
}
