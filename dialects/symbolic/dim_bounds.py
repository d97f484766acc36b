"""What a dim is at least and at most, whatever its symbols are."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

from .expressions import Apply, Known, OperandDim, Symbol, evaluate

Bound: TypeAlias = int | None
"""The least or the largest value of a dim, `None` where there is none."""


def is_nonnegative(dim: Known) -> bool:
    """Returns whether a dim is evidently not negative, whatever its symbols are."""
    least, _ = bounds(dim)
    return least is not None and least >= 0


@lru_cache(maxsize=65536)
def bounds(dim: Known) -> tuple[Bound, Bound]:
    """Returns the least and the largest value that a dim may have, each where it is evident; symbols are not negative."""
    if isinstance(dim, int):
        return dim, dim
    if isinstance(dim, Symbol | OperandDim):
        return 0, None
    (low, high), (least, most) = bounds(dim.lhs), bounds(dim.rhs)
    match dim.op:
        case "+":
            return _each("+", low, least), _each("+", high, most)
        case "-":
            return _each("-", low, most), _each("-", high, least)
        case "*" if isinstance(dim.lhs, int):
            ends = _each("*", dim.lhs, least), _each("*", dim.lhs, most)
            return ends if dim.lhs >= 0 else (ends[1], ends[0])
        case "*" if low is not None and least is not None and low >= 0 and least >= 0:
            return low * least, _each("*", high, most)
        case "floordiv" if isinstance(dim.rhs, int) and dim.rhs > 0:
            return _each("floordiv", low, dim.rhs), _each("floordiv", high, dim.rhs)
        case "floordiv" if low is not None and low >= 0 and least is not None and least >= 0:
            return 0, high
        case "mod" if least is not None and least >= 0:
            return 0, _each("-", most, 1)
        case "min":
            return _each("min", low, least), high if most is None else most if high is None else min(high, most)
        case "max":
            return low if least is None else least if low is None else max(low, least), _each("max", high, most)
        case _:
            return None, None


def _each(op: str, lhs: Bound, rhs: Bound) -> Bound:
    return None if lhs is None or rhs is None else evaluate(Apply(op, lhs, rhs), {})
