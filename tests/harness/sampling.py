"""Which cases run: of a sweep, or at a target beside the usual one, all of them, or a fixed share that the checksums of their names choose."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

_share = 1
_target, _target_share = "", 1


def set_share(share: int) -> None:
    """Lets about one of `share` cases of each sweep run in this process."""
    global _share
    _share = share


def runs_all() -> bool:
    """Returns whether sweeps run with all of their cases, and programs that only take longer than others."""
    return _share == 1


@contextmanager
def sampling_at(target: str, share: int) -> Iterator[None]:
    """Lets about one of `share` cases run of what asks `sampled_at_target`."""
    global _target, _target_share
    previous = _target, _target_share
    _target, _target_share = target, share
    try:
        yield
    finally:
        _target, _target_share = previous


def is_sampled(name: str, share: int | None = None) -> bool:
    """Returns whether a case runs where one of `share` does; by default, of the share of sweeps."""
    return zlib.crc32(name.encode()) % (_share if share is None else share) == 0


def sampled(cases: Iterable[T], name: Callable[[T], str] = str, share: int | None = None) -> list[T]:
    """Returns the cases of a sweep that run, at least one of them; where not all do, about one of `share`, if it is named."""
    every = list(cases)
    one_of = _share if share is None or runs_all() else share
    return [case for case in every if is_sampled(name(case), one_of)] or every[:1]


def spread(cases: list[T], chosen: list[T], values: Callable[[T], Iterable[Hashable]]) -> list[T]:
    """Returns those chosen of the cases, and more of them until each value that several cases have is one of those returned."""
    of_case = [{*values(case)} for case in cases]
    numbers = Counter(value for each in of_case for value in each)
    kept = {k for k, case in enumerate(cases) if case in chosen}
    missing = {value for value, number in numbers.items() if number > 1}.difference(*(of_case[k] for k in kept))
    runs = Counter(value for k in kept for value in of_case[k])
    while missing:
        # Of cases with as many new values, one whose others run the least.
        best = max(range(len(cases)), key=lambda k: (len(of_case[k] & missing), -sum(runs[v] for v in of_case[k])))
        kept.add(best)
        runs.update(of_case[best])
        missing -= of_case[best]
    return [case for k, case in enumerate(cases) if k in kept]


def sampled_at_target(cases: Iterable[T], name: Callable[[T], str] = str) -> list[T]:
    """Returns the cases that run at the target of this test, at least one of them: all, but a share at one beside the usual."""
    every = list(cases)
    return [case for case in every if is_sampled(f"{_target} {name(case)}", _target_share)] or every[:1]
