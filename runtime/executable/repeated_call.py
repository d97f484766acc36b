"""A call whose arguments are like those of the calls before: what all of them have in common is at hand, and native code does the rest."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from ..machine.forks import in_process
from ..machine.repeated_calls import Enter
from .workspaces import Workspaces, aligned_empty

AFTER = 64
"""The calls in a row with the same sizes after which there will be more of them: to be ready for them takes the time of a thousand."""

Repeated: TypeAlias = Callable[[tuple[Any, ...], Any], tuple[Any, ...] | None]
"""Calls a function with its arguments and the caller's arrays for its results, `None` for new ones.

Returns the results as a tuple, `None` where nothing has run, as a call that looks at everything has to do it.
"""

Lasts: TypeAlias = Literal["call", "thread", "process"]
"""What a preparation is for: a call, or all calls on a thread or in a process."""


class _Process:
    is_prepared: bool = False


class _Thread(threading.local):
    is_prepared: bool = False


def repeated_call(
    enter: Enter,
    allocators: Sequence[Callable[[], np.ndarray[Any, Any]]],
    workspaces: Sequence[int],
    kept: list[Workspaces],
    params: Callable[[], object] | None,
    prepare: Callable[[], None] | None,
    lasts: Lasts,
    error: Callable[[bytes], Exception],
) -> Repeated:
    """Returns what calls a function with arguments of known sizes.

    `allocators` make its results, `params` is a weak reference to the parameter set behind the arguments, `prepare` runs before native
    code where that is `lasts`'s time ago, `error` says what a failure means. Each Python function that a call runs takes a third of a
    microsecond where kernels have driven its code from the cache of the processor, so there are few.
    """
    count = len(allocators)
    allocate = allocators[0] if count == 1 else None
    last = _Thread() if lasts == "thread" else _Process()
    nothing: Workspaces | None = None if any(workspaces) else [aligned_empty(0) for _ in workspaces]

    def call(args: tuple[Any, ...], out: Any) -> tuple[Any, ...] | None:
        # A set that is gone is `None`, which a caller may pass by mistake.
        if params is not None and (not args or args[-1] is None or params() is not args[-1]):
            return None
        if prepare is not None and not (last.is_prepared and in_process[0]):
            prepare()
            last.is_prepared = lasts != "call"
        results = (out,) if count == 1 else out
        if out is not None and (type(results) is not tuple or len(results) != count):
            return None
        try:
            if out is None:
                results = (allocate(),) if allocate is not None else tuple([each() for each in allocators])
            taken = kept.pop() if nothing is None else nothing
        # Memory that there is not, and workspaces that other calls have.
        except (MemoryError, ValueError, OSError, IndexError):
            return None
        try:
            done = enter(args, results, taken) if out is None else enter(args, results, taken, True)
        finally:
            if nothing is None:
                kept.append(taken)
        if done is True:
            return results
        if done is False:
            return None
        raise error(done)

    return call
