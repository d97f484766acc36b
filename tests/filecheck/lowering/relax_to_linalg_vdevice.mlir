// RUN: relax-opt %s -p relax-fuse-ops,relax-to-linalg | filecheck %s
!one = tensor<?x2xf32, [#relax.sym<n>, #relax.vdevice<"cpu", 1>]>
!host = tensor<?x2xf32, [#relax.sym<n>, #relax.vdevice<"cpu">]>

// The types lose their devices; arguments and results of functions keep those that are not the host in an attribute.
// CHECK-LABEL: func.func @copy(
// CHECK-SAME: %[[X:.*]]: tensor<?x2xf32> {relax.dims = ["n", 2 : i64]}) -> (tensor<?x2xf32> {relax.vdevice = "cpu:1"}) {
// CHECK: %[[C:.*]] = func.call @[[KERNEL:device_copy]](%[[X]])
// CHECK-NEXT: func.return %[[C]]
func.func @copy(%x: !host) -> !one {
  %a = relax.device_copy %x {src_vdevice = #relax.vdevice<"cpu">, dst_vdevice = #relax.vdevice<"cpu", 1>} : (!host) -> !one
  return %a : !one
}

// A constant is in the code, and copied to its device; a scalar in a kernel is not.
// CHECK-LABEL: func.func @constant(
// CHECK: %[[K:.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: %[[D:.*]] = func.call @[[CONSTANT:.*]](%[[K]]) : (tensor<2xf32>) -> tensor<2xf32>
// CHECK: func.call @add(%{{.*}}, %[[D]])
func.func @constant(%x: !one) -> !one {
  %k = relax.constant {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32, #relax.vdevice<"cpu", 1>>
  %s = relax.constant {value = dense<3.0> : tensor<f32>} : () -> tensor<f32, #relax.vdevice<"cpu", 1>>
  %a = relax.add %x, %k : (!one, tensor<2xf32, #relax.vdevice<"cpu", 1>>) -> !one
  %b = relax.multiply %a, %s : (!one, tensor<f32, #relax.vdevice<"cpu", 1>>) -> !one
  return %b : !one
}

// CHECK: func.func private @[[KERNEL]](%[[Y:.*]]: tensor<?x2xf32> {relax.dims = ["n", 2 : i64]}) -> (tensor<?x2xf32> {relax.vdevice = "cpu:1"}) attributes {relax.primitive} {
// CHECK: linalg.generic {{.*}} ins(%[[Y]] : tensor<?x2xf32>)
// CHECK-LABEL: func.func private @multiply(
// CHECK: %{{.*}} = arith.constant dense<3.000000e+00> : tensor<f32>
// CHECK: func.func private @constant.copy(%{{.*}}: tensor<2xf32>) -> (tensor<2xf32> {relax.vdevice = "cpu:1"}) attributes {relax.primitive}
