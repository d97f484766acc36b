"""Loops around panels that a kernel has itself, so that the sums of a tile stay in registers for all panels."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import SSAValue

from ....emit.emitter import Index
from ..builder import LoopBuilder


def for_parts(
    b: LoopBuilder,
    counts: Sequence[int],
    distances: Sequence[Index],
    initial: Sequence[SSAValue],
    emit: Callable[[Index, Index, Sequence[SSAValue]], Sequence[SSAValue]],
) -> Sequence[SSAValue]:
    """Returns what is carried through loops around panels, given the number of each iteration through all of them, the elements of A before
    its steps, and what it is carried.
    """

    def level(depth: int, number: Index, offset: Index, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        if depth == len(counts):
            return emit(number, offset, carried)

        def body(i: Index, inside: Sequence[SSAValue]) -> Sequence[SSAValue]:
            further = b.add(offset, b.mul(distances[depth], i))
            return level(depth + 1, b.add(b.mul(number, counts[depth]), i), further, inside)

        return b.loop(0, counts[depth], 1, carried, body, no_unroll=True)

    return level(0, 0, 0, initial)
