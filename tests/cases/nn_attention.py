"""Cases of attention; the oracle is torch's attention in float64 with an explicit mask."""

from __future__ import annotations

import numpy as np
from harness.op_cases import FLOATS, Arg, Case
from xdsl.dialects.builtin import f16, f32
from xdsl.ir import Attribute
from xdsl_relax.dialects.relax.ops.nn import attention as nn


def _oracle(causal_mask=None, window=None, scale=None):
    def attention(query, key, value, bias=None):
        import torch

        queries, keys = query.shape[1], key.shape[1]
        row = np.arange(queries)[:, None] + (keys - queries if causal_mask == "BottomRight" else 0)
        column = np.arange(keys)[None, :]
        seen = np.ones((queries, keys), bool) if causal_mask is None else column <= row
        if window is not None:
            seen &= column + window > row
        mask = np.where(seen, 0.0, -np.inf)[None, None]
        if bias is not None:
            mask = mask + bias
        q, k, v = (torch.from_numpy(operand).transpose(1, 2) for operand in (query, key, value))
        result = torch.nn.functional.scaled_dot_product_attention(
            q, k, v, torch.from_numpy(mask), scale=scale, enable_gqa=True
        )
        return np.where(np.any(seen, axis=1)[None, :, None, None], result.transpose(1, 2).numpy(), 0)

    return attention


def _qkv(batch, queries, keys, heads, key_heads, dim, element: Attribute = f32, value_dim=None):
    return [
        Arg((batch, queries, heads, dim), element),
        Arg((batch, keys, key_heads, dim), element),
        Arg((batch, keys, key_heads, value_dim or dim), element),
    ]


SIZES = {"b": 2, "s": 5, "t": 9, "h": 3, "d": 8}

CASES = (
    *(
        Case(f"attention-{element}", nn.AttentionOp, _qkv("b", "s", "t", 3, 3, 8, element), _oracle(), {}, SIZES)
        for element in FLOATS
    ),
    Case("attention-scale", nn.AttentionOp, _qkv(1, 4, 4, 2, 2, 16), _oracle(scale=0.3), {"scale": 0.3}),
    Case("attention-value-dim", nn.AttentionOp, _qkv(2, 3, 5, 2, 2, 8, value_dim=6), _oracle()),
    Case("attention-symbolic", nn.AttentionOp, _qkv("b", "s", "t", "h", "h", "d"), _oracle(), {}, SIZES),
    Case("attention-one-query", nn.AttentionOp, _qkv(1, 1, "t", 4, 2, 8), _oracle("BottomRight"),
         {"causal_mask": "BottomRight"}, SIZES),
    *(
        Case(f"attention-{mask}-{queries}-{keys}-{window}", nn.AttentionOp, _qkv(2, queries, keys, 4, 2, 8),
             _oracle(mask, window), {"causal_mask": mask, "window_size": window}, SIZES)
        for mask in ("TopLeft", "BottomRight")
        for queries, keys, window in (("s", "t", None), ("t", "s", None), ("t", "t", 3))
    ),
    *(
        Case(f"attention-grouped-{element}", nn.AttentionOp, _qkv("b", "s", "t", 6, 2, 8, element), _oracle(), {},
             SIZES)
        for element in (f32, f16)
    ),
    *(
        Case(f"attention_bias-{'x'.join(map(str, bias))}", nn.AttentionBiasOp,
             [*_qkv("b", "s", "t", heads, 2, 8), Arg(bias)], _oracle(), {}, SIZES)
        for heads, bias in ((2, ("b", 2, "s", "t")), (4, ("b", 4, "s", "t")), (4, (1, 1, "s", "t")),
                            (4, ("b", 1, 1, "t")), (2, (1, 2, 1, "t")))
    ),
    Case("attention_bias-mask", nn.AttentionBiasOp,
         [*_qkv("b", "s", "t", 2, 2, 8, f16),
          Arg(("b", 1, 1, "t"), f16, lambda rng, shape: np.where(np.arange(shape[3]) < 4, 0, -np.inf) + np.zeros(shape))],
         _oracle(), {}, SIZES),
    Case("attention_bias-causal", nn.AttentionBiasOp, [*_qkv(1, 5, 5, 4, 1, 8), Arg((1, 4, 5, 5))],
         _oracle("TopLeft"), {"causal_mask": "TopLeft"}),
)  # fmt: skip
