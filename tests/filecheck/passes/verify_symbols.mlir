// RUN: xdsl-opt %s -p relax-verify-symbols | filecheck %s
// RUN: sed 's/sym<n>/sym<2 * n>/' %s | not xdsl-opt -p relax-verify-symbols 2>&1 | filecheck %s --check-prefix=UNDEFINED

// CHECK-LABEL: func.func @defined_by_its_argument
// CHECK-SAME: tensor<?xf32, #relax.sym<n>>
// UNDEFINED: symbol n in argument 0 of @defined_by_its_argument is not defined
func.func @defined_by_its_argument(%x: tensor<?xf32, #relax.sym<n>>) {
  return
}
