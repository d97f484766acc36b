"""Indices of a kernel that are outside of the tensor that they read, whatever its sizes are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from ....builder.types import dim
from ....dialects.symbolic.expressions import Dim, Symbol, apply
from ....dialects.symbolic.order import Ranges, at_most
from .expressions import INDEX, Apply, Axis, Constant, Expr, Load, Reduction, SizeValue

Linear: TypeAlias = tuple[dict[Axis, int], Dim]
"""Factors of axes, and what is added to their products."""


def outside(body: Expr, axes: tuple[Axis, ...]) -> str | None:
    """Returns what is wrong with an index that some iteration over the axes of a computation has; `None` where nothing is known to be.

    What `te.if_then_else` decides on is not looked at, nor an index that is not linear: the program checks these when it runs.
    """
    extents = [dim(axis.extent) for axis in (*axes, *(body.axes if isinstance(body, Reduction) else ()))]
    if 0 in extents:
        return None
    # Where there is an iteration at all, no extent is 0.
    ranges = Ranges({extent.name: (1, None) for extent in extents if isinstance(extent, Symbol)})
    for load in _always_read(body):
        for place, (index, size) in enumerate(zip(load.indices, map(dim, load.tensor.shape), strict=True)):
            low, high = _extremes(_linear(index))
            below = low is not None and at_most(low, -1, ranges)
            above = high is not None and size is not None and at_most(size, high, ranges)
            if below or above:
                runs = f"index {place} runs from {low} to {high}"
                return f"{runs}, outside of a dim of size {size}: guard what is read by te.if_then_else"
    return None


def _always_read(body: Expr) -> Iterator[Load]:
    """Yields the elements that every iteration reads."""
    seen: set[int] = set()
    waiting = [body]
    while waiting:
        item = waiting.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        match item:
            case Load():
                yield item
                waiting += item.indices
            case Apply(op="select"):
                waiting.append(item.args[0])
            case Apply():
                waiting += item.args
            case Reduction():
                waiting.append(item.body)
            case _:
                pass


def _linear(index: Expr) -> Linear | None:
    """Returns an index as a linear expression of axes; `None` for any other."""
    # Invariant: what is returned is exact as long as 64 bits hold the index, and no dim is that long.
    if index.dtype != INDEX:
        return None
    match index:
        case Axis():
            return {index: 1}, 0
        case Constant():
            return {}, int(index.value)
        case SizeValue():
            return {}, index.size.dim
        case Apply(op="add" | "sub" as op, args=(left, right)):
            lhs, rhs = _linear(left), _linear(right)
            return None if lhs is None or rhs is None else _sum(lhs, rhs, 1 if op == "add" else -1)
        case Apply(op="mul", args=(left, right)):
            lhs, rhs = _linear(left), _linear(right)
            if lhs is None or rhs is None:
                return None
            value, factor = (lhs, rhs) if not rhs[0] and isinstance(rhs[1], int) else (rhs, lhs)
            if factor[0] or not isinstance(factor[1], int):
                return None
            return _sum(({}, 0), value, factor[1])
        case _:
            return None


def _sum(lhs: Linear, rhs: Linear, factor: int) -> Linear:
    """Returns an expression with a multiple of another added."""
    factors = {axis: lhs[0].get(axis, 0) + factor * rhs[0].get(axis, 0) for axis in (*lhs[0], *rhs[0])}
    return factors, apply("+", lhs[1], apply("*", factor, rhs[1]))


def _extremes(index: Linear | None) -> tuple[Dim, Dim]:
    """Returns the least and the greatest value of an index, which some iterations have."""
    if index is None:
        return None, None
    factors, low = index
    high = low
    for axis, factor in factors.items():
        first, last = axis.low, apply("+", apply("-", dim(axis.extent), 1), axis.low)
        low = apply("+", low, apply("*", factor, first if factor > 0 else last))
        high = apply("+", high, apply("*", factor, last if factor > 0 else first))
    return low, high
