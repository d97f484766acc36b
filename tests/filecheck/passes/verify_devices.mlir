// RUN: relax-opt %s --verify-diagnostics --split-input-file -p relax-verify-devices
!host = tensor<4xf32>
!one = tensor<4xf32, #relax.vdevice<"cpu", 1>>
!two = tensor<4xf32, #relax.vdevice<"cpu", 2>>

func.func @operands(%a: !two, %b: !one) -> !two {
  // expected-error@+1 {{relax.add: operand 1 'b' is on cpu:1 (argument 'b' of @operands), expected cpu:2 (argument 'a' of @operands); relax-plan-devices inserts copies}}
  %c = relax.add %a, %b : (!two, !one) -> !two
  return %c : !two
}

// -----

!host = tensor<4xf32>
!one = tensor<4xf32, #relax.vdevice<"cpu", 1>>

// An argument that names no device is on the host.
func.func @host(%a: !host, %b: !one) -> !host {
  // expected-error@+1 {{relax.add: operand 1 'b' is on cpu:1 (argument 'b' of @host), expected cpu:0 (default)}}
  %c = relax.add %a, %b : (!host, !one) -> !host
  return %c : !host
}

// -----

!one = tensor<4xf32, #relax.vdevice<"cpu", 1>>
!two = tensor<4xf32, #relax.vdevice<"cpu", 2>>

func.func @field(%a: !one, %b: !two) -> !one {
  %t = relax.tuple %a, %b : (!one, !two) -> tuple<!one, !two>
  %c = relax.tuple_get_item %t {index = 1 : i64} : (tuple<!one, !two>) -> !two
  // expected-error@+1 {{relax.subtract: operand 1 'c' is on cpu:2}}
  %d = relax.subtract %a, %c : (!one, !two) -> !one
  return %d : !one
}

// -----

!host = tensor<4xf32>
!one = tensor<4xf32, #relax.vdevice<"cpu", 1>>

func.func private @callee(%x: !one) -> !one {
  %y = relax.exp %x : (!one) -> !one
  return %y : !one
}

// Everything here is where it is read: a copy, a constant, a value that says nothing, a call.
func.func @fine(%a: !host, %b: !one) -> (!host, !one) {
  %k = relax.constant {value = dense<1.0> : !host} : () -> !host
  %c = relax.to_vdevice %a {dst_vdevice = #relax.vdevice<"cpu", 1>} : (!host) -> !one
  %d = relax.add %c, %b : (!one, !one) -> !host
  %e = relax.add %b, %k : (!one, !host) -> !one
  %f = relax.add %a, %k : (!host, !host) -> !host
  %g = func.call @callee(%e) : (!one) -> !one
  return %f, %g : !host, !one
}

// -----

!host = tensor<4xf32>

// Without a device there is nothing to refuse.
func.func @no_devices(%a: !host, %b: !host) -> !host {
  %c = relax.add %a, %b : (!host, !host) -> !host
  return %c : !host
}
