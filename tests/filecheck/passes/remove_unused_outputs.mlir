// RUN: relax-opt %s -p relax-remove-unused-outputs | filecheck %s

// A result that no call reads goes, with what it needed.
// CHECK-LABEL: func.func @main(
// CHECK-NEXT: %[[R:.*]] = func.call @f(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: return %[[R]]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r, %s = func.call @f(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %r : tensor<4xf32>
}
// CHECK-LABEL: func.func private @f(
// CHECK-SAME: -> tensor<4xf32>
// CHECK-NEXT: relax.negative
// CHECK-NEXT: return
func.func private @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = relax.negative %x : (tensor<4xf32>) -> tensor<4xf32>
  %b = relax.abs %x : (tensor<4xf32>) -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// Fields of a tuple likewise; the last one is returned bare.
// CHECK-LABEL: func.func @field(
// CHECK-NEXT: %[[R:.*]] = func.call @g(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: return %[[R]]
func.func @field(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = func.call @g(%x) : (tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  %r = relax.tuple_get_item %t {index = 1 : i64} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
// CHECK-LABEL: func.func private @g(
// CHECK-NEXT: %[[B:.*]] = relax.abs
// CHECK-NEXT: return %[[B]]
func.func private @g(%x: tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>> {
  %a = relax.negative %x : (tensor<4xf32>) -> tensor<4xf32>
  %b = relax.abs %x : (tensor<4xf32>) -> tensor<4xf32>
  %t = relax.tuple %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  return %t : tuple<tensor<4xf32>, tensor<4xf32>>
}

// What one of two calls reads stays, and so does a tuple that is read as a whole.
// CHECK-LABEL: func.func @both(
// CHECK: func.call @h(%{{.*}}) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK: func.call @k(%{{.*}}) : (tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
func.func @both(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tuple<tensor<4xf32>, tensor<4xf32>>) {
  %a, %b = func.call @h(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %c, %d = func.call @h(%b) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %t = func.call @k(%x) : (tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  return %a, %d, %t : tensor<4xf32>, tensor<4xf32>, tuple<tensor<4xf32>, tensor<4xf32>>
}
func.func private @h(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}
func.func private @k(%x: tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>> {
  %t = relax.tuple %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  return %t : tuple<tensor<4xf32>, tensor<4xf32>>
}
