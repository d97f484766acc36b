// RUN: relax-opt %s -p relax-offload-blas | filecheck %s

// The transposed weight, the bias and relu go with the product.
// CHECK-LABEL: func.func @layer(
// CHECK: %[[R:.*]] = func.call @[[LAYER:fused_.*_blas]](%w, %x, %b) :
// CHECK-NEXT: relax.output %[[R]]
func.func @layer(%x: tensor<?x8xf32, #relax.sym<n>>, %w: tensor<4x8xf32>, %b: tensor<4xf32>) -> tensor<?x4xf32, #relax.sym<n>> {
  %r = relax.dataflow {
    %0 = relax.permute_dims %w : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %1 = relax.matmul %x, %0 : (tensor<?x8xf32, #relax.sym<n>>, tensor<8x4xf32>) -> tensor<?x4xf32, #relax.sym<n>>
    %2 = relax.add %b, %1 : (tensor<4xf32>, tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
    %3 = relax.nn.relu %2 : (tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n>>
    relax.output %3 : tensor<?x4xf32, #relax.sym<n>>
  } : tensor<?x4xf32, #relax.sym<n>>
  return %r : tensor<?x4xf32, #relax.sym<n>>
}

// Constants are passed: the library wants memory.
// CHECK-LABEL: func.func @constant(
// CHECK: func.call @[[CONSTANT:fused_.*_blas]](%x) :
func.func @constant(%x: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %r = relax.dataflow {
    %c = relax.constant {value = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf64>} : () -> tensor<2x2xf64>
    %0 = relax.linear %x, %c : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
    relax.output %0 : tensor<2x2xf64>
  } : tensor<2x2xf64>
  return %r : tensor<2x2xf64>
}

// A BLAS has no integers, and no sums of another type than that of the factors.
// CHECK-LABEL: func.func @declines_types(
// CHECK: relax.matmul
// CHECK: relax.matmul
func.func @declines_types(%x: tensor<2x2xi32>, %y: tensor<2x2xf32>) -> (tensor<2x2xi32>, tensor<2x2xf64>) {
  %r, %s = relax.dataflow {
    %0 = relax.matmul %x, %x : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
    %1 = relax.matmul %y, %y {out_dtype = f64} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf64>
    relax.output %0, %1 : tensor<2x2xi32>, tensor<2x2xf64>
  } : tensor<2x2xi32>, tensor<2x2xf64>
  return %r, %s : tensor<2x2xi32>, tensor<2x2xf64>
}

// A composite function stays a kernel where its result has sizes that nobody knows before.
// CHECK-LABEL: func.func @declines_unknown_size(
// CHECK: func.call @[[UNKNOWN:fused_.*_blas]](
func.func @declines_unknown_size(%x: tensor<?x2xf32>, %y: tensor<2x2xf32>) -> tensor<?x2xf32> {
  %r = relax.dataflow {
    %0 = relax.matmul %x, %y : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>
    relax.output %0 : tensor<?x2xf32>
  } : tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}

// CHECK: func.func private @[[INNER:fused_permute_dims_matmul_add_relu]](%[[W:.*]]: tensor<4x8xf32>, %[[X:.*]]: tensor<?x8xf32, {{.*}}>, %[[B:.*]]: tensor<4xf32>)
// CHECK-SAME: attributes {relax.composite = "blas.matmul_transposed_bias_relu"}
// CHECK-NEXT: %[[R:.*]] = relax.call_dps_packed %[[B]], %[[W]], %[[X]] {callee = "blas.matmul_transposed_bias_relu"} :
// CHECK-NEXT: func.return %[[R]]
// CHECK: func.func private @linear(
// CHECK: relax.call_dps_packed %{{.*}}, %{{.*}} {callee = "blas.matmul_transposed"} :
// CHECK: func.func private @matmul(
// CHECK-SAME: attributes {relax.primitive, relax.composite = "blas.matmul"}
// CHECK-NEXT: relax.matmul
// CHECK: func.func private @[[LAYER]](
// CHECK-SAME: attributes {relax.codegen = "blas", relax.global_symbol = "[[LAYER]]"}
// CHECK-NEXT: func.call @[[INNER]](
// CHECK: func.func private @[[CONSTANT]](
// CHECK: %[[C:.*]] = relax.constant
// CHECK: func.call @linear(%{{.*}}, %[[C]]) :
