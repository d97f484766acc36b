// Sizes of what two branches yield, arguments of equal sizes, were no sizes of one argument, and the difference of two had no upper bound.
// relax-run dead_pieces_of_a_branch.mlir --check -O 0 --threads 2 --dim q=37 --dim n=1 --dim m=31
builtin.module {
  func.func @main(%0: i1, %1: tensor<?xf16, #relax.sym<q>>, %2: tensor<?x?xbf16, #relax.sym<n, m>>, %3: tensor<?x?xbf16, #relax.sym<n, m>>) -> tensor<?xf16, #relax.sym<q>> {
    %4 = scf.if %0 -> (tensor<?x?xbf16, #relax.sym<n, m>>) {
      scf.yield %2 : tensor<?x?xbf16, #relax.sym<n, m>>
    } else {
      scf.yield %3 : tensor<?x?xbf16, #relax.sym<n, m>>
    }
    %5, %6 = relax.split %4 {sections = 2 : i64, axis = 1 : i64} : (tensor<?x?xbf16, #relax.sym<n, m>>) -> (tensor<?x?xbf16, #relax.sym<n, min((m + 1) floordiv 2, m)>>, tensor<?x?xbf16, #relax.sym<n, max(0, m - (m + 1) floordiv 2)>>)
    func.return %1 : tensor<?xf16, #relax.sym<q>>
  }
}
