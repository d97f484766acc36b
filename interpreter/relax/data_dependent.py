"""Interpreter rules. Ops whose result dims depend on the data: nonzero, unique."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...dialects.relax.ops import data_dependent
from ..rule import Bindings, Rules, widened


def _nonzero(op: data_dependent.NonzeroOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    return [np.stack(np.nonzero(np.atleast_1d(args[0]))).astype(np.int64)]


def _unique(op: data_dependent.UniqueOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    (x,) = args
    axis = op.normalized_axis(x.ndim)
    moved = x.reshape(-1, 1) if axis is None else np.moveaxis(x, axis, 0)
    rows = moved.reshape(moved.shape[0], math.prod(moved.shape[1:]))
    codes = np.zeros((rows.shape[0], 1), np.int64) if rows.shape[1] == 0 else _codes(rows)
    _, first, inverse, counts = np.unique(codes, axis=0, return_index=True, return_inverse=True, return_counts=True)
    inverse = inverse.reshape(-1)
    if not op.prop("sorted", True):
        arrival = np.argsort(first, kind="stable")
        rank = np.empty_like(arrival)
        rank[arrival] = np.arange(arrival.size)
        first, inverse, counts = first[arrival], rank[inverse], counts[arrival]
    distinct = x.reshape(-1)[first] if axis is None else np.take(x, first, axis)
    results = [distinct]
    for name, value in (("return_index", first), ("return_inverse", inverse), ("return_counts", counts)):
        if op.prop(name, False):
            results.append(value.astype(np.int64))
    return results


def _codes(rows: Any) -> Any:
    """Returns integers that are ordered and equal as the elements are, all NaNs being equal and largest."""
    _, inverse = np.unique(widened(rows), return_inverse=True, equal_nan=True)
    return inverse.reshape(rows.shape)


RULES: Rules = {
    data_dependent.NonzeroOp: _nonzero,
    data_dependent.UniqueOp: _unique,
}
