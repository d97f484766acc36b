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
        return f"KVCache({self.length} rows of {list(self.rows.shape[1:])}, {self.rows.dtype})"

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
        """Returns a cache with further rows, or one more row."""
        buffer = self._buffer
        if added.shape == buffer.rows.shape[1:]:
            added = added[np.newaxis]
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

    @property
    def rows(self) -> Array:
        """All rows, without a copy."""
        rows = self._buffer.rows[: self.length]
        rows.flags.writeable = False
        return rows

    def view(self, shape: tuple[int, ...]) -> Array:
        """Returns all rows, without a copy; they must have this shape."""
        rows = self.rows
        if rows.shape != tuple(shape):
            raise ArgumentError(
                f"attention_kv_cache_view: expected a cache of shape {list(shape)}, it has {list(rows.shape)}"
            )
        return rows


def _on_cache(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Returns a function whose first argument is a cache; raises `ArgumentError` for anything else."""

    def call(cache: Any, *arguments: Any) -> Any:
        if not isinstance(cache, KVCache):
            raise ArgumentError(f"{name}: expected a cache of rows, got {type(cache).__name__}")
        return function(cache, *arguments)

    return call


KV_CACHE: Mapping[str, Callable[..., Any]] = {
    "vm.builtin.attention_kv_cache_create": KVCache.create,
    "vm.builtin.attention_kv_cache_append": _on_cache(KVCache.append, "attention_kv_cache_append"),
    "vm.builtin.attention_kv_cache_view": _on_cache(KVCache.view, "attention_kv_cache_view"),
}
"""The packed functions, by name."""
