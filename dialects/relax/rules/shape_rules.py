"""Shape rules that several op families share."""

from __future__ import annotations

from collections.abc import Sequence

from ...symbolic.conditions import SizeContext
from ...symbolic.expressions import Dim
from ..base import fail


def broadcast(
    context: SizeContext, lhs: Sequence[Dim] | None, rhs: Sequence[Dim] | None, constraint: str
) -> tuple[Dim, ...] | None:
    """Returns the numpy broadcast of two shapes.

    Two dims agree when they are equal or one of them is 1. A symbol against another symbol is taken as unknown where its value may
    be 1 on either side.
    """
    if lhs is None or rhs is None:
        return None
    rank = max(len(lhs), len(rhs))
    padded_lhs = (1,) * (rank - len(lhs)) + tuple(lhs)
    padded_rhs = (1,) * (rank - len(rhs)) + tuple(rhs)
    return tuple(
        _broadcast_dim(context, a, b, lhs, rhs, constraint) for a, b in zip(padded_lhs, padded_rhs, strict=True)
    )


def broadcast_batch(context: SizeContext, lhs: Sequence[Dim], rhs: Sequence[Dim], constraint: str) -> tuple[Dim, ...]:
    """Returns the numpy broadcast of two shapes; that a symbol is 1 is seen before the program runs, or not at all."""
    result = broadcast(context, lhs, rhs, constraint)
    assert result is not None
    for a, b in zip(reversed(lhs), reversed(rhs), strict=False):
        if a != 1 and b != 1:
            context.differ(a, b)
    return result


def _broadcast_dim(
    context: SizeContext, a: Dim, b: Dim, lhs: Sequence[Dim], rhs: Sequence[Dim], constraint: str
) -> Dim:
    if a == 1:
        return b
    if b == 1 or context.equal(a, b) is True:
        return a
    # Of two sizes that are never 1 neither is broadcast.
    never_one = context.is_at_least(a, 2) and context.is_at_least(b, 2)
    if (isinstance(a, int) and isinstance(b, int)) or (never_one and context.differ(a, b)):
        fail(constraint, f"shapes do not broadcast: {shape_text(lhs)} and {shape_text(rhs)}")
    if isinstance(a, int):
        return a
    if isinstance(b, int):
        return b
    return a if never_one else None


def shape_text(dims: Sequence[Dim] | None) -> str:
    """Returns a shape as people write it: `[n, 4]`, `[*]` for an unknown rank."""
    if dims is None:
        return "[*]"
    return "[" + ", ".join("?" if dim is None else str(dim) for dim in dims) + "]"
