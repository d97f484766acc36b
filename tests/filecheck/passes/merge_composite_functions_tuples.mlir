// RUN: relax-opt %s -p relax-merge-composite-functions | filecheck %s

// Fields that are packed and read again are read directly.
// CHECK-LABEL: func.func @repacked(
// CHECK-NEXT: relax.dataflow {
// CHECK-NEXT: %[[Y:.*]] = func.call @[[REPACKED:.*_a]](%x) : (tensor<8xf32>) -> tensor<4xf32>
// CHECK-NEXT: relax.output %[[Y]]
func.func @repacked(%x: tensor<8xf32>) -> tensor<4xf32> {
  %r = relax.dataflow {
    %a, %b = func.call @halves(%x) : (tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %t = relax.tuple %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
    %c = relax.tuple_get_item %t {index = 1 : i64} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
    %y = func.call @exp(%c) : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %y : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// Tuples that are passed between composite calls belong to their region.
// CHECK-LABEL: func.func @passed(
// CHECK-NEXT: relax.dataflow {
// CHECK-NEXT: %[[Y:.*]] = func.call @[[PASSED:.*_a]](%x) : (tensor<8xf32>) -> tensor<4xf32>
// CHECK-NEXT: relax.output %[[Y]]
func.func @passed(%x: tensor<8xf32>) -> tensor<4xf32> {
  %r = relax.dataflow {
    %a, %b = func.call @halves(%x) : (tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %t = relax.tuple %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
    %p = func.call @pair(%t) : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tuple<tensor<4xf32>, tensor<4xf32>>
    %c = relax.tuple_get_item %p {index = 1 : i64} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
    %y = func.call @exp(%c) : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %y : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// A tuple between calls of two code generators belongs to neither.
// CHECK-LABEL: func.func @declines_other_code_generators(
// CHECK: func.call @[[HALVES:.*_a]](%x) : (tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: %[[T:.*]] = relax.tuple
// CHECK-NEXT: func.call @[[OTHER:.*_b]](%[[T]]) :
func.func @declines_other_code_generators(%x: tensor<8xf32>) -> tensor<4xf32> {
  %r = relax.dataflow {
    %a, %b = func.call @halves(%x) : (tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %t = relax.tuple %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
    %y = func.call @sum(%t) : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
    relax.output %y : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK: func.func private @[[REPACKED]](
// CHECK: func.call @halves
// CHECK-NEXT: func.call @exp
// CHECK: func.func private @[[PASSED]](
// CHECK: func.call @halves
// CHECK-NEXT: relax.tuple
// CHECK-NEXT: func.call @pair
// CHECK-NEXT: relax.tuple_get_item
// CHECK-NEXT: func.call @exp
func.func private @halves(%x: tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {relax.primitive, relax.composite = "a.halves"} {
  %a, %b = relax.split %x {sections = 2 : i64} : (tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
func.func private @pair(%t: tuple<tensor<4xf32>, tensor<4xf32>>) -> tuple<tensor<4xf32>, tensor<4xf32>> attributes {relax.primitive, relax.composite = "a.pair"} {
  return %t : tuple<tensor<4xf32>, tensor<4xf32>>
}
func.func private @exp(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.primitive, relax.composite = "a.exp"} {
  %y = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @sum(%t: tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32> attributes {relax.primitive, relax.composite = "b.sum"} {
  %a = relax.tuple_get_item %t {index = 0 : i64} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
  %b = relax.tuple_get_item %t {index = 1 : i64} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
  %y = relax.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
