// RUN: relax-opt %s -p relax-fuse-ops --split-input-file | filecheck %s
// RUN: relax-opt %s -p buffers --split-input-file | filecheck %s --check-prefix BUFFERS
// RUN: relax-opt %s -p loops --target x86-64-v4 --split-input-file | filecheck %s --check-prefix LOOPS

// A convolution writes its rows into the stack, to which what it is shuffled with is copied on the same tiles; nothing is copied behind it.
// CHECK-LABEL: func.func @shuffled(
// CHECK:         %[[S:.*]] = func.call @fused_conv2d_relu_stack_reshape(%x, %w, %y) :
// CHECK-NEXT:    relax.output %[[S]]
// BUFFERS-LABEL: func.func private @fused_conv2d_relu_stack_reshape(
// BUFFERS:         %[[SUMS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<1x16x8x8xf32>
// BUFFERS:         linalg.fill {{.*}} outs(%[[SUMS]] :
// BUFFERS-NEXT:    linalg.generic {{.*}} outs(%[[SUMS]] :
// BUFFERS:         %[[OWN:.*]] = memref.subview {{.*}}[0, 0, 0, 0] [1, 16, 8, 8] [1, 1, 1, 1] : memref<1x16x16x8xf32> to memref<1x16x8x8xf32, strided<[2048, 128, 8, 1]>>
// BUFFERS-NEXT:    linalg.generic {{.*}} ins(%[[SUMS]] : {{.*}}) outs(%[[OWN]] :
// BUFFERS:         %[[OTHER:.*]] = memref.subview {{.*}}[0, 0, 8, 0] [1, 16, 8, 8]
// BUFFERS-NEXT:    linalg.generic {{.*}} ins(%y : {{.*}}) outs(%[[OTHER]] :
// BUFFERS-NOT:     {{linalg.(generic|copy)}}
// BUFFERS:         func.return
// LOOPS-LABEL:   func.func private @fused_conv2d_relu_stack_reshape(
// LOOPS:           %[[Y:.*]] = memref.collapse_shape %y
// LOOPS:           scf.for
// LOOPS:             func.call @relax.contract
// LOOPS:             scf.for
// LOOPS:               arith.maximumf
// LOOPS:               vector.load %[[Y]]
// LOOPS-NOT:         scf.for
// LOOPS:           func.return
func.func @shuffled(%x: tensor<1x16x8x8xf32>, %w: tensor<16x16x1x1xf32>, %y: tensor<1x16x8x8xf32>) -> tensor<1x32x8x8xf32> {
  %z = relax.dataflow {
    %c = relax.nn.conv2d %x, %w : (tensor<1x16x8x8xf32>, tensor<16x16x1x1xf32>) -> tensor<1x16x8x8xf32>
    %r = relax.nn.relu %c : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
    %s = relax.stack %r, %y {axis = 2 : i64} : (tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>) -> tensor<1x16x2x8x8xf32>
    %u = relax.shape : () -> !relax.shape<[1, 32, 8, 8]>
    %v = relax.reshape %s, %u : (tensor<1x16x2x8x8xf32>, !relax.shape<[1, 32, 8, 8]>) -> tensor<1x32x8x8xf32>
    relax.output %v : tensor<1x32x8x8xf32>
  } : tensor<1x32x8x8xf32>
  return %z : tensor<1x32x8x8xf32>
}

// -----

