// RUN: relax-opt %s -p relax-plan-devices | filecheck %s
// RUN: relax-opt %s -p relax-plan-devices | filecheck %s --check-prefix=NO-HINT
// RUN: relax-opt %s -p relax-plan-devices > %t.once
// RUN: relax-opt %s -p relax-plan-devices,relax-plan-devices > %t.twice
// RUN: diff %t.once %t.twice
// RUN: relax-opt %s -p relax-plan-devices,relax-verify-devices

// NO-HINT-NOT: relax.hint_on_device
// NO-HINT-NOT: relax.to_vdevice
!t = tensor<4xf32>
!one = tensor<4xf32, #relax.vdevice<"cpu", 1>>

// A hint without anything that speaks against it places the whole function.
// CHECK-LABEL: func.func @unified(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32, #relax.vdevice<"cpu", 1, "global">>) -> tensor<4xf32, #relax.vdevice<"cpu", 1, "global">> {
// CHECK-NEXT: %[[A:.*]] = relax.exp %[[X]] : (tensor<4xf32, #relax.vdevice<"cpu", 1, "global">>) -> tensor<4xf32, #relax.vdevice<"cpu", 1, "global">>
// CHECK-NEXT: %[[B:.*]] = relax.add %[[A]], %[[X]]
// CHECK-NEXT: func.return %[[B]]
func.func @unified(%x: !t) -> !t {
  %a = relax.exp %x : (!t) -> !t
  %h = relax.hint_on_device %a {dst_vdevice = #relax.vdevice<"cpu", 1>} : (!t) -> !t
  %b = relax.add %h, %x : (!t, !t) -> !t
  return %b : !t
}

// A copy on the edge between two devices, behind where the value is made, and one for all who read it there.
// CHECK-LABEL: func.func @crossing(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32, #relax.vdevice<"cpu", 0, "global">>, %[[Y:.*]]: tensor<4xf32, #relax.vdevice<"cpu", 1, "global">>
// CHECK-NEXT: %[[C:.*]] = relax.device_copy %[[Y]] {src_vdevice = #relax.vdevice<"cpu", 1, "global">, dst_vdevice = #relax.vdevice<"cpu", 0, "global">}
// CHECK-NEXT: %[[A:.*]] = relax.add %[[X]], %[[C]] : (tensor<4xf32, #relax.vdevice<"cpu", 0, "global">>, tensor<4xf32, #relax.vdevice<"cpu", 0, "global">>) -> tensor<4xf32, #relax.vdevice<"cpu", 0, "global">>
// CHECK-NEXT: %[[B:.*]] = relax.multiply %[[A]], %[[C]]
// CHECK-NEXT: func.return %[[B]]
func.func @crossing(%x: tensor<4xf32, #relax.vdevice<"cpu">>, %y: !one) -> !t {
  %a = relax.add %x, %y : (tensor<4xf32, #relax.vdevice<"cpu">>, !one) -> !t
  %b = relax.multiply %a, %y : (!t, !one) -> !t
  return %b : !t
}

// Not where all is on one device already.
// CHECK-LABEL: func.func @together(
// CHECK-NOT: relax.device_copy
// CHECK: func.return
func.func @together(%x: !one, %y: !one) -> !one {
  %a = relax.add %x, %y : (!one, !one) -> !one
  return %a : !one
}

// A constant is made on each device that reads it.
// CHECK-LABEL: func.func @constant(
// CHECK-NOT: relax.device_copy
// CHECK: %[[K0:.*]] = relax.constant {{.*}} -> tensor<4xf32, #relax.vdevice<"cpu", 1, "global">>
// CHECK: %[[K1:.*]] = relax.constant {{.*}} -> tensor<4xf32, #relax.vdevice<"cpu", 0, "global">>
// CHECK: relax.add %{{.*}}, %[[K0]]
// CHECK: relax.add %{{.*}}, %[[K1]]
// CHECK-LABEL: func.func @move(
func.func @constant(%x: !one, %y: tensor<4xf32, #relax.vdevice<"cpu">>) -> (!one, !t) {
  %k = relax.constant {value = dense<[1.0, 2.0, 3.0, 4.0]> : !t} : () -> !t
  %a = relax.add %x, %k : (!one, !t) -> !one
  %b = relax.add %y, %k : (tensor<4xf32, #relax.vdevice<"cpu">>, !t) -> !t
  return %a, %b : !one, !t
}

// A move is a copy; one to where the value is, is nothing.
// CHECK-SAME: %[[X:.*]]: tensor<4xf32, #relax.vdevice<"cpu", 0, "global">>) -> (tensor<4xf32, #relax.vdevice<"cpu", 1, "global">>, tensor<4xf32, #relax.vdevice<"cpu", 0, "global">>)
// CHECK-NEXT: %[[C:.*]] = relax.device_copy %[[X]]
// CHECK-NEXT: func.return %[[C]], %[[X]]
func.func @move(%x: tensor<4xf32, #relax.vdevice<"cpu">>) -> (!one, !t) {
  %a = relax.to_vdevice %x {dst_vdevice = #relax.vdevice<"cpu", 1>} : (tensor<4xf32, #relax.vdevice<"cpu">>) -> !one
  %b = relax.to_vdevice %x {dst_vdevice = #relax.vdevice<"cpu">} : (tensor<4xf32, #relax.vdevice<"cpu">>) -> !t
  return %a, %b : !one, !t
}

// The fields of a tuple have devices of their own; one on the wrong device is copied.
// CHECK-LABEL: func.func @tuples(
// CHECK-SAME: %[[T:.*]]: tuple<tensor<4xf32, #relax.vdevice<"cpu", 1, "global">>, tensor<4xf32, #relax.vdevice<"cpu", 1, "global">>>
// CHECK-NEXT: %[[F0:.*]] = relax.tuple_get_item %[[T]] {index = 0 : i64}
// CHECK-NEXT: %[[C:.*]] = relax.device_copy %[[F0]] {{.*}}dst_vdevice = #relax.vdevice<"cpu", 2, "global">}
// CHECK-NEXT: %[[F1:.*]] = relax.tuple_get_item %[[T]] {index = 1 : i64}
// CHECK-NEXT: %[[U:.*]] = relax.tuple %[[C]], %[[F1]] :
// CHECK-NEXT: %{{.*}} = func.call @first(%[[T]])
// CHECK-NEXT: %{{.*}} = func.call @second(%[[U]])
func.func private @first(%t: tuple<!t, !t>) -> !t {
  %a = relax.tuple_get_item %t {index = 0 : i64} : (tuple<!t, !t>) -> !t
  %b = relax.hint_on_device %a {dst_vdevice = #relax.vdevice<"cpu", 1>} : (!t) -> !t
  return %b : !t
}
func.func private @second(%t: tuple<!t, !t>) -> !t {
  %a = relax.tuple_get_item %t {index = 0 : i64} : (tuple<!t, !t>) -> !t
  %b = relax.hint_on_device %a {dst_vdevice = #relax.vdevice<"cpu", 2>} : (!t) -> !t
  return %b : !t
}
func.func @tuples(%t: tuple<!t, !t>) -> (!t, !t) {
  %a = func.call @first(%t) : (tuple<!t, !t>) -> !t
  %b = func.call @second(%t) : (tuple<!t, !t>) -> !t
  return %a, %b : !t, !t
}

// Calls and branches pass devices on.
// CHECK-LABEL: func.func private @callee(
// CHECK-SAME: %{{.*}}: tensor<4xf32, #relax.vdevice<"cpu", 1, "global">>) -> tensor<4xf32, #relax.vdevice<"cpu", 1, "global">>
// CHECK-LABEL: func.func @caller(
// CHECK: %{{.*}} = scf.if %{{.*}} -> (tensor<4xf32, #relax.vdevice<"cpu", 1, "global">>)
func.func private @callee(%x: !one) -> !t {
  %y = relax.exp %x : (!one) -> !t
  return %y : !t
}
func.func @caller(%c: i1, %x: !one) -> !t {
  %r = scf.if %c -> (!t) {
    %a = func.call @callee(%x) : (!one) -> !t
    scf.yield %a : !t
  } else {
    %b = relax.exp %x : (!one) -> !t
    scf.yield %b : !t
  }
  return %r : !t
}

// What becomes a shape is read on the host.
// CHECK-LABEL: func.func @sizes(
// CHECK: %[[C:.*]] = relax.device_copy %{{.*}} {src_vdevice = #relax.vdevice<"cpu", 1, "global">, dst_vdevice = #relax.vdevice<"cpu", 0, "global">}
// CHECK: relax.tensor_to_shape %[[C]]
func.func @sizes(%x: tensor<1xi64, #relax.vdevice<"cpu", 1>>) -> !relax.shape<[?]> {
  %s = relax.tensor_to_shape %x : (tensor<1xi64, #relax.vdevice<"cpu", 1>>) -> !relax.shape<[?]>
  return %s : !relax.shape<[?]>
}
