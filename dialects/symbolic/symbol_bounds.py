"""Upper bounds of sizes, from the bounds that a function declares for its symbols."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects import func

from ..relax.scope import used_symbols
from ..relax.vocabulary.attributes import SYM_LOWER_BOUNDS, SYM_UPPER_BOUNDS
from .expressions import Dim, Known, OperandDim, Symbol, apply

Interval = tuple[int | None, int | None]
"""The least and the greatest value, `None` where there is none."""


@dataclass(frozen=True)
class SymbolBounds:
    """Bounds of the symbols of a function; other symbols are sizes, thus not negative."""

    upper: Mapping[str, int] = field(default_factory=dict[str, int])
    lower: Mapping[str, int] = field(default_factory=dict[str, int])

    @classmethod
    def of(cls, function: func.FuncOp) -> SymbolBounds:
        """Returns the bounds that a function declares for the symbols of its signature; those of other symbols do not count."""
        signature = function.function_type
        known = {name for one in (*signature.inputs.data, *signature.outputs.data) for name in used_symbols(one)}
        upper, lower = SYM_UPPER_BOUNDS.of(function) or {}, SYM_LOWER_BOUNDS.of(function) or {}
        return cls(*({name: size for name, size in one.items() if name in known} for one in (upper, lower)))

    def of_dim(self, dim: Dim) -> Dim:
        """Returns the upper bound of a dim: a number, else an expression in symbols without bounds, else the dim itself."""
        if dim is None or isinstance(dim, int):
            return dim
        most = self.interval(dim)[1]
        if most is not None:
            return most
        bounded = self._extreme(dim, upper=True)
        return dim if bounded is None else bounded

    def interval(self, dim: Known) -> Interval:
        """Returns the least and the greatest value of a dim."""
        if isinstance(dim, int):
            return dim, dim
        if isinstance(dim, Symbol):
            return self.lower.get(dim.name, 0), self.upper.get(dim.name)
        if isinstance(dim, OperandDim):
            return 0, None
        return _apply(dim.op, self.interval(dim.lhs), self.interval(dim.rhs))

    def _extreme(self, dim: Known, upper: bool) -> Dim:
        """Returns a dim with the symbols that have bounds at their extremes; `None` where that is no bound."""
        if isinstance(dim, int):
            return dim
        if isinstance(dim, Symbol):
            return self.upper.get(dim.name, dim) if upper else self.lower.get(dim.name, dim)
        if isinstance(dim, OperandDim):
            return dim
        match dim.op:
            case "+" | "min" | "max":
                return apply(dim.op, self._extreme(dim.lhs, upper), self._extreme(dim.rhs, upper))
            case "-":
                return apply("-", self._extreme(dim.lhs, upper), self._extreme(dim.rhs, not upper))
            case "*" if self._is_size(dim.lhs) and self._is_size(dim.rhs):
                return apply("*", self._extreme(dim.lhs, upper), self._extreme(dim.rhs, upper))
            case "floordiv" if isinstance(dim.rhs, int) and dim.rhs > 0:
                return apply("floordiv", self._extreme(dim.lhs, upper), dim.rhs)
            case _:
                return None

    def _is_size(self, dim: Known) -> bool:
        least = self.interval(dim)[0]
        return least is not None and least >= 0


def _apply(op: str, lhs: Interval, rhs: Interval) -> Interval:
    (a, b), (c, d) = lhs, rhs
    match op:
        case "+":
            return _sum(a, c), _sum(b, d)
        case "-":
            return _sum(a, _negated(d)), _sum(b, _negated(c))
        case "*":
            return _product(lhs, rhs)
        case "floordiv" if c is not None and c > 0:
            positive = a is not None and a >= 0
            return (0 if positive and d is None else _quotient(a, d if positive else c)), _quotient(b, c)
        case "mod" if c is not None and c > 0:
            remainder = None if d is None else d - 1
            return 0, _least(remainder, b) if a is not None and a >= 0 else remainder
        case "min":
            return (None if a is None or c is None else min(a, c)), _least(b, d)
        case "max":
            return (max(one for one in (a, c) if one is not None) if (a, c) != (None, None) else None), (
                None if b is None or d is None else max(b, d)
            )
        case _:
            return None, None


def _sum(lhs: int | None, rhs: int | None) -> int | None:
    return None if lhs is None or rhs is None else lhs + rhs


def _negated(value: int | None) -> int | None:
    return None if value is None else -value


def _quotient(value: int | None, divisor: int | None) -> int | None:
    return None if value is None or divisor is None else value // divisor


def _least(lhs: int | None, rhs: int | None) -> int | None:
    known = [one for one in (lhs, rhs) if one is not None]
    return min(known) if known else None


def _product(lhs: Interval, rhs: Interval) -> Interval:
    if lhs[0] is not None and lhs[0] == lhs[1]:
        low, high = (None if one is None else lhs[0] * one for one in rhs)
        return (low, high) if lhs[0] >= 0 else (high, low)
    if lhs[0] is not None and rhs[0] is not None and lhs[0] >= 0 and rhs[0] >= 0:
        return lhs[0] * rhs[0], None if lhs[1] is None or rhs[1] is None else lhs[1] * rhs[1]
    corners = [None if one is None or other is None else one * other for one in lhs for other in rhs]
    known = [corner for corner in corners if corner is not None]
    return (min(known), max(known)) if len(known) == len(corners) else (None, None)