// Two products write into one stack, that of rows of a batch of any size too.
// CHECK-LABEL: func.func @two(
// CHECK:         func.call @fused_matmul_matmul_stack(%x, %w, %v)
func.func @two(%x: tensor<?x5x40xf32, #relax.sym<n>>, %w: tensor<40x40xf32>, %v: tensor<40x40xf32>) -> tensor<?x5x2x40xf32, #relax.sym<n>> {
  %z = relax.dataflow {
    %a = relax.matmul %x, %w : (tensor<?x5x40xf32, #relax.sym<n>>, tensor<40x40xf32>) -> tensor<?x5x40xf32, #relax.sym<n>>
    %b = relax.matmul %x, %v : (tensor<?x5x40xf32, #relax.sym<n>>, tensor<40x40xf32>) -> tensor<?x5x40xf32, #relax.sym<n>>
    %s = relax.stack %a, %b {axis = 2 : i64} : (tensor<?x5x40xf32, #relax.sym<n>>, tensor<?x5x40xf32, #relax.sym<n>>) -> tensor<?x5x2x40xf32, #relax.sym<n>>
    relax.output %s : tensor<?x5x2x40xf32, #relax.sym<n>>
  } : tensor<?x5x2x40xf32, #relax.sym<n>>
  return %z : tensor<?x5x2x40xf32, #relax.sym<n>>
}

// -----

// Apart: rows of 31 elements, which are copied in any case, and a tensor that lies in the stack as a whole, to which any kernel writes.
// CHECK-LABEL: func.func @short(
// CHECK:         func.call @matmul(%x, %w)
// CHECK-NEXT:    func.call @stack(
func.func @short(%x: tensor<4x31xf32>, %w: tensor<31x31xf32>) -> tensor<4x2x31xf32> {
  %z = relax.dataflow {
    %a = relax.matmul %x, %w : (tensor<4x31xf32>, tensor<31x31xf32>) -> tensor<4x31xf32>
    %s = relax.stack %a, %x {axis = 1 : i64} : (tensor<4x31xf32>, tensor<4x31xf32>) -> tensor<4x2x31xf32>
    relax.output %s : tensor<4x2x31xf32>
  } : tensor<4x2x31xf32>
  return %z : tensor<4x2x31xf32>
}

// -----

// CHECK-LABEL: func.func @whole(
// CHECK:         func.call @matmul(%x, %w)
// CHECK-NEXT:    func.call @stack(
func.func @whole(%x: tensor<4x64xf32>, %w: tensor<64x64xf32>) -> tensor<2x4x64xf32> {
  %z = relax.dataflow {
    %a = relax.matmul %x, %w : (tensor<4x64xf32>, tensor<64x64xf32>) -> tensor<4x64xf32>
    %s = relax.stack %a, %x : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<2x4x64xf32>
    relax.output %s : tensor<2x4x64xf32>
  } : tensor<2x4x64xf32>
  return %z : tensor<2x4x64xf32>
}

// -----

// Apart as well: what others read, and a stack that is computed with in the same kernel.
// CHECK-LABEL: func.func @read_by_others(
// CHECK:         %[[A:.*]] = func.call @matmul(%x, %w)
// CHECK-NEXT:    func.call @stack(%[[A]], %x)
func.func @read_by_others(%x: tensor<4x64xf32>, %w: tensor<64x64xf32>) -> (tensor<4x2x64xf32>, tensor<4x64xf32>) {
  %z:2 = relax.dataflow {
    %a = relax.matmul %x, %w : (tensor<4x64xf32>, tensor<64x64xf32>) -> tensor<4x64xf32>
    %s = relax.stack %a, %x {axis = 1 : i64} : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x2x64xf32>
    relax.output %s, %a : tensor<4x2x64xf32>, tensor<4x64xf32>
  } : tensor<4x2x64xf32>, tensor<4x64xf32>
  return %z#0, %z#1 : tensor<4x2x64xf32>, tensor<4x64xf32>
}

// -----

// CHECK-LABEL: func.func @computed_with(
// CHECK:         %[[A:.*]] = func.call @matmul(%x, %w)
// CHECK-NEXT:    func.call @fused_stack_exp(%[[A]], %x)
func.func @computed_with(%x: tensor<4x64xf32>, %w: tensor<64x64xf32>) -> tensor<4x2x64xf32> {
  %z = relax.dataflow {
    %a = relax.matmul %x, %w : (tensor<4x64xf32>, tensor<64x64xf32>) -> tensor<4x64xf32>
    %s = relax.stack %a, %x {axis = 1 : i64} : (tensor<4x64xf32>, tensor<4x64xf32>) -> tensor<4x2x64xf32>
    %e = relax.exp %s : (tensor<4x2x64xf32>) -> tensor<4x2x64xf32>
    relax.output %e : tensor<4x2x64xf32>
  } : tensor<4x2x64xf32>
  return %z : tensor<4x2x64xf32>
}
