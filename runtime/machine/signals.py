"""Handlers of signals that run while native code does: between kernels a call asks Python whether there is something to do."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Generator

from ...dialects.relax.vocabulary.call_words import INTERRUPTED

main_thread = ctypes.c_uint64(threading.main_thread().ident or 0)
"""The thread that runs handlers, where native code reads it. Asked once, as calls of microseconds ask for it."""


def _forked() -> None:
    main_thread.value = threading.main_thread().ident or 0


os.register_at_fork(after_in_child=_forked)

_LOOK = ctypes.CFUNCTYPE(ctypes.c_int64)


def _looks(raised: list[BaseException]) -> Generator[int]:
    """Yields what each look returns; what a handler raises is kept.

    Python runs handlers as the generator goes on, which is inside of `try`: at the start of a function it would be outside.
    """
    status = 0
    while True:
        try:
            while True:
                yield status
                status = 0
        except GeneratorExit:
            return
        except BaseException as error:
            raised.append(error)
            status = INTERRUPTED


class Look:
    """A look for signals, for one call at a time."""

    def __init__(self) -> None:
        self.raised: list[BaseException] = []
        self._looks = _looks(self.raised)
        next(self._looks)
        self._function = _LOOK(self._looks.__next__)
        self.address = ctypes.cast(self._function, ctypes.c_void_p).value or 0
        """The C function that a call asks."""

    def error(self) -> BaseException:
        """Returns what ended the call."""
        return self.raised.pop()


_free: list[Look] = []
"""Those of no call: a handler that runs during a call may make another one."""


def take_look() -> Look | None:
    """Returns a look for a call on this thread, `None` on one that runs no handlers."""
    if threading.get_ident() != main_thread.value:
        return None
    return _free.pop() if _free else Look()


def give_back(look: Look) -> None:
    """Keeps a look for further calls."""
    _free.append(look)
