// RUN: relax-opt %s --verify-diagnostics -p plan-arena

func.func @from_one() {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  // expected-error@+1 {{plan-arena: scratch in scf.parallel, expected one loop from 0 by steps of 1 to a bound that sizes tell}}
  "scf.parallel"(%c1, %c3, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %own = memref.alloc() : memref<5xf32>
    %x = memref.load %own[%i] : memref<5xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  return
}
