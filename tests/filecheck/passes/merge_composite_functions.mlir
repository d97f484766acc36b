// RUN: relax-opt %s -p relax-merge-composite-functions | filecheck %s
// RUN: relax-opt %s -p relax-merge-composite-functions,relax-merge-composite-functions | filecheck %s

// Calls of one code generator that feed each other become one region; one that feeds another generator's does not join it.
// CHECK-LABEL: func.func @neighbors(
// CHECK: %[[A:.*]] = func.call @[[TWO:fused_e_e_a]](%x) :
// CHECK-NEXT: %[[B:.*]] = func.call @[[ONE:fused_f_b]](%[[A]]) :
// CHECK-NEXT: relax.output %[[B]]
func.func @neighbors(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = relax.dataflow {
    %0 = func.call @e(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = func.call @e(%0) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = func.call @f(%1) : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %2 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// Regions with the same calls are one function.
// CHECK-LABEL: func.func @equal_regions(
// CHECK: func.call @[[TWO]](%x) :
func.func @equal_regions(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = relax.dataflow {
    %0 = func.call @e(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = func.call @e(%0) : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %1 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// A call does not join a region that it needs through something else as well: the two would wait for each other.
// CHECK-LABEL: func.func @declines_cycle(
// CHECK: %[[A:.*]] = func.call @[[E:fused_e_a]](%x) :
// CHECK: %[[B:.*]] = relax.sin %[[A]]
// CHECK: func.call @[[G:fused_g_a]](%[[A]], %[[B]]) :
func.func @declines_cycle(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = relax.dataflow {
    %0 = func.call @e(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.sin %0 : (tensor<4xf32>) -> tensor<4xf32>
    %2 = func.call @g(%0, %1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %2 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// The way through something else may lead over several regions, some of which grew later.
// CHECK-LABEL: func.func @declines_long_cycle(
// CHECK: %[[P:.*]] = func.call @[[E]](%x) :
// CHECK: %[[D:.*]] = relax.sin %[[P]]
// CHECK: %[[Q:.*]], %[[C:.*]] = func.call @fused_e_g_a(%y, %[[D]]) :
// CHECK: %[[S:.*]] = relax.sin %[[Q]]
// CHECK: func.call @[[G]](%[[S]], %[[P]]) :
func.func @declines_long_cycle(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r, %s = relax.dataflow {
    %a = func.call @e(%y) : (tensor<4xf32>) -> tensor<4xf32>
    %b = func.call @e(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %q = relax.sin %a : (tensor<4xf32>) -> tensor<4xf32>
    %d = relax.sin %b : (tensor<4xf32>) -> tensor<4xf32>
    %c = func.call @g(%a, %d) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %e = func.call @g(%q, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %c, %e : tensor<4xf32>, tensor<4xf32>
  } : tensor<4xf32>, tensor<4xf32>
  return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// Values that are read outside are results; what reads them moves behind the call.
// CHECK-LABEL: func.func @several_results(
// CHECK: %[[A:.*]], %[[B:.*]] = func.call @[[BOTH:.*]](%x, %y) :
// CHECK-NEXT: %[[S:.*]] = relax.sin %[[A]]
// CHECK-NEXT: relax.output %[[S]], %[[B]]
func.func @several_results(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r, %s = relax.dataflow {
    %0 = func.call @e(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.sin %0 : (tensor<4xf32>) -> tensor<4xf32>
    %2 = func.call @g(%0, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %1, %2 : tensor<4xf32>, tensor<4xf32>
  } : tensor<4xf32>, tensor<4xf32>
  return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// Calls of functions that are not composite stay.
// CHECK-LABEL: func.func @declines_other_calls(
// CHECK: func.call @h(%x) :
func.func @declines_other_calls(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = relax.dataflow {
    %0 = func.call @h(%x) : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %0 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK: func.func private @[[TWO]](
// CHECK-SAME: attributes {relax.codegen = "a", relax.global_symbol = "[[TWO]]"}
// CHECK: %[[P:.*]] = func.call @e(
// CHECK: %[[Q:.*]] = func.call @e(%[[P]])
// CHECK: func.return %[[Q]]
// CHECK: func.func private @[[ONE]](
// CHECK-SAME: attributes {relax.codegen = "b", relax.global_symbol = "[[ONE]]"}
// CHECK: func.func private @[[BOTH]](
// CHECK: %[[P:.*]] = func.call @e(
// CHECK: %[[Q:.*]] = func.call @g(%[[P]],
// CHECK: func.return %[[P]], %[[Q]]
func.func private @e(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.primitive, relax.composite = "a.e"} {
  %0 = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.primitive, relax.composite = "b.f"} {
  %0 = relax.floor %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @g(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {relax.primitive, relax.composite = "a.g"} {
  %0 = relax.add %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @h(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.primitive} {
  %0 = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
