// RUN: relax-opt %s -p 'share-loops{threads=2}' | filecheck %s
// RUN: relax-opt %s -p 'share-loops{threads=1}' | filecheck %s --check-prefix SERIAL
// RUN: relax-opt %s -p 'share-loops' | filecheck %s --check-prefix ANY

// The flag on loops of other forms is dropped.
// CHECK-LABEL: func.func @other_forms
// CHECK-NOT:     scf.parallel
// CHECK-NOT:     relax.independent
// CHECK:         func.return
func.func @other_forms(%n: i32) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.constant 4096000 : index
  %z = arith.constant 0 : i32
  %s = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %m step %c1 iter_args(%sum = %c0) -> (index) {
    %0 = arith.addi %sum, %i : index
    scf.yield %0 : index
  } {relax.independent}
  scf.for %i = %z to %n step %s : i32 {
    scf.yield
  } {relax.independent}
  scf.for %i = %c0 to %m step %c0 {
    scf.yield
  } {relax.independent}
  return %r : index
}

// Sixty-four steps and what remains: the last share takes it. No mark is left.
// CHECK-LABEL: func.func @rows
// CHECK-DAG:     %[[SHARES:.*]] = arith.constant 2 : index
// CHECK:         "scf.parallel"(%{{.*}}, %[[SHARES]], %{{.*}})
// CHECK-NEXT:    ^bb0(%[[SHARE:.*]]: index):
// CHECK:           %[[NEXT:.*]] = arith.addi %[[SHARE]], %{{.*}} : index
// CHECK-DAG:       %[[STEPS:.*]] = arith.constant 64 : index
// CHECK:           %[[FIRST:.*]] = arith.floordivsi
// CHECK:           %[[BEGIN:.*]] = arith.muli %[[FIRST]], %{{.*}} : index
// CHECK:           %[[IS_LAST:.*]] = arith.cmpi eq, %[[NEXT]]
// CHECK:           %[[END:.*]] = arith.select %[[IS_LAST]], %{{.*}}, %{{.*}} : index
// CHECK:           scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// CHECK:             memref.alloc
// CHECK:         scf.reduce
// CHECK-NOT:     relax.independent
// SERIAL-LABEL: func.func @rows
// SERIAL-NOT:     scf.parallel
// SERIAL-NOT:     relax.independent
// ANY-LABEL:    func.func @rows
// ANY:            arith.constant 16 : index
// ANY:            "scf.parallel"
func.func @rows(%x: memref<258x4096xf32>, %y: memref<258x4096xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = arith.constant 258 : index
  %m = arith.constant 4096 : index
  scf.for %i = %c0 to %n step %c4 {
    %scratch = memref.alloc() : memref<4096xf32>
    scf.for %j = %c0 to %m step %c1 {
      %0 = memref.load %x[%i, %j] : memref<258x4096xf32>
      memref.store %0, %scratch[%j] : memref<4096xf32>
      memref.store %0, %y[%i, %j] : memref<258x4096xf32>
      scf.yield
    }
    scf.yield
  } {relax.independent}
  func.return
}

// Too little work for two threads, and a loop that is not marked.
// CHECK-LABEL: func.func @small
// CHECK-NOT:     scf.parallel
// CHECK-NOT:     relax.independent
func.func @small(%x: memref<64xf32>, %y: memref<100000xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 64 : index
  %m = arith.constant 100000 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    memref.store %zero, %x[%i] : memref<64xf32>
    scf.yield
  } {relax.independent}
  scf.for %i = %c0 to %m step %c1 {
    memref.store %zero, %y[%i] : memref<100000xf32>
    scf.yield
  }
  func.return
}

// How many steps there are is known when the program runs: one share where they are few.
// CHECK-LABEL: func.func @any
// CHECK-SAME:  (%{{.*}}: memref<?x4096xf32>, %[[N:.*]]: index)
// CHECK:         %[[WORTH:.*]] = arith.floordivsi %[[N]], %{{.*}} : index
// CHECK:         %[[MOST:.*]] = arith.minsi %[[WORTH]], %{{.*}} : index
// CHECK:         %[[SHARES:.*]] = arith.maxsi %[[MOST]], %{{.*}} : index
// CHECK:         "scf.parallel"(%{{.*}}, %[[SHARES]], %{{.*}})
func.func @any(%x: memref<?x4096xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %m step %c1 {
      memref.store %zero, %x[%i, %j] : memref<?x4096xf32>
      scf.yield
    }
    scf.yield
  } {relax.independent}
  func.return
}

// Of nested loops that is shared whose shares are even: two and one of three would take as long as two.
// CHECK-LABEL: func.func @nested
// CHECK:         scf.for %{{.*}} = %{{.*}} to %{{.*}} step
// CHECK:           "scf.parallel"
// CHECK:             scf.for
// CHECK:               scf.for
// CHECK-NOT:     relax.independent
func.func @nested(%x: memref<3x512x4096xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant 3 : index
  %n = arith.constant 512 : index
  %m = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  scf.for %h = %c0 to %k step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      scf.for %j = %c0 to %m step %c1 {
        memref.store %zero, %x[%h, %i, %j] : memref<3x512x4096xf32>
        scf.yield
      }
      scf.yield
    } {relax.independent}
    scf.yield
  } {relax.independent}
  func.return
}

// Four steps of the outer loop are two for each share, with none left over.
// CHECK-LABEL: func.func @nested_even
// CHECK:         "scf.parallel"
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               scf.for
// CHECK-NOT:     relax.independent
func.func @nested_even(%x: memref<4x512x4096xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant 4 : index
  %n = arith.constant 512 : index
  %m = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  scf.for %h = %c0 to %k step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      scf.for %j = %c0 to %m step %c1 {
        memref.store %zero, %x[%h, %i, %j] : memref<4x512x4096xf32>
        scf.yield
      }
      scf.yield
    } {relax.independent}
    scf.yield
  } {relax.independent}
  func.return
}
