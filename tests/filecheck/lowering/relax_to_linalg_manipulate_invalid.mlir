// RUN: relax-opt %s -p relax-to-linalg --verify-diagnostics --split-input-file

func.func @broadcast_to(%x: tensor<?xf32, #relax.sym<n>>, %s: !relax.shape<[m]>) -> tensor<?xf32, #relax.sym<m>> {
  // expected-error@below {{relax.broadcast_to cannot be lowered to linalg: dim n is not known to be 1 or m}}
  %y = relax.broadcast_to %x, %s : (tensor<?xf32, #relax.sym<n>>, !relax.shape<[m]>) -> tensor<?xf32, #relax.sym<m>>
  return %y : tensor<?xf32, #relax.sym<m>>
}
