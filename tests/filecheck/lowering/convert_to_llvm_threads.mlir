// RUN: relax-opt %s -p outline-parallel,convert-to-llvm | filecheck %s
// RUN: relax-opt %s -p 'outline-parallel{threads=2},convert-to-llvm' | filecheck %s --check-prefix TWO

// A team has as many threads as there are shares, and fewer than two shares run here.
// CHECK-LABEL: llvm.func internal @shares
// CHECK-DAG:     %[[LEAST:.*]] = llvm.mlir.constant(40) : i64
// CHECK-DAG:     %[[PAIR:.*]] = llvm.mlir.constant(2) : i64
// CHECK:         %[[SHARES:.*]] = llvm.udiv %{{.*}}, %[[LEAST]]
// CHECK:         llvm.icmp "slt" %[[SHARES]], %[[PAIR]]
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

// The shares of loops that run side by side are summed; 50 iterations are the one share of the second loop.
// CHECK-LABEL: llvm.func internal @side_by_side(
// CHECK:         %[[SHARES:.*]] = llvm.udiv
// CHECK:         %[[SUM:.*]] = llvm.add %[[SHARES]], %{{.*}}
// CHECK:         llvm.icmp "slt" %[[SUM]]
// CHECK:         llvm.call_intrinsic "llvm.smin.i64"(%[[SUM]]
// CHECK:         llvm.call @GOMP_parallel
// CHECK-NOT:     llvm.call @GOMP_parallel
// The chunk of each range, and the body once.
// CHECK-LABEL: llvm.func internal @side_by_side.parallel.thread
// CHECK:         llvm.udiv
// CHECK:         llvm.call_intrinsic "llvm.umin.i64"
// CHECK:         llvm.udiv
// CHECK:         llvm.call @side_by_side.parallel(
func.func private @side_by_side(%v: memref<?xf32>, %w: memref<50xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c50 = arith.constant 50 : index
  %one = arith.constant 1.0 : f32
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %one, %v[%i] : memref<?xf32>
    scf.reduce
  }) {relax.iterations_per_thread = 30 : i64} : (index, index, index) -> ()
  "scf.parallel"(%c0, %c50, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %one, %w[%i] : memref<50xf32>
    scf.reduce
  }) {relax.iterations_per_thread = 40 : i64} : (index, index, index) -> ()
  func.return
}
