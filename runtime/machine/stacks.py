"""The stacks of threads, on which kernels keep panels, tiles and sums."""

from __future__ import annotations

import ctypes
import sys
import threading

UNCHECKED = 32 << 10
"""The bytes of a kernel that every stack has room for."""
RESERVE = 64 << 10
"""What the calls of Python around that of a kernel are given of a stack."""

_MOST_ATTRIBUTES = 256
"""More bytes than `pthread_attr_t` has anywhere."""


class StackError(RuntimeError):
    """Says that the stack of a thread is too small for a kernel."""


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
        raise StackError(
            f"{function}: kernels need a stack of {wanted} KiB, this thread has {nbytes // 1024} KiB: "
            f"call threading.stack_size({wanted} * 1024) before it is made, or raise ulimit -s for the main thread"
        )


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
