// RUN: relax-opt %s -p 'convert-to-llvm{counter=cycles}' | filecheck %s
// RUN: relax-opt %s -p 'convert-to-llvm{counter=ticks}' | filecheck %s --check-prefix TICKS
// RUN: relax-opt %s -p convert-to-llvm | filecheck %s --check-prefix NONE

// A function looks for signals before it calls a kernel; kernels do not, nor what calls none.
// CHECK:       llvm.func internal @relax.look_for_signals(%[[WORDS:.*]]: !llvm.ptr) -> i64
// CHECK:         llvm.call_intrinsic "llvm.readcyclecounter"() : () -> i64
// CHECK-LABEL: llvm.func internal @kernel
// CHECK-NOT:     @relax.look_for_signals
// CHECK-LABEL: llvm.func internal @plain
// CHECK-NOT:     @relax.look_for_signals
// CHECK-LABEL: llvm.func @main.call
// CHECK-SAME:  (%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[OWN:.*]]: !llvm.ptr) -> i64
// CHECK:         %[[STATUS:.*]] = llvm.call @relax.look_for_signals(%[[OWN]]) : (!llvm.ptr) -> i64
// CHECK:         llvm.cond_br %{{.*}}, ^{{.*}}(%[[STATUS]] : i64), ^{{.*}}
// CHECK:         llvm.call @kernel

// TICKS: llvm.call_intrinsic "llvm.readsteadycounter"() : () -> i64
// NONE-NOT: look_for_signals
func.func private @kernel(%x: memref<4xf32>) attributes {relax.primitive} {
  func.call @helper(%x) : (memref<4xf32>) -> ()
  func.return
}
func.func private @helper(%x: memref<4xf32>) attributes {relax.primitive} {
  func.return
}
func.func @main(%x: memref<4xf32>) {
  func.call @kernel(%x) : (memref<4xf32>) -> ()
  func.return
}
func.func @plain(%x: memref<4xf32>) {
  func.return
}
