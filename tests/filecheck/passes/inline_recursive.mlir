// RUN: relax-opt %s -p 'relax-inline{private_functions=true}' | filecheck %s
// RUN: not relax-opt %s -p 'relax-inline{private_functions=true recursion="refuse"}' 2>&1 | filecheck %s --check-prefix REFUSED

// REFUSED: error: relax-inline: @{{even|odd}} is recursive and cannot be inlined

// Recursive functions stay, what they call is inlined into them; kernels stay kernels.
// CHECK-LABEL: func.func @main(
// CHECK-NEXT: func.call @even
// CHECK-LABEL: func.func private @even(
// CHECK-NEXT: relax.exp
// CHECK-NEXT: func.call @odd
// CHECK-LABEL: func.func private @odd(
// CHECK-NEXT: func.call @even
// CHECK-NOT: @helper
// CHECK-LABEL: func.func private @kernel(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = func.call @even(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %z = func.call @kernel(%y) : (tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}

func.func private @even(%x: tensor<4xf32>) -> tensor<4xf32> {
  %h = func.call @helper(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %y = func.call @odd(%h) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func private @odd(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = func.call @even(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func private @kernel(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.primitive} {
  %y = relax.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
