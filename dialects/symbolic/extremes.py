"""The greatest size that an expression stands for, as an expression in the symbols of which no greatest size is known."""

from __future__ import annotations

from .expressions import Dim, Known, apply
from .nodes import Leaf
from .order import Ranges, interval, is_nonnegative


def upper_bound(dim: Dim, ranges: Ranges) -> Dim:
    """Returns an upper bound: a number, else an expression in symbols without bounds, else the dim itself."""
    if dim is None or isinstance(dim, int):
        return dim
    most = interval(dim, ranges)[1]
    if most is not None:
        return most
    bounded = _extreme(dim, ranges, upper=True)
    return dim if bounded is None else bounded


def _extreme(dim: Known, ranges: Ranges, upper: bool) -> Dim:
    """Returns a dim with the symbols that have bounds at their extremes; `None` where that is no bound."""
    # What is subtracted is taken at the other extreme; factors are not negative, a divisor is a positive number; all else has no bound.
    if isinstance(dim, int):
        return dim
    if isinstance(dim, Leaf):
        low, high = ranges.of(dim)
        bound = high if upper else low or None
        return dim if bound is None else bound
    match dim.op:
        case "+" | "min" | "max":
            return apply(dim.op, _extreme(dim.lhs, ranges, upper), _extreme(dim.rhs, ranges, upper))
        case "-":
            return apply("-", _extreme(dim.lhs, ranges, upper), _extreme(dim.rhs, ranges, not upper))
        case "*" if is_nonnegative(dim.lhs, ranges) and is_nonnegative(dim.rhs, ranges):
            return apply("*", _extreme(dim.lhs, ranges, upper), _extreme(dim.rhs, ranges, upper))
        case "floordiv" if isinstance(dim.rhs, int) and dim.rhs > 0:
            return apply("floordiv", _extreme(dim.lhs, ranges, upper), dim.rhs)
        case _:
            return None
