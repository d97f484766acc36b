// RUN: relax-opt %s -p 'relax-fuse-ops-by-pattern{patterns="a.chain = relax.exp(relax.add(relax.matmul(*, *), *)); a.product = relax.matmul(*, *); a.square = relax.multiply(%%x, %%x); a.join = relax.concat(relax.negative(*), ...); a.twice = relax.abs(relax.abs(*))"}' | filecheck %s

// A match becomes a private function with the name of its pattern; values come in the order in which its ops read them.
// CHECK-LABEL: func.func @match(
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32, {{.*}}>, %[[W:.*]]: tensor<4x4xf32>, %[[B:.*]]: tensor<4xf32>)
// CHECK: %[[R:.*]] = func.call @[[CHAIN:fused_matmul_add_exp]](%[[X]], %[[W]], %[[B]]) :
// CHECK-NEXT: relax.output %[[R]]
func.func @match(%x: tensor<?x4xf32, #relax.sym<n>>, %w: tensor<4x4xf32>, %b: tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>> {
  %r = relax.dataflow {
    %0 = relax.matmul %x, %w : (tensor<?x4xf32, #relax.sym<n>>, tensor<4x4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
    %1 = relax.add %0, %b : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
    %2 = relax.exp %1 : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
    relax.output %2 : tensor<?x4xf32, #relax.sym<n>>
  } : tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// Equal groups share a function; a pattern that comes earlier takes what a later one would match too.
// CHECK-LABEL: func.func @equal_groups(
// CHECK: %[[A:.*]] = func.call @[[CHAIN]](
// CHECK: %[[C:.*]] = func.call @[[CHAIN]](%[[A]], %{{.*}}, %{{.*}}) :
// CHECK: func.call @[[PRODUCT:matmul]](%[[C]], %{{.*}}) :
func.func @equal_groups(%x: tensor<?x4xf32, #relax.sym<n>>, %w: tensor<4x4xf32>, %b: tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>> {
  %r = relax.dataflow {
    %0 = relax.matmul %x, %w : (tensor<?x4xf32, #relax.sym<n>>, tensor<4x4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
    %1 = relax.add %0, %b : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
    %2 = relax.exp %1 : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
    %3 = relax.matmul %2, %w : (tensor<?x4xf32, #relax.sym<n>>, tensor<4x4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
    %4 = relax.add %3, %b : (tensor<?x4xf32, #relax.sym<n>>, tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
    %5 = relax.exp %4 : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
    %6 = relax.matmul %5, %w : (tensor<?x4xf32, #relax.sym<n>>, tensor<4x4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
    relax.output %6 : tensor<?x4xf32, #relax.sym<n>>
  } : tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// A value inside of the match that something else reads refuses it; a later pattern may still take a part.
// CHECK-LABEL: func.func @declines_value_read_outside(
// CHECK: %[[A:.*]] = func.call @{{matmul[0-9]*}}(
// CHECK: %[[S:.*]] = relax.add %[[A]],
// CHECK: %[[E:.*]] = relax.exp %[[S]]
// CHECK: relax.output %[[S]], %[[E]]
func.func @declines_value_read_outside(%x: tensor<4x4xf32>, %b: tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %r, %s = relax.dataflow {
    %0 = relax.matmul %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = relax.add %0, %b : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
    %2 = relax.exp %1 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    relax.output %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>
  } : tensor<4x4xf32>, tensor<4x4xf32>
  return %r, %s : tensor<4x4xf32>, tensor<4x4xf32>
}

// A name that occurs twice in a pattern is one value.
// CHECK-LABEL: func.func @same_value(
// CHECK: %[[S:.*]] = func.call @multiply(%[[X:.*]]) :
// CHECK: relax.multiply %[[S]], %[[X]]
func.func @same_value(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = relax.dataflow {
    %0 = relax.multiply %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.multiply %0, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %1 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// Any number of operands follows the first one.
// CHECK-LABEL: func.func @further_operands(
// CHECK: func.call @fused_negative_concat(%{{.*}}, %{{.*}}, %{{.*}}) : (tensor<4xf32>, tensor<2xf32>, tensor<3xf32>)
func.func @further_operands(%x: tensor<4xf32>, %y: tensor<2xf32>, %z: tensor<3xf32>) -> tensor<9xf32> {
  %r = relax.dataflow {
    %0 = relax.negative %x : (tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.concat %0, %y, %z {axis = 0 : i64} : (tensor<4xf32>, tensor<2xf32>, tensor<3xf32>) -> tensor<9xf32>
    relax.output %1 : tensor<9xf32>
  } : tensor<9xf32>
  return %r : tensor<9xf32>
}

// An op belongs to one match: of three in a row, the first two.
// CHECK-LABEL: func.func @no_overlap(
// CHECK: %[[T:.*]] = func.call @fused_abs_abs(
// CHECK-NEXT: relax.abs %[[T]]
func.func @no_overlap(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = relax.dataflow {
    %0 = relax.abs %x : (tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.abs %0 : (tensor<4xf32>) -> tensor<4xf32>
    %2 = relax.abs %1 : (tensor<4xf32>) -> tensor<4xf32>
    relax.output %2 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// A symbol that no value of the group names comes as a shape.
// CHECK-LABEL: func.func @free_symbol(
// CHECK: %[[S:.*]] = relax.shape : () -> !relax.shape<[n]>
// CHECK: func.call @multiply{{[0-9]*}}(%{{.*}}, %[[S]]) :
func.func @free_symbol(%n: !relax.shape<[n]>, %x: tensor<?xf32, #relax.sym<2 * n>>) -> tensor<?xf32, #relax.sym<2 * n>> {
  %r = relax.dataflow {
    %0 = relax.multiply %x, %x : (tensor<?xf32, #relax.sym<2 * n>>, tensor<?xf32, #relax.sym<2 * n>>) -> tensor<?xf32, #relax.sym<2 * n>>
    relax.output %0 : tensor<?xf32, #relax.sym<2 * n>>
  } : tensor<?xf32, #relax.sym<2 * n>>
  return %r : tensor<?xf32, #relax.sym<2 * n>>
}

// What stands in no dataflow block is left alone.
// CHECK-LABEL: func.func @declines_outside_of_dataflow(
// CHECK: relax.multiply
func.func @declines_outside_of_dataflow(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relax.multiply %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The body of a kernel is left alone.
// CHECK-LABEL: func.func private @declines_kernel(
// CHECK: relax.multiply
func.func private @declines_kernel(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relax.primitive} {
  %r = relax.dataflow {
    %0 = relax.multiply %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %0 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK: func.func private @[[CHAIN]](
// CHECK-SAME: attributes {relax.primitive, relax.composite = "a.chain"}
// CHECK: %[[P:.*]] = relax.matmul
// CHECK: %[[Q:.*]] = relax.add %[[P]]
// CHECK: %[[E:.*]] = relax.exp %[[Q]]
// CHECK: func.return %[[E]]
// CHECK: func.func private @[[PRODUCT]](
// CHECK-SAME: attributes {relax.primitive, relax.composite = "a.product"}
