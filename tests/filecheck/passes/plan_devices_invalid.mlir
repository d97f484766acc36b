// RUN: relax-opt %s --verify-diagnostics --split-input-file -p 'relax-plan-devices{copies=false}'
// RUN: echo 'module {}' | not relax-opt -p 'relax-plan-devices{default="cpu:x"}' 2>&1 | filecheck %s --check-prefix=OPTION
// OPTION: error: default: expected a device as KIND:INDEX or KIND:INDEX:SCOPE, got 'cpu:x'
!t = tensor<4xf32>
!one = tensor<4xf32, #relax.vdevice<"cpu", 1>>

func.func @crossing(%x: !t, %y: !one) -> !one {
  // expected-error@+1 {{relax.add: operand 0 'x' is on cpu:0 (default), expected cpu:1 (argument 'y' of @crossing); relax-plan-devices inserts copies}}
  %a = relax.add %x, %y : (!t, !one) -> !one
  return %a : !one
}

// -----

!t = tensor<4xf32>

func.func @hint(%x: !t) -> !t {
  // expected-error@+1 {{relax.hint_on_device: operand 0 'x' is on cpu:0 (default), expected cpu:1 (the hint on 'x')}}
  %a = relax.hint_on_device %x {dst_vdevice = #relax.vdevice<"cpu", 1>} : (!t) -> !t
  return %a : !t
}

// -----

!one = tensor<4xf32, #relax.vdevice<"cpu", 1>>
!two = tensor<4xf32, #relax.vdevice<"cpu", 2>>

func.func @results(%x: tuple<!one>) -> !two {
  // expected-error@+1 {{relax.tuple_get_item: expected cpu:2 (the type of 'a'), got cpu:1 (argument 'x' of @results)}}
  %a = relax.tuple_get_item %x {index = 0 : i64} : (tuple<!one>) -> !two
  return %a : !two
}
