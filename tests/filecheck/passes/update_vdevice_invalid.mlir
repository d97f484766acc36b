// RUN: not relax-opt %s -p 'relax-update-vdevice{index=2 to="cpu:3"}' 2>&1 | filecheck %s --check-prefix=RANGE
// RUN: not relax-opt %s -p 'relax-update-vdevice{to="cpu:"}' 2>&1 | filecheck %s --check-prefix=TO
// RANGE: error: relax-update-vdevice: index must be in [0, 1), got 2
// TO: error: to: expected a device as KIND:INDEX or KIND:INDEX:SCOPE, got 'cpu:'
module attributes {relax.vdevices = [#relax.vdevice<"cpu", 1>]} {
}
