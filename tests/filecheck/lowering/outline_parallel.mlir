// RUN: relax-opt %s -p outline-parallel | filecheck %s
// RUN: relax-opt %s -p 'outline-parallel{threads=1}' | filecheck %s --check-prefix SERIAL

// The buffer crosses, its view is rebuilt inside; the range is the flattened loop.
// CHECK-LABEL: func.func @scale
// CHECK-SAME:  (%[[W:.*]]: memref<?xi8>, %[[N:.*]]: index)
// CHECK:         func.call @scale.parallel(%{{.*}}, %{{.*}}, %[[W]], %[[N]]) {relax.parallel = 0 : i64}
// CHECK-NOT:     scf.parallel
// CHECK-LABEL: func.func private @scale.parallel
// CHECK-SAME:  (%[[BEGIN:.*]]: index, %[[END:.*]]: index, %[[W2:.*]]: memref<?xi8>, %{{.*}}: index)
// CHECK:         %[[V:.*]] = memref.view %[[W2]]
// CHECK:         scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// CHECK:           memref.store %{{.*}}, %[[V]]
// SERIAL-LABEL: func.func @scale
// SERIAL-NOT:     func.call
// SERIAL:         scf.for
// SERIAL-NOT:   func.func private @scale.parallel
func.func @scale(%w: memref<?xi8>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %v = memref.view %w[%c0][%n] : memref<?xi8> to memref<?xf32>
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %one, %v[%i] : memref<?xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// One iteration is not worth a thread.
// CHECK-LABEL: func.func @single
// CHECK-NOT:     func.call
// CHECK:         scf.for
func.func @single(%v: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  "scf.parallel"(%c0, %c1, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    memref.store %one, %v[%i] : memref<1xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// A parallel loop inside a parallel loop is a plain loop of the body.
// CHECK-LABEL: func.func @nested
// CHECK:         func.call @nested.parallel
// CHECK-LABEL: func.func private @nested.parallel
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK-NOT:     @nested.parallel_1
func.func @nested(%v: memref<?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb1(%j: index):
      memref.store %one, %v[%i, %j] : memref<?x?xf32>
      scf.reduce
    }) : (index, index, index) -> ()
    scf.reduce
  }) : (index, index, index) -> ()
  func.return
}

// What an iteration is worth goes to the call.
// CHECK-LABEL: func.func @shares
// CHECK:         func.call @shares.parallel({{.*}}) {relax.parallel = 0 : i64, relax.iterations_per_thread = 40 : i64}
func.func @shares(%v: memref<?xf32>, %n: index) {
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
