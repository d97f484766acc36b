// RUN: relax-opt %s -p relax-fuse-ops | filecheck %s
// RUN: relax-opt %s -p 'relax-fuse-ops{opt_level=0}' | filecheck %s --check-prefix UNFUSED

// Five sums and exp have one kind of loop: one kernel. Without fusion each is a call, and equal ones share a kernel.
// CHECK-LABEL: func.func @compatible(
// CHECK: %[[Y:.*]] = func.call @fused_add_add_add_add_add_exp(%x) : (tensor<10x20xf32>) -> tensor<10x20xf32>
// CHECK-NEXT: relax.output %[[Y]]
// UNFUSED-LABEL: func.func @compatible(
// UNFUSED: %[[A:.*]] = func.call @add(%x)
// UNFUSED-NEXT: %[[B:.*]] = func.call @add(%[[A]])
// UNFUSED-NEXT: %[[C:.*]] = func.call @add(%[[B]])
// UNFUSED-NEXT: %[[D:.*]] = func.call @add(%[[C]])
// UNFUSED-NEXT: %[[E:.*]] = func.call @add(%[[D]])
// UNFUSED-NEXT: %[[F:.*]] = func.call @exp(%[[E]])
// UNFUSED-NEXT: relax.output %[[F]]
func.func @compatible(%x: tensor<10x20xf32>) -> tensor<10x20xf32> {
  %r = relax.dataflow {
    %a = relax.add %x, %x : (tensor<10x20xf32>, tensor<10x20xf32>) -> tensor<10x20xf32>
    %b = relax.add %a, %a : (tensor<10x20xf32>, tensor<10x20xf32>) -> tensor<10x20xf32>
    %c = relax.add %b, %b : (tensor<10x20xf32>, tensor<10x20xf32>) -> tensor<10x20xf32>
    %d = relax.add %c, %c : (tensor<10x20xf32>, tensor<10x20xf32>) -> tensor<10x20xf32>
    %e = relax.add %d, %d : (tensor<10x20xf32>, tensor<10x20xf32>) -> tensor<10x20xf32>
    %z = relax.exp %e : (tensor<10x20xf32>) -> tensor<10x20xf32>
    relax.output %z : tensor<10x20xf32>
  } : tensor<10x20xf32>
  return %r : tensor<10x20xf32>
}

// The sum over rows ends a kernel: what follows has another loop.
// CHECK-LABEL: func.func @declines_after_reduction(
// CHECK: %[[S:.*]] = func.call @fused_add_add_sum(%x) : (tensor<20x20xf32>) -> tensor<20xf32>
// CHECK-NEXT: %[[Y:.*]] = func.call @[[ADD:add.*]](%[[S]]) : (tensor<20xf32>) -> tensor<20xf32>
// CHECK-NEXT: relax.output %[[Y]]
func.func @declines_after_reduction(%x: tensor<20x20xf32>) -> tensor<20xf32> {
  %r = relax.dataflow {
    %y1 = relax.add %x, %x : (tensor<20x20xf32>, tensor<20x20xf32>) -> tensor<20x20xf32>
    %y2 = relax.add %y1, %y1 : (tensor<20x20xf32>, tensor<20x20xf32>) -> tensor<20x20xf32>
    %y3 = relax.sum %y2 {axis = array<i64: -1>} : (tensor<20x20xf32>) -> tensor<20xf32>
    %y = relax.add %y3, %y3 : (tensor<20xf32>, tensor<20xf32>) -> tensor<20xf32>
    relax.output %y : tensor<20xf32>
  } : tensor<20xf32>
  return %r : tensor<20xf32>
}
