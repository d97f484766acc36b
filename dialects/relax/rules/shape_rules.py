"""Shape rules that several op families share."""

from __future__ import annotations

from collections.abc import Sequence

from ...symbolic.conditions import SizeContext
from ...symbolic.expressions import Dim
from ..base import fail


def broadcast(
    context: SizeContext, lhs: Sequence[Dim] | None, rhs: Sequence[Dim] | None, constraint: str
) -> tuple[Dim, ...] | None:
    """Returns the numpy broadcast of two shapes, see `broadcast_known`; `None` if the rank of one is unknown."""
    return None if lhs is None or rhs is None else broadcast_known(context, lhs, rhs, constraint)


def broadcast_known(context: SizeContext, lhs: Sequence[Dim], rhs: Sequence[Dim], constraint: str) -> tuple[Dim, ...]:
    """Returns the numpy broadcast of two shapes.

    Two dims agree when they are equal or one of them is the number 1. A symbol is never broadcast: sizes that may differ must be equal
    when the program runs, also where one of them turns out to be 1.
    """
    rank = max(len(lhs), len(rhs))
    result: list[Dim] = []
    for a, b in zip((1,) * (rank - len(lhs)) + tuple(lhs), (1,) * (rank - len(rhs)) + tuple(rhs), strict=True):
        if a != 1 and b != 1 and context.differ(a, b, broadcasts=True):
            fail(constraint, f"shapes do not broadcast: {shape_text(lhs)} and {shape_text(rhs)}")
        result.append(broadcast_dim(a, b))
    return tuple(result)


def broadcast_dim(a: Dim, b: Dim) -> Dim:
    """Returns the dim that two broadcast to, provided that they agree: the more precise one."""
    if a == 1 or a is None:
        return b
    return b if b != 1 and isinstance(b, int) else a


def agreed(context: SizeContext, sizes: Sequence[Dim], constraint: str) -> Dim:
    """Returns the one dim that several dims must be equal to, the most precise of them."""
    best = sizes[0]
    for size in sizes[1:]:
        if context.differ(best, size):
            fail(constraint, f"dims must be equal, got {best} and {size}")
        if best is None or isinstance(size, int):
            best = size
    return best


def shape_text(dims: Sequence[Dim] | None) -> str:
    """Returns a shape as people write it: `[n, 4]`, `[*]` for an unknown rank."""
    if dims is None:
        return "[*]"
    return "[" + ", ".join("?" if dim is None else str(dim) for dim in dims) + "]"
