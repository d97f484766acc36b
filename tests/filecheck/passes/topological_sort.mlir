// RUN: relax-opt %s -p relax-topological-sort | filecheck %s
// RUN: relax-opt %s -p 'relax-topological-sort{order=breadth-first}' | filecheck %s --check-prefix=BREADTH
// RUN: relax-opt %s -p 'relax-topological-sort{direction=from-outputs}' | filecheck %s --check-prefix=OUTPUTS
// RUN: relax-opt %s -p 'relax-topological-sort{order=breadth-first direction=from-outputs}' | filecheck %s --check-prefix=LAST
// RUN: not relax-opt %s -p 'relax-topological-sort{order=upwards}' 2>&1 | filecheck %s --check-prefix=ORDER

// ORDER: error: expected depth-first or breadth-first, got upwards

// CHECK-LABEL: func.func @main(
// CHECK: relax.negative
// CHECK-NEXT: relax.abs
// CHECK-NEXT: relax.exp
// CHECK-NEXT: relax.tanh
// CHECK-NEXT: relax.add
// BREADTH-LABEL: func.func @main(
// BREADTH: relax.negative
// BREADTH-NEXT: relax.tanh
// BREADTH-NEXT: relax.abs
// BREADTH-NEXT: relax.exp
// BREADTH-NEXT: relax.add
// OUTPUTS-LABEL: func.func @main(
// OUTPUTS: relax.tanh
// OUTPUTS-NEXT: relax.negative
// OUTPUTS-NEXT: relax.abs
// OUTPUTS-NEXT: relax.exp
// OUTPUTS-NEXT: relax.add
// LAST-LABEL: func.func @main(
// LAST: relax.negative
// LAST-NEXT: relax.abs
// LAST-NEXT: relax.tanh
// LAST-NEXT: relax.exp
// LAST-NEXT: relax.add
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = relax.dataflow {
    %a = relax.negative %x : (tensor<4xf32>) -> tensor<4xf32>
    %d = relax.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
    %b = relax.abs %a : (tensor<4xf32>) -> tensor<4xf32>
    %c = relax.exp %b : (tensor<4xf32>) -> tensor<4xf32>
    %y = relax.add %d, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %y : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// An op stays behind the cast that names a size it uses.
// OUTPUTS-LABEL: func.func @named_size(
// OUTPUTS: relax.match_cast
// OUTPUTS-NEXT: relax.shape : () -> !relax.shape<[n]>
// CHECK-LABEL: func.func @named_size(
// CHECK: relax.match_cast
// CHECK-NEXT: relax.shape : () -> !relax.shape<[n]>
func.func @named_size(%x: tensor<?xf32>) -> !relax.shape<[?]> {
  %r = relax.dataflow {
    %c = relax.match_cast %x : (tensor<?xf32>) -> tensor<?xf32, #relax.sym<n>>
    %s = relax.shape : () -> !relax.shape<[n]>
    relax.output %s : !relax.shape<[n]>
  } : !relax.shape<[?]>
  return %r : !relax.shape<[?]>
}
