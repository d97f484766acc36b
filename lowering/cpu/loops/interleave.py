"""Vectors whose lanes are put side by side, and picked from one another again, by shuffles of two vectors each.

Of an even number of vectors pairs are made one element of twice the size, so that half as many are left:

    [a0 a1] [b0 b1] [c0 c1] [d0 d1]  ->  [a0 b0] [a1 b1] [c0 d0] [c1 d1]  ->  [a0 b0 c0 d0] [a1 b1 c1 d1] (as two vectors each)

An odd number of them takes a shuffle less than there are vectors for each result.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from .builder import LoopBuilder


def interleave(b: LoopBuilder, streams: Sequence[SSAValue], lanes: int, unit: int = 1) -> list[SSAValue]:
    """Returns vectors with the first `unit` lanes of each stream, then the next ones of each, and so on: as many as there are streams."""
    count, units = len(streams), lanes // unit
    if count == 1 or units == 1:
        return list(streams)
    if count % 2:
        flat = [(position % count, position // count) for position in range(count * units)]
        return [_pick(b, streams, flat[k * units : (k + 1) * units], unit) for k in range(count)]
    halves: list[list[SSAValue]] = [[], []]
    for pair in zip(streams[::2], streams[1::2], strict=True):
        for half, vectors in enumerate(halves):
            start = half * (units // 2)
            vectors.append(_pick(b, pair, [(k % 2, start + k // 2) for k in range(units)], unit))
    return [vector for vectors in halves for vector in interleave(b, vectors, lanes, 2 * unit)]


def deinterleave(b: LoopBuilder, vectors: Sequence[SSAValue], lanes: int, unit: int = 1) -> list[SSAValue]:
    """Returns the streams that are interleaved in as many vectors."""
    count, units = len(vectors), lanes // unit
    if count == 1 or units == 1:
        return list(vectors)
    if count % 2:
        flat = [divmod(position, units) for position in range(count * units)]
        return [_pick(b, vectors, flat[k::count], unit) for k in range(count)]
    half = count // 2
    low, high = (deinterleave(b, part, lanes, 2 * unit) for part in (vectors[:half], vectors[half:]))
    streams: list[SSAValue] = []
    for pair in zip(low, high, strict=True):
        flat = [divmod(position, units) for position in range(2 * units)]
        streams += [_pick(b, pair, flat[k::2], unit) for k in range(2)]
    return streams


def _pick(b: LoopBuilder, vectors: Sequence[SSAValue], picks: Sequence[tuple[int, int]], unit: int) -> SSAValue:
    """Returns a vector of units, each given by its vector and its place there; all are in one vector, or each further one adds its own."""
    flat = [(source, place * unit + lane) for source, place in picks for lane in range(unit)]
    lanes = len(flat)
    first, *others = dict.fromkeys(source for source, _ in flat)
    total = vectors[first]
    present = {first}
    for source in others or [first]:
        # The lanes picked before stay where they are, after the first shuffle; those of vectors to come are not looked at.
        before = [lane for _, lane in flat] if len(present) == 1 else range(lanes)
        mask = [
            lanes + lane if owner == source else here if owner in present else k
            for k, ((owner, lane), here) in enumerate(zip(flat, before, strict=True))
        ]
        total = b.shuffle(total, vectors[source], mask)
        present.add(source)
    return total
