"""Interpreter rules. Sorting along an axis: sort, argsort, topk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...dialects.relax.ops import sorting
from ..rule import Bindings, Rules, result_dtype, widened


def order(x: Any, axis: int, descending: bool) -> Any:
    """Returns the indices that sort stably along an axis; NaN is larger than every number."""
    wide = widened(x)
    if not descending:
        return np.argsort(wide, axis, kind="stable")
    # Stable and descending: the reverse of the ascending order of the reversed elements.
    reversed_order = np.argsort(np.flip(wide, axis), axis, kind="stable")
    return x.shape[axis] - 1 - np.flip(reversed_order, axis)


def _sort(op: sorting.SortOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    axis = op.normalized_axis(args[0].ndim)
    return [np.take_along_axis(args[0], order(args[0], axis, op.prop("descending", False)), axis)]


def _argsort(op: sorting.ArgsortOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    axis = op.normalized_axis(args[0].ndim)
    return [order(args[0], axis, op.prop("descending", False)).astype(result_dtype(op))]


def _topk(op: sorting.TopKOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    (x,) = args
    axis = op.normalized_axis(x.ndim)
    count = op.count(x.shape[axis])
    assert isinstance(count, int)
    indices = np.take(order(x, axis, op.prop("largest", True)), range(count), axis)
    values = np.take_along_axis(x, indices, axis)
    ret_type = op.prop("ret_type", "both")
    if ret_type == "values":
        return [values]
    indices = indices.astype(result_dtype(op, len(op.results) - 1))
    return [values, indices] if ret_type == "both" else [indices]


RULES: Rules = {
    sorting.SortOp: _sort,
    sorting.ArgsortOp: _argsort,
    sorting.TopKOp: _topk,
}
