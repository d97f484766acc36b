// RUN: relax-opt %s --split-input-file -p relax-infer-num-input | filecheck %s

// What is a weight in every call is a parameter, and comes last; so in what a subroutine calls in its turn.
// CHECK-LABEL: func.func @main(
// CHECK: func.call @layer(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK: func.call @layer(%a, %v) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK: func.func private @layer(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
// CHECK: func.call @scaled(%x, %w_1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK: func.func private @scaled(%x: tensor<4xf32>, %s: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
// CHECK: relax.multiply %s, %x
func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %v = relax.negative %w : (tensor<4xf32>) -> tensor<4xf32>
  %a = func.call @layer(%w, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b = func.call @layer(%v, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}
func.func private @layer(%w: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %w_1 = relax.abs %w : (tensor<4xf32>) -> tensor<4xf32>
  %y = func.call @scaled(%w_1, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @scaled(%s: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = relax.multiply %s, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Not what is an input in some call, nor in a function that does not tell its parameters.
// CHECK-LABEL: func.func private @both(
// CHECK-NOT: relax.num_input
// CHECK-LABEL: func.func private @untold(
// CHECK-NOT: relax.num_input
// CHECK-LABEL: func.func @main(
func.func private @both(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %z = relax.multiply %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}
func.func private @untold(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %z = relax.multiply %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %a = func.call @both(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b = func.call @both(%w, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %c = func.call @untold(%b, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}
func.func @other(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %a = func.call @untold(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// Not a public function, one that takes nothing but weights, one that calls itself, nor one that is called in a branch.
// CHECK-LABEL: func.func @public(
// CHECK-NOT: relax.num_input
// CHECK-LABEL: func.func private @alone(
// CHECK-NOT: relax.num_input
// CHECK-LABEL: func.func private @again(
// CHECK-NOT: relax.num_input
// CHECK-LABEL: func.func private @branch(
// CHECK-NOT: relax.num_input
// CHECK-LABEL: func.func @main(
func.func @public(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %z = relax.multiply %x, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}
func.func private @alone(%w: tensor<4xf32>) -> tensor<4xf32> {
  %z = relax.negative %w : (tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}
func.func private @again(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %z = func.call @again(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}
func.func private @branch(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %z = relax.multiply %x, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>, %c: i1, %w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 2 : i64} {
  %a = func.call @public(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b = func.call @alone(%w) : (tensor<4xf32>) -> tensor<4xf32>
  %d = func.call @again(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %e = scf.if %c -> (tensor<4xf32>) {
    %f = func.call @branch(%d, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %f : tensor<4xf32>
  } else {
    scf.yield %d : tensor<4xf32>
  }
  return %e : tensor<4xf32>
}
