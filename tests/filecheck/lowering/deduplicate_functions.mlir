// RUN: relax-opt %s -p deduplicate-functions | filecheck %s

// Calls of the second of two equal kernels go to the first.
// CHECK-LABEL: func.func @main(
// CHECK: %[[A:.*]] = func.call @first(%x)
// CHECK: %[[B:.*]] = func.call @first(%[[A]])
// CHECK: func.call @other(%[[B]])
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @first(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = func.call @second(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = func.call @other(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
// CHECK: func.func private @first(
func.func private @first(%a: tensor<4xf32>) -> tensor<4xf32> {
  %b = arith.addf %a, %a : tensor<4xf32>
  return %b : tensor<4xf32>
}
// CHECK-NOT: @second(
func.func private @second(%v: tensor<4xf32>) -> tensor<4xf32> {
  %w = arith.addf %v, %v : tensor<4xf32>
  return %w : tensor<4xf32>
}
// A different body stays.
// CHECK: func.func private @other(
func.func private @other(%a: tensor<4xf32>) -> tensor<4xf32> {
  %b = arith.mulf %a, %a : tensor<4xf32>
  return %b : tensor<4xf32>
}
// Public functions stay, whatever they compute.
// CHECK: func.func @public(
func.func @public(%a: tensor<4xf32>) -> tensor<4xf32> {
  %b = arith.addf %a, %a : tensor<4xf32>
  return %b : tensor<4xf32>
}

// A function that lends its memory is another one than the one that does not.
// CHECK-LABEL: func.func private @kept(%x: tensor<3xf32>) -> tensor<3xf32>
// CHECK-LABEL: func.func private @lent(%x: tensor<3xf32> {relax.donate = 0 : i64}) -> tensor<3xf32>
// CHECK-LABEL: func.func @lends(
// CHECK: func.call @kept(
// CHECK: func.call @lent(
func.func private @kept(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func private @lent(%x: tensor<3xf32> {relax.donate = 0 : i64}) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
func.func @lends(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = func.call @kept(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %1 = func.call @lent(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}

// Sizes that are declared equal are read off one argument, so that a kernel with two equal sizes is another one; what they are called does not count.
// CHECK-LABEL: func.func private @square(
// CHECK-NOT: @square1(
// CHECK-LABEL: func.func private @rectangle(
// CHECK-NOT: @rectangle1(
// CHECK-LABEL: func.func @sizes(
// CHECK: func.call @square(
// CHECK: func.call @square(
// CHECK: func.call @rectangle(
// CHECK: func.call @rectangle(
func.func private @square(%x: tensor<?xf32> {relax.dims = ["n"]}, %y: tensor<?xf32> {relax.dims = ["n"]}) -> tensor<?xf32> {
  return %y : tensor<?xf32>
}
func.func private @square1(%x: tensor<?xf32> {relax.dims = ["k"]}, %y: tensor<?xf32> {relax.dims = ["k"]}) -> tensor<?xf32> {
  return %y : tensor<?xf32>
}
func.func private @rectangle(%x: tensor<?xf32> {relax.dims = ["n"]}, %y: tensor<?xf32> {relax.dims = ["m"]}) -> tensor<?xf32> {
  return %y : tensor<?xf32>
}
func.func private @rectangle1(%x: tensor<?xf32> {relax.dims = ["m"]}, %y: tensor<?xf32> {relax.dims = [["*", 2 : i64, "m"]]}) -> tensor<?xf32> {
  return %y : tensor<?xf32>
}
func.func @sizes(%x: tensor<?xf32>) {
  %0 = func.call @square(%x, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = func.call @square1(%x, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %2 = func.call @rectangle(%x, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %3 = func.call @rectangle1(%x, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return
}
