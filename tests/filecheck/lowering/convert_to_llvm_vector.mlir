// RUN: relax-opt %s -p convert-to-llvm | filecheck %s

// CHECK-LABEL: llvm.func internal @masked
// CHECK-DAG:     %[[LANES:.*]] = llvm.mlir.constant(dense<[0, 1, 2, 3]> : vector<4xi32>) : vector<4xi32>
// CHECK:         %[[MASK:.*]] = llvm.icmp "slt" %[[LANES]], %{{.*}} : vector<4xi32>
// CHECK:         llvm.intr.masked.load %{{.*}}, %[[MASK]], %{{.*}} {alignment = 4 : i32}
// CHECK:         llvm.intr.masked.store %{{.*}}, %{{.*}}, %[[MASK]] {alignment = 4 : i32}
func.func private @masked(%a: memref<?xf32>, %c: memref<?xf32>, %n: index, %pass: vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %m = vector.create_mask %n : vector<4xi1>
  %x = vector.maskedload %a[%c0], %m, %pass : memref<?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.maskedstore %c[%c0], %m, %x : memref<?xf32>, vector<4xi1>, vector<4xf32>
  func.return
}

// A constant mask needs no comparison.
// CHECK-LABEL: llvm.func internal @constant_mask
// CHECK-NOT:     llvm.icmp
// CHECK:         llvm.intr.masked.store
func.func private @constant_mask(%c: memref<?xf32>, %x: vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %m = vector.create_mask %c3 : vector<4xi1>
  vector.maskedstore %c[%c0], %m, %x : memref<?xf32>, vector<4xi1>, vector<4xf32>
  func.return
}

// Sizes that differ by a constant are clamped once, and compared with lane numbers moved by it.
// CHECK-LABEL: llvm.func internal @masks_of_a_row
// CHECK-DAG:     %[[FIRST:.*]] = llvm.mlir.constant(dense<[0, 1, 2, 3]> : vector<4xi32>) : vector<4xi32>
// CHECK-DAG:     %[[SECOND:.*]] = llvm.mlir.constant(dense<[4, 5, 6, 7]> : vector<4xi32>) : vector<4xi32>
// CHECK:         llvm.call_intrinsic "llvm.smin.i64"
// CHECK:         %[[SIZE:.*]] = llvm.shufflevector
// CHECK:         llvm.icmp "slt" %[[FIRST]], %[[SIZE]] : vector<4xi32>
// CHECK-NOT:     llvm.smin
// CHECK:         llvm.icmp "slt" %[[SECOND]], %[[SIZE]] : vector<4xi32>
func.func private @masks_of_a_row(%c: memref<?xf32>, %n: index, %x: vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %left = arith.subi %n, %c4 : index
  %first = vector.create_mask %n : vector<4xi1>
  %second = vector.create_mask %left : vector<4xi1>
  vector.maskedstore %c[%c0], %first, %x : memref<?xf32>, vector<4xi1>, vector<4xf32>
  vector.maskedstore %c[%c4], %second, %x : memref<?xf32>, vector<4xi1>, vector<4xf32>
  func.return
}

// A mask without lanes reads nothing.
// CHECK-LABEL: llvm.func internal @no_lane
// CHECK-NOT:     llvm.intr.masked.load
// CHECK:         llvm.return
func.func private @no_lane(%a: memref<?xf32>, %pass: vector<4xf32>) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %m = vector.create_mask %c0 : vector<4xi1>
  %x = vector.maskedload %a[%c0], %m, %pass : memref<?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  func.return %x : vector<4xf32>
}

// Only `reassoc` may change the order of a sum: it becomes a tree of halves.
// CHECK-LABEL: llvm.func internal @tree
// CHECK:         llvm.shufflevector %{{.*}} [0, 1]
// CHECK:         llvm.shufflevector %{{.*}} [2, 3]
// CHECK:         llvm.fadd %{{.*}}, %{{.*}} : vector<2xf32>
// CHECK-NOT:     llvm.vector.reduce
// CHECK-LABEL: llvm.func internal @ordered
// CHECK:         llvm.call_intrinsic "llvm.vector.reduce.fadd.v4f32"
func.func private @tree(%x: vector<4xf32>) -> f32 {
  %r = vector.reduction <add>, %x fastmath<reassoc> : vector<4xf32> into f32
  func.return %r : f32
}
func.func private @ordered(%x: vector<4xf32>) -> f32 {
  %r = vector.reduction <add>, %x : vector<4xf32> into f32
  func.return %r : f32
}

// An instruction that a schedule has chosen stays a call of its intrinsic.
// CHECK-LABEL: llvm.func internal @instruction
// CHECK-SAME:    %[[SUMS:[0-9a-z]+]]: vector<16xi32>, %[[A:[0-9a-z]+]]: vector<64xi8>, %[[B:[0-9a-z]+]]: vector<64xi8>
// CHECK:         %[[R:.*]] = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%[[SUMS]], %[[A]], %[[B]])
// CHECK:         llvm.return %[[R]]
func.func private @instruction(%sums: vector<16xi32>, %a: vector<64xi8>, %b: vector<64xi8>) -> vector<16xi32> {
  %r = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%sums, %a, %b) : (vector<16xi32>, vector<64xi8>, vector<64xi8>) -> vector<16xi32>
  func.return %r : vector<16xi32>
}
