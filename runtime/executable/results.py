"""Memory for results: what the caller has dropped is written again, as its pages are there already and may be in the cache."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from ...interpreter.host.device import Device
from .workspaces import aligned_array

LARGE = 1 << 14
"""The bytes from which on a result starts where no vector crosses a line of the cache, in memory that is kept: of more than some hundred
kilobytes the C library may take new pages for each, which the system clears.
"""

MOST = 2
"""The results of a size that are kept."""

_Kept: TypeAlias = tuple[object, np.ndarray[Any, Any]]
"""Who made an array, and that array, of which all results are views: their base is its memory."""


def _references(kept: _Kept) -> int:
    return sys.getrefcount(kept[1].base)


_UNUSED = _references((None, np.empty(1)[:])) if hasattr(sys, "getrefcount") else 0
"""What is counted for memory that no result is in."""

_counts_references = sys.implementation.name == "cpython" and "t" not in getattr(sys, "abiflags", "")


class ResultMemory:
    """What results of the functions of one executable are written to."""

    def __init__(self, reuses: bool = True) -> None:
        self._reuses = reuses and _counts_references
        self._kept: dict[int, list[_Kept]] = {}

    @property
    def nbytes(self) -> int:
        """The bytes that are kept for results to come."""
        lists = list(self._kept.items())
        return sum(size for size, kept in lists for each in list(kept) if _references(each) == _UNUSED)

    def release(self) -> None:
        """Gives back what no result is in, and what others are in when they are dropped."""
        for kept in list(self._kept.values()):
            kept.clear()

    def _release_unused(self) -> None:
        """Gives back what no result is in, where sizes are others than before; results of the same call have several sizes."""
        for kept in list(self._kept.values()):
            for _ in range(len(kept)):
                try:
                    # What was taken is in no list, so that no other call looks at it.
                    taken = kept.pop(0)
                except IndexError:
                    break
                if _references(taken) != _UNUSED:
                    kept.append(taken)

    def empty(self, device: Device, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        """Returns an uninitialized array, for callers that write all of it."""
        return self.allocator(device, shape, dtype)()

    def allocator(
        self, device: Device, shape: tuple[int, ...], dtype: np.dtype[Any]
    ) -> Callable[[], np.ndarray[Any, Any]]:
        """Returns what makes an uninitialized array, a new one at each call."""
        size = math.prod(shape) * dtype.itemsize
        if not device.is_host:
            return partial(device.empty, shape, dtype)
        if size < LARGE:
            return partial(np.empty, shape, dtype)
        if self._reuses:
            return self._reusing(shape, dtype, size)
        return partial(aligned_array, shape, dtype, size)

    def _reusing(self, shape: tuple[int, ...], dtype: np.dtype[Any], size: int) -> Callable[[], np.ndarray[Any, Any]]:
        """Returns what makes an array in memory that no other is in, in a fifth of a microsecond where the last one is unused."""
        kept = self._kept.setdefault(size, [])
        maker = object()

        def again() -> np.ndarray[Any, Any]:
            try:
                # Atomic, like append: no other call takes it until a result is in it.
                taken = kept.pop()
                if sys.getrefcount(taken[1].base) != _UNUSED:
                    taken = below(taken)
            except IndexError:
                self._release_unused()
                taken = maker, aligned_array(shape, dtype, size)
            if taken[0] is not maker:
                taken = maker, aligned_array(shape, dtype, size, taken[1].base)
            result = taken[1].view()
            kept.append(taken)
            if len(kept) > MOST:
                # What is beyond the most is its results' alone.
                del kept[:-MOST]
            return result

        def below(taken: _Kept) -> _Kept:
            """Takes what is in no use from below the last, and puts what is back there; raises `IndexError` where all is in use."""
            used = [taken]
            try:
                while _references(taken := kept.pop()) != _UNUSED:
                    used.append(taken)
                return taken
            finally:
                kept[:0] = reversed(used)

        return again
