"""Sizes that a caller gives as numbers."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from .errors import ArgumentError

_LIMITS = np.iinfo(np.int64)


def size_argument(place: str, value: Any) -> int:
    """Returns a number that a caller gives for a size; raises `ArgumentError` if it is no integer of 64 bits."""
    if isinstance(value, bool | np.bool_):
        raise ArgumentError(f"{place}: expected an integer, got {value!r}")
    try:
        size = operator.index(value)
    except TypeError:
        raise ArgumentError(f"{place}: expected an integer, got {value!r:.40}") from None
    if not _LIMITS.min <= size <= _LIMITS.max:
        raise ArgumentError(f"{place}: expected an integer of 64 bits, got {size!r:.40}")
    return size


def sizes_of(value: Any, rank: int) -> Sequence[Any]:
    """Returns what a caller gives for a shape, size by size: one size may stand alone.

    Raises `TypeError` for what is no sequence, and `ValueError` for one of another length.
    """
    if isinstance(value, str | bool | np.bool_):
        raise TypeError("neither text nor a truth value is a shape")
    if rank == 1 and hasattr(value, "__index__") and np.ndim(value) == 0:
        return (value,)
    sizes: tuple[Any, ...] = tuple(value)
    if len(sizes) != rank:
        raise ValueError(f"expected {rank} sizes, got {len(sizes)}")
    return sizes
