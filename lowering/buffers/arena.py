"""Plans where scratch lies in one arena, so that what is needed at the same time does not overlap.

1. Items of constant size are placed largest first, workspaces of calls behind the others where that takes no more. Each goes
   into the smallest gap that holds it, between the items placed so far that are needed at the same time; without such a gap,
   behind them.
2. Items of symbolic size, the largest by estimate first, share slots behind all that. An item takes a slot that no item needs
   at the same time: the smallest that is provably large enough, else the first, which grows (`arith.maxsi`), else a new one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import TypeAlias

from xdsl.dialects import memref
from xdsl.ir import Operation

from ...records import record
from ...targets.cpu import BUFFER_ALIGNMENT
from ..sizes.index_expr import Expr, aligned, const, maximum

Device: TypeAlias = "str | None"
"""A device as `relax.vdevice` names it; `None` is the host."""


@record(frozen=False, eq=False)
class Item:
    """What needs memory while the ops from `start` to `end` run: an allocation, or the workspace of a call."""

    op: Operation
    size: Expr
    start: int
    end: int
    device: Device = None
    offset: Expr = field(default_factory=lambda: const(0))

    def meets(self, other: Item) -> bool:
        """Returns whether both need their memory at the same time."""
        return self.start <= other.end and other.start <= self.end


def plan(items: Sequence[Item]) -> Expr:
    """Sets the offset of each item and returns the bytes needed; see the head of this file."""
    fixed = [(size, item) for item in items if (size := item.size.constant) is not None]
    return _plan_symbolic([item for item in items if item.size.constant is None], const(_plan_fixed(fixed)))


def _plan_fixed(items: Sequence[tuple[int, Item]]) -> int:
    """Sets offsets; workspaces of calls come last where that takes no more: kernels that leave them untouched then leave no holes."""
    together = _placed(sorted(items, key=lambda pair: (-pair[0], pair[1].start)))
    apart = _placed(
        sorted(items, key=lambda pair: (not isinstance(pair[1].op, memref.AllocOp), -pair[0], pair[1].start))
    )
    total, offsets = min(apart, together, key=lambda placed: placed[0])
    for item, (offset, _) in offsets.items():
        item.offset = const(offset)
    return total


def _placed(items: Sequence[tuple[int, Item]]) -> tuple[int, dict[Item, tuple[int, int]]]:
    """Returns the bytes needed where items are placed in this order, and where each lies."""
    placed = Lifetimes()
    ranges: dict[Item, tuple[int, int]] = {}
    total = 0
    for size, item in items:
        size = -(-size // BUFFER_ALIGNMENT) * BUFFER_ALIGNMENT
        offset = _best_gap(size, sorted(ranges[other] for other in placed.meeting(item)))
        ranges[item] = (offset, offset + size)
        placed.add(item)
        total = max(total, offset + size)
    return total, ranges


def _best_gap(size: int, taken: Sequence[tuple[int, int]]) -> int:
    """Returns the offset of the smallest gap between taken ranges that holds a size, or their end."""
    best: tuple[int, int] | None = None
    end = 0
    for start, stop in taken:
        gap = start - end
        if gap >= size and (best is None or gap < best[0]):
            best = (gap, end)
        end = max(end, stop)
    return end if best is None else best[1]


def _plan_symbolic(items: Sequence[Item], start: Expr) -> Expr:
    slots: list[_Slot] = []
    for item in sorted(items, key=lambda item: (-item.size.estimate(), item.start)):
        size = aligned(item.size, BUFFER_ALIGNMENT)
        free = [slot for slot in slots if slot.is_free(item)]
        fitting = [slot for slot in free if size.at_most(slot.size)]
        if fitting:
            slot = min(fitting, key=lambda slot: slot.size.estimate())
        elif free:
            slot = free[0]
            slot.size = maximum(slot.size, size)
        else:
            slot = _Slot(size)
            slots.append(slot)
        slot.add(item)
    offset = start
    for slot in slots:
        for item in slot.items:
            item.offset = offset
        offset = offset + slot.size
    return offset


class Lifetimes:
    """Finds the items that are needed at the same time as another one, without a look at all of them.

    An item is kept in the one or two cells of 2^k ops that it meets, where k is the least for which these are no more than two.
    """

    def __init__(self) -> None:
        self._levels: dict[int, dict[int, list[Item]]] = {}

    def add(self, item: Item) -> None:
        """Adds an item."""
        level = (item.end - item.start).bit_length()
        cells = self._levels.setdefault(level, {})
        for cell in range(item.start >> level, (item.end >> level) + 1):
            cells.setdefault(cell, []).append(item)

    def meeting(self, item: Item) -> Iterator[Item]:
        """Yields each item that was added and meets this one, once."""
        for level, cells in self._levels.items():
            first, last = item.start >> level, item.end >> level
            met = range(first, last + 1) if last - first < len(cells) else [c for c in cells if first <= c <= last]
            for cell in met:
                for other in cells.get(cell, ()):
                    # An item in two cells is yielded in the first of them that is visited.
                    if other.meets(item) and cell == max(first, other.start >> level):
                        yield other


class _Slot:
    """Memory of symbolic size that items use one after the other."""

    def __init__(self, size: Expr):
        self.size = size
        self.items: list[Item] = []
        self._spans: list[tuple[int, int]] = []
        """When it is in use, in order."""

    def is_free(self, item: Item) -> bool:
        """Returns whether no item of the slot is needed at the same time."""
        index = bisect_right(self._spans, item.end, key=lambda span: span[0])
        return index == 0 or self._spans[index - 1][1] < item.start

    def add(self, item: Item) -> None:
        """Gives the memory to an item that needs it while no other item does."""
        self.items.append(item)
        index = bisect_right(self._spans, item.start, key=lambda span: span[0])
        self._spans.insert(index, (item.start, item.end))
