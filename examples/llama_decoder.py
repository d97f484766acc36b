"""Writes llama_decoder.mlir: a small Llama whose `prefill` and `decode` share one list of parameters.

Usage: python llama_decoder.py [LAYERS [FILE]]
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.ir import Attribute, SSAValue
from xdsl_relax.builder import BlockBuilder, FunctionBuilder, ModuleBuilder, tensor

HIDDEN, INTERMEDIATE, HEADS, KV_HEADS, VOCABULARY = 256, 688, 8, 2, 1000
HEAD = HIDDEN // HEADS
EPSILON = 1e-5


def parameters(layers: int) -> dict[str, Attribute]:
    """Returns the parameters by their names in a Hugging Face checkpoint; linear weights are [out, in]."""
    params = {"model.embed_tokens.weight": tensor([VOCABULARY, HIDDEN], "f32")}
    for layer in range(layers):
        prefix = f"model.layers.{layer}."
        params |= {
            f"{prefix}input_layernorm.weight": tensor([HIDDEN], "f32"),
            f"{prefix}self_attn.q_proj.weight": tensor([HIDDEN, HIDDEN], "f32"),
            f"{prefix}self_attn.k_proj.weight": tensor([KV_HEADS * HEAD, HIDDEN], "f32"),
            f"{prefix}self_attn.v_proj.weight": tensor([KV_HEADS * HEAD, HIDDEN], "f32"),
            f"{prefix}self_attn.o_proj.weight": tensor([HIDDEN, HIDDEN], "f32"),
            f"{prefix}post_attention_layernorm.weight": tensor([HIDDEN], "f32"),
            f"{prefix}mlp.gate_proj.weight": tensor([INTERMEDIATE, HIDDEN], "f32"),
            f"{prefix}mlp.up_proj.weight": tensor([INTERMEDIATE, HIDDEN], "f32"),
            f"{prefix}mlp.down_proj.weight": tensor([HIDDEN, INTERMEDIATE], "f32"),
        }
    return params | {
        "model.norm.weight": tensor([HIDDEN], "f32"),
        "lm_head.weight": tensor([VOCABULARY, HIDDEN], "f32"),
    }


def linear(g: BlockBuilder, x: SSAValue, weight: SSAValue) -> SSAValue:
    """Returns `x @ weight.T`."""
    return g.matmul(x, g.permute_dims(weight, axes=[1, 0]))


def rotary_tables(g: BlockBuilder, positions: SSAValue, length: int | str) -> tuple[SSAValue, SSAValue]:
    """Returns cos and sin of position times frequency, of shape [length, 1, HEAD]."""
    frequencies = (10000.0 ** (-np.arange(0, HEAD, 2) / HEAD)).astype(np.float32)
    column = g.reshape(g.astype(positions, dtype="f32"), g.shape(length, 1))
    angles = g.multiply(column, g.constant(frequencies.reshape(1, -1)))
    angles_of_halves = g.reshape(g.concat(angles, angles, axis=1), g.shape(length, 1, HEAD))
    return g.cos(angles_of_halves), g.sin(angles_of_halves)


def rotate(g: BlockBuilder, x: SSAValue, cos: SSAValue, sin: SSAValue) -> SSAValue:
    """Returns the rotary embedding of x, [1, length, heads, HEAD]."""
    first, second = g.split(x, sections=2, axis=3)
    rotated = g.concat(g.negative(second), first, axis=3)
    return g.add(g.multiply(x, cos), g.multiply(rotated, sin))


def model(
    g: BlockBuilder,
    params: dict[str, SSAValue],
    layers: int,
    tokens: SSAValue,
    positions: SSAValue,
    length: int | str,
    past: Sequence[SSAValue],
) -> list[Any]:
    """Returns the logits, then the keys and values of each layer, the past ones included."""
    cos, sin = rotary_tables(g, positions, length)
    x = g.take(params["model.embed_tokens.weight"], tokens, axis=0)
    caches: list[SSAValue] = []
    for layer in range(layers):
        weight = {
            name.split(f"layers.{layer}.")[1]: value for name, value in params.items() if f"layers.{layer}." in name
        }
        normed = g.nn.rms_norm(x, weight["input_layernorm.weight"], axes=[-1], epsilon=EPSILON)
        q, k, v = (
            g.reshape(linear(g, normed, weight[f"self_attn.{name}_proj.weight"]), g.shape(1, length, heads, HEAD))
            for name, heads in (("q", HEADS), ("k", KV_HEADS), ("v", KV_HEADS))
        )
        q, k = rotate(g, q, cos, sin), rotate(g, k, cos, sin)
        if past:
            k = g.concat(past[2 * layer], k, axis=1)
            v = g.concat(past[2 * layer + 1], v, axis=1)
        caches += [k, v]
        attended = g.nn.attention(q, k, v, causal_mask="BottomRight")
        attended = g.reshape(attended, g.shape(1, length, HIDDEN))
        x = g.add(x, linear(g, attended, weight["self_attn.o_proj.weight"]))
        normed = g.nn.rms_norm(x, weight["post_attention_layernorm.weight"], axes=[-1], epsilon=EPSILON)
        gate = g.nn.silu(linear(g, normed, weight["mlp.gate_proj.weight"]))
        up = linear(g, normed, weight["mlp.up_proj.weight"])
        x = g.add(x, linear(g, g.multiply(gate, up), weight["mlp.down_proj.weight"]))
    x = g.nn.rms_norm(x, params["model.norm.weight"], axes=[-1], epsilon=EPSILON)
    return [linear(g, x, params["lm_head.weight"]), *caches]


def build(layers: int) -> ModuleBuilder:
    """Returns the program with this number of layers."""
    m = ModuleBuilder()
    with m.function("prefill") as f:
        tokens = f.input("tokens", tensor([1, "s"], "i64"))
        positions = f.input("positions", tensor(["s"], "i64"))
        add_body(f, layers, tokens, positions, "s", ())
    with m.function("decode") as f:
        token = f.input("token", tensor([1, 1], "i64"))
        position = f.input("position", tensor([1], "i64"))
        cache = tensor([1, "m", KV_HEADS, HEAD], "f32")
        past = [f.input(f"{kind}_{layer}", cache) for layer in range(layers) for kind in ("key", "value")]
        add_body(f, layers, token, position, 1, past)
    return m


def add_body(
    f: FunctionBuilder,
    layers: int,
    tokens: SSAValue,
    positions: SSAValue,
    length: int | str,
    past: Sequence[SSAValue],
) -> None:
    """Adds the parameters, the model and the results to a function that has its inputs."""
    for name, value_type in parameters(layers).items():
        f.param(name, value_type)
    with f.dataflow() as g:
        results = g.output(*model(g, f.params, layers, tokens, positions, length, past))
    f.returns(*results)


def main(layers: int, path: str) -> None:
    """Writes the program with this number of layers."""
    comment = (
        f"A Llama of {layers} layers: rms_norm, rotary embedding, grouped-query attention with a cache of keys and values, silu MLP.\n"
        "prefill: s tokens and their positions -> logits, caches. decode: one token and the caches of m tokens -> the same.\n"
        "Written by llama_decoder.py."
    )
    build(layers).write(path, comment)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    default = Path(__file__).with_suffix(".mlir")
    main(int(arguments[0]) if arguments else 2, arguments[1] if len(arguments) > 1 else str(default))
