"""Exact symbolic sizes of slices: begin, end and stride against a dim, with the clamping rules of numpy."""

from __future__ import annotations

from collections.abc import Sequence

from ...symbolic.expressions import Dim, add, apply, ceildiv, equal, sub

# Relax programs say "to the end" by the largest integer of a type.
_BEYOND = 2**31 - 1


def minimum(lhs: Dim, rhs: Dim) -> Dim:
    """Returns the smaller dim."""
    return lhs if equal(lhs, rhs) is True else apply("min", lhs, rhs)


def maximum(lhs: Dim, rhs: Dim) -> Dim:
    """Returns the larger dim."""
    return lhs if equal(lhs, rhs) is True else apply("max", lhs, rhs)


def _clamped(index: Dim, size: Dim, low: int, high: Dim) -> Dim:
    """Returns an index counted from 0 and held in `[low, high]`; a negative integer counts from the end."""
    if isinstance(index, int):
        if index >= _BEYOND:
            return high
        if index <= -_BEYOND:
            return low
        if index < 0:
            index = add(size, index)
        elif index == low:
            return low
    return minimum(maximum(index, low), high)


def slice_range(size: Dim, begin: Dim, end: Dim, stride: int = 1, assume_inbound: bool = False) -> tuple[Dim, Dim]:
    """Returns the first index and the number of elements of `begin:end:stride` on a dim.

    A negative integer counts from the end; an expression stands for a size, thus for a number that is not negative. Indices out
    of bounds are clipped, unless `assume_inbound` says that there are none. With a negative stride an end that is to include
    element 0 is less than `-size`.
    """
    if assume_inbound:
        low, high = (_from_start(index, size, stride) for index in (begin, end))
        distance = sub(high, low) if stride > 0 else sub(low, high)
        return low, ceildiv(distance, abs(stride))
    if stride < 0:
        last = sub(size, 1)
        first = _clamped(begin, size, -1, last)
        distance = maximum(sub(first, _clamped(end, size, -1, last)), 0)
        return first, ceildiv(distance, -stride)
    first = _clamped(begin, size, 0, size)
    if isinstance(begin, int) and begin >= _BEYOND:
        distance: Dim = 0
    elif isinstance(begin, int) and -_BEYOND < begin < 0:
        last = _clamped(end, size, 0, size)
        # size - max(size - k, 0) is the same, but no canonical form says so.
        to_the_end = equal(last, size) is True
        distance = minimum(-begin, size) if to_the_end else maximum(sub(last, first), 0)
    else:
        # Neither a begin past the end nor an end before the start need be clipped: the distance is negative then, and clipped itself.
        start = max(begin, 0) if isinstance(begin, int) else maximum(begin, 0)
        last = add(size, end) if isinstance(end, int) and -_BEYOND < end < 0 else _clamped(end, size, 0, size)
        distance = maximum(sub(last, start), 0)
    return first, ceildiv(distance, stride)


def _from_start(index: Dim, size: Dim, stride: int) -> Dim:
    """Returns an index counted from 0; those that stand for an end become that end."""
    if not isinstance(index, int) or 0 <= index < _BEYOND:
        return index
    if index >= _BEYOND:
        return size if stride > 0 else sub(size, 1)
    if index <= -_BEYOND:
        return 0 if stride > 0 else -1
    return add(size, index)


def ranges_of_sections(size: Dim, sections: int) -> list[tuple[Dim, Dim]]:
    """Returns begin and size of the parts of `ceil(size / sections)`; the last ones may be smaller or empty."""
    part = ceildiv(size, sections)
    if equal(size, apply("*", part, sections)) is True:
        return [(apply("*", part, index), part) for index in range(sections)]
    return [slice_range(size, apply("*", part, index), apply("*", part, index + 1)) for index in range(sections)]


def ranges_of_indices(size: Dim, indices: Sequence[int]) -> list[tuple[Dim, Dim]]:
    """Returns begin and size of the parts that begin at 0 and at each index; indices past the end are clipped."""
    ends: list[int] = [*indices, _BEYOND]
    return [slice_range(size, begin, end) for begin, end in zip((0, *indices), ends, strict=True)]
