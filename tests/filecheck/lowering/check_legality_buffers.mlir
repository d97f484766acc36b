// RUN: relax-opt %s -p 'check-legality{stage=buffers}' --split-input-file --verify-diagnostics

func.func @legal(%x: memref<4xf32>) {
  return
}

// -----

func.func @allocation_left() {
  // expected-error@+1 {{memref.alloc is left after the stage buffers}}
  %0 = memref.alloc() : memref<4xf32>
  return
}

// -----

func.func @tensor_left(%a: f32) {
  // expected-error@+1 {{arith.constant has a tensor after the stage buffers}}
  %0 = arith.constant dense<1.0> : tensor<4xf32>
  return
}
