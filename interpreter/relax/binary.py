"""Interpreter rules of the element-wise ops of two tensors; f16 and bf16 are computed in f32."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ...dialects.relax.ops import binary
from ..rule import Rule, Rules, result_dtype, widened

Array: TypeAlias = "np.ndarray[Any, Any]"


def _binary(function: Callable[[Array, Array], Any]) -> Rule:
    """Makes a rule of a function of the widened operands."""
    return lambda op, args, bindings: [
        np.asarray(function(widened(np.asarray(args[0])), widened(np.asarray(args[1])))).astype(result_dtype(op))
    ]


def _divide(x: Array, y: Array) -> Array:
    if x.dtype.kind == "f":
        return np.divide(x, y)
    quotient = np.floor_divide(x, y)
    # A floored quotient that is not exact is one less than a truncated one, where the signs differ.
    rounded_down = (np.remainder(x, y) != 0) & ((x < 0) != (y < 0))
    return np.where(y == 0, 0, quotient + rounded_down.astype(x.dtype)).astype(x.dtype)


def _power(x: Array, y: Array) -> Array:
    if x.dtype.kind == "f":
        return np.power(x, y)
    x, y = np.broadcast_arrays(x, y)
    result = np.power(x, np.where(y < 0, 0, y).astype(y.dtype))
    if x.dtype.kind == "u":
        return result
    inverse = np.where(x == 1, 1, np.where(x == -1, np.where(y % 2 == 0, 1, -1), 0))
    return np.where(y < 0, inverse.astype(x.dtype), result)


RULES: Rules = {
    binary.AddOp: _binary(np.add),
    binary.SubtractOp: _binary(np.subtract),
    binary.MultiplyOp: _binary(np.multiply),
    binary.DivideOp: _binary(_divide),
    binary.FloorDivideOp: _binary(np.floor_divide),
    binary.PowerOp: _binary(_power),
    binary.ModOp: _binary(np.fmod),
    binary.FloorModOp: _binary(np.remainder),
    binary.MaximumOp: _binary(np.maximum),
    binary.MinimumOp: _binary(np.minimum),
    binary.LogAddExpOp: _binary(np.logaddexp),
    binary.EqualOp: _binary(np.equal),
    binary.NotEqualOp: _binary(np.not_equal),
    binary.LessOp: _binary(np.less),
    binary.LessEqualOp: _binary(np.less_equal),
    binary.GreaterOp: _binary(np.greater),
    binary.GreaterEqualOp: _binary(np.greater_equal),
    binary.LogicalAndOp: _binary(np.logical_and),
    binary.LogicalOrOp: _binary(np.logical_or),
    binary.LogicalXorOp: _binary(np.logical_xor),
    binary.BitwiseAndOp: _binary(np.bitwise_and),
    binary.BitwiseOrOp: _binary(np.bitwise_or),
    binary.BitwiseXorOp: _binary(np.bitwise_xor),
    binary.LeftShiftOp: _binary(np.left_shift),
    binary.RightShiftOp: _binary(np.right_shift),
    binary.WhereOp: lambda op, args, bindings: [np.asarray(np.where(args[0], args[1], args[2]))],
}
