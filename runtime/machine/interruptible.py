"""Work that runs no Python for seconds, which signals end the wait for."""

from __future__ import annotations

import atexit
import ctypes
import os
import threading
from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")

_WAIT = 0.1
"""The most seconds until a signal is noticed."""

_STACK = 64 << 20
"""The bytes of stack for the work, more than a thread has by default: LLVM recurses."""


_threads: set[threading.Thread] = set()
"""Those at work."""
os.register_at_fork(after_in_child=_threads.clear)


def interruptible(work: Callable[[], Value]) -> Value:
    """Returns what the work returns, which is done on a thread of its own where this is the thread that handles signals.

    What a handler raises (`KeyboardInterrupt`) is raised at once. The work then goes on unseen, as nothing can stop it, and its
    result is dropped.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    values: list[Value] = []
    errors: list[BaseException] = []
    done = threading.Event()

    def run() -> None:
        try:
            values.append(work())
        except BaseException as error:
            errors.append(error)
        finally:
            _threads.discard(thread)
            done.set()

    thread = threading.Thread(target=run, name="xdsl-relax", daemon=True)
    previous = threading.stack_size(_STACK)
    try:
        _threads.add(thread)
        thread.start()
    except BaseException:
        _threads.discard(thread)
        raise
    finally:
        threading.stack_size(previous)
    # With a limit, as a signal that comes right before the thread sleeps would not wake it.
    while not done.wait(_WAIT):
        pass
    if errors:
        raise errors[0]
    return values[0]


@atexit.register
def _leave_at_work() -> None:
    """Ends the process without the destructors of libraries, which would take from work that goes on what it uses."""
    if not _threads:
        return
    process = ctypes.CDLL(None)
    if hasattr(process, "on_exit"):
        process.fflush(None)
        # The handler that was added last is the first to be called, with the status of the process.
        process.on_exit(process._exit, None)
    else:
        for thread in tuple(_threads):
            thread.join()
