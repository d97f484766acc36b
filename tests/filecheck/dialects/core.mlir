// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: func.func @symbols(
// CHECK-SAME: %x: tensor<?x8x?xf32, #relax.sym<n, 2 * n + 1>>, %s: !relax.shape<[n, m, 4]>, %u: tensor<?x?xf32, #relax.sym<?, m>>, %r: tensor<*xf32>
func.func @symbols(%x: tensor<?x8x?xf32, #relax.sym<n, 2 * n + 1>>, %s: !relax.shape<[n, m, 4]>,
                   %u: tensor<?x?xf32, #relax.sym<?, m>>, %r: tensor<*xf32>) {
  // CHECK: relax.shape : () -> !relax.shape<[n, max(m, n), n floordiv 2, n mod 4]>
  %q = relax.shape : () -> !relax.shape<[n, max(m, n), n floordiv 2, n mod 4]>
  return
}

// CHECK-LABEL: func.func @dataflow(
// CHECK: %[[R:.*]], %[[S:.*]] = relax.dataflow {
// CHECK: relax.output %{{.*}}, %x : tensor<4xf32>, tensor<4xf32>
// CHECK: } : tensor<4xf32>, tensor<4xf32>
// CHECK: relax.dataflow {
// CHECK-NEXT: relax.output
func.func @dataflow(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r, %s = relax.dataflow {
    %0 = relax.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relax.output %0, %x : tensor<4xf32>, tensor<4xf32>
  } : tensor<4xf32>, tensor<4xf32>
  relax.dataflow {
    relax.output
  }
  return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @values(
// CHECK: relax.constant {value = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>} : () -> tensor<2xf32>
// CHECK: relax.constant {value = dense_resource<weight> : tensor<2xf32>} : () -> tensor<2xf32>
// CHECK: %[[T:.*]] = relax.tuple %{{.*}}, %{{.*}} : (tensor<2xf32>, tensor<2xf32>) -> tuple<tensor<2xf32>, tensor<2xf32>>
// CHECK: relax.tuple_get_item %[[T]] {index = 1 : i64} : (tuple<tensor<2xf32>, tensor<2xf32>>) -> tensor<2xf32>
// CHECK: relax.match_cast %o : (tensor<?xf32>) -> tensor<?xf32, #relax.sym<k>>
// CHECK: relax.call_packed %{{.*}} {callee = "f", pure = true} : (tensor<2xf32>) -> (tensor<2xf32>, !relax.object)
// CHECK: relax.call_dps_packed %{{.*}} {callee = "g"} : (tensor<2xf32>) -> tensor<2xf32>
// CHECK: relax.invoke_closure %{{.*}} {literals = {"0" = "l"}} : (!relax.object, tensor<2xf32>) -> tensor<2xf32>
// CHECK: relax.invoke_pure_closure %{{.*}} {literals = {"1" = "l"}} : (!relax.object, tensor<2xf32>) -> tensor<2xf32>
func.func @values(%o: tensor<?xf32>) {
  %0 = relax.constant {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %1 = relax.constant {value = dense_resource<weight> : tensor<2xf32>} : () -> tensor<2xf32>
  %2 = relax.tuple %0, %1 : (tensor<2xf32>, tensor<2xf32>) -> tuple<tensor<2xf32>, tensor<2xf32>>
  %3 = relax.tuple_get_item %2 {index = 1 : i64} : (tuple<tensor<2xf32>, tensor<2xf32>>) -> tensor<2xf32>
  %4 = relax.match_cast %o : (tensor<?xf32>) -> tensor<?xf32, #relax.sym<k>>
  %5, %6 = relax.call_packed %3 {callee = "f", pure = true} : (tensor<2xf32>) -> (tensor<2xf32>, !relax.object)
  %7 = relax.call_dps_packed %3 {callee = "g"} : (tensor<2xf32>) -> tensor<2xf32>
  %9 = relax.invoke_closure %6, %7 {literals = {"0" = "l"}} : (!relax.object, tensor<2xf32>) -> tensor<2xf32>
  %8 = relax.invoke_pure_closure %6, %7 {literals = {"1" = "l"}} : (!relax.object, tensor<2xf32>) -> tensor<2xf32>
  return
}

{-#
  dialect_resources: {
    builtin: {
      weight: "0x040000000000803f00000040"
    }
  }
#-}
