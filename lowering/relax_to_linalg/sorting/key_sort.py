"""Sorts a table: few keys by their ranks, more by their digits."""

from __future__ import annotations

from ...emit.emitter import Index
from ..builder import LinalgBuilder
from .radix_sort import radix_sort
from .rank_sort import rank_sort
from .table import FEW, Table


def key_sort(b: LinalgBuilder, table: Table, count: Index, capacity: Index, digits: int) -> tuple[Table, Index]:
    """Sorts the first `count` keys, ascending as unsigned integers, and items along with them; equal keys keep their order.

    Returns the table together with the offset of the half that holds the result, 0 or `capacity`.
    """
    if isinstance(count, int):
        if count <= FEW:
            return rank_sort(b, table, count, capacity), capacity
        return radix_sort(b, table, count, capacity, digits)
    # Each does nothing for no keys.
    is_few = b.less(count, FEW + 1)
    table = rank_sort(b, table, b.minimum(b.select(is_few, count, 0), FEW), capacity)
    table, offset = radix_sort(b, table, b.select(is_few, 0, count), capacity, digits)
    return table, b.select(is_few, capacity, offset)
