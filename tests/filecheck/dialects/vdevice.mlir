// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK: builtin.module attributes {relax.vdevices = [#relax.vdevice<"cpu", 0, "global">, #relax.vdevice<"cuda", 2, "shared">]}
module attributes {relax.vdevices = [#relax.vdevice<"cpu">, #relax.vdevice<"cuda", 2, "shared">]} {
  // CHECK-LABEL: func.func @types(
  // CHECK-SAME: %x: tensor<2x3xf32, #relax.vdevice<"cpu", 1, "global">>
  // CHECK-SAME: %y: tensor<?x3xf32, [#relax.sym<n>, #relax.vdevice<"cuda", 2, "shared">]>
  // CHECK-SAME: %z: tuple<tensor<4xf32>, tensor<f32, #relax.vdevice<"cpu", 0, "global">>>
  func.func @types(
    %x: tensor<2x3xf32, #relax.vdevice<"cpu", 1>>,
    %y: tensor<?x3xf32, [#relax.sym<n>, #relax.vdevice<"cuda", 2, "shared">]>,
    %z: tuple<tensor<4xf32>, tensor<f32, #relax.vdevice<"cpu">>>
  ) {
    return
  }

  // CHECK-LABEL: func.func @ops(
  // CHECK: relax.hint_on_device %x {dst_vdevice = #relax.vdevice<"cpu", 1, "global">} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: relax.hint_on_device %x {dst_vdevice = #relax.vdevice<"cpu", 1, "global">, fixed = true} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: relax.to_vdevice %x {dst_vdevice = #relax.vdevice<"cpu", 1, "global">} : (tensor<4xf32>) -> tensor<4xf32, #relax.vdevice<"cpu", 1, "global">>
  // CHECK: relax.device_copy %x {src_vdevice = #relax.vdevice<"cpu", 0, "global">, dst_vdevice = #relax.vdevice<"cpu", 1, "global">} : (tensor<4xf32>) -> tensor<4xf32, #relax.vdevice<"cpu", 1, "global">>
  func.func @ops(%x: tensor<4xf32>) {
    %0 = relax.hint_on_device %x {dst_vdevice = #relax.vdevice<"cpu", 1>} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = relax.hint_on_device %x {dst_vdevice = #relax.vdevice<"cpu", 1>, fixed = true} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = relax.to_vdevice %x {dst_vdevice = #relax.vdevice<"cpu", 1>} : (tensor<4xf32>) -> tensor<4xf32, #relax.vdevice<"cpu", 1>>
    %3 = relax.device_copy %x {src_vdevice = #relax.vdevice<"cpu">, dst_vdevice = #relax.vdevice<"cpu", 1>} : (tensor<4xf32>) -> tensor<4xf32, #relax.vdevice<"cpu", 1>>
    return
  }

  // A constant may live anywhere.
  // CHECK-LABEL: func.func @constant(
  // CHECK: relax.constant {value = dense<1.000000e+00> : tensor<2xf32>} : () -> tensor<2xf32, #relax.vdevice<"cpu", 1, "global">>
  func.func @constant() {
    %0 = relax.constant {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32, #relax.vdevice<"cpu", 1>>
    return
  }
}
