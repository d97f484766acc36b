// RUN: relax-opt %s -p convert-to-llvm | filecheck %s

// What C alone calls, and what calls others, is its own entry: pointers are loaded where they are passed on.
// CHECK-NOT:   llvm.func internal @calls
// CHECK-LABEL: llvm.func internal @shared
// CHECK-LABEL: llvm.func internal @no_calls
// CHECK-LABEL: llvm.func @calls.call
// CHECK-SAME:    (%[[BUFFERS:.*]]: !llvm.ptr, %[[DIMS:.*]]: !llvm.ptr, %[[WORKSPACE:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i64
// CHECK-SAME:    optimize_none
// CHECK:         %[[X:.*]] = llvm.load %[[BUFFERS]]
// CHECK:         %[[N:.*]] = llvm.load %[[DIMS]]
// CHECK:         llvm.call @kernel(%[[X]], %[[N]], %[[WORKSPACE]])
// CHECK:         %[[SLOT:.*]] = llvm.getelementptr %[[BUFFERS]][1]
// CHECK:         %[[Y:.*]] = llvm.load %[[SLOT]]
// CHECK:         %[[VALUE:.*]] = llvm.call @sum(%[[Y]])
// CHECK:         %[[RESULT:.*]] = llvm.getelementptr %[[BUFFERS]][2]
// CHECK:         %[[PLACE:.*]] = llvm.load %[[RESULT]]
// CHECK:         llvm.store %[[VALUE]], %[[PLACE]]
// CHECK-LABEL: llvm.func @shared.call
// CHECK:         llvm.call @shared(
// CHECK-LABEL: llvm.func @no_calls.call
// CHECK:         llvm.call @no_calls(
func.func private @kernel(%x: memref<?xf32>, %w: memref<16xi8>) attributes {relax.primitive} {
  func.return
}
func.func private @sum(%x: memref<4xf32>) -> f32 attributes {relax.primitive} {
  %zero = arith.constant 0.0 : f32
  func.return %zero : f32
}
func.func @calls(%x: memref<?xf32>, %y: memref<4xf32>, %workspace: memref<16xi8> {relax.workspace}) -> f32 {
  func.call @kernel(%x, %workspace) : (memref<?xf32>, memref<16xi8>) -> ()
  %sum = func.call @sum(%y) : (memref<4xf32>) -> f32
  func.call @shared(%y) : (memref<4xf32>) -> ()
  func.return %sum : f32
}

// A public function that others call, and one with loops alone, are called by their entries.
func.func @shared(%x: memref<4xf32>) {
  %sum = func.call @sum(%x) : (memref<4xf32>) -> f32
  func.return
}
func.func @no_calls(%x: memref<4xf32>) {
  func.return
}
