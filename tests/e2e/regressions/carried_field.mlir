// A field of a tuple, of which a loop carries less than is known, was put into the loop as it is.
// relax-run carried_field.mlir --check --backend interpret -p relax-remove-unused-outputs --dim n=1
builtin.module {
  func.func @main(%0: tensor<?x7x?xf32, #relax.sym<n, n>>, %1: tensor<?x7x?xf32, #relax.sym<n, ?>>, %2: index, %3: index, %4: index) -> tensor<?x7x?xf32, #relax.sym<n, ?>> {
    %5 = relax.tuple %0 : (tensor<?x7x?xf32, #relax.sym<n, n>>) -> tuple<tensor<?x7x?xf32, #relax.sym<n, n>>>
    %6 = relax.tuple_get_item %5 {index = 0 : i64} : (tuple<tensor<?x7x?xf32, #relax.sym<n, n>>>) -> tensor<?x7x?xf32, #relax.sym<n, ?>>
    %7 = scf.for %8 = %2 to %3 step %4 iter_args(%9 = %6) -> (tensor<?x7x?xf32, #relax.sym<n, ?>>) {
      scf.yield %1 : tensor<?x7x?xf32, #relax.sym<n, ?>>
    }
    func.return %7 : tensor<?x7x?xf32, #relax.sym<n, ?>>
  }
}
