"""Memory for results: large ones come back when the caller drops them, so that the next call writes pages that are there already."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...interpreter.host.device import Device
from .workspaces import aligned_array, aligned_empty

ALIGNED = 1 << 16
"""The bytes from which on a result starts where no vector crosses a line of the cache."""

LARGE = 1 << 20
"""The bytes beyond which the C library may take new pages for each allocation, which the system clears."""

MOST = 2
"""The results of a size that are kept."""

Raw = np.ndarray[tuple[int], np.dtype[np.uint8]]


class ResultMemory:
    """What results of the functions of one executable are written to."""

    def __init__(self, reuses: bool = True) -> None:
        self._reuses = reuses
        self._kept: dict[int, list[Raw]] = {}

    @property
    def nbytes(self) -> int:
        """The bytes that are kept for results to come."""
        return sum(size * len(kept) for size, kept in list(self._kept.items()))

    def release(self) -> None:
        """Gives back what no result is in."""
        for kept in list(self._kept.values()):
            kept.clear()

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
        if size < ALIGNED:
            return partial(np.empty, shape, dtype)
        if self._reuses and size > LARGE:
            return lambda: self._lent(size).view(dtype).reshape(shape)
        return partial(aligned_array, shape, dtype, size)

    def _lent(self, size: int) -> Raw:
        """Returns memory that is kept again once no array is in it. Where none of the size is kept, all that is goes first."""
        kept = self._kept.setdefault(size, [])
        try:
            # Atomic, like append: calls at once take different ones.
            raw = kept.pop()
        except IndexError:
            self.release()
            raw = aligned_empty(size)
        return np.asarray(_Loan(raw, kept))


class _Loan:
    """The memory of a result: arrays in it, and views of those, hold it; when the last one is gone it is kept."""

    def __init__(self, raw: Raw, kept: list[Raw]):
        self._raw = raw
        self._kept = kept
        self.__array_interface__ = raw.__array_interface__

    def __del__(self) -> None:
        if len(self._kept) < MOST:
            self._kept.append(self._raw)
