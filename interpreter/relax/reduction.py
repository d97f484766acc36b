"""Interpreter rules of reductions; f16 and bf16 accumulate in f32."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from ...dialects.relax.ops import reduction
from ..rule import Bindings, Rule, Rules, result_dtype, widened

Array: TypeAlias = "np.ndarray[Any, Any]"


def _reduction(function: Callable[..., Any]) -> Rule:
    """Makes a rule of a function of the widened data, the axes and keepdims."""

    def rule(op: reduction.ReductionOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
        x = widened(np.asarray(args[0]))
        result = function(x, axis=op.axes(x.ndim), keepdims=op.prop("keepdims", False))
        return [np.asarray(result).astype(result_dtype(op))]

    return rule


def _limits(x: Array) -> tuple[Any, Any]:
    if x.dtype.kind == "f":
        return -np.inf, np.inf
    if x.dtype == np.bool_:
        return False, True
    return np.iinfo(x.dtype).min, np.iinfo(x.dtype).max


def mean_of(x: Array, axis: Sequence[int], keepdims: bool = False) -> Any:
    """Returns the mean over axes, NaN where there is nothing."""
    count = np.prod([x.shape[axis_index] for axis_index in axis], dtype=np.int64)
    return np.divide(np.sum(x, axis=tuple(axis), keepdims=keepdims), x.dtype.type(count))


def _variance(x: Array, axis: tuple[int, ...], keepdims: bool) -> Any:
    return mean_of(np.square(x - mean_of(x, axis, True)), axis, keepdims)


def _place(function: Callable[..., Any]) -> Rule:
    def rule(op: reduction.ArgReductionOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
        x = widened(np.asarray(args[0]))
        axes, keepdims = op.axes(x.ndim), op.prop("keepdims", False)
        shape = reduction.reduced(x.shape, axes, keepdims)
        if any(x.shape[axis] == 0 for axis in axes):
            return [np.zeros(bindings.dims(shape), np.int64)]
        axis = None if op.axis is None else axes[0]
        return [np.asarray(function(x, axis=axis), np.int64).reshape(bindings.dims(shape))]

    return rule


RULES: Rules = {
    reduction.SumOp: _reduction(lambda x, **options: np.sum(x, dtype=x.dtype, **options)),
    reduction.ProdOp: _reduction(lambda x, **options: np.prod(x, dtype=x.dtype, **options)),
    reduction.MeanOp: _reduction(mean_of),
    reduction.MaxOp: _reduction(lambda x, **options: np.max(x, initial=_limits(x)[0], **options)),
    reduction.MinOp: _reduction(lambda x, **options: np.min(x, initial=_limits(x)[1], **options)),
    reduction.VarianceOp: _reduction(_variance),
    reduction.StdOp: _reduction(lambda x, **options: np.sqrt(_variance(x, **options))),
    reduction.ArgMaxOp: _place(np.argmax),
    reduction.ArgMinOp: _place(np.argmin),
}
