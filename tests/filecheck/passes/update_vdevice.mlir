// RUN: relax-opt %s -p 'relax-update-vdevice{index=1 to="cpu:3:shared"}' | filecheck %s

// The list, types, also in tuples, and attributes of ops; other devices stay.
// CHECK: builtin.module attributes {relax.vdevices = [#relax.vdevice<"cpu", 0, "global">, #relax.vdevice<"cpu", 3, "shared">]}
module attributes {relax.vdevices = [#relax.vdevice<"cpu">, #relax.vdevice<"cpu", 1>]} {
  // CHECK-LABEL: func.func @f(
  // CHECK-SAME: %[[X:.*]]: tensor<?xf32, [#relax.sym<n>, #relax.vdevice<"cpu", 3, "shared">]>, %{{.*}}: tuple<tensor<4xf32, #relax.vdevice<"cpu", 3, "shared">>, tensor<4xf32>>) -> tensor<?xf32, [#relax.sym<n>, #relax.vdevice<"cpu", 0, "global">]>
  // CHECK-NEXT: relax.device_copy %[[X]] {src_vdevice = #relax.vdevice<"cpu", 3, "shared">, dst_vdevice = #relax.vdevice<"cpu", 0, "global">} : (tensor<?xf32, [#relax.sym<n>, #relax.vdevice<"cpu", 3, "shared">]>) -> tensor<?xf32, [#relax.sym<n>, #relax.vdevice<"cpu", 0, "global">]>
  func.func @f(%x: tensor<?xf32, [#relax.sym<n>, #relax.vdevice<"cpu", 1>]>, %t: tuple<tensor<4xf32, #relax.vdevice<"cpu", 1>>, tensor<4xf32>>) -> tensor<?xf32, [#relax.sym<n>, #relax.vdevice<"cpu">]> {
    %a = relax.device_copy %x {src_vdevice = #relax.vdevice<"cpu", 1>, dst_vdevice = #relax.vdevice<"cpu">} : (tensor<?xf32, [#relax.sym<n>, #relax.vdevice<"cpu", 1>]>) -> tensor<?xf32, [#relax.sym<n>, #relax.vdevice<"cpu">]>
    return %a : tensor<?xf32, [#relax.sym<n>, #relax.vdevice<"cpu">]>
  }

  // Not a device that differs in its scope alone.
  // CHECK-LABEL: func.func @other(
  // CHECK-SAME: tensor<4xf32, #relax.vdevice<"cpu", 1, "shared">>
  func.func @other(%x: tensor<4xf32, #relax.vdevice<"cpu", 1, "shared">>) {
    return
  }
}
