"""Interpreter rules of shape values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...dialects.relax.ops import shape
from ..rule import Bindings, InterpreterError, Rules, result_dtype
from .unary import converted


def _tensor_to_shape(op: shape.TensorToShapeOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    sizes = tuple(int(size) for size in args[0])
    limits: Sequence[int | None] = args[1] if len(args) > 1 else [None] * len(sizes)
    for axis, (size, limit) in enumerate(zip(sizes, limits, strict=True)):
        if size < 0:
            raise InterpreterError(f"tensor_to_shape: size {axis} is negative, got {size}")
        if limit is not None and size > limit:
            raise InterpreterError(f"tensor_to_shape: size {axis} exceeds its bound {limit}, got {size}")
    return [sizes]


def _symbol_value(op: shape.SymbolValueOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    return [converted(np.asarray(args[0][op.prop("index", 0)], np.int64), result_dtype(op))]


RULES: Rules = {
    shape.ShapeOfOp: lambda op, args, bindings: [tuple(np.shape(args[0]))],
    shape.ShapeToTensorOp: lambda op, args, bindings: [np.array(args[0], np.int64)],
    shape.TensorToShapeOp: _tensor_to_shape,
    shape.SymbolValueOp: _symbol_value,
}
