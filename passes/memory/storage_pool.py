"""A pool of free storages: which one a tensor gets."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Hashable
from dataclasses import field

from ...dialects.symbolic.expressions import Dim, equal
from ...records import record

MATCH_RANGE = 16
"""A free storage is taken if its size is between a 16th and 16 times of what is asked for."""


@record(frozen=False, eq=False)
class Storage:
    """A piece of memory that tensors use one after the other."""

    size: Dim
    kind: Hashable
    """What a tensor must have in common with the storage: memory scope, element type, device."""


@record(frozen=False)
class _FreeList:
    """The free storages of one kind: those of known size in the order of size, the others in the order in which they became free."""

    sized: list[Storage] = field(default_factory=list[Storage])
    symbolic: list[Storage] = field(default_factory=list[Storage])


class StoragePool:
    """Free storages, as the memory planners of Relax and of Relay's graph executor choose among them."""

    def __init__(self) -> None:
        self._free: dict[Hashable, _FreeList] = {}

    def request(self, size: Dim, kind: Hashable) -> Storage | None:
        """Takes a free storage of a kind for a size: the smallest that is large enough, else the largest, which is enlarged.

        A symbolic size only fits one that is provably equal. `None` if none fits.
        """
        free = self._free.setdefault(kind, _FreeList())
        if not isinstance(size, int):
            storage = next((free_storage for free_storage in free.symbolic if equal(free_storage.size, size)), None)
            if storage is not None:
                free.symbolic.remove(storage)
            return storage
        low = bisect_left(free.sized, size // MATCH_RANGE, key=_size)
        middle = bisect_left(free.sized, size, key=_size)
        high = bisect_right(free.sized, size * MATCH_RANGE, key=_size)
        if middle < high:
            return free.sized.pop(middle)
        if low < middle:
            storage = free.sized.pop(middle - 1)
            storage.size = size
            return storage
        return None

    def release(self, storage: Storage) -> None:
        """Makes a storage free; among equal sizes the one that was free first is taken first."""
        free = self._free.setdefault(storage.kind, _FreeList())
        if isinstance(storage.size, int):
            insort(free.sized, storage, key=_size)
        else:
            free.symbolic.append(storage)

    def discard(self, storage: Storage) -> None:
        """Takes a storage out of the pool for good, if it is in it."""
        free = self._free.get(storage.kind, _FreeList())
        for storages in (free.sized, free.symbolic):
            if storage in storages:
                storages.remove(storage)


def _size(storage: Storage) -> int:
    assert isinstance(storage.size, int)
    return storage.size
