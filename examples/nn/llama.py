"""Llama: prefill and decode with caches that stay in place; parameters have the names of `LlamaForCausalLM` of Hugging Face.

python examples/nn/llama.py --num-hidden-layers 2 llama.mlir
relax-run llama.mlir --entry decode --dim m=9 --dim position=7 --check
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from command_line import parsed, run, write
from xdsl_relax.frontend import nn
from xdsl_relax.frontend.nn import op
from xdsl_relax.frontend.nn.tensor import apply


@dataclass
class LlamaConfig:
    """The sizes of a Llama, under the names of a `config.json`."""

    hidden_size: int = 64
    intermediate_size: int = 172
    num_hidden_layers: int = 2
    num_attention_heads: int = 4
    num_key_value_heads: int = 2
    head_dim: int = 0
    """The size of a head; 0 for the hidden size over the number of heads."""
    vocab_size: int = 320
    rms_norm_eps: float = 1e-5
    rope_theta: float = 10000.0
    attention_bias: bool = False
    tie_word_embeddings: bool = False
    dtype: str = "float32"

    def __post_init__(self) -> None:
        if self.hidden_size % self.num_attention_heads and not self.head_dim:
            raise ValueError(
                f"expected a hidden_size that {self.num_attention_heads} heads divide, or a head_dim, got {self.hidden_size}"
            )
        if self.num_attention_heads % self.num_key_value_heads:
            raise ValueError(
                f"expected num_attention_heads that num_key_value_heads divides, got {self.num_attention_heads} and "
                f"{self.num_key_value_heads}"
            )
        if self.head_size % 2:
            raise ValueError(f"expected heads of an even size, got {self.head_size}")

    @property
    def head_size(self) -> int:
        """The size of a head."""
        return self.head_dim or self.hidden_size // self.num_attention_heads


Rotation = tuple[nn.Tensor, nn.Tensor]
"""Cosines and sines, `[s, 1, head_dim]`."""


def rotation(config: LlamaConfig, start: Any, end: Any) -> Rotation:
    """Returns the rotation of the positions from `start` up to, without, `end`."""
    frequencies = config.rope_theta ** (-np.arange(0, config.head_size, 2) / config.head_size)
    positions = op.reshape(op.arange(start, end, dtype="int32").astype("float32"), [-1, 1, 1])
    angles = positions * nn.Tensor.from_const(np.tile(frequencies, 2).astype(np.float32))
    return apply("cos", angles, name="cos").astype(config.dtype), apply("sin", angles, name="sin").astype(config.dtype)


def rotated(x: nn.Tensor, by: Rotation) -> nn.Tensor:
    """Returns queries or keys `[b, s, heads, head_dim]` with their pairs, an element of each half, rotated."""
    first, second = op.split(x, 2, axis=-1)
    cos, sin = by
    return x * cos + op.concat([-second, first], dim=-1) * sin


@dataclass
class Cache:
    """The keys and values of a layer, `[b, capacity, heads, head_size]` each, with the tokens so far in the first rows."""

    keys: nn.Tensor
    values: nn.Tensor
    position: Any
    """The number of tokens so far."""

    def append(self, keys: nn.Tensor, values: nn.Tensor) -> tuple[nn.Tensor, nn.Tensor]:
        """Writes the rows of new tokens, and returns the keys and values of all tokens."""
        begin, end = self.position, self.position + keys.shape[1]
        self.keys = apply("slice_scatter", self.keys, keys, [begin], [end], axis=1, name="keys")
        self.values = apply("slice_scatter", self.values, values, [begin], [end], axis=1, name="values")
        keys, values = (
            apply("strided_slice", rows, [0], [end], axes=[1], assume_inbound=True, name="rows")
            for rows in (self.keys, self.values)
        )
        return keys, values


class LlamaAttention(nn.Module):
    """Attention with grouped queries."""

    def __init__(self, config: LlamaConfig):
        self.config = config
        size, bias = config.head_size, config.attention_bias
        self.q_proj = nn.Linear(config.hidden_size, config.num_attention_heads * size, bias=bias)
        self.k_proj = nn.Linear(config.hidden_size, config.num_key_value_heads * size, bias=bias)
        self.v_proj = nn.Linear(config.hidden_size, config.num_key_value_heads * size, bias=bias)
        self.o_proj = nn.Linear(config.num_attention_heads * size, config.hidden_size, bias=bias)

    def forward(self, x: nn.Tensor, by: Rotation, cache: Cache) -> nn.Tensor:
        """Returns the attention to all tokens so far."""
        b, s, _ = x.shape
        q, k, v = (
            layer(x).reshape(b, s, -1, self.config.head_size) for layer in (self.q_proj, self.k_proj, self.v_proj)
        )
        k, v = cache.append(rotated(k, by), v)
        y = apply("nn.attention", rotated(q, by), k, v, causal_mask="BottomRight", name="attention")
        return self.o_proj(y.reshape(b, s, -1))


class LlamaMlp(nn.Module):
    """The feed-forward block. One product computes both of its inner layers: their weights are joined when the model is compiled."""

    def __init__(self, config: LlamaConfig):
        self.gate_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)
        self.gate_up_proj = nn.Linear(config.hidden_size, 2 * config.intermediate_size, bias=False)
        self.gate_up_proj.weight = op.concat([self.gate_proj.weight, self.up_proj.weight], dim=0, name="gate_up_weight")

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        """Returns the block of the hidden states."""
        gate, up = op.split(self.gate_up_proj(x), 2, axis=-1)
        return self.down_proj(op.silu(gate) * up)


class LlamaLayer(nn.Module):
    """Attention and the feed-forward block, each on normalized states."""

    def __init__(self, config: LlamaConfig):
        self.self_attn = LlamaAttention(config)
        self.mlp = LlamaMlp(config)
        self.input_layernorm = nn.RMSNorm(config.hidden_size, -1, config.rms_norm_eps, bias=False)
        self.post_attention_layernorm = nn.RMSNorm(config.hidden_size, -1, config.rms_norm_eps, bias=False)

    def forward(self, x: nn.Tensor, by: Rotation, cache: Cache) -> nn.Tensor:
        """Returns the states behind the layer."""
        x = x + self.self_attn(self.input_layernorm(x), by, cache)
        return x + self.mlp(self.post_attention_layernorm(x))


class LlamaModel(nn.Module):
    """The layers, from tokens to hidden states."""

    def __init__(self, config: LlamaConfig):
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList([LlamaLayer(config) for _ in range(config.num_hidden_layers)])
        self.norm = nn.RMSNorm(config.hidden_size, -1, config.rms_norm_eps, bias=False)

    def forward(self, tokens: nn.Tensor, by: Rotation, caches: Sequence[Cache]) -> nn.Tensor:
        """Returns the states of `[b, s]` tokens."""
        x = self.embed_tokens(tokens)
        for layer, cache in zip(self.layers, caches, strict=True):
            x = layer(x, by, cache)
        return self.norm(x)


class LlamaForCausalLM(nn.Module):
    """Llama with its head: scores of the next token."""

    def __init__(self, config: LlamaConfig):
        self.config = config
        self.model = LlamaModel(config)
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        if config.tie_word_embeddings:
            self.lm_head.weight = self.model.embed_tokens.weight
        self.to(config.dtype)

    def prefill(self, tokens: nn.Tensor, position: Any, **rows: nn.Tensor) -> Any:
        """Returns the scores `[b, 1, vocab_size]` behind `[b, s]` more tokens, and the keys and values of each layer with theirs."""
        s, names = tokens.shape[1], self.cache_names()
        caches = [
            Cache(rows[keys], rows[values], position) for keys, values in zip(names[::2], names[1::2], strict=True)
        ]
        x = self.model(tokens, rotation(self.config, position, position + s), caches)
        last = apply("strided_slice", x, [s - 1], [s], axes=[1], assume_inbound=True, name="last")
        return self.lm_head(last), *(part for cache in caches for part in (cache.keys, cache.values))

    def decode(self, tokens: nn.Tensor, position: Any, **rows: nn.Tensor) -> Any:
        """Returns what `prefill` does, for one token `[b, 1]`."""
        return self.prefill(tokens, position, **rows)

    def cache_names(self) -> list[str]:
        """Returns the names of the arguments that are caches."""
        return [f"{kind}_{layer}" for layer in range(self.config.num_hidden_layers) for kind in ("keys", "values")]

    def spec(self) -> dict[str, nn.spec.MethodSpec]:
        """Returns what `prefill` and `decode` take, of any batch, length and capacity `m`; the caches stay in place."""
        config, names = self.config, self.cache_names()
        rows = nn.spec.Tensor(["b", "m", config.num_key_value_heads, config.head_size], config.dtype)
        donate = {name: index for index, name in enumerate(names, 1)}

        def method(function: Any, length: int | str) -> nn.spec.MethodSpec:
            specs = [nn.spec.Tensor(["b", length], "int32"), nn.spec.Int(), *[rows] * len(names)]
            return nn.spec.MethodSpec(function, ["tokens", "position", *names], specs, donate=donate)

        return {"prefill": method(self.prefill, "s"), "decode": method(self.decode, 1)}

    def caches(self, batch: int, capacity: int) -> list[np.ndarray]:
        """Returns arrays for the keys and values of up to `capacity` tokens."""
        shape = batch, capacity, self.config.num_key_value_heads, self.config.head_size
        return [np.zeros(shape, self.config.dtype) for _ in self.cache_names()]


def main() -> None:
    """Writes the program of a Llama of the sizes that the options say."""
    config, path = parsed(__doc__, LlamaConfig())
    model = LlamaForCausalLM(config)
    write(model, model.spec(), path)


if __name__ == "__main__":
    run(main)
