"""The clock that profiled code reads: the processor's counter of ticks, of constant speed, and how many of them a second has."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from functools import cache

from ...targets.cpu import host_target
from .jit import NativeModule, compile_ir

_TICKS = """
define i64 @ticks() {
  %1 = call i64 @llvm.readcyclecounter()
  ret i64 %1
}
declare i64 @llvm.readcyclecounter()
"""

_SHORTEST = 0.02
"""Seconds over which ticks are compared with the clock of the system; reading that one may be off by a microsecond."""


class Clock:
    """Reads ticks as profiled code does, and tells them in seconds."""

    def __init__(self) -> None:
        self._module: NativeModule = compile_ir(_TICKS, host_target())
        self.ticks: Callable[[], int] = ctypes.CFUNCTYPE(ctypes.c_int64)(self._module.address("ticks"))
        """Returns the ticks so far."""
        self._start = self._now()

    def _now(self) -> tuple[int, float]:
        return self.ticks(), time.perf_counter()

    def seconds_per_tick(self) -> float:
        """Returns the length of a tick, as it was since the clock was made."""
        while (now := self._now())[1] - self._start[1] < _SHORTEST:
            time.sleep(_SHORTEST)
        return (now[1] - self._start[1]) / (now[0] - self._start[0])


@cache
def clock() -> Clock:
    """Returns the clock of the process."""
    return Clock()
