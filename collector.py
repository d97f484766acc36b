"""Python's cycle collector, paused while objects are made by the million and all of them are in use."""

from __future__ import annotations

import atexit
import functools
import gc
from collections.abc import Generator
from contextlib import contextmanager

MOST_DEFERRED = 500_000
"""So many objects of compilations, about 80 MB, are looked through when the next one starts: those of two or three large programs."""

_deferred = 0

_frozen = False


@contextmanager
def collector_paused() -> Generator[None, None, None]:
    """Keeps the collector from walking the IR again and again while it grows: a fifth of the time of a compilation.

    Nor is it walked at the end, when most of it is in no use: a process that compiles a program or two never needs its memory back. One
    that goes on compiling looks through what several compilations have left at once, before the next.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        if enabled:
            _collect_deferred()
        yield
    finally:
        if enabled:
            _defer()
            gc.enable()


def _collect_deferred() -> None:
    global _deferred
    if _deferred > MOST_DEFERRED and not _has_frozen():
        _deferred = 0
        gc.collect()


def _defer() -> None:
    global _deferred
    if not _has_frozen():
        _deferred += gc.get_count()[0]
        _count_as_old()


def _has_frozen() -> bool:
    """Returns whether the program has frozen objects: its collector is left as it is, as ours would unfreeze them.

    It is asked for no more once it has, as the answer walks all that are frozen.
    """
    global _frozen
    _frozen = _frozen or gc.get_freeze_count() > 0
    return _frozen


def _count_as_old() -> None:
    """Moves all objects to the oldest generation without walking them."""
    gc.freeze()
    gc.unfreeze()


@contextmanager
def importing() -> Generator[None, None, None]:
    """Keeps the collector from walking modules while they are imported, and counts them as old afterwards: they stay."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if not _has_frozen():
                _count_as_old()
            gc.enable()


@functools.cache
def free_nothing_at_exit() -> None:
    """Keeps the collector from walking all objects when the process ends, and frees their memory anyway."""
    atexit.register(_freeze)


def _freeze() -> None:
    # Modules made with nanobind, such as those of triton, which torch loads, print at exit what of theirs is not freed.
    if not any(kind.__module__ == "nanobind" for kind in type.__subclasses__(type)):
        gc.freeze()
