// RUN: relax-opt %s -p relax-plan-devices,relax-fuse-ops | filecheck %s
!t = tensor<4xf32>
!one = tensor<4xf32, #relax.vdevice<"cpu", 1>>

// A kernel is on one device: the chain is cut at the copy, and a device has kernels of its own.
// CHECK-LABEL: func.func @chain(
// CHECK: %[[A:.*]] = func.call @[[HOST:fused_exp_tanh]](%{{.*}}) : (tensor<4xf32, #relax.vdevice<"cpu", 0, "global">>) -> tensor<4xf32, #relax.vdevice<"cpu", 0, "global">>
// CHECK-NEXT: %[[C:.*]] = func.call @[[COPY:device_copy]](%[[A]]) : (tensor<4xf32, #relax.vdevice<"cpu", 0, "global">>) -> tensor<4xf32, #relax.vdevice<"cpu", 1, "global">>
// CHECK-NEXT: %{{.*}} = func.call @[[ONE:fused_exp_tanh1]](%[[C]]) : (tensor<4xf32, #relax.vdevice<"cpu", 1, "global">>) -> tensor<4xf32, #relax.vdevice<"cpu", 1, "global">>
func.func @chain(%x: tensor<4xf32, #relax.vdevice<"cpu">>) -> !one {
  %r = relax.dataflow {
    %a = relax.exp %x : (tensor<4xf32, #relax.vdevice<"cpu">>) -> !t
    %b = relax.tanh %a : (!t) -> !t
    %c = relax.to_vdevice %b {dst_vdevice = #relax.vdevice<"cpu", 1>} : (!t) -> !one
    %d = relax.exp %c : (!one) -> !one
    %e = relax.tanh %d : (!one) -> !one
    relax.output %e : !one
  } : !one
  return %r : !one
}

// CHECK-LABEL: func.func @whole(
// CHECK: func.call @fused_exp_tanh_exp(
// CHECK: func.func private @[[COPY]](
// CHECK-NEXT: relax.device_copy
// CHECK-NEXT: func.return
// Without a copy it is one kernel.
func.func @whole(%x: !one) -> !one {
  %r = relax.dataflow {
    %a = relax.exp %x : (!one) -> !one
    %b = relax.tanh %a : (!one) -> !one
    %c = relax.exp %b : (!one) -> !one
    relax.output %c : !one
  } : !one
  return %r : !one
}
