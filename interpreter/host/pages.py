"""The pages of a cache of keys and values: their memory, which of them are free, and how many sequences use each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import ArgumentError
from .memory import require_memory
from .rope import Floats, Positions


class CacheError(ArgumentError):
    """A call that the cache cannot serve: an unknown sequence, no pages left, another shape than that of the batch."""


class Pages:
    """Keys and values of all layers, in pages of `size` tokens."""

    def __init__(self, *, layers: int, count: int, size: int, heads: int, key_dim: int, value_dim: int, dtype: Any):
        memory = layers * count * size * heads * (key_dim + value_dim) * np.dtype(dtype).itemsize
        require_memory(memory)
        # Tokens come first: memory is touched as tokens come, and consecutive pages are one matrix for each head.
        self._keys = np.zeros((layers, count, size, heads, key_dim), dtype)
        self._values = np.zeros((layers, count, size, heads, value_dim), dtype)
        self.layers, self.size, self.heads = layers, size, heads
        self._free = list(range(count))[::-1]
        self._uses = [0] * count

    @property
    def free(self) -> int:
        """The number of free pages."""
        return len(self._free)

    @property
    def shared(self) -> int:
        """How many pages more were needed if none served several sequences."""
        return sum(uses - 1 for uses in self._uses if uses > 1)

    def is_shared(self, page: int) -> bool:
        """Returns whether several sequences use a page."""
        return self._uses[page] > 1

    def require(self, count: int) -> None:
        """Raises `CacheError` where so many pages are not free."""
        if count > len(self._free):
            raise CacheError(f"expected at most {len(self._free)} new pages of {self.size} tokens, got {count}")

    def allocate(self, count: int) -> list[int]:
        """Returns pages that were free."""
        self.require(count)
        pages = [self._free.pop() for _ in range(count)]
        for page in pages:
            self._uses[page] = 1
        return pages

    def share(self, pages: Sequence[int]) -> None:
        """Lets a further sequence use pages."""
        for page in pages:
            self._uses[page] += 1

    def release(self, pages: Sequence[int]) -> None:
        """Lets a sequence use pages no more; those that no other one uses are free."""
        for page in reversed(pages):
            self._uses[page] -= 1
            if self._uses[page] == 0:
                self._free.append(page)

    def copied(self, page: int) -> int:
        """Returns a new page with the contents of another one."""
        (copy,) = self.allocate(1)
        self._keys[:, copy], self._values[:, copy] = self._keys[:, page], self._values[:, page]
        return copy

    def write(self, layer: int, pages: Positions, slots: Positions, keys: Floats, values: Floats) -> None:
        """Stores keys and values `[tokens, heads, dims]`, each in a slot of a page."""
        self._keys[layer][pages, slots] = keys
        self._values[layer][pages, slots] = values

    def read(
        self, layer: int, heads: slice, tables: Positions, lengths: Positions, begin: int, end: int
    ) -> tuple[Floats, Floats]:
        """Returns keys and values `[heads, sequences, places, dims]` of sequences from a place to another one.

        The pages of the sequences are the rows of `tables`. Behind the end of a sequence are zeros. What is returned may be a part of the
        cache.
        """
        first = begin // self.size
        tables, offset = tables[:, first : -(-end // self.size)], first * self.size
        keys, values = (
            _gathered(states[layer, :, :, heads], tables, lengths - offset)[:, begin - offset : end - offset]
            for states in (self._keys, self._values)
        )
        return _by_head(keys), _by_head(values)


def _by_head(states: NDArray[Any]) -> Floats:
    return states.transpose(2, 0, 1, 3).astype(np.float32, copy=False)


def _gathered(states: NDArray[Any], tables: Positions, lengths: Positions) -> NDArray[Any]:
    """Returns the pages `[pages, slots, heads, dims]` of each table one behind the other, `[sequences, places, heads, dims]`."""
    sequences, count = tables.shape
    size, *head = states.shape[1:]
    if sequences == 1 and (tables[0, 1:] - tables[0, :-1] == 1).all():
        first = int(tables[0, 0]) if count else 0
        return states[first : first + count].reshape(1, count * size, *head)
    taken = states.take(tables.ravel(), axis=0).reshape(sequences, count * size, *head)
    # What sequences of before left there may be NaN, which no weight of zero takes back.
    for row, length in zip(taken, lengths, strict=True):
        row[max(length, 0) :] = 0
    return taken
