// RUN: not relax-opt %s -p relax-to-linalg 2>&1 | filecheck %s

// What would be read is known at run time only, if one of two symbols may be 1.
//
// CHECK: error: relax.add cannot be lowered to linalg: dim m of an operand may differ from n; relate them by relax.match_cast
func.func @unrelated(%a: tensor<?xf32, #relax.sym<n>>, %b: tensor<?xf32, #relax.sym<m>>) -> tensor<?xf32, #relax.sym<n>> {
  %r = relax.add %a, %b : (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<m>>) -> tensor<?xf32, #relax.sym<n>>
  return %r : tensor<?xf32, #relax.sym<n>>
}
