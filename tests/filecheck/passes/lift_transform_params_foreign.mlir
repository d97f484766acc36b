// RUN: relax-opt %s -p 'relax-lift-transform-params{bundle=true}' | filecheck %s
// RUN: relax-opt %s -p 'relax-lift-transform-params{bundle=true},relax-lift-transform-params{bundle=true}' | filecheck %s
// RUN: relax-opt %s -p relax-lift-transform-params | filecheck %s

// A transform that takes and returns one tuple without names, as TVM makes it, stays as it is where nothing is left to lift.
// CHECK-LABEL: func.func @main_transform_params(
// CHECK-SAME: %p: tuple<tensor<4x8xf32>>) -> tuple<tensor<8x4xf32>> attributes
// CHECK-NEXT: %[[W:.*]] = relax.tuple_get_item %p {index = 0 : i64}
// CHECK-NEXT: %[[V:.*]] = relax.permute_dims %[[W]]
// CHECK-NEXT: %[[T:.*]] = relax.tuple %[[V]]
// CHECK-NEXT: func.return %[[T]]
// CHECK-LABEL: func.func @named_transform_params(
// CHECK-SAME: %p: tuple<tensor<4xf32>, tensor<4xf32>>) -> tuple<tensor<4xf32>, tensor<4xf32>> attributes
// CHECK-NEXT: func.return %p
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %x: tensor<2x8xf32>, %w: tensor<8x4xf32>) -> tensor<2x4xf32>
// CHECK-SAME: relax.params_from = @main_transform_params
func.func @main_transform_params(%p: tuple<tensor<4x8xf32>>) -> tuple<tensor<8x4xf32>> attributes {relax.num_input = 0 : i64, relax.transform} {
  %w = relax.tuple_get_item %p {index = 0 : i64} : (tuple<tensor<4x8xf32>>) -> tensor<4x8xf32>
  %v = relax.permute_dims %w : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %t = relax.tuple %v : (tensor<8x4xf32>) -> tuple<tensor<8x4xf32>>
  return %t : tuple<tensor<8x4xf32>>
}
func.func @named_transform_params(%p: tuple<tensor<4xf32>, tensor<4xf32>>) -> tuple<tensor<4xf32>, tensor<4xf32>> attributes {relax.num_input = 0 : i64, relax.transform} {
  return %p : tuple<tensor<4xf32>, tensor<4xf32>>
}
func.func @main(%x: tensor<2x8xf32>, %w: tensor<8x4xf32>) -> tensor<2x4xf32> attributes {relax.num_input = 1 : i64} {
  %y = relax.matmul %x, %w : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// A tuple that a transform returns as it is has the fields of two parameters.
// CHECK-LABEL: func.func @named(
// CHECK-SAME: %x: tensor<4xf32>, %w: tensor<4xf32>, %v: tensor<4xf32>) -> tensor<4xf32>
// CHECK-SAME: relax.params_from = @named_transform_params
func.func @named(%x: tensor<4xf32>, %w: tensor<4xf32>, %v: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 1 : i64} {
  %y = relax.multiply %x, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %z = relax.add %y, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}
