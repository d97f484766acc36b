// RUN: relax-opt %s -p 'plan-arena{alloca_bytes=0}' | filecheck %s

// Two buffers that do not live at the same time share their place; a third one lies behind.
// CHECK-LABEL: func.func @reuse(
// CHECK-SAME: %[[W:workspace]]: memref<?xi8> {relax.workspace}
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[NEXT:.*]] = arith.constant 64 : index
// CHECK: memref.view %[[W]][%[[ZERO]]][]
// CHECK: memref.view %[[W]][%[[NEXT]]][]
// CHECK: memref.view %[[W]][%[[ZERO]]][]
// CHECK: func.func private @reuse.workspace() -> index
// CHECK: %[[TOTAL:.*]] = arith.constant 128 : index
// CHECK: func.return %[[TOTAL]]
func.func @reuse(%f: f32) {
  %a = memref.alloc() : memref<16xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<16xf32>)
  %b = memref.alloc() : memref<16xf32>
  linalg.fill ins(%f : f32) outs(%b : memref<16xf32>)
  linalg.fill ins(%f : f32) outs(%a : memref<16xf32>)
  %c = memref.alloc() : memref<16xf32>
  linalg.fill ins(%f : f32) outs(%c : memref<16xf32>)
  linalg.fill ins(%f : f32) outs(%b : memref<16xf32>)
  return
}

// The workspace of a callee lives during the call.
// CHECK-LABEL: func.func private @callee(
// CHECK-LABEL: func.func @caller(
// CHECK-SAME: %[[X:x]]: memref<?xf32>, %[[W:workspace]]: memref<?xi8> {relax.workspace}
// CHECK: %[[PART:.*]] = memref.view %[[W]][%{{.*}}][%{{.*}}] : memref<?xi8> to memref<?xi8>
// CHECK: func.call @callee(%[[X]], %[[PART]])
func.func private @callee(%x: memref<?xf32>) {
  %f = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %d = memref.dim %x, %c0 : memref<?xf32>
  %a = memref.alloc(%d) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<?xf32>)
  return
}
func.func @caller(%x: memref<?xf32>) {
  func.call @callee(%x) : (memref<?xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @nothing(
// CHECK-SAME: %{{.*}}: f32) {
func.func @nothing(%f: f32) {
  return
}

// A negative size, which the function refuses where it is used, takes no room from what lies behind.
// CHECK-LABEL: func.func @negative(
// CHECK-SAME: %[[N:n]]: index
// CHECK: func.func private @negative.workspace(%[[M:.*]]: index) -> index
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: arith.maxsi %[[ZERO]], %{{.*}} : index
func.func @negative(%n: index, %f: f32) {
  %c3 = arith.constant 3 : index
  %m = arith.subi %n, %c3 : index
  %a = memref.alloc(%m) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<?xf32>)
  return
}

// What is allocated in a parallel loop is there once for each iteration, in a section of its own: 64 bytes, 3 times, behind what all share.
// CHECK-LABEL: func.func @sections(
// CHECK-SAME: %[[W:workspace]]: memref<?xi8> {relax.workspace}
// CHECK-DAG: %[[AFTER:.*]] = arith.constant 8192 : index
// CHECK-DAG: %[[SECTION:.*]] = arith.constant 64 : index
// CHECK: ^bb0(%[[I:.*]]: index):
// CHECK: %[[PLACE:.*]] = arith.muli %[[I]], %[[SECTION]] : index
// CHECK: %[[OFFSET:.*]] = arith.addi %[[AFTER]], %[[PLACE]] : index
// CHECK: memref.view %[[W]][%[[OFFSET]]][] : memref<?xi8> to memref<5xf32>
// CHECK: func.func private @sections.workspace
// CHECK: arith.constant 8384 : index
func.func @sections(%f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %shared = memref.alloc() : memref<2048xf32>
  linalg.fill ins(%f : f32) outs(%shared : memref<2048xf32>)
  "scf.parallel"(%c0, %c3, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
  ^bb0(%i: index):
    %own = memref.alloc() : memref<5xf32>
    linalg.fill ins(%f : f32) outs(%own : memref<5xf32>)
    %sum = memref.load %shared[%i] : memref<2048xf32>
    memref.store %sum, %own[%i] : memref<5xf32>
    scf.reduce
  }) : (index, index, index) -> ()
  return
}
