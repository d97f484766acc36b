// RUN: relax-opt --list-passes | filecheck %s
// RUN: relax-opt --list-passes --target znver4 -O 3 --threads 2 --lift-shared | filecheck %s --check-prefix FLAGS
// RUN: relax-opt -O 1 --list-passes | filecheck %s --check-prefix LESS

// CHECK:      Stages:
// CHECK-NEXT:   optimize
// CHECK:        relax-inline
// CHECK:        graph
// CHECK-NEXT:     optimize relax-plan-devices {{.*}}
// CHECK:          relax-fuse-ops
// CHECK:        llvm
// CHECK-NEXT:     loops convert-to-llvm{counter=cycles} check-legality{stage=llvm}

// CHECK:      Passes:
// CHECK:        bufferize
// CHECK-NEXT:     Turns tensors into memrefs, in destination-passing style.
// CHECK:        relax-lift-transform-params{shared=false private=false
// CHECK:        relax-verify-symbols

// Stages are those of the other flags.
// FLAGS:     relax-adjust-matmul-order
// FLAGS:     relax-lift-transform-params{shared=true
// FLAGS:     tile-attention{cache=1048576}
// FLAGS:     schedule-linalg{target=znver4
// FLAGS:     outline-parallel{threads=2}
// FLAGS:     Passes:
// FLAGS:     tile-attention{columns=0 cache=524288}
// LESS:      fold-views
// LESS-NOT:  tile-attention{cache=1048576}
// LESS:      Passes:
