// RUN: relax-opt %s -p relax-plan-devices | filecheck %s --check-prefix=NONE
// RUN: relax-opt %s -p 'relax-plan-devices{default="cpu:3:shared"}' | filecheck %s

// A module that says nothing of devices stays as it is; a default is written into every type.
// NONE-LABEL: func.func @f(
// NONE-SAME: %x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
// NONE-NEXT: relax.exp %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %x: tensor<?xf32, [#relax.sym<n>, #relax.vdevice<"cpu", 3, "shared">]>) -> tensor<?xf32, [#relax.sym<n>, #relax.vdevice<"cpu", 3, "shared">]>
// CHECK-NEXT: relax.exp %x : (tensor<?xf32, [#relax.sym<n>, #relax.vdevice<"cpu", 3, "shared">]>) -> tensor<?xf32, [#relax.sym<n>, #relax.vdevice<"cpu", 3, "shared">]>
func.func @f(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>> {
  %a = relax.exp %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
  return %a : tensor<?xf32, #relax.sym<n>>
}
