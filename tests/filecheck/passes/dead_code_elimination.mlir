// RUN: relax-opt %s -p relax-dead-code-elimination | filecheck %s
// RUN: relax-opt %s -p 'relax-dead-code-elimination{entry_functions=unused,kept}' | filecheck %s --check-prefix=ENTRY
// RUN: not relax-opt %s -p 'relax-dead-code-elimination{entry_functions=nope}' 2>&1 | filecheck %s --check-prefix=NONE

// NONE: error: no function @nope

// What nobody reads goes, and the outputs and functions that only it needed.
// CHECK-LABEL: func.func @main(
// CHECK-NEXT: %[[R:.*]] = relax.dataflow {
// CHECK-NEXT: %[[Y:.*]] = relax.add
// CHECK-NEXT: relax.output %[[Y]] : tensor<4xf32>
// CHECK: return %[[R]]
// CHECK-NOT: @unused
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r, %s = relax.dataflow {
    %y = relax.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %z = func.call @kept(%x) : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %y, %z : tensor<4xf32>, tensor<4xf32>
  } : tensor<4xf32>, tensor<4xf32>
  %t = relax.negative %s : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// A packed call with effects stays, a pure one goes; a cast checks something and stays.
// CHECK-LABEL: func.func @effects(
// CHECK-NEXT: relax.call_packed %{{.*}} {callee = "print"}
// CHECK-NEXT: relax.match_cast
// CHECK-NEXT: func.call @prints
// CHECK-NEXT: return
func.func @effects(%x: tensor<?xf32>) {
  %a = relax.call_packed %x {callee = "print"} : (tensor<?xf32>) -> tensor<?xf32>
  %b = relax.call_packed %x {callee = "copy", pure = true} : (tensor<?xf32>) -> tensor<?xf32>
  %c = relax.match_cast %x : (tensor<?xf32>) -> tensor<4xf32>
  %d = func.call @prints(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// CHECK: func.func private @prints(
func.func private @prints(%x: tensor<?xf32>) -> tensor<?xf32> {
  %a = relax.call_packed %x {callee = "print"} : (tensor<?xf32>) -> tensor<?xf32>
  return %a : tensor<?xf32>
}

// Private functions that nothing reaches go, also when they call each other.
// CHECK-NOT: @kept
// CHECK-NOT: @unused
// ENTRY: func.func private @kept(
// ENTRY: func.func private @unused(
func.func private @kept(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = relax.negative %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = func.call @unused(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// A transform is needed by the function that names it, although it is private.
// CHECK: func.func private @weights(
// CHECK: func.func @takes_weights(
func.func private @weights(%w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 0 : i64} {
  return %w : tensor<4xf32>
}
func.func @takes_weights(%w: tensor<4xf32>) -> tensor<4xf32> attributes {relax.num_input = 0 : i64, relax.params_from = @weights} {
  return %w : tensor<4xf32>
}
