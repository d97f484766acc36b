// RUN: not relax-opt %s -p convert-to-llvm --split-input-file 2>&1 | filecheck %s

// CHECK: convert-to-llvm: memref.alloc is not allowed at the loops stage
func.func @allocates() {
  %m = memref.alloc() : memref<4xf32>
  func.return
}
