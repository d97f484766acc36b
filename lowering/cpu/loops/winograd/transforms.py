"""The transforms of Winograd's convolution on vectors of tiles that lie side by side in a row.

[1, 0, -1, 0] and vectors d0 ... d3    become    arith.subf %d0, %d2
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from .....dialects.relax.rules.winograd import Transform
from ..builder import LoopBuilder


def on_both_dims(b: LoopBuilder, matrix: Transform, values: Sequence[Sequence[SSAValue]]) -> list[list[SSAValue]]:
    """Emits `T x T^T` for a matrix of vectors: first the columns, then the rows."""
    columns = [apply(b, matrix, column) for column in zip(*values, strict=True)]
    return [apply(b, matrix, row) for row in zip(*columns, strict=True)]


def apply(b: LoopBuilder, matrix: Transform, values: Sequence[SSAValue]) -> list[SSAValue]:
    """Emits `T x` for a column of vectors."""
    return [_combine(b, row, values) for row in matrix]


def _combine(b: LoopBuilder, factors: Sequence[float], values: Sequence[SSAValue]) -> SSAValue:
    """Emits a sum of vectors with factors 1, -1 or 0, those that are added first."""
    added = [value for factor, value in zip(factors, values, strict=True) if factor == 1]
    total = added[0]
    for value in added[1:]:
        total = b.insert(arith.AddfOp(total, value))
    for factor, value in zip(factors, values, strict=True):
        assert factor in (-1, 0, 1)
        if factor == -1:
            total = b.insert(arith.SubfOp(total, value))
    return total


def every_other(b: LoopBuilder, low: SSAValue, high: SSAValue, lanes: int) -> tuple[SSAValue, SSAValue]:
    """Emits the even and the odd lanes of two vectors put one after the other."""
    return b.shuffle(low, high, range(0, 2 * lanes, 2)), b.shuffle(low, high, range(1, 2 * lanes, 2))


def interleaved(b: LoopBuilder, even: SSAValue, odd: SSAValue, lanes: int) -> tuple[SSAValue, SSAValue]:
    """Emits two vectors whose lanes come from both in turn."""
    order = [lane + part for lane in range(lanes) for part in (0, lanes)]
    return b.shuffle(even, odd, order[:lanes]), b.shuffle(even, odd, order[lanes:])
