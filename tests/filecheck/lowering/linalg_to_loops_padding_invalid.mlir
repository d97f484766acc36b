// RUN: not relax-opt %s -p linalg-to-loops 2>&1 | filecheck %s

// CHECK: linalg_to_loops_padding_invalid.mlir:5:3: error: linalg.fill cannot have the schedule padding: want fills with 0 and one copy, of a buffer that nothing else reads but a convolution without joined, staged and span, winograd, or vectors with rows, behind them
func.func @alone(%zero: f32, %p: memref<16x58x30xf32>) {
  linalg.fill {relax.schedule = #relax.schedule<padding>} ins(%zero : f32) outs(%p : memref<16x58x30xf32>)
  return
}
