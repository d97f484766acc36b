"""Blocks of elements transposed in registers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from .builder import LoopBuilder


def transpose_block(b: LoopBuilder, rows: Sequence[SSAValue]) -> list[SSAValue]:
    """Returns the columns of `n` vectors of `n` lanes, `n` a power of 2: log2(n) rounds that interleave the halves."""
    lanes = len(rows)
    half = lanes // 2
    low = [source for lane in range(half) for source in (lane, lanes + lane)]
    high = [source + half for source in low]
    vectors = list(rows)
    for _ in range(lanes.bit_length() - 1):
        paired = [(vectors[k], vectors[k + half]) for k in range(half)]
        vectors = [b.shuffle(x, y, mask) for x, y in paired for mask in (low, high)]
    return vectors


def interleave(b: LoopBuilder, columns: Sequence[SSAValue], lanes: int) -> list[SSAValue]:
    """Returns the rows of a few columns of so many lanes, one after the other, as vectors: two at least."""
    count = len(columns)
    vectors: list[SSAValue] = []
    for start in range(0, count * lanes, lanes):
        elements = [divmod(start + lane, count) for lane in range(lanes)]
        total = columns[0]
        for number, column in enumerate(columns[1:], 1):
            # The first shuffle moves the elements of its first column too; those of later columns are overwritten.
            picks = [
                lanes + row if source == number else (row if number == 1 else lane)
                for lane, (row, source) in enumerate(elements)
            ]
            total = b.shuffle(total, column, picks)
        vectors.append(total)
    return vectors
