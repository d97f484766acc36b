"""Interpreter rules of the element-wise ops of one tensor; f16 and bf16 are computed in f32."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from ...dialects.relax.ops import unary
from ..blockwise import erf
from ..rule import Bindings, Rule, Rules, result_dtype, widened

Array: TypeAlias = "np.ndarray[Any, Any]"


def _unary(function: Callable[[Any], Any]) -> Rule:
    """Makes a rule of a function of the widened data."""
    return lambda op, args, bindings: [converted(np.asarray(function(widened(args[0]))), result_dtype(op))]


def _of_floats(function: Callable[[Any], Any]) -> Rule:
    """Makes a rule of a function that leaves integers as they are."""
    return _unary(lambda x: x if x.dtype.kind in "iu" else function(x))


def converted(x: Array, dtype: np.dtype[Any]) -> Array:
    """Returns an array with its elements converted as `relax.astype` does."""
    if x.dtype == dtype:
        return x
    x = widened(x)
    if dtype.kind == "b":
        return x != 0
    if x.dtype.kind == "f" and dtype.kind in "iu":
        return _saturated(x, dtype)
    # ml_dtypes' bf16 is of the kind "V".
    if dtype.itemsize == 2 and dtype.kind in "fV":
        return x.astype(np.float32).astype(dtype)
    return x.astype(dtype)


def _saturated(x: Array, dtype: np.dtype[Any]) -> Array:
    limits = np.iinfo(dtype)
    # The bound above is a power of two, thus a float; the greatest integer itself may not be one.
    below, above = x < float(limits.min), x >= float(limits.max + 1)
    inside = np.where(below | above | np.isnan(x), 0, x).astype(dtype)
    return np.where(above, limits.max, np.where(below, limits.min, inside)).astype(dtype)


def _clip(op: unary.ClipOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    x, (low, high) = args[0], op.bounds()
    if x.dtype.kind in "iu":
        limits = np.iinfo(x.dtype)
        low, high = (min(max(bound, limits.min), limits.max) for bound in (low, high))
    low, high = (np.asarray(bound).astype(x.dtype) for bound in (low, high))
    wide = np.minimum(np.maximum(widened(x), widened(low)), widened(high))
    return [np.asarray(wide).astype(x.dtype)]


RULES: Rules = {
    unary.AbsOp: _unary(np.abs),
    unary.AcosOp: _unary(np.arccos),
    unary.AcoshOp: _unary(np.arccosh),
    unary.AsinOp: _unary(np.arcsin),
    unary.AsinhOp: _unary(np.arcsinh),
    unary.AtanOp: _unary(np.arctan),
    unary.AtanhOp: _unary(np.arctanh),
    unary.BitwiseNotOp: _unary(np.invert),
    unary.CeilOp: _of_floats(np.ceil),
    unary.ClipOp: _clip,
    unary.CosOp: _unary(np.cos),
    unary.CoshOp: _unary(np.cosh),
    unary.ErfOp: _unary(erf),
    unary.ExpOp: _unary(np.exp),
    unary.FloorOp: _of_floats(np.floor),
    unary.IsFiniteOp: _unary(np.isfinite),
    unary.IsInfOp: _unary(np.isinf),
    unary.IsNanOp: _unary(np.isnan),
    unary.LogOp: _unary(np.log),
    unary.LogicalNotOp: _unary(np.logical_not),
    unary.NegativeOp: _unary(np.negative),
    unary.RoundOp: _of_floats(np.rint),
    unary.RsqrtOp: _unary(lambda x: 1 / np.sqrt(x)),
    unary.SigmoidOp: _unary(lambda x: 1 / (1 + np.exp(-x))),
    unary.SignOp: _unary(lambda x: (x > 0).astype(x.dtype) - (x < 0).astype(x.dtype)),
    unary.SinOp: _unary(np.sin),
    unary.SinhOp: _unary(np.sinh),
    unary.SqrtOp: _unary(np.sqrt),
    unary.SquareOp: _unary(np.square),
    unary.TanOp: _unary(np.tan),
    unary.TanhOp: _unary(np.tanh),
    unary.AsTypeOp: lambda op, args, bindings: [converted(args[0], result_dtype(op))],
    unary.BitcastOp: lambda op, args, bindings: [np.array(args[0], order="C").view(result_dtype(op))],
}
