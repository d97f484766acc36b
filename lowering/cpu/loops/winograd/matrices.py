"""Products of constant matrices by vectors, whose lanes are independent, in few operations.

Rows that differ in signs only are a sum and a difference of two common parts, and columns alike:

    [0, 1, 1, 0] and [0, -1, 1, 0] by d0 ... d3    become    arith.addf %d2, %d1 and arith.subf %d2, %d1
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, VectorType
from xdsl.ir import SSAValue

from .....dialects.relax.rules.winograd import Transform
from ....emit.constructors import binary
from ..builder import LoopBuilder
from ..kernels import add, multiply_add

Factors = Sequence[float]


def on_both_dims(b: LoopBuilder, matrix: Transform, values: Sequence[Sequence[SSAValue]]) -> list[list[SSAValue]]:
    """Emits `T x T^T` for a matrix of vectors: first the columns, then the rows."""
    columns = [apply(b, matrix, column) for column in zip(*values, strict=True)]
    return [apply(b, matrix, row) for row in zip(*columns, strict=True)]


def apply(b: LoopBuilder, matrix: Transform, values: Sequence[SSAValue]) -> list[SSAValue]:
    """Emits `T x` for a column of vectors."""
    columns, values = [list(column) for column in zip(*matrix, strict=True)], list(values)
    for i, j in _pairs(columns):
        x, y = values[i], values[j]
        values[i], values[j] = add(b, x, y), _minus(b, x, y)
        columns[i], columns[j] = _halves(columns[i], columns[j])
    rows = [list(row) for row in zip(*columns, strict=True)]
    results: dict[int, SSAValue] = {}
    for i, j in _pairs(rows):
        same, other = _halves(rows[i], rows[j])
        scale = next(factor for factor in reversed(other) if factor)
        total, part = _sum(b, same, values), _sum(b, [factor / scale for factor in other], values)
        results[i], results[j] = _plus(b, total, scale, part), _plus(b, total, -scale, part)
    return [results[k] if k in results else _sum(b, row, values) for k, row in enumerate(rows)]


def _pairs(rows: Sequence[Factors]) -> list[tuple[int, int]]:
    """Returns the pairs of rows that have some factors alike, and the others with opposite signs."""
    pairs: list[tuple[int, int]] = []
    for j, row in enumerate(rows):
        for i in range(j):
            if any(i in pair for pair in pairs) or list(map(abs, rows[i])) != list(map(abs, row)):
                continue
            if all(map(any, _halves(rows[i], row))):
                pairs.append((i, j))
                break
    return pairs


def _halves(row: Factors, other: Factors) -> tuple[list[float], list[float]]:
    """Returns the factors that two rows have alike, and those of the first one that have opposite signs in the other."""
    return [a if a == b else 0 for a, b in zip(row, other, strict=True)], [
        a if a != b else 0 for a, b in zip(row, other, strict=True)
    ]


def _sum(b: LoopBuilder, factors: Factors, values: Sequence[SSAValue]) -> SSAValue:
    """Emits the sum of vectors by factors: those of 1 first, which takes the fewest operations."""
    terms = sorted(
        ((factor, value) for factor, value in zip(factors, values, strict=True) if factor),
        key=lambda term: term[0] != 1,
    )
    (factor, total), *others = terms
    if factor != 1:
        total = b.insert(binary(arith.MulfOp, total, b.constant(factor, total.type)))
    for factor, value in others:
        total = _plus(b, total, factor, value)
    return total


def _plus(b: LoopBuilder, total: SSAValue, factor: float, value: SSAValue) -> SSAValue:
    """Emits `total + factor * value`."""
    if factor == 1:
        return add(b, total, value)
    if factor == -1:
        return _minus(b, total, value)
    return multiply_add(b, value, b.constant(factor, value.type), total)


def _minus(b: LoopBuilder, x: SSAValue, y: SSAValue) -> SSAValue:
    is_integer = isinstance(cast(VectorType, x.type).element_type, IntegerType)
    return b.insert(binary(arith.SubiOp if is_integer else arith.SubfOp, x, y))
