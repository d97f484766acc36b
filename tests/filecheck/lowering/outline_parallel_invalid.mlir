// RUN: relax-opt %s -p 'outline-parallel{threads=2}' --split-input-file --verify-diagnostics

func.func @none(%x: memref<64xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %c = arith.constant 1.0 : f32
  // expected-error@+1 {{outline-parallel: relax.iterations_per_thread: found 0, required 1 or more}}
  "scf.parallel"(%zero, %n, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %c, %x[%i] : memref<64xf32>
    scf.reduce
  }) {relax.iterations_per_thread = 0 : i64} : (index, index, index) -> ()
  return
}

// -----

func.func @two(%x: memref<64xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %c = arith.constant 1.0 : f32
  // expected-error@+1 {{outline-parallel: relax.iterations_per_thread: found 2 numbers, required 1}}
  "scf.parallel"(%zero, %n, %one) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %c, %x[%i] : memref<64xf32>
    scf.reduce
  }) {relax.iterations_per_thread = array<i64: 3, 4>} : (index, index, index) -> ()
  return
}
