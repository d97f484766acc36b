"""Quotients by a constant that are rounded to integers, without a division.

    %x / 0.3 + 12582912.0        for -38.4 <= %x <= 38.1

becomes, where a target multiplies and adds by one instruction,

    (fma %x, high, %x * low) + 12582912.0      where high + low is 1 / 0.3, each rounded to f32

The sum has 48 bits of the quotient before it is rounded, and yet it may be the neighbor of the f32 next to the quotient. The integers
are equal all the same: that is tried for each bound when the program is compiled, and where it does not hold the division stays.
"""

from __future__ import annotations

from functools import lru_cache
from math import isfinite
from typing import Any, cast

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, VectorType, f32
from xdsl.ir import Operation, SSAValue

from ...emit.scalar import ROUNDER
from .builder import MathBuilder, Value

Floats = np.ndarray[Any, np.dtype[np.float32]]

MOST_INTEGERS = 1 << 16
"""The integers between the bounds that are tried at most."""

NEAR = 8
"""The floats on either side of a bound between two integers that are tried: both quotients are wrong by less than two of these."""


def is_rounded_quotient(op: Operation) -> bool:
    """Returns whether an op is a quotient of f32 by a constant, of a number with constant bounds, that is only rounded by a sum."""
    return isinstance(op, arith.DivfOp) and parameters_of(op) is not None


def rounded_quotient(m: MathBuilder, op: Operation) -> Value:
    """Returns a number that is rounded to the same integer as the quotient."""
    x, divisor = m.wrap(op.operands[0]), m.wrap(op.operands[1])
    parameters = parameters_of(op)
    parts = None if parameters is None else parts_of_reciprocal(*parameters)
    if parts is None:
        return x / divisor
    high, low = parts
    return x.fma(high, x * low)


def parameters_of(op: Operation) -> tuple[float, float, float] | None:
    """Returns the divisor and the bounds."""
    divisor, result = constant_of(op.operands[1]), op.results[0]
    users = [use.operation for use in result.uses]
    if divisor is None or _element(result) != f32 or len(users) != 1 or not _rounds(users[0]):
        return None
    upper = op.operands[0].owner
    lower = upper.operands[0].owner if isinstance(upper, arith.MinnumfOp) else None
    if not isinstance(upper, arith.MinnumfOp) or not isinstance(lower, arith.MaxnumfOp):
        return None
    least, greatest = constant_of(lower.operands[1]), constant_of(upper.operands[1])
    return None if least is None or greatest is None else (divisor, least, greatest)


def _rounds(op: Operation) -> bool:
    return isinstance(op, arith.AddfOp) and constant_of(op.rhs) == ROUNDER


def _element(value: SSAValue) -> object:
    return value.type.element_type if isinstance(value.type, VectorType) else value.type


def constant_of(value: SSAValue) -> float | None:
    """Returns the number that a constant has, in all lanes."""
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp):
        return None
    if isinstance(owner.value, FloatAttr):
        return owner.value.value.data
    if isinstance(owner.value, DenseIntOrFPElementsAttr) and owner.value.is_splat():
        return float(cast(float, owner.value.get_values()[0]))
    return None


@lru_cache(maxsize=1024)
def parts_of_reciprocal(divisor: float, least: float, greatest: float) -> tuple[float, float] | None:
    """Returns the reciprocal of an f32 divisor as a sum of two f32, or None.

    For every f32 between the bounds `fma(x, high, x * low)` is rounded to the same integer as `x / divisor`.
    """
    if not (isfinite(least) and isfinite(greatest) and 0 < divisor < float("inf") and least <= greatest):
        return None
    with np.errstate(all="ignore"):
        if not (greatest - least) / divisor < MOST_INTEGERS:
            return None
        high = np.float32(1 / divisor)
        low = np.float32((1 - float(high) * divisor) / divisor)
        if not np.isfinite(high) or not np.isfinite(low):
            return None
        integers = np.arange(np.floor(least / divisor) - 1, np.ceil(greatest / divisor) + 1)
        x = _neighbors(((integers + 0.5) * divisor).astype(np.float32))
        x = np.clip(x[np.isfinite(x)], np.float32(least), np.float32(greatest))
        wanted = np.rint(x / np.float32(divisor))
        # In f64 the product is exact, and the sum nearly so: what is rounded next to it must be right on both sides.
        total = x.astype(np.float64) * np.float64(high) + (x * low).astype(np.float64)
        sides = (np.nextafter(total, side).astype(np.float32) for side in (-np.inf, np.inf))
        is_same = all(np.array_equal(np.rint(side), wanted) for side in sides)
    return (float(high), float(low)) if is_same else None


def _neighbors(x: Floats) -> Floats:
    """Returns floats, and those next to them."""
    floats = [x]
    for side in (np.float32(-np.inf), np.float32(np.inf)):
        near = x
        for _ in range(NEAR):
            near = np.nextafter(near, side)
            floats.append(near)
    return np.concatenate(floats)
