// RUN: relax-opt %s -p relax-split-batches --target x86-64 | filecheck %s --check-prefix=SMALL
// RUN: relax-opt %s -p relax-split-batches --target znver4 | filecheck %s --check-prefix=LARGE
// RUN: relax-opt %s -p relax-split-batches | filecheck %s --check-prefix=LARGE
// RUN: relax-opt %s -p 'relax-split-batches{cache=33554432}' --target x86-64 | filecheck %s --check-prefix=LARGE

// A pass that is named alone has the options that its stage has for the CPU: 2 MiB are a quarter of the last cache of one, not of the other.
// SMALL-COUNT-2: func.call @images(
// LARGE-NOT:     func.call
// LARGE:         return
func.func @main(%x: tensor<16x3x64x64xf32>, %w: tensor<8x3x3x3xf32>) -> tensor<16x8x64x64xf32> {
  %c = relax.nn.conv2d %x, %w {padding = array<i64: 1, 1, 1, 1>} : (tensor<16x3x64x64xf32>, tensor<8x3x3x3xf32>) -> tensor<16x8x64x64xf32>
  %y = relax.nn.relu %c : (tensor<16x8x64x64xf32>) -> tensor<16x8x64x64xf32>
  return %y : tensor<16x8x64x64xf32>
}
