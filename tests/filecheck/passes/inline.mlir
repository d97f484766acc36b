// RUN: relax-opt %s -p relax-inline --split-input-file | filecheck %s
// RUN: relax-opt %s -p 'relax-inline{private_functions=true}' --split-input-file | filecheck %s --check-prefix PRIVATE

// The marked function disappears, the other one is called as before.
// CHECK-NOT: @g1
// CHECK-LABEL: func.func @g2(
// CHECK-LABEL: func.func @main(
// CHECK: %[[A:.*]] = func.call @g2(%p0)
// CHECK-NEXT: relax.add %p0, %[[A]]
func.func @g1(%x1: tensor<1x10xf32>) -> tensor<1x10xf32> attributes {relax.inline} {
  return %x1 : tensor<1x10xf32>
}

func.func @g2(%x2: tensor<1x10xf32>) -> tensor<1x10xf32> {
  return %x2 : tensor<1x10xf32>
}

func.func @main(%p0: tensor<1x10xf32>) -> tensor<1x10xf32> {
  %a = func.call @g1(%p0) : (tensor<1x10xf32>) -> tensor<1x10xf32>
  %b = func.call @g2(%p0) : (tensor<1x10xf32>) -> tensor<1x10xf32>
  %y = relax.add %a, %b : (tensor<1x10xf32>, tensor<1x10xf32>) -> tensor<1x10xf32>
  return %y : tensor<1x10xf32>
}

// -----

// A size that the callee names gets a name of its own for each call; the arguments keep theirs.
// CHECK-LABEL: func.func @symbols(
// CHECK: %[[C:.*]] = relax.match_cast %[[F:.*]] : ({{.*}}) -> tensor<?xf32, #relax.sym<n_1>>
// CHECK-NEXT: relax.add %[[C]], %[[C]] : ({{.*}}) -> tensor<?xf32, #relax.sym<n_1>>
// CHECK: relax.match_cast %{{.*}} : ({{.*}}) -> tensor<?xf32, #relax.sym<n_2>>
// CHECK: func.return
// CHECK-NOT: @double
func.func @symbols(%x: tensor<?xf32, #relax.sym<n>>) -> (tensor<?xf32>, tensor<?xf32>) {
  %r, %s = relax.dataflow {
    %u = relax.match_cast %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32>
    %a = func.call @double(%u) : (tensor<?xf32>) -> tensor<?xf32>
    %b = func.call @double(%a) : (tensor<?xf32>) -> tensor<?xf32>
    relax.output %a, %b : tensor<?xf32>, tensor<?xf32>
  } : tensor<?xf32>, tensor<?xf32>
  return %r, %s : tensor<?xf32>, tensor<?xf32>
}

func.func private @double(%a: tensor<?xf32>) -> tensor<?xf32> attributes {relax.inline} {
  %r = relax.dataflow {
    %c = relax.match_cast %a : (tensor<?xf32>) -> tensor<?xf32, #relax.sym<n>>
    %s = relax.add %c, %c : (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
    %u = relax.match_cast %s : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32>
    relax.output %u : tensor<?xf32>
  } : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Symbols of the arguments are those of the call.
// CHECK-LABEL: func.func @argument_symbols(
// CHECK-NEXT: relax.add %x, %y : ({{.*}}) -> tensor<?xf32, #relax.sym<2 * n>>
// CHECK-NEXT: func.return
func.func @argument_symbols(%n: !relax.shape<[n]>, %x: tensor<?xf32, #relax.sym<2 * n>>, %y: tensor<?xf32, #relax.sym<2 * n>>)
    -> tensor<?xf32, #relax.sym<2 * n>> {
  %z = func.call @sum(%n, %x, %y) : (!relax.shape<[n]>, tensor<?xf32, #relax.sym<2 * n>>, tensor<?xf32, #relax.sym<2 * n>>)
    -> tensor<?xf32, #relax.sym<2 * n>>
  return %z : tensor<?xf32, #relax.sym<2 * n>>
}

func.func @sum(%n: !relax.shape<[n]>, %a: tensor<?xf32, #relax.sym<2 * n>>, %b: tensor<?xf32, #relax.sym<2 * n>>)
    -> tensor<?xf32, #relax.sym<2 * n>> attributes {relax.inline} {
  %s = relax.add %a, %b : (tensor<?xf32, #relax.sym<2 * n>>, tensor<?xf32, #relax.sym<2 * n>>) -> tensor<?xf32, #relax.sym<2 * n>>
  return %s : tensor<?xf32, #relax.sym<2 * n>>
}

// -----

// A chain of marked functions is inlined from its end.
// CHECK-LABEL: func.func @chain(
// CHECK-NEXT: relax.exp
// CHECK-NEXT: relax.tanh
// CHECK-NEXT: func.return
// CHECK-NOT: func.func
func.func @chain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = func.call @outer(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func @outer(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.inline = 1 : i64} {
  %y = func.call @leaf(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %z = relax.tanh %y : (tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}

func.func @leaf(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.inline} {
  %y = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// A marked function that calls one that stays is not inlined; one that nothing called is an entry.
// CHECK-LABEL: func.func @declines_callers_of_others(
// CHECK: func.call @calls
// CHECK-LABEL: func.func @calls(
// CHECK-LABEL: func.func private @other(
// CHECK-LABEL: func.func @entry(
// PRIVATE-LABEL: func.func @declines_callers_of_others(
// PRIVATE-NEXT: relax.tanh
// PRIVATE-NEXT: func.return
// PRIVATE-NOT: @other
func.func @declines_callers_of_others(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = func.call @calls(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.inline} {
  %y = func.call @other(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func private @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = relax.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func @entry(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.inline} {
  return %x : tensor<4xf32>
}

// -----

// Zero says no.
// CHECK-LABEL: func.func @declines_zero(
// CHECK: func.call @not_marked
func.func @declines_zero(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = func.call @not_marked(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

func.func @not_marked(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.inline = 0 : i64} {
  return %x : tensor<4xf32>
}

// -----

// A dataflow block takes no branches, a function body does.
// CHECK-LABEL: func.func @declines_branches_in_dataflow(
// CHECK: relax.dataflow
// CHECK-NEXT: func.call @branches
// CHECK: scf.if
// CHECK-NOT: func.call
// CHECK-LABEL: func.func private @branches(
func.func @declines_branches_in_dataflow(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = relax.dataflow {
    %y = func.call @branches(%c, %x) : (i1, tensor<4xf32>) -> tensor<4xf32>
    relax.output %y : tensor<4xf32>
  } : tensor<4xf32>
  %z = func.call @branches(%c, %r) : (i1, tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}

func.func private @branches(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.inline} {
  %y = scf.if %c -> (tensor<4xf32>) {
    %a = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// What a callee computes and its caller does not read goes; a caller without inlined calls stays as it is.
// CHECK-LABEL: func.func @reads_one_result(
// CHECK-NEXT: %[[Y:.*]] = relax.exp %x
// CHECK-NEXT: func.return %[[Y]]
func.func @reads_one_result(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a, %b = func.call @two_results(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %a : tensor<4xf32>
}
func.func private @two_results(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {relax.inline} {
  %a = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %b = relax.abs %x : (tensor<4xf32>) -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @no_call(
// CHECK-NEXT: relax.abs
func.func @no_call(%x: tensor<4xf32>) -> tensor<4xf32> {
  %b = relax.abs %x : (tensor<4xf32>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}
