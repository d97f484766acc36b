"""Square blocks of elements transposed in registers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from .builder import LoopBuilder


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
