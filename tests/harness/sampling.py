"""Which cases of a sweep run: all of them, or a fixed share that the checksums of their names choose."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")

_share = 1


def set_share(share: int) -> None:
    """Lets about one of `share` cases of each sweep run in this process."""
    global _share
    _share = share


def is_sampled(name: str, share: int | None = None) -> bool:
    """Returns whether a case runs where one of `share` does; by default, of the share of sweeps."""
    return zlib.crc32(name.encode()) % (_share if share is None else share) == 0


def sampled(cases: Iterable[T], name: Callable[[T], str] = str) -> list[T]:
    """Returns the cases of a sweep inside of a test that run, at least one of them."""
    every = list(cases)
    return [case for case in every if is_sampled(name(case))] or every[:1]
