// The feed-forward block of Llama 7B for any number n of tokens: down(silu(gate(x)) * up(x)).
// Weights are laid out as PyTorch's nn.Linear has them, [out, in]; their transposes depend on weights alone.
func.func @main(
    %x: tensor<?x4096xf16, #relax.sym<n>>,
    %gate: tensor<11008x4096xf16> {relax.name = "mlp.gate_proj.weight"},
    %up: tensor<11008x4096xf16> {relax.name = "mlp.up_proj.weight"},
    %down: tensor<4096x11008xf16> {relax.name = "mlp.down_proj.weight"}
) -> tensor<?x4096xf16, #relax.sym<n>> attributes {relax.num_input = 1 : i64} {
  %result = relax.dataflow {
    %gate_t = relax.permute_dims %gate {axes = array<i64: 1, 0>} : (tensor<11008x4096xf16>) -> tensor<4096x11008xf16>
    %up_t = relax.permute_dims %up {axes = array<i64: 1, 0>} : (tensor<11008x4096xf16>) -> tensor<4096x11008xf16>
    %down_t = relax.permute_dims %down {axes = array<i64: 1, 0>} : (tensor<4096x11008xf16>) -> tensor<11008x4096xf16>
    %g = relax.matmul %x, %gate_t : (tensor<?x4096xf16, #relax.sym<n>>, tensor<4096x11008xf16>) -> tensor<?x11008xf16, #relax.sym<n>>
    %u = relax.matmul %x, %up_t : (tensor<?x4096xf16, #relax.sym<n>>, tensor<4096x11008xf16>) -> tensor<?x11008xf16, #relax.sym<n>>
    %a = relax.nn.silu %g : (tensor<?x11008xf16, #relax.sym<n>>) -> tensor<?x11008xf16, #relax.sym<n>>
    %m = relax.multiply %a, %u : (tensor<?x11008xf16, #relax.sym<n>>, tensor<?x11008xf16, #relax.sym<n>>) -> tensor<?x11008xf16, #relax.sym<n>>
    %y = relax.matmul %m, %down_t : (tensor<?x11008xf16, #relax.sym<n>>, tensor<11008x4096xf16>) -> tensor<?x4096xf16, #relax.sym<n>>
    relax.output %y : tensor<?x4096xf16, #relax.sym<n>>
  } : tensor<?x4096xf16, #relax.sym<n>>
  return %result : tensor<?x4096xf16, #relax.sym<n>>
}
