// RUN: relax-opt %s -p llvm -t llvm-ir | filecheck %s
// RUN: not relax-opt %s -p linalg -t llvm-ir 2>&1 | filecheck %s --check-prefix=EARLY

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = relax.constant {value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>} : () -> tensor<4xf32>
  %z = relax.add %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// CHECK: @constant = internal constant [16 x i8]
// CHECK: define internal void @add(
// CHECK: fadd <4 x float>
// CHECK: define i64 @main.call(
// EARLY: error: llvm-ir: expected a program of the stage llvm (-p llvm), got func.func
