"""Interpreter rules of scans; f16 and bf16 accumulate in f32."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...dialects.relax.ops import scan
from ..rule import Bindings, Rule, Rules, result_dtype, widened
from .unary import converted


def _scan(function: Callable[..., Any], neutral: int) -> Rule:
    def rule(op: scan.ScanOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
        x = widened(converted(np.asarray(args[0]), result_dtype(op)))
        axis = op.normalized_axis(x.ndim)
        if axis is None:
            x, axis = x.reshape(-1), 0
        if op.prop("exclusive", False):
            first = np.full_like(x.take([0], axis) if x.shape[axis] else x, neutral)
            x = np.concatenate([first, x.take(range(x.shape[axis] - 1), axis)], axis) if x.shape[axis] else x
        return [np.asarray(function(x, axis=axis, dtype=x.dtype)).astype(result_dtype(op))]

    return rule


RULES: Rules = {
    scan.CumsumOp: _scan(np.cumsum, 0),
    scan.CumprodOp: _scan(np.cumprod, 1),
}
