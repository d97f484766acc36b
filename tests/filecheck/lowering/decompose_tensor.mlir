// RUN: relax-opt %s -p decompose-tensor | filecheck %s

// A pad is a fill and an insertion.
// CHECK-LABEL: func.func @pad(
// CHECK-NOT: tensor.pad
// CHECK: linalg.fill
// CHECK: tensor.insert_slice %x into %{{.*}}[1] [4] [1]
func.func @pad(%x: tensor<4xf32>, %v: f32) -> tensor<7xf32> {
  %0 = "tensor.pad"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_low = array<i64: 1>, static_high = array<i64: 2>}> ({
  ^bb0(%i: index):
    "tensor.yield"(%v) : (f32) -> ()
  }) : (tensor<4xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// A concatenation is a chain of insertions.
// CHECK-LABEL: func.func @concat(
// CHECK-NOT: tensor.concat
// CHECK: tensor.insert_slice %x into
// CHECK: tensor.insert_slice %y into
func.func @concat(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<5xf32> {
  %0 = "tensor.concat"(%x, %y) <{dim = 0 : i64}> : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// What needs no decomposition stays.
// CHECK-LABEL: func.func @slice(
// CHECK: tensor.extract_slice %x[1] [2] [1]
func.func @slice(%x: tensor<4xf32>) -> tensor<2xf32> {
  %0 = tensor.extract_slice %x[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
  return %0 : tensor<2xf32>
}
