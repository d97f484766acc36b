// A callee names sizes differently from its caller: by an expression, by a number, through a chain of calls.
// relax-run callee_with_own_symbols.mlir --check --dim m=3
// relax-run callee_with_own_symbols.mlir --check --dim m=0
func.func private @half(%x: tensor<?x8xf32, #relax.sym<n>>, %s: !relax.shape<[n, 8]>) -> (tensor<?xf32, #relax.sym<n * 8>>, tensor<?x8xf32, #relax.sym<n>>) {
  %sh = relax.shape : () -> !relax.shape<[n * 8]>
  %y = relax.reshape %x, %sh : (tensor<?x8xf32, #relax.sym<n>>, !relax.shape<[n * 8]>) -> tensor<?xf32, #relax.sym<n * 8>>
  %z = relax.exp %x : (tensor<?x8xf32, #relax.sym<n>>) -> tensor<?x8xf32, #relax.sym<n>>
  return %y, %z : tensor<?xf32, #relax.sym<n * 8>>, tensor<?x8xf32, #relax.sym<n>>
}
func.func @main(%x: tensor<4x8xf32>, %y: tensor<?x8xf32, #relax.sym<m>>) -> (tensor<32xf32>, tensor<4x8xf32>, tensor<?xf32, #relax.sym<8 * m>>, tensor<?xf32, #relax.sym<32 * m>>) {
  %s = relax.shape : () -> !relax.shape<[4, 8]>
  %t = relax.shape : () -> !relax.shape<[m, 8]>
  %a, %b = func.call @half(%x, %s) : (tensor<4x8xf32>, !relax.shape<[4, 8]>) -> (tensor<32xf32>, tensor<4x8xf32>)
  %c, %d = func.call @half(%y, %t) : (tensor<?x8xf32, #relax.sym<m>>, !relax.shape<[m, 8]>) -> (tensor<?xf32, #relax.sym<8 * m>>, tensor<?x8xf32>)
  %e = func.call @twice(%c) : (tensor<?xf32, #relax.sym<8 * m>>) -> tensor<?xf32, #relax.sym<32 * m>>
  return %a, %b, %c, %e : tensor<32xf32>, tensor<4x8xf32>, tensor<?xf32, #relax.sym<8 * m>>, tensor<?xf32, #relax.sym<32 * m>>
}
func.func private @double(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<2 * n>> {
  %y = relax.concat %x, %x {axis = 0 : i64} : (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<2 * n>>
  return %y : tensor<?xf32, #relax.sym<2 * n>>
}
func.func private @twice(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<4 * n>> {
  %y = func.call @double(%x) : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<2 * n>>
  %z = func.call @double(%y) : (tensor<?xf32, #relax.sym<2 * n>>) -> tensor<?xf32, #relax.sym<4 * n>>
  return %z : tensor<?xf32, #relax.sym<4 * n>>
}
