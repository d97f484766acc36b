"""Calls in a process of their own, which a crash or an endless loop ends instead of this one."""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from ...records import record

Value = TypeVar("Value")

SECONDS = 120
WAITING = 5
"""How much longer than it computes a process may wait."""


@record
class Ended:
    """The process ended before it had a result; says by what."""

    reason: str

    def __str__(self) -> str:
        return f"the process ended: {self.reason}"


@record
class Raised:
    """The call raised an exception."""

    kind: str
    message: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"


@record
class Returned(Generic[Value]):
    """The call returned a value."""

    value: Value


def isolated(
    function: Callable[[], Value], seconds: int = SECONDS, prepare: Callable[[], None] | None = None
) -> Returned[Value] | Raised | Ended:
    """Calls a function in a fork of this process; `prepare` runs there first. The value comes back as a pickle."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        _answer(function, seconds, prepare, write)
    os.close(write)
    try:
        with os.fdopen(read, "rb") as pipe:
            data = pipe.read()
    except BaseException:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) or not data:
        return Ended(ended_by(os.waitstatus_to_exitcode(status), seconds))
    return pickle.loads(data)


def end_after(seconds: int) -> None:
    """Ends this process after so many seconds from now, unless it is given others; never after 0."""
    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    # Processor time, as others may use the machine; the clock for what waits for ever.
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(WAITING * seconds)


def ended_by(code: int, seconds: int) -> str:
    """Returns what ended a process that `end_after` was to end: a signal where its exit code is negative."""
    if code >= 0:
        return f"exit status {code}"
    out_of_time = -code in (signal.SIGPROF, signal.SIGALRM)
    return f"no end after {seconds} s" if out_of_time else signal.Signals(-code).name


def _answer(function: Callable[[], Any], seconds: int, prepare: Callable[[], None] | None, write: int) -> None:
    """Writes what the function returned or raised into a pipe, and ends this process."""
    status = 1
    try:
        end_after(seconds)
        outcome: Returned[Any] | Raised
        try:
            if prepare is not None:
                prepare()
            outcome = Returned(function())
        except Exception as error:
            outcome = Raised(type(error).__name__, str(error))
        with os.fdopen(write, "wb") as pipe:
            pickle.dump(outcome, pipe)
        status = 0
    finally:
        os._exit(status)
