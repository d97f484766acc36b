"""Square blocks of elements transposed in registers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from .builder import LoopBuilder

QUAD = 4
"""The lanes of 32 bits that shuffles move together, or among themselves, without registers for what they pick."""


def transpose_block(b: LoopBuilder, rows: Sequence[SSAValue], blocks: int = 1) -> list[SSAValue]:
    """Returns the columns of `n` vectors of `n` lanes, `n` a power of 2: log2(n) rounds that interleave the halves.

    Of vectors as long as several blocks each is transposed where it is: a result has a column of each of them.
    """
    lanes = len(rows)
    half = lanes // 2
    starts = range(0, blocks * lanes, lanes)
    low = [start + source for start in starts for lane in range(half) for source in (lane, blocks * lanes + lane)]
    high = [source + half for source in low]
    vectors = list(rows)
    for _ in range(lanes.bit_length() - 1):
        paired = [(vectors[k], vectors[k + half]) for k in range(half)]
        vectors = [b.shuffle(x, y, mask) for x, y in paired for mask in (low, high)]
    return vectors


def transpose_in_quads(b: LoopBuilder, rows: Sequence[SSAValue]) -> list[SSAValue]:
    """Returns the columns of `n` vectors of `n` lanes, `n` a power of 2: squares of 4 x 4 where they are, then groups of 4 lanes.

    Shuffles inside of 128 bits, and of 128 bits, need no registers for what they pick, as those of `transpose_block` do, and with AVX2 are
    one instruction each, where those are two. It is for blocks in the first cache: where memory is waited for and rows are a power of 2
    apart, more loads that wait behind stores made a transposition of 1024 x 1024 take a seventh longer on a Zen 3.
    """
    lanes = len(rows)
    if lanes <= QUAD:
        return transpose_block(b, rows)
    groups = range(0, lanes, QUAD)
    low = [start + lane + source for start in groups for lane in (0, 1) for source in (0, lanes)]
    high = [lane + 2 for lane in low]
    columns: list[list[SSAValue]] = [[] for _ in range(QUAD)]
    for start in groups:
        first, second, third, fourth = rows[start : start + QUAD]
        # Rows that are two apart first: each round interleaves single lanes.
        pairs = [b.shuffle(x, y, mask) for x, y in ((first, third), (second, fourth)) for mask in (low, high)]
        for k, (x, y) in enumerate(zip(pairs[:2], pairs[2:], strict=True)):
            for half, mask in enumerate((low, high)):
                columns[2 * k + half].append(b.shuffle(x, y, mask))
    of_groups = [_transpose_groups(b, vectors) for vectors in columns]
    return [vectors[k] for k in range(lanes // QUAD) for vectors in of_groups]


def _transpose_groups(b: LoopBuilder, rows: Sequence[SSAValue]) -> list[SSAValue]:
    """Returns the columns of `n` vectors of `n` groups of lanes: rounds that put every other group of two vectors side by side."""
    count, lanes = len(rows), len(rows) * QUAD
    even = [lane for lane in range(2 * lanes) if lane // QUAD % 2 == 0]
    odd = [lane + QUAD for lane in even]
    vectors = list(rows)
    for _ in range(count.bit_length() - 1):
        pairs = list(zip(vectors[::2], vectors[1::2], strict=True))
        vectors = [b.shuffle(x, y, mask) for mask in (even, odd) for x, y in pairs]
    return vectors
