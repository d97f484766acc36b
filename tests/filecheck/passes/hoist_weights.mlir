// RUN: relax-opt %s -p relax-hoist-weights | filecheck %s
// RUN: relax-opt %s -p relax-hoist-weights,relax-hoist-weights | filecheck %s
// RUN: relax-opt %s -p relax-hoist-weights,relax-convert-to-dataflow,relax-lift-transform-params | filecheck %s --check-prefix=LIFTED

// What depends on weights alone stands before the outermost loop, with the constants that it reads; the sum of two constants stays.
// CHECK-LABEL: func.func @nested(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>, %[[N:.*]]: index, %[[W:.*]]: tensor<8x8xf32>)
// CHECK: %[[SCALED:.*]] = relax.dataflow {
// CHECK-NEXT: %[[WT:.*]] = relax.permute_dims %[[W]]
// CHECK-NEXT: %[[TWO:.*]] = relax.constant
// CHECK-NEXT: %[[PRODUCT:.*]] = relax.multiply %[[WT]], %[[TWO]]
// CHECK-NEXT: relax.output %[[PRODUCT]]
// CHECK: scf.for
// CHECK-NOT: relax.permute_dims
// CHECK: scf.for
// CHECK-NEXT: relax.dataflow
// CHECK-NEXT: %[[ONE:.*]] = relax.constant
// CHECK-NEXT: %[[SUM:.*]] = relax.add %[[ONE]], %[[ONE]]
// CHECK-NEXT: relax.matmul %{{.*}}, %[[SCALED]]
// LIFTED-LABEL: func.func @nested_transform_params(
// LIFTED: relax.permute_dims
// LIFTED: relax.multiply
// LIFTED-LABEL: func.func @nested(
// LIFTED-SAME: %[[SCALED:[a-z0-9_]+]]: tensor<8x8xf32> {relax.name = "scaled"})
// LIFTED-NOT: relax.permute_dims
// LIFTED: relax.matmul %{{.*}}, %[[SCALED]]
// LIFTED-LABEL: func.func @branches(
// LIFTED-SAME: %[[SQUARE:[a-z0-9_]+]]: tensor<?xf32, #relax.sym<k>> {relax.name = "square"})
// LIFTED: relax.add %{{.*}}, %[[SQUARE]]
func.func @nested(%x: tensor<4x8xf32>, %n: index, %w: tensor<8x8xf32>) -> tensor<4x8xf32> attributes {relax.num_input = 2 : i64} {
  %zero = arith.constant 0 : index
  %step = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %step iter_args(%a = %x) -> (tensor<4x8xf32>) {
    %w_t = relax.permute_dims %w : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %q = scf.for %j = %zero to %n step %step iter_args(%b = %a) -> (tensor<4x8xf32>) {
      %c = relax.dataflow {
        %two = relax.constant {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
        %scaled = relax.multiply %w_t, %two : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
        %one = relax.constant {value = dense<1.0> : tensor<8xf32>} : () -> tensor<8xf32>
        %sum = relax.add %one, %one : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
        %p = relax.matmul %b, %scaled : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
        %s = relax.add %p, %sum : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
        relax.output %s : tensor<4x8xf32>
      } : tensor<4x8xf32>
      scf.yield %c : tensor<4x8xf32>
    }
    scf.yield %q : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}

// A result of a dataflow block of a branch is one of the values that moves; what may fail, and what reads it, stays.
// CHECK-LABEL: func.func @branches(
// CHECK: %{{.*}}, %[[SQUARE:.*]] = relax.dataflow {
// CHECK: relax.exp
// CHECK: relax.multiply
// CHECK: scf.if
// CHECK: relax.add %{{.*}}, %[[SQUARE]]
// CHECK: } else {
// CHECK: relax.match_cast
// CHECK: relax.exp
func.func @branches(%x: tensor<?xf32, #relax.sym<k>>, %c: i1, %w: tensor<?xf32, #relax.sym<k>>) -> tensor<?xf32, #relax.sym<k>> attributes {relax.num_input = 2 : i64} {
  %r = scf.if %c -> (tensor<?xf32, #relax.sym<k>>) {
    %e = relax.dataflow {
      %0 = relax.exp %w : (tensor<?xf32, #relax.sym<k>>) -> tensor<?xf32, #relax.sym<k>>
      relax.output %0 : tensor<?xf32, #relax.sym<k>>
    } : tensor<?xf32, #relax.sym<k>>
    %square = relax.multiply %e, %e : (tensor<?xf32, #relax.sym<k>>, tensor<?xf32, #relax.sym<k>>) -> tensor<?xf32, #relax.sym<k>>
    %1 = relax.add %x, %square : (tensor<?xf32, #relax.sym<k>>, tensor<?xf32, #relax.sym<k>>) -> tensor<?xf32, #relax.sym<k>>
    scf.yield %1 : tensor<?xf32, #relax.sym<k>>
  } else {
    %cast = relax.match_cast %w : (tensor<?xf32, #relax.sym<k>>) -> tensor<3xf32>
    %2 = relax.exp %cast : (tensor<3xf32>) -> tensor<3xf32>
    %3 = relax.sum %2 {axis = array<i64: 0>, keepdims = true} : (tensor<3xf32>) -> tensor<1xf32>
    %4 = relax.add %x, %3 : (tensor<?xf32, #relax.sym<k>>, tensor<1xf32>) -> tensor<?xf32, #relax.sym<k>>
    scf.yield %4 : tensor<?xf32, #relax.sym<k>>
  }
  return %r : tensor<?xf32, #relax.sym<k>>
}

// A function that does not say which arguments are weights has none.
// CHECK-LABEL: func.func @no_weights(
// CHECK-NOT: relax.dataflow
func.func @no_weights(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %r = scf.if %c -> (tensor<4xf32>) {
    %0 = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
