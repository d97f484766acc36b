// RUN: relax-opt %s -p 'relax-fuse-ops{opt_level=0}' | filecheck %s
// RUN: relax-opt %s -p 'relax-fuse-ops{max_depth=2}' | filecheck %s --check-prefix=DEPTH
// RUN: relax-opt %s -p 'relax-fuse-ops{singles=false}' | filecheck %s --check-prefix=OUTSIDE

// Without fusion every op is a kernel of its own, and equal ones are one.
// CHECK-LABEL: func.func @chain(
// CHECK: %[[A:.*]] = func.call @add(%{{.*}}) :
// CHECK: %[[B:.*]] = func.call @add(%[[A]]) :
// CHECK: func.call @silu(%[[B]]) :

// The depth limits the number of ops in a kernel.
// DEPTH-LABEL: func.func @chain(
// DEPTH: func.call @fused_add_add(
// DEPTH: func.call @silu(

// Ops that are not in a dataflow block are left alone without `singles`.
// OUTSIDE-LABEL: func.func @outside_dataflow(
// OUTSIDE: relax.add
// OUTSIDE: relax.nn.silu
func.func @chain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = relax.dataflow {
    %0 = relax.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.add %0, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = relax.nn.silu %1 : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %2 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @outside_dataflow(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relax.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = relax.nn.silu %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
