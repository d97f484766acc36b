// RUN: relax-opt %s -p 'relax-fuse-ops-by-pattern{file="%S/fuse_ops_by_pattern_language.pattern"}' | filecheck %s
// RUN: relax-opt %s -p 'relax-fuse-ops-by-pattern{file="%S/fuse_ops_by_pattern_language.pattern" bind_constants=false}' | filecheck %s --check-prefix=PASSED
// RUN: relax-opt %s -p 'relax-fuse-ops-by-pattern{file="%S/fuse_ops_by_pattern_language.pattern" annotate_codegen=true}' | filecheck %s --check-prefix=REGION

// An op with `?` may be absent; the longer match is preferred.
// CHECK-LABEL: func.func @optional(
// CHECK: %[[A:.*]] = func.call @fused_matmul_relu(
// CHECK: func.call @matmul(%[[A]], %{{.*}}) :
func.func @optional(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = relax.dataflow {
    %0 = relax.matmul %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = relax.nn.relu %0 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = relax.matmul %1, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    relax.output %2 : tensor<4x4xf32>
  } : tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// Where the optional op would make a value that is read outside part of the group, the group ends before it.
// CHECK-LABEL: func.func @optional_read_outside(
// CHECK: %[[A:.*]] = func.call @{{matmul[0-9]*}}(
// CHECK: relax.nn.relu %[[A]]
func.func @optional_read_outside(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %r, %s = relax.dataflow {
    %0 = relax.matmul %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = relax.nn.relu %0 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    relax.output %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
  } : tensor<4x4xf32>, tensor<4x4xf32>
  return %r, %s : tensor<4x4xf32>, tensor<4x4xf32>
}

// CHECK-LABEL: func.func @declines_element_type(
// CHECK: relax.matmul
func.func @declines_element_type(%x: tensor<4x4xi32>) -> tensor<4x4xi32> {
  %r = relax.dataflow {
    %0 = relax.matmul %x, %x : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
    relax.output %0 : tensor<4x4xi32>
  } : tensor<4x4xi32>
  return %r : tensor<4x4xi32>
}

// Either order of the operands, by alternatives.
// CHECK-LABEL: func.func @alternatives(
// CHECK: func.call @fused_sin_add(
// CHECK: func.call @fused_sin_add1(
func.func @alternatives(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = relax.dataflow {
    %0 = relax.sin %x : (tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.add %0, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = relax.sin %1 : (tensor<4xf32>) -> tensor<4xf32>
    %3 = relax.add %y, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %3 : tensor<4xf32>
  } : tensor<4xf32>
  return %r : tensor<4xf32>
}

// Attributes must have one of the values; `none` lets one be left out.
// CHECK-LABEL: func.func @attributes(
// CHECK: func.call @softmax(
// CHECK: func.call @softmax1(
// CHECK: relax.nn.softmax
func.func @attributes(%x: tensor<4x4x4xf32>) -> tensor<4x4x4xf32> {
  %r = relax.dataflow {
    %0 = relax.nn.softmax %x : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %1 = relax.nn.softmax %0 {axis = 2 : i64} : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    %2 = relax.nn.softmax %1 {axis = 0 : i64} : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
    relax.output %2 : tensor<4x4x4xf32>
  } : tensor<4x4x4xf32>
  return %r : tensor<4x4x4xf32>
}

// A result of an op with several; another result of it that is read outside refuses the match.
// CHECK-LABEL: func.func @results(
// CHECK: func.call @fused_split_cos(
// CHECK: %[[P:.*]], %[[Q:.*]] = relax.split
// CHECK: relax.cos %[[Q]]
func.func @results(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %r, %s, %t = relax.dataflow {
    %0, %1 = relax.split %x {sections = 2 : i64} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    %2 = relax.cos %1 : (tensor<2xf32>) -> tensor<2xf32>
    %3, %4 = relax.split %x {sections = 2 : i64} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    %5 = relax.cos %4 : (tensor<2xf32>) -> tensor<2xf32>
    relax.output %2, %3, %5 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  } : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  return %r, %s, %t : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// A constant goes into the function, or is passed to it. What is no constant is declined.
// CHECK-LABEL: func.func @constant(
// CHECK-NOT: relax.constant
// CHECK: %[[R:.*]] = func.call @[[SCALED:multiply.*]](%{{[a-z]*}}) :
// CHECK: relax.multiply %[[R]],
// CHECK: func.func private @[[SCALED]](
// CHECK: relax.constant {value = dense<[1.000000e+00, 2.000000e+00]>
// PASSED-LABEL: func.func @constant(
// PASSED: %[[C:.*]] = relax.constant
// PASSED: func.call @[[SCALED:multiply.*]](%{{[a-z]*}}, %[[C]]) :
// PASSED: func.func private @[[SCALED]](
// PASSED-NOT: relax.constant
// PASSED: func.return
// REGION-LABEL: func.func @constant(
// REGION: func.call @[[OUTER:fused_multiply.*_a]](%{{[a-z]*}}) :
// REGION: func.func private @[[SCALED:multiply.*]](
// REGION: func.func private @[[OUTER]](
// REGION-SAME: attributes {relax.codegen = "a", relax.global_symbol = "[[OUTER]]"}
// REGION: %[[R:.*]] = func.call @[[SCALED]](
// REGION: func.return %[[R]]
func.func @constant(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = relax.dataflow {
    %c = relax.constant {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %0 = relax.multiply %x, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %1 = relax.multiply %0, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    relax.output %1 : tensor<2xf32>
  } : tensor<2xf32>
  return %r : tensor<2xf32>
}
