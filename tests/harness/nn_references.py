"""What tests of examples/nn share: random weights, and the parts of networks in functions of torch.

`import harness.nn_references` makes the scripts of examples/nn importable.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl_relax.frontend import nn

torch = pytest.importorskip("torch")
F = torch.nn.functional

EXAMPLES = Path(__file__).parents[2] / "examples" / "nn"
sys.path.insert(0, str(EXAMPLES))

import llama  # noqa: E402

Weights = dict[str, Any]


def weights_for(model: nn.Module) -> Weights:
    """Binds random weights to a model and returns them: matrices that keep the size of states, all else around 1 or 0."""
    random = torch.Generator().manual_seed(0)
    weights: Weights = {}
    for name, parameter in model.named_parameters():
        if parameter.data is not None:
            continue
        values = torch.randn([int(str(size)) for size in parameter.shape], generator=random)
        if values.ndim > 1:
            values /= math.sqrt(values[0].numel())
        elif name.endswith("running_var"):
            values = values.abs() + 0.5
        else:
            values = values / 5 + (not name.endswith(("bias", "running_mean")))
        parameter.data = weights[name] = values
    return weights


def below(weights: Weights, prefix: str) -> Weights:
    """Returns the weights under a path, by the rest of their paths."""
    return {name.removeprefix(prefix): values for name, values in weights.items() if name.startswith(prefix)}


def tokens_of(shape: tuple[int, ...], vocabulary: int) -> Any:
    return torch.from_numpy(np.random.default_rng(len(shape) + shape[-1]).integers(0, vocabulary, shape, np.int32))


def linear(w: Weights, name: str, x: Any) -> Any:
    return F.linear(x, w[f"{name}.weight"], w.get(f"{name}.bias"))


def norm(w: Weights, name: str, x: Any, eps: float = 1e-5) -> Any:
    return F.layer_norm(x, x.shape[-1:], w[f"{name}.weight"], w[f"{name}.bias"], eps)


def attention(q: Any, k: Any, v: Any, heads: int, kv_heads: int | None = None, **options: Any) -> Any:
    """Returns attention of `[b, s, heads * size]`, heads split and joined."""
    split = [
        x.unflatten(-1, (count, -1)).transpose(1, 2)
        for x, count in ((q, heads), (k, kv_heads or heads), (v, kv_heads or heads))
    ]
    y = F.scaled_dot_product_attention(*split, **options, enable_gqa=kv_heads is not None)
    return y.transpose(1, 2).flatten(-2)


def close(result: Any, expected: Any) -> None:
    torch.testing.assert_close(result, expected, rtol=1e-4, atol=1e-4)


def llama_reference(w: Weights, config: llama.LlamaConfig, tokens: Any) -> tuple[Any, list[Any]]:
    """Returns the scores behind each token, and the keys and values of each layer."""
    size = config.head_size
    angles = torch.outer(torch.arange(tokens.shape[1]), config.rope_theta ** (-torch.arange(0, size, 2) / size))
    turns = torch.polar(torch.ones_like(angles), angles)[:, None]

    def rotated(x: Any) -> Any:
        first, second = x.unflatten(-1, (-1, size)).chunk(2, dim=-1)
        pairs = torch.complex(first, second) * turns
        return torch.cat([pairs.real, pairs.imag], dim=-1).flatten(-2)

    def rms(name: str, x: Any) -> Any:
        return F.rms_norm(x, x.shape[-1:], w[f"{name}.weight"], config.rms_norm_eps)

    x, caches = F.embedding(tokens, w["model.embed_tokens.weight"]), []
    for index in range(config.num_hidden_layers):
        layer = below(w, f"model.layers.{index}.")
        y = rms(f"model.layers.{index}.input_layernorm", x)
        q, k, v = (linear(layer, f"self_attn.{part}_proj", y) for part in "qkv")
        q, k = rotated(q), rotated(k)
        caches += [part.unflatten(-1, (-1, size)) for part in (k, v)]
        y = attention(q, k, v, config.num_attention_heads, config.num_key_value_heads, is_causal=True)
        x = x + linear(layer, "self_attn.o_proj", y)
        y = rms(f"model.layers.{index}.post_attention_layernorm", x)
        y = F.silu(linear(layer, "mlp.gate_proj", y)) * linear(layer, "mlp.up_proj", y)
        x = x + linear(layer, "mlp.down_proj", y)
    head = w["model.embed_tokens.weight" if config.tie_word_embeddings else "lm_head.weight"]
    return F.linear(rms("model.norm", x), head), caches
