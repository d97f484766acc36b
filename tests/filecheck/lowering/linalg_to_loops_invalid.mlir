// RUN: not relax-opt %s -p linalg-to-loops 2>&1 | filecheck %s

// CHECK: linalg_to_loops_invalid.mlir:5:3: error: linalg.copy has no schedule: run schedule-linalg first, or write its attribute relax.schedule
func.func @copy(%x: memref<8x100xf32>, %y: memref<8x100xf32>) {
  linalg.copy ins(%x : memref<8x100xf32>) outs(%y : memref<8x100xf32>)
  return
}
