"""Parameters that calls take by the hundred, looked at once."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

from .leaf import Array, address, addresses


class Prepared:
    """What a call needs of the leaves of a parameter set: they fit, and their memory is passed as it is."""

    def __init__(self, arrays: list[Array]):
        self.arrays = arrays
        self.sizes: Sequence[int] = [size for array in arrays for size in array.shape]
        """All their dims."""
        self.addresses = addresses(arrays)
        spans = sorted((address(array), address(array) + array.nbytes) for array in arrays if array.nbytes)
        self._starts = [start for start, _ in spans]
        self._ends = [*accumulate((end for _, end in spans), max)]
        """Where the memory of all arrays ends that start at such a place or before."""

    def shares_memory(self, array: Array) -> bool:
        """Returns whether a contiguous array lies in the memory of a parameter."""
        start = address(array)
        before = bisect_left(self._starts, start + array.nbytes)
        return before > 0 and array.nbytes > 0 and self._ends[before - 1] > start
