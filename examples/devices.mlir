// The product is computed where its weights are, on cpu:1; `relax-plan-devices` copies what goes there and comes back.
func.func @main(%x: tensor<?x64xf32, [#relax.sym<n>, #relax.vdevice<"cpu", 0, "global">]>, %w: tensor<64x64xf32, #relax.vdevice<"cpu", 1, "global">>) -> tensor<?x64xf32, [#relax.sym<n>, #relax.vdevice<"cpu", 0, "global">]> {
  %r = relax.dataflow {
    %a = relax.tanh %x : (tensor<?x64xf32, [#relax.sym<n>, #relax.vdevice<"cpu", 0, "global">]>) -> tensor<?x64xf32, #relax.sym<n>>
    %b = relax.matmul %a, %w : (tensor<?x64xf32, #relax.sym<n>>, tensor<64x64xf32, #relax.vdevice<"cpu", 1, "global">>) -> tensor<?x64xf32, [#relax.sym<n>, #relax.vdevice<"cpu", 1, "global">]>
    %c = relax.add %b, %a : (tensor<?x64xf32, [#relax.sym<n>, #relax.vdevice<"cpu", 1, "global">]>, tensor<?x64xf32, #relax.sym<n>>) -> tensor<?x64xf32, [#relax.sym<n>, #relax.vdevice<"cpu", 0, "global">]>
    relax.output %c : tensor<?x64xf32, [#relax.sym<n>, #relax.vdevice<"cpu", 0, "global">]>
  } : tensor<?x64xf32, [#relax.sym<n>, #relax.vdevice<"cpu", 0, "global">]>
  return %r : tensor<?x64xf32, [#relax.sym<n>, #relax.vdevice<"cpu", 0, "global">]>
}
