// RUN: relax-opt %s -p outline-parallel | filecheck %s
// RUN: relax-opt %s -p 'outline-parallel{threads=1}' | filecheck %s --check-prefix SERIAL

// Two loops that write parts of one buffer that do not meet run side by side, each with a range of its own; the number of iterations
// that are worth a thread is 1 where the loop says none.
// CHECK-LABEL: func.func @parts
// CHECK-SAME:  (%[[X:.*]]: memref<7xf32>, %[[Y:.*]]: memref<7xf32>)
// CHECK:         memref.subview %[[Y]][3]
// CHECK-NEXT:    %[[ITERATIONS:.*]] = arith.constant 3 : index
// CHECK-NEXT:    %[[OTHERS:.*]] = arith.constant 4 : index
// CHECK:         func.call @parts.parallel(%[[ZERO:.*]], %[[ITERATIONS]], %[[ZERO]], %[[OTHERS]], %[[X]], %[[Y]])
// CHECK-SAME:      {relax.parallel = 0 : i64, relax.iterations_per_thread = array<i64: 2, 1>}
// CHECK-NOT:     func.call
// CHECK-LABEL: func.func private @parts.parallel
// CHECK-SAME:  (%[[B1:.*]]: index, %[[E1:.*]]: index, %[[B2:.*]]: index, %[[E2:.*]]: index, %{{.*}}: memref<7xf32>, %[[OUT:.*]]: memref<7xf32>)
// CHECK-DAG:     %[[LOW:.*]] = memref.subview %[[OUT]][0] [3] [1]
// CHECK-DAG:     %[[HIGH:.*]] = memref.subview %[[OUT]][3] [4] [1]
// CHECK:         scf.for %{{.*}} = %[[B1]] to %[[E1]]
// CHECK:           memref.store %{{.*}}, %[[LOW]]
// CHECK:         scf.for %{{.*}} = %[[B2]] to %[[E2]]
// CHECK:           memref.store %{{.*}}, %[[HIGH]]
// SERIAL-LABEL: func.func @parts
// SERIAL-NOT:     func.call
// SERIAL:         scf.for
// SERIAL:         scf.for
// SERIAL-NOT:   @parts.parallel
func.func @parts(%x: memref<7xf32>, %y: memref<7xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %low = memref.subview %y[0] [3] [1] : memref<7xf32> to memref<3xf32, strided<[1]>>
  "scf.parallel"(%c0, %c3, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %v = memref.load %x[%i] : memref<7xf32>
    memref.store %v, %low[%i] : memref<3xf32, strided<[1]>>
    scf.reduce
  }) {relax.iterations_per_thread = 2 : i64} : (index, index, index) -> ()
  %high = memref.subview %y[3] [4] [1] : memref<7xf32> to memref<4xf32, strided<[1], offset: 3>>
  "scf.parallel"(%c0, %c4, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %v = memref.load %x[%i] : memref<7xf32>
    memref.store %v, %high[%i] : memref<4xf32, strided<[1], offset: 3>>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// Parts that meet, by one element, are written one after the other.
// CHECK-LABEL: func.func @meeting_parts
// CHECK:         func.call @meeting_parts.parallel(
// CHECK:         func.call @meeting_parts.parallel_1(
func.func @meeting_parts(%x: memref<7xf32>, %y: memref<7xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %low = memref.subview %y[0] [4] [1] : memref<7xf32> to memref<4xf32, strided<[1]>>
  %high = memref.subview %y[3] [4] [1] : memref<7xf32> to memref<4xf32, strided<[1], offset: 3>>
  "scf.parallel"(%c0, %c4, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %v = memref.load %x[%i] : memref<7xf32>
    memref.store %v, %low[%i] : memref<4xf32, strided<[1]>>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %c4, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %v = memref.load %x[%i] : memref<7xf32>
    memref.store %v, %high[%i] : memref<4xf32, strided<[1], offset: 3>>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// What the first loop writes, the second one reads, by another view of the same buffer.
// CHECK-LABEL: func.func @read_by_a_view
// CHECK:         func.call @read_by_a_view.parallel(
// CHECK:         func.call @read_by_a_view.parallel_1(
func.func @read_by_a_view(%x: memref<8xf32>, %y: memref<2x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %flat = memref.collapse_shape %y [[0, 1]] : memref<2x4xf32> into memref<8xf32>
  "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %one, %flat[%i] : memref<8xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %v = memref.load %y[%c1, %c1] : memref<2x4xf32>
    memref.store %v, %x[%i] : memref<8xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// What the second loop writes, the first one reads.
// CHECK-LABEL: func.func @overwritten
// CHECK:         func.call @overwritten.parallel(
// CHECK:         func.call @overwritten.parallel_1(
func.func @overwritten(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %v = memref.load %x[%c0] : memref<8xf32>
    memref.store %v, %y[%i] : memref<8xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %one, %x[%i] : memref<8xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// An argument that may overlap another one keeps loops apart.
// CHECK-LABEL: func.func @overlapping
// CHECK:         func.call @overlapping.parallel(
// CHECK:         func.call @overlapping.parallel_1(
func.func @overlapping(%x: memref<8xf32>, %y: memref<8xf32> {relax.may_alias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %one, %x[%i] : memref<8xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %one, %y[%i] : memref<8xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// Views of the workspace are apart where their bytes are: the third one has bytes of the first.
// CHECK-LABEL: func.func @workspace
// CHECK:         func.call @workspace.parallel({{.*}}) {relax.parallel = 0 : i64, relax.iterations_per_thread = array<i64: 1, 1>}
// CHECK:         func.call @workspace.parallel_1({{.*}}) {relax.parallel = 0 : i64}
func.func @workspace(%w: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c28 = arith.constant 28 : index
  %c32 = arith.constant 32 : index
  %one = arith.constant 1.0 : f32
  %a = memref.view %w[%c0][] : memref<?xi8> to memref<8xf32>
  %b = memref.view %w[%c32][] : memref<?xi8> to memref<8xf32>
  %c = memref.view %w[%c28][] : memref<?xi8> to memref<8xf32>
  "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %one, %a[%i] : memref<8xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %one, %b[%i] : memref<8xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %one, %c[%i] : memref<8xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// A loop and what computes its bounds move past a plain loop that they have nothing to do with.
// CHECK-LABEL: func.func @past
// CHECK-SAME:  (%{{.*}}: memref<?xf32>, %{{.*}}: memref<?xf32>, %{{.*}}: memref<8xf32>, %[[N:.*]]: index)
// CHECK:         %[[TWICE:.*]] = arith.addi %[[N]], %[[N]]
// CHECK:         func.call @past.parallel(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK:         scf.for
func.func @past(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %one, %x[%i] : memref<?xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %one, %z[%i] : memref<8xf32>
  }
  %twice = arith.addi %n, %n : index
  "scf.parallel"(%c0, %twice, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %one, %y[%i] : memref<?xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// A bound that is loaded behind the first loop is not known before it.
// CHECK-LABEL: func.func @loaded_bound
// CHECK:         func.call @loaded_bound.parallel(
// CHECK:         memref.load
// CHECK:         func.call @loaded_bound.parallel_1(
func.func @loaded_bound(%x: memref<?xf32>, %y: memref<?xf32>, %sizes: memref<1xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %one, %x[%i] : memref<?xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  %m = memref.load %sizes[%c0] : memref<1xindex>
  "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %one, %y[%i] : memref<?xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// A loop that may fail runs alone: which message a call ends with does not depend on threads. So does what stands behind a call.
// CHECK-LABEL: func.func @failing
// CHECK:         func.call @failing.parallel(
// CHECK:         func.call @failing.parallel_1(
// CHECK:         func.call @look(
// CHECK:         func.call @failing.parallel_2(
func.func private @look()
func.func @failing(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %one, %x[%i] : memref<?xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %ok = arith.cmpi slt, %i, %c1 : index
    cf.assert %ok, "no more than one"
    memref.store %one, %y[%i] : memref<?xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  func.call @look() : () -> ()
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %one, %z[%i] : memref<?xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// A store by an address that an instruction takes is not looked into; a fetch changes nothing.
// CHECK-LABEL: func.func @addresses
// CHECK:         func.call @addresses.parallel({{.*}}) {relax.parallel = 0 : i64, relax.iterations_per_thread = array<i64: 1, 1>}
// CHECK:         func.call @addresses.parallel_1({{.*}}) {relax.parallel = 0 : i64}
func.func @addresses(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %one = arith.constant 1.0 : f32
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %one, %x[%i] : memref<?xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %start = "memref.extract_aligned_pointer_as_index"(%y) : (memref<?xf32>) -> index
    %address = arith.index_cast %start : index to i64
    %pointer = llvm.inttoptr %address : i64 to !llvm.ptr
    llvm.call_intrinsic "llvm.prefetch.p0"(%pointer, %i0, %i1, %i1) : (!llvm.ptr, i32, i32, i32) -> ()
    memref.store %one, %y[%i] : memref<?xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %start = "memref.extract_aligned_pointer_as_index"(%z) : (memref<?xf32>) -> index
    %address = arith.index_cast %start : index to i64
    %pointer = llvm.inttoptr %address : i64 to !llvm.ptr
    llvm.call_intrinsic "llvm.x86.sse2.clflush"(%pointer) : (!llvm.ptr) -> ()
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// Loops with memory on the stack run alone: a thread needs no more stack than that of one.
// CHECK-LABEL: func.func @stacks
// CHECK:         func.call @stacks.parallel(
// CHECK:         func.call @stacks.parallel_1(
func.func @stacks(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %one, %x[%i] : memref<?xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %panel = memref.alloca() : memref<64xf32>
    memref.store %one, %panel[%c0] : memref<64xf32>
    %v = memref.load %panel[%c0] : memref<64xf32>
    memref.store %v, %y[%i] : memref<?xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// Parts whose sizes run time decides do not meet where one begins at the end of the other, or behind it; the third begins one before.
// CHECK-LABEL: func.func @sizes
// CHECK:         func.call @sizes.parallel({{.*}}) {relax.parallel = 0 : i64, relax.iterations_per_thread = array<i64: 1, 1>}
// CHECK:         func.call @sizes.parallel_1({{.*}}) {relax.parallel = 0 : i64}
func.func @sizes(%a: memref<?xf32>, %b: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %n = memref.dim %a, %c0 : memref<?xf32>
  %m = memref.dim %b, %c0 : memref<?xf32>
  %end = arith.addi %n, %m : index
  %before = arith.subi %end, %c1 : index
  %low = memref.subview %y[0] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  %middle = memref.subview %y[%n] [%m] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
  %high = memref.subview %y[%before] [%m] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %one, %low[%i] : memref<?xf32, strided<[1]>>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %one, %middle[%i] : memref<?xf32, strided<[1], offset: ?>>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %m, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %one, %high[%i] : memref<?xf32, strided<[1], offset: ?>>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// Along a stride of 0 parts with different places are the same memory.
// CHECK-LABEL: func.func @one_part
// CHECK:         func.call @one_part.parallel(
// CHECK:         func.call @one_part.parallel_1(
func.func @one_part(%x: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %parts = memref.reinterpret_cast %x to offset: [0], sizes: [2, 8], strides: [0, 1] : memref<8xf32> to memref<2x8xf32, strided<[0, 1]>>
  %low = memref.subview %parts[0, 0] [1, 8] [1, 1] : memref<2x8xf32, strided<[0, 1]>> to memref<1x8xf32, strided<[0, 1]>>
  %high = memref.subview %parts[1, 0] [1, 8] [1, 1] : memref<2x8xf32, strided<[0, 1]>> to memref<1x8xf32, strided<[0, 1]>>
  "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %one, %low[%c0, %i] : memref<1x8xf32, strided<[0, 1]>>
    scf.reduce
  }) : (index, index, index) -> ()
  "scf.parallel"(%c0, %c8, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %one, %high[%c0, %i] : memref<1x8xf32, strided<[0, 1]>>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}
