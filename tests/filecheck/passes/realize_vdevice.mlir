// RUN: relax-opt %s -p relax-realize-vdevice --split-input-file | filecheck %s
!t = tensor<2x3xf32>

// The result of a hint is on its device, and so is the operand if nothing else is known of it.
// CHECK-LABEL: func.func @hint(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32, #relax.vdevice<"cpu", 1, "global">>) -> tensor<2x3xf32, #relax.vdevice<"cpu", 1, "global">>
// CHECK-NEXT: %[[A:.*]] = relax.exp %[[X]] : (tensor<2x3xf32, #relax.vdevice<"cpu", 1, "global">>) -> tensor<2x3xf32, #relax.vdevice<"cpu", 1, "global">>
// CHECK-NEXT: func.return %[[A]]
func.func @hint(%x: !t) -> !t {
  %a = relax.exp %x : (!t) -> !t
  %b = relax.hint_on_device %a {dst_vdevice = #relax.vdevice<"cpu", 1>} : (!t) -> !t
  return %b : !t
}

// A hint about another device than that of its operand is a move.
// CHECK-LABEL: func.func @move(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32, #relax.vdevice<"cpu", 2, "global">>
// CHECK-NEXT: %[[M:.*]] = relax.to_vdevice %[[X]] {dst_vdevice = #relax.vdevice<"cpu", 1, "global">}
// CHECK-NEXT: relax.add %[[M]], %[[M]] : {{.*}} -> tensor<2x3xf32, #relax.vdevice<"cpu", 1, "global">>
func.func @move(%x: tensor<2x3xf32, #relax.vdevice<"cpu", 2>>) -> tensor<2x3xf32, #relax.vdevice<"cpu", 2>> {
  %a = relax.hint_on_device %x {dst_vdevice = #relax.vdevice<"cpu", 1>} : (tensor<2x3xf32, #relax.vdevice<"cpu", 2>>) -> tensor<2x3xf32, #relax.vdevice<"cpu", 2>>
  // The type is as it was before the hint.
  %b = relax.add %a, %a : (tensor<2x3xf32, #relax.vdevice<"cpu", 2>>, tensor<2x3xf32, #relax.vdevice<"cpu", 2>>) -> tensor<2x3xf32, #relax.vdevice<"cpu", 2>>
  return %b : tensor<2x3xf32, #relax.vdevice<"cpu", 2>>
}

// A declared result is passed on to what computes it.
// CHECK-LABEL: func.func @result(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32, #relax.vdevice<"cpu", 1, "global">>)
// CHECK-NEXT: relax.exp %[[X]] : (tensor<2x3xf32, #relax.vdevice<"cpu", 1, "global">>) -> tensor<2x3xf32, #relax.vdevice<"cpu", 1, "global">>
func.func @result(%x: !t) -> tensor<2x3xf32, #relax.vdevice<"cpu", 1>> {
  %a = relax.exp %x : (!t) -> tensor<2x3xf32, #relax.vdevice<"cpu", 1>>
  return %a : tensor<2x3xf32, #relax.vdevice<"cpu", 1>>
}

// A move passes nothing on.
// CHECK-LABEL: func.func @behind_a_move(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>) -> tensor<2x3xf32, #relax.vdevice<"cpu", 1, "global">>
// CHECK-NEXT: %[[M:.*]] = relax.to_vdevice %[[X]] {{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32, #relax.vdevice<"cpu", 1, "global">>
// CHECK-NEXT: relax.exp %[[M]] : (tensor<2x3xf32, #relax.vdevice<"cpu", 1, "global">>) -> tensor<2x3xf32, #relax.vdevice<"cpu", 1, "global">>
func.func @behind_a_move(%x: !t) -> !t {
  %a = relax.to_vdevice %x {dst_vdevice = #relax.vdevice<"cpu", 1>} : (!t) -> tensor<2x3xf32, #relax.vdevice<"cpu", 1>>
  %b = relax.exp %a : (tensor<2x3xf32, #relax.vdevice<"cpu", 1>>) -> !t
  return %b : !t
}

// What nothing places stays so.
// CHECK-LABEL: func.func @unknown(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: relax.exp %[[X]] : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @unknown(%x: !t) -> !t {
  %a = relax.exp %x : (!t) -> !t
  return %a : !t
}
