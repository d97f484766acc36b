// RUN: relax-opt --list-passes | filecheck %s

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
