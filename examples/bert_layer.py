"""Writes bert_layer.mlir: one encoder layer of BERT-base, for any batch and sequence length."""

from __future__ import annotations

from pathlib import Path

from xdsl.ir import Attribute, SSAValue
from xdsl_relax.builder import BlockBuilder, ModuleBuilder, tensor

HIDDEN, INTERMEDIATE, HEADS = 768, 3072, 12
HEAD = HIDDEN // HEADS
EPSILON = 1e-12

Params = dict[str, SSAValue]


def _linear(name: str, inputs: int, outputs: int) -> dict[str, Attribute]:
    return {f"{name}.weight": tensor([outputs, inputs], "f32"), f"{name}.bias": tensor([outputs], "f32")}


def _norm(name: str) -> dict[str, Attribute]:
    return {f"{name}.weight": tensor([HIDDEN], "f32"), f"{name}.bias": tensor([HIDDEN], "f32")}


PARAMETERS = {
    **_linear("attention.self.query", HIDDEN, HIDDEN),
    **_linear("attention.self.key", HIDDEN, HIDDEN),
    **_linear("attention.self.value", HIDDEN, HIDDEN),
    **_linear("attention.output.dense", HIDDEN, HIDDEN),
    **_norm("attention.output.LayerNorm"),
    **_linear("intermediate.dense", HIDDEN, INTERMEDIATE),
    **_linear("output.dense", INTERMEDIATE, HIDDEN),
    **_norm("output.LayerNorm"),
}


def linear(g: BlockBuilder, params: Params, name: str, x: SSAValue) -> SSAValue:
    """Returns `x @ weight.T + bias`."""
    product = g.matmul(x, g.permute_dims(params[f"{name}.weight"], axes=[1, 0]))
    return g.add(product, params[f"{name}.bias"])


def layer_norm(g: BlockBuilder, params: Params, name: str, x: SSAValue) -> SSAValue:
    """Returns the layer norm of x over the hidden dim."""
    return g.nn.layer_norm(x, params[f"{name}.weight"], params[f"{name}.bias"], axes=[-1], epsilon=EPSILON)


def layer(g: BlockBuilder, x: SSAValue, mask: SSAValue, params: Params) -> SSAValue:
    """Returns the layer's output; `mask` is added to the attention scores."""
    q, k, v = (
        g.reshape(linear(g, params, f"attention.self.{name}", x), g.shape("b", "s", HEADS, HEAD))
        for name in ("query", "key", "value")
    )
    attended = g.reshape(g.nn.attention_bias(q, k, v, mask), g.shape("b", "s", HIDDEN))
    projected = linear(g, params, "attention.output.dense", attended)
    x = layer_norm(g, params, "attention.output.LayerNorm", g.add(projected, x))
    inner = g.nn.gelu(linear(g, params, "intermediate.dense", x))
    return layer_norm(g, params, "output.LayerNorm", g.add(linear(g, params, "output.dense", inner), x))


def main(path: str) -> None:
    """Writes the program."""
    m = ModuleBuilder()
    with m.function("main") as f:
        x = f.input("x", tensor(["b", "s", HIDDEN], "f32"))
        mask = f.input("mask", tensor(["b", 1, 1, "s"], "f32"))
        for name, value_type in PARAMETERS.items():
            f.param(name, value_type)
        with f.dataflow() as g:
            result = g.output(layer(g, x, mask, f.params))
        f.returns(result)
    m.write(path, "An encoder layer of BERT-base, for b sequences of s tokens.\nWritten by bert_layer.py.")


if __name__ == "__main__":
    main(str(Path(__file__).with_suffix(".mlir")))
