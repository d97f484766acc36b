"""Functions of a model that stand in place of their calls: calls in calls multiply."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

from .problems import ModelImportError

MAX_INLINED = 100_000
"""As many ops may come from calls."""

Key = TypeVar("Key", bound=Hashable)


def check_inlined(
    roots: Iterable[Key], called: Callable[[Key], tuple[int, Iterable[Key]]], name: Callable[[Key], str] = str
) -> None:
    """Raises `ModelImportError` for functions that call themselves, and calls that make more than `MAX_INLINED` ops.

    `roots` are the functions that are called, once for each call; `called` tells of a function how many ops it has and what these call,
    `name` what it is called.
    """
    counts: dict[Key, int | None] = {}

    def count(key: Key) -> int:
        known = counts.get(key, 0)
        if known is None:
            raise ModelImportError(f"the function '{name(key)}' calls itself")
        if key not in counts:
            counts[key] = None
            own, inner = called(key)
            known = counts[key] = own + sum(map(count, inner))
        return known

    total = sum(map(count, roots))
    if total > MAX_INLINED:
        raise ModelImportError(
            f"the calls of the program are {total} ops when they are inlined, expected at most {MAX_INLINED}"
        )
