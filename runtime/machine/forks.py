"""Forks of the process: a child has the memory of its parent, and of its threads only the one that forked."""

from __future__ import annotations

import ctypes
import mmap
import os
import threading
from typing import Any

_SOFT = 1
"""What `omp_pause_resource_all` calls a pause that keeps settings and data."""


class ForkError(RuntimeError):
    """Says that the threads of a parent process are gone in its child."""


class _Fork(threading.local):
    is_prepared: bool = False


_WIPE_ON_FORK = 18
"""Linux's advice for memory that a child finds cleared, however it was forked."""


def _memory_of_process() -> mmap.mmap | bytearray:
    """Returns a byte that is 1 until the process forks, and 0 in its child; where the system has none, it is always 0."""
    try:
        memory = mmap.mmap(-1, mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        memory.madvise(_WIPE_ON_FORK)
    except (AttributeError, OSError, ValueError):
        return bytearray(1)
    memory[0] = 1
    return memory


_fork = _Fork()
_process: int | None = None
"""The process in which a team of threads can be formed; `None` where the OpenMP runtime knows of forks."""
in_process = _memory_of_process()
"""Its first byte is 1 in a process in which nothing has changed for threads, which takes less time to see than to ask the system."""
_HERE = in_process[0]


def end_teams_at_forks(library: ctypes.CDLL) -> None:
    """Lets an OpenMP runtime end the threads of a team before the process forks, so that parent and child form new ones.

    libgomp keeps the team of a thread, and waits in the child for threads that are not there. LLVM's runtime looks after itself.
    """
    global _process
    if hasattr(library, "kmp_set_blocktime"):
        return
    _process = os.getpid()
    # GCC 9 brought it.
    pause: Any = getattr(library, "omp_pause_resource_all", None)

    def before() -> None:
        # In a child that C code forked it would wait as well.
        _fork.is_prepared = pause is not None and os.getpid() == _process and pause(_SOFT) == 0

    def after_in_child() -> None:
        global _process
        if _fork.is_prepared:
            _process = os.getpid()
            in_process[0] = _HERE

    os.register_at_fork(before=before, after_in_child=after_in_child)


def require_threads() -> None:
    """Raises `ForkError` in a process that was forked without Python knowing: in it, a call on several threads would never end."""
    if _process is not None and os.getpid() != _process:
        raise ForkError(
            f"process {os.getpid()} was forked from {_process} by other means than os.fork, and has none of its threads: "
            "fork by os.fork or multiprocessing, or compile with threads=1"
        )
