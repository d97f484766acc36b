// RUN: relax-opt %s --verify-diagnostics -p relax-realize-vdevice

module attributes {relax.vdevices = [#relax.vdevice<"cpu">, #relax.vdevice<"cpu", 1>]} {
  func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error@+1 {{relax.hint_on_device: cpu:2 is not in relax.vdevices; the module has cpu:0, cpu:1}}
    %a = relax.hint_on_device %x {dst_vdevice = #relax.vdevice<"cpu", 2>} : (tensor<4xf32>) -> tensor<4xf32>
    return %a : tensor<4xf32>
  }
}
