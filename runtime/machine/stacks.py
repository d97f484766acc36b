"""The stacks of threads, on which kernels keep panels, tiles and sums."""

from __future__ import annotations

import ctypes
import functools
import sys
import threading

from ...dialects.upstream.picklable_error import PicklableError
from .threads import find_openmp

UNCHECKED = 32 << 10
"""The bytes of a kernel that every stack has room for."""
RESERVE = 64 << 10
"""What the calls of Python around that of a kernel are given of a stack."""

_TAKEN = 64
"""KiB of the stack of a main thread, at most, that its arguments and environment and the system have taken off `ulimit -s`."""
_BODY = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
"""What each thread of a team calls."""
_MOST_ATTRIBUTES = 256
"""More bytes than `pthread_attr_t` has anywhere."""


class StackError(PicklableError, RuntimeError):
    """Says that the stack of a thread is too small for a kernel."""

    def __init__(self, reason: str, remedy: str, command: str):
        self.reason = reason
        """The size that is needed and that there is, without what a program in Python can do about it."""
        self.command = command
        """The command of a shell that gives enough to what it starts next."""
        super().__init__(f"{reason}: {remedy}")


class _Stack(threading.local):
    nbytes: int | None = None


_stack = _Stack()


def require_stack(function: str, needed: int) -> None:
    """Raises `StackError` where the stack of this thread has no room for so many bytes of kernels."""
    nbytes = _stack.nbytes
    if nbytes is None:
        nbytes = _stack.nbytes = stack_bytes()
    kib = _missing_kib(needed, nbytes)
    if kib:
        raise StackError(
            _reason(function, kib, "this thread has", nbytes),
            f"call threading.stack_size({kib} * 1024) before it is made, or raise ulimit -s for the main thread",
            f"ulimit -s {kib + _TAKEN}",
        )


def require_team_stacks(function: str, needed: int) -> None:
    """Raises `StackError` where threads of the OpenMP runtime have no room for so many bytes of kernels."""
    nbytes = team_stack_bytes()
    kib = _missing_kib(needed, nbytes)
    if kib:
        raise StackError(
            _reason(function, kib, "threads of the OpenMP runtime have", nbytes),
            f"set OMP_STACKSIZE={kib}K in the environment before the process begins",
            f"export OMP_STACKSIZE={kib}K",
        )


def _missing_kib(needed: int, nbytes: int) -> int:
    """Returns the KiB of a stack with room for so many bytes of kernels; 0 where one of `nbytes` has it."""
    return 0 if nbytes >= needed + RESERVE else -(-(needed + RESERVE) // 1024)


def _reason(function: str, kib: int, owners: str, nbytes: int) -> str:
    return f"{function}: kernels need a stack of {kib} KiB, {owners} {nbytes // 1024} KiB"


@functools.cache
def team_stack_bytes() -> int:
    """Returns the size of the stack that the OpenMP runtime gives to the threads it adds; `sys.maxsize` where nothing says it.

    A thread of a team looks: the size is that of the environment or of the limits when the runtime was loaded, whoever did so.
    """
    runtime = find_openmp()
    if runtime is None:
        return sys.maxsize
    caller = threading.get_ident()
    sizes: list[int] = []

    def look(_: int | None) -> None:
        if threading.get_ident() != caller:
            sizes.append(stack_bytes())

    run = runtime.library.GOMP_parallel
    run.argtypes, run.restype = [_BODY, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint], None
    run(_BODY(look), None, 2, 0)
    return min(sizes, default=sys.maxsize)


def stack_bytes() -> int:
    """Returns the size of the stack of this thread; `sys.maxsize` where the system does not say it."""
    process = ctypes.CDLL(None)
    if not hasattr(process, "pthread_getattr_np"):
        return sys.maxsize
    process.pthread_self.restype = ctypes.c_void_p
    attributes = ctypes.create_string_buffer(_MOST_ATTRIBUTES)
    if process.pthread_getattr_np(ctypes.c_void_p(process.pthread_self()), attributes):
        return sys.maxsize
    start, nbytes = ctypes.c_void_p(), ctypes.c_size_t()
    failed = process.pthread_attr_getstack(attributes, ctypes.byref(start), ctypes.byref(nbytes))
    process.pthread_attr_destroy(attributes)
    return sys.maxsize if failed else nbytes.value
