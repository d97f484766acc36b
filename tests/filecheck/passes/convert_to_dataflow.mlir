// RUN: relax-opt %s -p relax-convert-to-dataflow | filecheck %s
// RUN: relax-opt %s -p 'relax-convert-to-dataflow{min_size=1}' | filecheck %s --check-prefix=ALONE
// RUN: relax-opt %s -p 'relax-convert-to-dataflow{min_size=3}' | filecheck %s --check-prefix=THREE

// Ops without effects that follow each other become a block.
// CHECK-LABEL: func.func @two(
// CHECK-NEXT: %[[R:.*]] = relax.dataflow {
// CHECK-NEXT: %[[A:.*]] = relax.negative
// CHECK-NEXT: %[[B:.*]] = relax.abs %[[A]]
// CHECK-NEXT: relax.output %[[B]] :
// CHECK: return %[[R]]
// THREE-LABEL: func.func @two(
// THREE-NOT: relax.dataflow
// THREE: return
func.func @two(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = relax.negative %x : (tensor<4xf32>) -> tensor<4xf32>
  %b = relax.abs %a : (tensor<4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}

// One op alone does not.
// CHECK-LABEL: func.func @one(
// CHECK-NOT: relax.dataflow
// CHECK: return
// ALONE-LABEL: func.func @one(
// ALONE: relax.dataflow
func.func @one(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = relax.negative %x : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}

// A call with effects divides; a block that is there is joined.
// CHECK-LABEL: func.func @divided(
// CHECK-NEXT: relax.dataflow {
// CHECK-COUNT-2: relax.negative
// CHECK: relax.output
// CHECK: relax.call_packed
// CHECK: relax.dataflow {
// CHECK-NEXT: relax.abs
// CHECK-NEXT: relax.abs
// CHECK-NEXT: relax.output
// CHECK-NOT: relax.dataflow
// CHECK: return
func.func @divided(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = relax.negative %x : (tensor<4xf32>) -> tensor<4xf32>
  %b = relax.negative %a : (tensor<4xf32>) -> tensor<4xf32>
  relax.call_packed %b {callee = "print"} : (tensor<4xf32>) -> ()
  %c = relax.dataflow {
    %d = relax.abs %b : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %d : tensor<4xf32>
  } : tensor<4xf32>
  %e = relax.abs %c : (tensor<4xf32>) -> tensor<4xf32>
  return %e : tensor<4xf32>
}

// Ops of a kernel stay as they are.
// CHECK-LABEL: func.func private @kernel(
// CHECK-NOT: relax.dataflow
// CHECK: return
func.func private @kernel(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.primitive} {
  %y = relax.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %z = relax.exp %y : (tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// Linalg of other front ends has nothing that passes on graphs look at.
// CHECK-LABEL: func.func @declines_linalg(
// CHECK-NOT: relax.dataflow
// CHECK: return
// ALONE-LABEL: func.func @declines_linalg(
// ALONE-NOT: relax.dataflow
// ALONE: return
func.func @declines_linalg(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = arith.addf %x, %x : tensor<4xf32>
  %z = math.exp %y : tensor<4xf32>
  return %z : tensor<4xf32>
}
