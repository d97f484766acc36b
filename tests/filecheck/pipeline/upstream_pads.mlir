// Upstream MLIR takes padded, strided convolutions and pools at the linalg stage, with insertions and with pads.
// REQUIRES: mlir-opt

// RUN: relax-opt %s -p linalg --print-op-generic | mlir-opt --canonicalize --one-shot-bufferize=bufferize-function-boundaries -o /dev/null
// RUN: relax-opt %s -p linalg,cse,compose-tensor --print-op-generic | mlir-opt --canonicalize --one-shot-bufferize=bufferize-function-boundaries -o /dev/null
// RUN: relax-opt %s -p linalg,cse,compose-tensor | filecheck %s
// RUN: relax-run %s --dim n=2 --check -p linalg,cse,compose-tensor

// CHECK-COUNT-2: tensor.pad
// CHECK-NOT: tensor.insert_slice
func.func @main(%x: tensor<?x3x20x20xf32, #relax.sym<n>>, %w: tensor<8x3x3x3xf32>) -> tensor<?x8x4x4xf32, #relax.sym<n>> {
  %y = relax.nn.conv2d %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>} : (tensor<?x3x20x20xf32, #relax.sym<n>>, tensor<8x3x3x3xf32>) -> tensor<?x8x10x10xf32, #relax.sym<n>>
  %v = relax.nn.relu %y : (tensor<?x8x10x10xf32, #relax.sym<n>>) -> tensor<?x8x10x10xf32, #relax.sym<n>>
  %p = relax.nn.max_pool2d %v {pool_size = array<i64: 3, 3>, strides = array<i64: 3, 3>, padding = array<i64: 1, 1, 1, 1>} : (tensor<?x8x10x10xf32, #relax.sym<n>>) -> tensor<?x8x4x4xf32, #relax.sym<n>>
  return %p : tensor<?x8x4x4xf32, #relax.sym<n>>
}
