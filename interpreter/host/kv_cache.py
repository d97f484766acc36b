"""The cache of keys or values that grows by rows: the packed functions `vm.builtin.attention_kv_cache_*`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any

import numpy as np

from .errors import ArgumentError

Array = np.ndarray[Any, np.dtype[Any]]


class _Buffer:
    """Memory for rows, and how many of them are written."""

    def __init__(self, rows: Array, used: int):
        self.rows = rows
        self.used = used
        self.lock = Lock()


class KVCache:
    """The first `length` rows of a buffer. Appending makes a new cache; this one keeps its rows.

    Both share the buffer if it has room and nobody else has appended to this cache: then the new rows alone are written.
    """

    def __init__(self, buffer: _Buffer, length: int):
        self._buffer = buffer
        self.length = length

    def __repr__(self) -> str:
        rows = self._buffer.rows
        return f"KVCache({self.length} rows of {list(rows.shape[1:])}, {rows.dtype})"

    @staticmethod
    def create(first: Array, shape: tuple[int, ...], length: int) -> KVCache:
        """Returns a cache with room for `shape[0]` rows, of which the first `length` are those of an array."""
        capacity, *row = (int(size) for size in shape)
        if not 0 <= length <= min(capacity, len(first)) or list(first.shape[1:]) != row:
            raise ArgumentError(
                f"attention_kv_cache_create: expected {length} rows of {row}, at most {capacity}, got an array of shape "
                f"{list(first.shape)}"
            )
        rows = np.zeros((capacity, *row), first.dtype)
        rows[:length] = first[:length]
        return KVCache(_Buffer(rows, int(length)), int(length))

    def append(self, added: Array) -> KVCache:
        """Returns a cache with further rows."""
        buffer = self._buffer
        if added.shape[1:] != buffer.rows.shape[1:] or added.dtype != buffer.rows.dtype:
            raise ArgumentError(
                f"attention_kv_cache_append: expected {buffer.rows.dtype} rows of {list(buffer.rows.shape[1:])}, got "
                f"{added.dtype} {list(added.shape)}"
            )
        length = self.length + len(added)
        with buffer.lock:
            if buffer.used == self.length and length <= len(buffer.rows):
                buffer.rows[self.length : length] = added
                buffer.used = length
                return KVCache(buffer, length)
        rows = np.empty((max(length, 2 * len(buffer.rows)), *buffer.rows.shape[1:]), buffer.rows.dtype)
        rows[: self.length] = buffer.rows[: self.length]
        rows[self.length : length] = added
        return KVCache(_Buffer(rows, length), length)

    def view(self, shape: tuple[int, ...]) -> Array:
        """Returns all rows, without a copy; they must have this shape."""
        rows = self._buffer.rows[: self.length]
        if rows.shape != tuple(shape):
            raise ArgumentError(
                f"attention_kv_cache_view: expected a cache of shape {list(shape)}, it has {list(rows.shape)}"
            )
        rows.flags.writeable = False
        return rows


KV_CACHE: Mapping[str, Callable[..., Any]] = {
    "vm.builtin.attention_kv_cache_create": KVCache.create,
    "vm.builtin.attention_kv_cache_append": KVCache.append,
    "vm.builtin.attention_kv_cache_view": KVCache.view,
}
"""The packed functions, by name."""
