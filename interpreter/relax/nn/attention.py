"""Interpreter rules of attention; f16 and bf16 are computed in f32 and rounded once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....dialects.relax.ops.nn import attention as nn_attention
from ...rule import Bindings, Rules, result_dtype, widened


def _visible(op: nn_attention.AttentionLikeOp, queries: int, keys: int) -> Any:
    """Returns which key (column) each query (row) sees."""
    causal_mask, window = op.prop("causal_mask"), op.prop("window_size")
    if causal_mask is None:
        return None
    last = np.arange(queries)[:, None] + (keys - queries if causal_mask == "BottomRight" else 0)
    key = np.arange(keys)[None, :]
    visible = key <= last
    return visible if window is None else visible & (key > last - window)


def _attention(op: nn_attention.AttentionLikeOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    query, key, value = (widened(arg).transpose(0, 2, 1, 3) for arg in args[:3])
    heads, key_heads = query.shape[1], key.shape[1]
    if heads != key_heads:
        key, value = (np.repeat(array, heads // key_heads, axis=1) for array in (key, value))
    scale = op.prop("scale")
    scores = np.matmul(query, key.swapaxes(2, 3))
    scores = scores * scores.dtype.type(np.divide(1.0, math.sqrt(query.shape[3])) if scale is None else scale)
    if len(args) == 4:
        scores = scores + widened(args[3])
    visible = _visible(op, *scores.shape[2:])
    if visible is not None:
        scores = np.where(visible, scores, scores.dtype.type(-np.inf))
    lowest = np.finfo(scores.dtype).min
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True, initial=lowest))
    total = np.maximum(np.sum(weights, axis=-1, keepdims=True), 1)
    return [(np.matmul(weights, value) / total).transpose(0, 2, 1, 3).astype(result_dtype(op))]


RULES: Rules = {
    nn_attention.AttentionOp: _attention,
    nn_attention.AttentionBiasOp: _attention,
}
