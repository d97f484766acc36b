// RUN: relax-opt %s -p outline-parallel,convert-to-llvm | filecheck %s
// RUN: relax-opt %s -p 'outline-parallel{threads=2},convert-to-llvm' | filecheck %s --check-prefix TWO

// A team has as many threads as there are shares, and fewer than two shares run here.
// CHECK-LABEL: llvm.func internal @shares
// CHECK:         %[[LEAST:.*]] = llvm.mlir.constant(80) : i64
// CHECK:         llvm.icmp "slt" %{{.*}}, %[[LEAST]]
// CHECK:         %[[SHARES:.*]] = llvm.udiv
// CHECK:         %[[MOST:.*]] = llvm.call @omp_get_max_threads()
// CHECK:         llvm.call_intrinsic "llvm.smin.i64"(%[[SHARES]]
// CHECK:         llvm.call @GOMP_parallel
// TWO-NOT:       omp_get_max_threads
// TWO:           llvm.call @GOMP_parallel
func.func private @shares(%v: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %one, %v[%i] : memref<?xf32>
    scf.reduce
  }) {relax.iterations_per_thread = 40 : i64} : (index, index, index) -> ()
  func.return
}
