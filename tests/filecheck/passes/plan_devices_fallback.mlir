// RUN: relax-opt %s -p 'relax-plan-devices{fallback="cpu:0"}' | filecheck %s
!t = tensor<1x10xf32>

// What is annotated runs where it says, all else on the fallback, and each edge between them is a copy.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<1x10xf32, #relax.vdevice<"cpu", 0, "global">>, %[[Y:.*]]: tensor<1x10xf32, #relax.vdevice<"cpu", 0, "global">>) -> tensor<1x10xf32, #relax.vdevice<"cuda", 0, "global">>
// CHECK-NEXT: %[[ADD:.*]] = relax.add %[[X]], %[[Y]]
// CHECK-NEXT: %[[C1:.*]] = relax.device_copy %[[ADD]] {src_vdevice = #relax.vdevice<"cpu", 0, "global">, dst_vdevice = #relax.vdevice<"cuda", 0, "global">}
// CHECK-NEXT: %[[SQRT:.*]] = relax.sqrt %[[C1]]
// CHECK-NEXT: %[[C2:.*]] = relax.device_copy %[[SQRT]] {src_vdevice = #relax.vdevice<"cuda", 0, "global">, dst_vdevice = #relax.vdevice<"cpu", 0, "global">}
// CHECK-NEXT: %[[LOG:.*]] = relax.log %[[ADD]]
// CHECK-NEXT: %[[SUB:.*]] = relax.subtract %[[C2]], %[[LOG]]
// CHECK-NEXT: %[[C3:.*]] = relax.device_copy %[[SUB]] {src_vdevice = #relax.vdevice<"cpu", 0, "global">, dst_vdevice = #relax.vdevice<"cuda", 0, "global">}
// CHECK-NEXT: %[[EXP:.*]] = relax.exp %[[C3]]
// CHECK-NEXT: func.return %[[EXP]] : tensor<1x10xf32, #relax.vdevice<"cuda", 0, "global">>
func.func @main(%x: !t, %y: !t) -> !t {
  %add = relax.add %x, %y : (!t, !t) -> !t
  %sqrt = relax.sqrt %add : (!t) -> !t
  %_sqrt = relax.hint_on_device %sqrt {dst_vdevice = #relax.vdevice<"cuda">} : (!t) -> !t
  %log = relax.log %add : (!t) -> !t
  %subtract = relax.subtract %_sqrt, %log : (!t, !t) -> !t
  %exp = relax.exp %subtract : (!t) -> !t
  %_exp = relax.hint_on_device %exp {dst_vdevice = #relax.vdevice<"cuda">} : (!t) -> !t
  return %_exp : !t
}

// Without an annotation nothing is copied.
// CHECK-LABEL: func.func @plain(
// CHECK-NOT: relax.device_copy
// CHECK: func.return
func.func @plain(%x: !t) -> !t {
  %a = relax.exp %x : (!t) -> !t
  %b = relax.add %a, %x : (!t, !t) -> !t
  return %b : !t
}
