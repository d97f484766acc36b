// RUN: relax-opt %s -p relax-convert-to-destination-style | filecheck %s

// Each call of a kernel writes into a tensor that is allocated in front of it; dataflow blocks are inlined.
// CHECK-LABEL: func.func @chain(
// CHECK-NOT: relax.dataflow
// CHECK: %[[S:.*]] = relax.shape : () -> !relax.shape<[n, 4]>
// CHECK-NEXT: %[[A:.*]] = relax.builtin.alloc_tensor %[[S]] {dtype = f32} : (!relax.shape<[n, 4]>) -> tensor<?x4xf32, #relax.sym<n>>
// CHECK-NEXT: relax.call_dps %x, %[[A]] {callee = @exp} :
// CHECK: %[[B:.*]] = relax.builtin.alloc_tensor
// CHECK-NEXT: relax.call_dps %[[A]], %[[B]] {callee = @exp} :
// CHECK-NEXT: func.return %[[B]]
func.func @chain(%x: tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>> {
  %r = relax.dataflow {
    %a = func.call @exp(%x) : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
    %b = func.call @exp(%a) : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
    relax.output %b : tensor<?x4xf32, #relax.sym<n>>
  } : tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// A kernel with two results writes to two tensors.
// CHECK-LABEL: func.func @two_results(
// CHECK: %[[A:.*]] = relax.builtin.alloc_tensor
// CHECK: %[[B:.*]] = relax.builtin.alloc_tensor
// CHECK: relax.call_dps %x, %[[A]], %[[B]] {callee = @halves, num_outputs = 2 : i64} :
// CHECK: func.return %[[B]], %[[A]]
func.func @two_results(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %a, %b = func.call @halves(%x) : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %b, %a : tensor<2xf32>, tensor<2xf32>
}

// Foreign code is given its results as well.
// CHECK-LABEL: func.func @foreign(
// CHECK: %[[A:.*]] = relax.builtin.alloc_tensor
// CHECK: relax.call_packed %x, %[[A]] {callee = "f"} : (tensor<4xf32>, tensor<4xf32>) -> ()
func.func @foreign(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = relax.call_dps_packed %x {callee = "f"} : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}

// A kernel that only reshapes is no computation.
// CHECK-LABEL: func.func @reshaped(
// CHECK: %[[S:.*]] = relax.shape : () -> !relax.shape<[2, 2]>
// CHECK-NEXT: %[[A:.*]] = relax.reshape %x, %[[S]] : (tensor<4xf32>, !relax.shape<[2, 2]>) -> tensor<2x2xf32>
// CHECK-NEXT: func.return %[[A]]
func.func @reshaped(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %a = func.call @reshape(%x) : (tensor<4xf32>) -> tensor<2x2xf32>
  return %a : tensor<2x2xf32>
}

// In a branch as everywhere.
// CHECK-LABEL: func.func @branch(
// CHECK: scf.if
// CHECK: %[[A:.*]] = relax.builtin.alloc_tensor
// CHECK: scf.yield %[[A]]
func.func @branch(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = scf.if %c -> (tensor<4xf32>) {
    %a = func.call @negate(%x) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// Not: a result of unknown size, a function that is no kernel, an op.
// CHECK-LABEL: func.func @left_alone(
// CHECK-NOT: alloc_tensor
// CHECK: func.call @unknown(
// CHECK-NOT: alloc_tensor
// CHECK: func.call @helper(
// CHECK-NOT: alloc_tensor
// CHECK: relax.exp
func.func @left_alone(%x: tensor<4xf32>) -> (tensor<?xf32>, tensor<4xf32>) {
  %a = func.call @unknown(%x) : (tensor<4xf32>) -> tensor<?xf32>
  %b = func.call @helper(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %c = relax.exp %b : (tensor<4xf32>) -> tensor<4xf32>
  return %a, %c : tensor<?xf32>, tensor<4xf32>
}

func.func private @exp(%x: tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>> attributes {relax.primitive} {
  %0 = relax.exp %x : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
  return %0 : tensor<?x4xf32, #relax.sym<n>>
}
func.func private @negate(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.primitive} {
  %0 = relax.negative %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @halves(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>) attributes {relax.primitive} {
  %0, %1 = relax.split %x {sections = 2 : i64} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}
func.func private @reshape(%x: tensor<4xf32>) -> tensor<2x2xf32> attributes {relax.primitive} {
  %s = relax.shape : () -> !relax.shape<[2, 2]>
  %0 = relax.reshape %x, %s : (tensor<4xf32>, !relax.shape<[2, 2]>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
func.func private @unknown(%x: tensor<4xf32>) -> tensor<?xf32> attributes {relax.primitive} {
  %0 = relax.match_cast %x : (tensor<4xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
