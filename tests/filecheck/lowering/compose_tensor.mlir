// RUN: relax-opt %s -p compose-tensor | filecheck %s
// RUN: relax-opt %s -p compose-tensor,decompose-tensor -o %t.again
// RUN: relax-opt %s | diff - %t.again

// An insertion into a filled tensor is a pad.
// CHECK-LABEL: func.func @frame(
// CHECK-SAME: %x: tensor<2x3xf32>, %v: f32)
// CHECK-NEXT: %[[P:.*]] = tensor.pad %x low[0, 1] high[0, 1] {
// CHECK: tensor.yield %v : f32
// CHECK-NEXT: } : tensor<2x3xf32> to tensor<2x5xf32>
// CHECK-NEXT: func.return %[[P]]
func.func @frame(%x: tensor<2x3xf32>, %v: f32) -> tensor<2x5xf32> {
  %0 = tensor.empty() : tensor<2x5xf32>
  %1 = linalg.fill ins(%v : f32) outs(%0 : tensor<2x5xf32>) -> tensor<2x5xf32>
  %p = tensor.insert_slice %x into %1[0, 1] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<2x5xf32>
  func.return %p : tensor<2x5xf32>
}

// What is read twice, has gaps, is not filled, or has another rank is no pad.
// CHECK-LABEL: func.func @read_twice(
// CHECK-NOT: tensor.pad
// CHECK: tensor.insert_slice
func.func @read_twice(%x: tensor<3xf32>, %v: f32) -> (tensor<5xf32>, tensor<5xf32>) {
  %e = tensor.empty() : tensor<5xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %p = tensor.insert_slice %x into %f[1] [3] [1] : tensor<3xf32> into tensor<5xf32>
  func.return %p, %f : tensor<5xf32>, tensor<5xf32>
}

// CHECK-LABEL: func.func @gaps(
// CHECK-NOT: tensor.pad
// CHECK: tensor.insert_slice
func.func @gaps(%x: tensor<3xf32>, %v: f32) -> tensor<5xf32> {
  %e = tensor.empty() : tensor<5xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %p = tensor.insert_slice %x into %f[0] [3] [2] : tensor<3xf32> into tensor<5xf32>
  func.return %p : tensor<5xf32>
}

// CHECK-LABEL: func.func @given(
// CHECK-NOT: tensor.pad
// CHECK: tensor.insert_slice
func.func @given(%x: tensor<3xf32>, %y: tensor<5xf32>) -> tensor<5xf32> {
  %p = tensor.insert_slice %x into %y[1] [3] [1] : tensor<3xf32> into tensor<5xf32>
  func.return %p : tensor<5xf32>
}

// CHECK-LABEL: func.func @row(
// CHECK-NOT: tensor.pad
// CHECK: tensor.insert_slice
func.func @row(%x: tensor<3xf32>, %v: f32) -> tensor<2x3xf32> {
  %e = tensor.empty() : tensor<2x3xf32>
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  %p = tensor.insert_slice %x into %f[1, 0] [1, 3] [1, 1] : tensor<3xf32> into tensor<2x3xf32>
  func.return %p : tensor<2x3xf32>
}
