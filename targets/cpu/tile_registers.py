"""Whether this process may use tile registers (AMX): Linux gives their state to processes that ask for it."""

from __future__ import annotations

import ctypes
import platform
import sys
from functools import cache

_ARCH_PRCTL = 158
"""The number of the system call `arch_prctl` on x86-64."""
_ARCH_REQ_XCOMP_PERM = 0x1023
_XFEATURE_XTILEDATA = 18


@cache
def may_use_tiles() -> bool:
    """Asks for tile registers, once in a process, and returns whether it has them.

    What is granted holds for all threads, those that run already too, and for children of `fork`. The state takes 8 KiB of a thread from
    its first use on. Linux declines where a thread has a signal stack that is too small for it.
    """
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return False
    return ctypes.CDLL(None).syscall(_ARCH_PRCTL, _ARCH_REQ_XCOMP_PERM, _XFEATURE_XTILEDATA) == 0
