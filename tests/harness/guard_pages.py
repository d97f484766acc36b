"""Calls of native functions whose buffers lie between inaccessible pages: an access outside of them ends the process.

Arguments, results and workspaces are placed at the end of accessible memory, then at its start; a buffer of size 0 lies between two
pages that nobody may touch. The calls run in a child process, which a fault ends and the parent reports.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
from xdsl_relax.interpreter.host import memory
from xdsl_relax.runtime.executable import workspaces
from xdsl_relax.runtime.executable.boundary import Boundary
from xdsl_relax.runtime.executable.native_function import NativeFunction
from xdsl_relax.targets.cpu import BUFFER_ALIGNMENT

PAGE = mmap.PAGESIZE
LITTLE = 1 << 26
NOTE = 512
"""Bytes for the label of the call that runs."""
_LIBC = ctypes.CDLL(None, use_errno=True)


class GuardedMemory:
    """Hands out arrays between inaccessible pages, aligned to `alignment` bytes as far as their size allows."""

    def __init__(self, at_end: bool):
        self.at_end = at_end

    def empty(self, shape: Sequence[int], dtype: Any, alignment: int = 1) -> np.ndarray:
        """Returns an array of bytes that differ from 0; at the end of its page its last byte, rounded to the alignment, is the last."""
        dtype = np.dtype(dtype)
        size = int(np.prod(shape, dtype=object)) * dtype.itemsize
        if size > LITTLE:
            # It is refused before it is touched.
            return np.empty(shape, dtype)
        pages = -(-size // PAGE)
        block = mmap.mmap(-1, (pages + 2) * PAGE)
        start = ctypes.addressof(ctypes.c_char.from_buffer(block))
        for guard in (0, pages + 1):
            if _LIBC.mprotect(ctypes.c_void_p(start + guard * PAGE), ctypes.c_size_t(PAGE), 0):
                raise OSError(ctypes.get_errno(), "mprotect")
        offset = PAGE
        if self.at_end:
            offset += pages * PAGE - -(-size // alignment) * alignment
        array = np.ndarray(tuple(shape), dtype, block, offset)
        array.reshape(-1).view(np.uint8)[...] = 0x7F
        return array

    def copy(self, array: np.ndarray) -> np.ndarray:
        """Returns a copy of an array between inaccessible pages."""
        if array.nbytes > LITTLE:
            return array
        guarded = self.empty(array.shape, array.dtype)
        guarded[...] = array
        return guarded


def call_guarded(function: NativeFunction, args: Sequence[Any]) -> tuple[Any, ...]:
    """Calls a function with every buffer between inaccessible pages, at their end and at their start; returns the last results."""
    results: tuple[Any, ...] = ()
    allocate = Boundary.allocate
    for at_end in (True, False):
        guarded = GuardedMemory(at_end)
        function.release()
        with (
            patch.object(
                Boundary, "allocate", lambda self, dims, into: list(map(guarded.copy, allocate(self, dims, into)))
            ),
            patch.object(workspaces, "aligned_empty", lambda size: guarded.empty([size], np.uint8, BUFFER_ALIGNMENT)),
        ):
            results = function.call(*(guarded.copy(arg) if isinstance(arg, np.ndarray) else arg for arg in args))
        function.release()
    return results


@contextmanager
def little_memory() -> Iterator[None]:
    """Makes the machine one with 64 MiB, so that sizes of gigabytes are refused and not tried."""
    with patch.object(memory, "available_memory", lambda: LITTLE), patch.object(memory, "UNCHECKED", LITTLE):
        yield


def faults(calls: Sequence[tuple[str, Callable[[], str | None]]]) -> list[str]:
    """Runs calls in child processes; returns what each one that fails says, or that it ended its process."""
    failures: list[str] = []
    start = 0
    while start < len(calls):
        note = mmap.mmap(-1, NOTE)
        readable, writable = os.pipe()
        child = os.fork()
        if not child:
            os.close(readable)
            _run(calls, start, note, writable)
        os.close(writable)
        with os.fdopen(readable, "rb") as pipe:
            failures.extend(pipe.read().decode().splitlines())
        _, status = os.waitpid(child, 0)
        if status == 0:
            return failures
        position = int(note[:NOTE].rstrip(b"\0") or start)
        failures.append(
            f"{calls[position][0]}: ended by signal {os.WTERMSIG(status)}"
            if os.WIFSIGNALED(status)
            else f"{calls[position][0]}: status {status}"
        )
        start = position + 1
    return failures


def _run(calls: Sequence[tuple[str, Callable[[], str | None]]], start: int, note: mmap.mmap, pipe: int) -> None:
    """Runs calls in the child process and ends it."""
    status = 1
    try:
        for position in range(start, len(calls)):
            note[:NOTE] = str(position).encode().ljust(NOTE, b"\0")
            label, call = calls[position]
            problem = call()
            if problem is not None:
                os.write(pipe, f"{label}: {problem}\n".encode())
        status = 0
    finally:
        os._exit(status)
