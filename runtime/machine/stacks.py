"""The stacks of threads, on which kernels keep panels, tiles and sums."""

from __future__ import annotations

import ctypes
import sys
import threading

from ...dialects.upstream.picklable_error import PicklableError

UNCHECKED = 32 << 10
"""The bytes of a kernel that every stack has room for."""
RESERVE = 64 << 10
"""What the calls of Python around that of a kernel are given of a stack."""

_TAKEN = 64
"""KiB of the stack of a main thread, at most, that its arguments and environment and the system have taken off `ulimit -s`."""
_MOST_ATTRIBUTES = 256
"""More bytes than `pthread_attr_t` has anywhere."""


class StackError(PicklableError, RuntimeError):
    """Says that the stack of a thread is too small for a kernel."""

    def __init__(self, reason: str, kib: int):
        self.reason = reason
        """The size that is needed and that there is, without what a program in Python can do about it."""
        self.limit = f"ulimit -s {kib + _TAKEN}"
        """The command of a shell that gives the main thread enough."""
        super().__init__(
            f"{reason}: call threading.stack_size({kib} * 1024) before it is made, or raise ulimit -s for the main thread"
        )


class _Stack(threading.local):
    nbytes: int | None = None


_stack = _Stack()


def require_stack(function: str, needed: int) -> None:
    """Raises `StackError` where the stack of this thread has no room for so many bytes of kernels."""
    nbytes = _stack.nbytes
    if nbytes is None:
        nbytes = _stack.nbytes = stack_bytes()
    if nbytes < needed + RESERVE:
        wanted = -(-(needed + RESERVE) // 1024)
        reason = f"{function}: kernels need a stack of {wanted} KiB, this thread has {nbytes // 1024} KiB"
        raise StackError(reason, wanted)


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
