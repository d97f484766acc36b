// RUN: relax-opt %s -p convert-to-llvm | filecheck %s

// A memref is its pointer and dynamic sizes; row addresses leave the inner loop; loops test at their end.
// CHECK-LABEL: llvm.func internal @rows
// CHECK-SAME:  (%[[A:.*]]: !llvm.ptr {llvm.noalias}, %[[N:.*]]: i64, %[[C:.*]]: !llvm.ptr {llvm.noalias}, %{{.*}}: i64)
// CHECK:         %[[ZERO:.*]] = llvm.mlir.constant(0) : i64
// CHECK:         %[[ENTER:.*]] = llvm.icmp "slt" %[[ZERO]], %[[N]] : i64
// CHECK:         llvm.cond_br %[[ENTER]], ^{{.*}}(%[[ZERO]] : i64), ^{{.*}}
// CHECK:       ^{{.*}}(%[[I:.*]]: i64):
// CHECK:         %[[ROW:.*]] = llvm.mul %[[I]], %{{.*}} : i64
// CHECK-NEXT:    %[[AROW:.*]] = llvm.getelementptr %[[A]][%[[ROW]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK:       ^{{.*}}(%[[J:.*]]: i64):
// CHECK-NEXT:    %[[P:.*]] = llvm.getelementptr %[[AROW]][%[[J]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK-NEXT:    llvm.load %[[P]] {alignment = 4 : i64} : !llvm.ptr -> f32
// CHECK-NOT:     llvm.mul
// CHECK:         llvm.return
func.func private @rows(%a: memref<?x8xf32>, %c: memref<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %n = memref.dim %a, %c0 : memref<?x8xf32>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      %x = memref.load %a[%i, %j] : memref<?x8xf32>
      memref.store %x, %c[%i, %j] : memref<?x8xf32>
    }
  }
  func.return
}

// A private function has no C entry; an argument that may overlap another is not noalias.
// CHECK-NOT:     @rows.call
// CHECK-LABEL: llvm.func internal @overlap
// CHECK-SAME:  (%{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr)
// CHECK:         llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr -> i8
// CHECK:         llvm.icmp "ne"
// CHECK:         llvm.zext %{{.*}} : i1 to i8
func.func private @overlap(%a: memref<4xi1>, %b: memref<4xi1> {relax.may_alias}) {
  %c0 = arith.constant 0 : index
  %x = memref.load %a[%c0] : memref<4xi1>
  memref.store %x, %b[%c0] : memref<4xi1>
  func.return
}

// A loop of one iteration is its body; one of none is gone.
// CHECK-LABEL: llvm.func internal @short
// CHECK-NOT:     llvm.cond_br
// CHECK:         llvm.store
// CHECK-NOT:     llvm.store
// CHECK:         llvm.return
func.func private @short(%a: memref<4xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
    memref.store %x, %a[%i] : memref<4xf32>
  }
  scf.for %i = %c1 to %c1 step %c1 {
    memref.store %x, %a[%i] : memref<4xf32>
  }
  func.return
}

// CHECK-LABEL: llvm.func internal @not_unrolled
// CHECK:         llvm.cond_br {{.*}} {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
// CHECK-LABEL: llvm.func internal @unrolled
// CHECK-NOT:     loop_annotation
// CHECK:         llvm.return
func.func private @not_unrolled(%a: memref<4xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    memref.store %x, %a[%i] : memref<4xf32>
  } {relax.no_unroll}
  func.return
}
func.func private @unrolled(%a: memref<4xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    memref.store %x, %a[%i] : memref<4xf32>
  }
  func.return
}

// The status is what a function that may fail returns first.
// CHECK-LABEL: llvm.func internal @checked
// CHECK-SAME:  (%[[N2:.*]]: i64, %{{.*}}: !llvm.ptr) -> i64 attributes {no_unwind} {
// CHECK:         %[[ONE:.*]] = llvm.mlir.constant(1) : i64
// CHECK:         llvm.cond_br %{{.*}}, ^[[FAIL:.*]](%[[ONE]] : i64), ^{{.*}}
func.func @checked(%n: index) {
  %c3 = arith.constant 3 : index
  %ok = arith.cmpi slt, %n, %c3 : index
  cf.assert %ok, "n is too large"
  func.return
}

// LLVM spends no time on functions that only call others.
// CHECK-LABEL: llvm.func internal @calls
// CHECK-SAME:  attributes {no_unwind, no_inline, optimize_none}
// CHECK-LABEL: llvm.func internal @calls_in_a_loop
// CHECK-SAME:  attributes {no_unwind} {
// CHECK-LABEL: llvm.func internal @kernel_that_calls
// CHECK-SAME:  attributes {no_unwind} {
func.func private @called() {
  func.return
}
func.func private @calls() {
  func.call @called() : () -> ()
  func.call @called() : () -> ()
  func.return
}
func.func private @calls_in_a_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    func.call @called() : () -> ()
  }
  func.return
}
func.func private @kernel_that_calls() attributes {relax.primitive} {
  func.call @called() : () -> ()
  func.return
}

// LLVM spends no time on what computes sizes.
// CHECK-LABEL: llvm.func @copied.shape
// CHECK-SAME:  attributes {{{.*}}relax.shape_function_of = @copied, no_unwind, no_inline, optimize_none}
// CHECK-LABEL: llvm.func internal @copied.workspace
// CHECK-SAME:  attributes {no_unwind, no_inline, optimize_none}
func.func @copied.shape(%in: memref<?xi64>, %out: memref<?xi64>) -> i64 attributes {relax.shape_function_of = @copied} {
  %c0 = arith.constant 0 : index
  %n = memref.load %in[%c0] : memref<?xi64>
  %size = arith.index_cast %n : i64 to index
  %bytes = func.call @copied.workspace(%size) : (index) -> index
  %number = arith.index_cast %bytes : index to i64
  memref.store %number, %out[%c0] : memref<?xi64>
  %ok = arith.constant 0 : i64
  func.return %ok : i64
}
func.func private @copied.workspace(%n: index) -> index attributes {relax.workspace_of = @copied} {
  func.return %n : index
}

// What a kernel needs is left out where no size depends on it.
// CHECK-NOT: @static.workspace
func.func private @static.workspace() -> index attributes {relax.workspace_of = @called} {
  %bytes = arith.constant 64 : index
  func.return %bytes : index
}

// Nor on the C entry of a public function, which returns the status.
// CHECK-LABEL: llvm.func @checked.call
// CHECK-SAME:  (%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[WORDS:.*]]: !llvm.ptr) -> i64 attributes {relax.entry_of = @checked, no_inline, optimize_none} {
// CHECK:         %[[S:.*]] = llvm.call @checked(%{{.*}}, %[[WORDS]]) : (i64, !llvm.ptr) -> i64
// CHECK:         llvm.return %[[S]] : i64
