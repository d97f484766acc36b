"""The sums of the lanes of several vectors, each added in halves, by few operations for all of them.

Half of the lanes is added to the other half, and what two vectors have left fits one: 16 vectors of 16 lanes take 15 additions.

    x0 .. x15, y0 .. y15    becomes    x0 + x8 .. x7 + x15, y0 + y8 .. y7 + y15    and so on
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, cast

from xdsl.dialects.builtin import VectorType
from xdsl.ir import SSAValue

from ....records import record
from .builder import LoopBuilder
from .kernels import add

Lane: TypeAlias = tuple[SSAValue, int]
"""A vector and the index of one of its lanes."""


@record
class _Parts:
    """A vector with as many lanes of each of `count` sums."""

    vector: SSAValue
    count: int


def sums_of_lanes(b: LoopBuilder, vectors: Sequence[SSAValue]) -> list[Lane]:
    """Returns where the sum of the lanes of each vector is; they have as many lanes, a power of 2."""
    left = _width(vectors[0])
    parts = [_Parts(vector, 1) for vector in vectors]
    while left > 1:
        left //= 2
        halved: list[_Parts] = []
        for position in range(0, len(parts), 2):
            pair = parts[position : position + 2]
            if len(pair) == 2 and pair[0].count == pair[1].count:
                halved.append(_halved(b, pair, left))
            else:
                halved += (_halved(b, [each], left) for each in pair)
        parts = halved
    return [(each.vector, lane) for each in parts for lane in range(each.count)]


def _halved(b: LoopBuilder, parts: Sequence[_Parts], left: int) -> _Parts:
    """Emits the addition of halves of the lanes of each sum, of which `left` are left, of one vector or of two."""
    first, last = parts[0].vector, parts[-1].vector
    counts = range(len(parts) * parts[0].count)
    low, high = ([2 * left * k + lane + half for k in counts for lane in range(left)] for half in (0, left))
    return _Parts(add(b, b.shuffle(first, last, low), b.shuffle(first, last, high)), len(counts))


def picked_lanes(b: LoopBuilder, lanes: Sequence[Lane]) -> SSAValue:
    """Returns a vector of some lanes; a scalar of one."""
    vector, start = lanes[0]
    if len(lanes) == 1:
        return b.extract(vector, start)
    if any(other is not vector for other, _ in lanes):
        return b.gather([b.extract(*lane) for lane in lanes])
    indices = [index for _, index in lanes]
    return vector if indices == list(range(_width(vector))) else b.shuffle(vector, vector, indices)


def _width(vector: SSAValue) -> int:
    """Returns the number of lanes of a vector."""
    return cast(VectorType, vector.type).get_shape()[0]
