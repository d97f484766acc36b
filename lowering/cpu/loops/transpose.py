"""Square blocks of elements transposed in registers."""

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
