"""Interpreter rules of the creation of tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from ...dialects.relax.ops import create
from ..blockwise import BLOCK
from ..host.memory import require_memory
from ..rule import Bindings, Rule, Rules, result_dtype
from .unary import converted


def _filled(value: int, like: bool) -> Rule:
    """Makes a rule for a constant value; the operand is a shape, or an array of that shape."""

    def rule(op: Any, args: Sequence[Any], bindings: Bindings) -> list[Any]:
        shape = np.shape(args[0]) if like else args[0]
        _require_memory(op, shape)
        return [np.full(shape, value, result_dtype(op))]

    return rule


def _require_memory(op: Any, shape: Sequence[int]) -> None:
    require_memory(prod(map(int, shape)) * result_dtype(op).itemsize)


def _full(op: create.FullOp | create.FullLikeOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    shape = args[0] if isinstance(op, create.FullOp) else np.shape(args[0])
    _require_memory(op, shape)
    return [np.array(np.broadcast_to(converted(np.asarray(args[1]), result_dtype(op)), shape))]


def _arange(op: create.ArangeOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    limits: tuple[Any, Any, Any] = args[0] if args else op.limits()
    start, end, step = limits
    dtype = result_dtype(op)
    result = np.empty(bindings.dim(create.arange_length(start, end, step)), dtype)
    for first in range(0, result.size, BLOCK):
        indices = np.arange(first, min(first + BLOCK, result.size), dtype=np.int64)
        # With floats the product is one of f64, otherwise of i64.
        result[first : first + BLOCK] = converted(np.asarray(start + indices * step), dtype)
    return [result]


def _diagonal(op: create.DiagonalOp, shape: Sequence[int]) -> Any:
    """Returns how far each element of a matrix is above diagonal `k`."""
    rows, columns = shape[-2:]
    return np.arange(columns)[None, :] - np.arange(rows)[:, None] - op.diagonal()


def _eye(op: create.EyeOp | create.EyeLikeOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    shape = args[0] if isinstance(op, create.EyeOp) else np.shape(args[0])
    return [(_diagonal(op, shape) == 0).astype(result_dtype(op))]


def _triangle(keep: Callable[[Any], Any]) -> Rule:
    def rule(op: create.TriangleOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
        x = np.asarray(args[0])
        return [np.where(keep(_diagonal(op, x.shape)), x, np.zeros((), x.dtype))]

    return rule


def _hamming_window(op: create.HammingWindowOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    (size,) = args[0]
    period = size if op.prop("periodic", True) else size - 1
    window = op.prop("alpha", 0.54) - op.prop("beta", 0.46) * np.cos(np.arange(size) * (2 * np.pi) / period)
    return [converted(np.ones(1) if size == 1 else window, result_dtype(op))]


RULES: Rules = {
    create.ZerosOp: _filled(0, like=False),
    create.OnesOp: _filled(1, like=False),
    create.FullOp: _full,
    create.ZerosLikeOp: _filled(0, like=True),
    create.OnesLikeOp: _filled(1, like=True),
    create.FullLikeOp: _full,
    create.ArangeOp: _arange,
    create.EyeOp: _eye,
    create.EyeLikeOp: _eye,
    create.TrilOp: _triangle(lambda above: above <= 0),
    create.TriuOp: _triangle(lambda above: above >= 0),
    create.HammingWindowOp: _hamming_window,
}
