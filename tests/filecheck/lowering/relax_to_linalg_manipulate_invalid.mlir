// RUN: relax-opt %s -p relax-to-linalg --verify-diagnostics --split-input-file

func.func @broadcast_to(%x: tensor<?xf32, #relax.sym<n>>, %s: !relax.shape<[m]>) -> tensor<?xf32, #relax.sym<m>> {
  // expected-error@below {{relax.broadcast_to cannot be lowered to linalg: dim n is not known to be 1 or m}}
  %y = relax.broadcast_to %x, %s : (tensor<?xf32, #relax.sym<n>>, !relax.shape<[m]>) -> tensor<?xf32, #relax.sym<m>>
  return %y : tensor<?xf32, #relax.sym<m>>
}

// -----

func.func @concat(%x: tensor<2x?xf32, #relax.sym<n>>, %y: tensor<2x?xf32, #relax.sym<m>>) -> tensor<4x?xf32, #relax.sym<n>> {
  // expected-error@below {{relax.concat cannot be lowered to linalg: dims n and m of the operands are not known to be equal}}
  %r = relax.concat %x, %y : (tensor<2x?xf32, #relax.sym<n>>, tensor<2x?xf32, #relax.sym<m>>) -> tensor<4x?xf32, #relax.sym<n>>
  return %r : tensor<4x?xf32, #relax.sym<n>>
}
