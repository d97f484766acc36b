// RUN: relax-run %s --backend interpret -O 0 --dim n=25 --memory | filecheck %s
// RUN: relax-run %s --backend interpret -O 1 --dim n=25 --memory | filecheck %s --check-prefix=FUSED

// Five tensors of 2000 bytes; the sixth is the result. Two are needed at once.
// CHECK: intermediate tensors: 5, 0.010 MB; in 2 storages, 0.004 MB

// Not where they are inside of one kernel.
// FUSED: intermediate tensors: 0, 0.000 MB; in 0 storages, 0.000 MB
func.func @main(%x: tensor<?x20xf32, #relax.sym<n>>) -> tensor<?x20xf32, #relax.sym<n>> {
  %r = relax.dataflow {
    %0 = relax.exp %x : (tensor<?x20xf32, #relax.sym<n>>) -> tensor<?x20xf32, #relax.sym<n>>
    %1 = relax.negative %0 : (tensor<?x20xf32, #relax.sym<n>>) -> tensor<?x20xf32, #relax.sym<n>>
    %2 = relax.exp %1 : (tensor<?x20xf32, #relax.sym<n>>) -> tensor<?x20xf32, #relax.sym<n>>
    %3 = relax.negative %2 : (tensor<?x20xf32, #relax.sym<n>>) -> tensor<?x20xf32, #relax.sym<n>>
    %4 = relax.exp %3 : (tensor<?x20xf32, #relax.sym<n>>) -> tensor<?x20xf32, #relax.sym<n>>
    %5 = relax.negative %4 : (tensor<?x20xf32, #relax.sym<n>>) -> tensor<?x20xf32, #relax.sym<n>>
    relax.output %5 : tensor<?x20xf32, #relax.sym<n>>
  } : tensor<?x20xf32, #relax.sym<n>>
  return %r : tensor<?x20xf32, #relax.sym<n>>
}
