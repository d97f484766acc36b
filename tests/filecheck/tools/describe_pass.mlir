// RUN: relax-opt --describe-pass relax-fuse-ops --describe-pass check-legality | filecheck %s
// RUN: not relax-opt --describe-pass relax-fuse-op 2>&1 | filecheck %s --check-prefix NEAR
// RUN: relax-opt --describe-pass canonicalize | filecheck %s --check-prefix UPSTREAM

// CHECK:      relax-fuse-ops{max_depth=256 opt_level=1 singles=true inline_kernels=true}
// CHECK:        max_depth=256
// CHECK-NEXT:     The largest number of ops in a kernel.
// CHECK:        inline_kernels=true
// CHECK-NEXT:     Whether the bodies of kernels that came with the program take the places of their calls.
// CHECK:        Groups the ops of each dataflow block into kernels
// CHECK:        becomes
// CHECK:        *Requires* `relax-infer-shapes`.
// CHECK:      check-legality{stage=...}
// CHECK:        stage=...
// CHECK-NEXT:     The stage that has run

// NEAR:      relax-opt: error: unknown pass 'relax-fuse-op' (did you mean 'relax-fuse-ops'

// UPSTREAM:  canonicalize
// UPSTREAM:    Applies all canonicalization patterns.
