// Two kernels of one body were merged, although one of them had two equal sizes, and the other had not: a result lay in too little memory.
// relax-run kernels_of_equal_sizes.mlir --check --dim p=3
// relax-run kernels_of_equal_sizes.mlir --check --dim p=7
builtin.module {
  func.func @main(%0: tensor<?xf64, #relax.sym<p>>, %1: tensor<?xf64, #relax.sym<p>>, %2: tensor<?xf64, #relax.sym<p>>, %3: tensor<?xf64, #relax.sym<max(0, min(7, p) - max(0, p - 1))>>) -> tensor<?x?xf64, #relax.sym<p, max(0, min(7, p) - max(0, p - 1))>> {
    %4 = relax.outer %2, %1 : (tensor<?xf64, #relax.sym<p>>, tensor<?xf64, #relax.sym<p>>) -> tensor<?x?xf64, #relax.sym<p, p>>
    %5 = relax.outer %0, %3 : (tensor<?xf64, #relax.sym<p>>, tensor<?xf64, #relax.sym<max(0, min(7, p) - max(0, p - 1))>>) -> tensor<?x?xf64, #relax.sym<p, max(0, min(7, p) - max(0, p - 1))>>
    %6 = relax.cos %5 : (tensor<?x?xf64, #relax.sym<p, max(0, min(7, p) - max(0, p - 1))>>) -> tensor<?x?xf64, #relax.sym<p, max(0, min(7, p) - max(0, p - 1))>>
    func.return %6 : tensor<?x?xf64, #relax.sym<p, max(0, min(7, p) - max(0, p - 1))>>
  }
}
