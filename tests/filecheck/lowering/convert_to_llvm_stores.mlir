// RUN: relax-opt %s -p 'convert-to-llvm{stores=parts}' | filecheck %s

// Of 8 lanes the first 7 are stored as 4, 2 and 1; no other element is touched.
// CHECK-LABEL: llvm.func internal @seven_lanes
// CHECK-NOT:     llvm.intr.masked.store
// CHECK:         %[[FOUR:.*]] = llvm.shufflevector %[[X:.*]], %[[X]] [0, 1, 2, 3] : vector<8xf32>
// CHECK:         llvm.store %[[FOUR]], {{.*}} : vector<4xf32>, !llvm.ptr
// CHECK:         %[[TWO:.*]] = llvm.shufflevector %[[X]], %[[X]] [4, 5] : vector<8xf32>
// CHECK:         llvm.store %[[TWO]], {{.*}} : vector<2xf32>, !llvm.ptr
// CHECK:         %[[LAST:.*]] = llvm.extractelement %[[X]][{{.*}}] : vector<8xf32>
// CHECK:         llvm.store %[[LAST]], {{.*}} : f32, !llvm.ptr
func.func private @seven_lanes(%c: memref<?xf32>, %x: vector<8xf32>) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %m = vector.create_mask %c7 : vector<8xi1>
  vector.maskedstore %c[%c0], %m, %x : memref<?xf32>, vector<8xi1>, vector<8xf32>
  func.return
}

// A number that only run time knows needs a mask.
// CHECK-LABEL: llvm.func internal @some_lanes
// CHECK:         llvm.intr.masked.store
func.func private @some_lanes(%c: memref<?xf32>, %x: vector<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %m = vector.create_mask %n : vector<8xi1>
  vector.maskedstore %c[%c0], %m, %x : memref<?xf32>, vector<8xi1>, vector<8xf32>
  func.return
}

// LLVM would store the greater lanes of what was loaded from there under a mask; it does not see through a fence, which is no instruction.
// CHECK-LABEL: llvm.func internal @greater_in_place
// CHECK:         %[[MAX:.*]] = {{.*}}"llvm.maximum.v8f32"
// CHECK:         %[[SAME:.*]] = llvm.call_intrinsic "llvm.arithmetic.fence.v8f32"(%[[MAX]])
// CHECK-NEXT:    llvm.store %[[SAME]]
// CHECK:         %[[CHOSEN:.*]] = {{.*}}llvm.select
// CHECK:         %[[BITS:.*]] = llvm.bitcast %[[CHOSEN]] : vector<8xi32> to vector<8xf32>
// CHECK:         llvm.call_intrinsic "llvm.arithmetic.fence.v8f32"(%[[BITS]])
func.func private @greater_in_place(%c: memref<?xf32>, %x: vector<8xf32>, %d: memref<?xi32>, %m: vector<8xi1>, %y: vector<8xi32>) {
  %c0 = arith.constant 0 : index
  %0 = vector.load %c[%c0] : memref<?xf32>, vector<8xf32>
  %1 = arith.maximumf %0, %x : vector<8xf32>
  vector.store %1, %c[%c0] : memref<?xf32>, vector<8xf32>
  %2 = vector.load %d[%c0] : memref<?xi32>, vector<8xi32>
  %3 = arith.select %m, %2, %y : vector<8xi1>, vector<8xi32>
  vector.store %3, %d[%c0] : memref<?xi32>, vector<8xi32>
  func.return
}
