"""The memory that profiled code writes, and what one recording finds in it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from threading import RLock
from typing import Any, TypeVar

import numpy as np

from ...dialects.relax import profile_layout as layout
from ...dialects.relax.profile_layout import ProfileLayout
from ...records import record
from ..executable.workspaces import aligned_empty
from ..interface.record import ProfiledRegion, ProfileInterface
from ..machine.clock import clock

Result = TypeVar("Result")


@record
class Call:
    """A call from Python, between these ticks."""

    function: str
    begin: int
    end: int
    native: int
    """The ticks inside of native code."""


@record
class Recording:
    """What was recorded between two moments, in ticks of the clock."""

    regions: tuple[ProfiledRegion, ...]
    totals: np.ndarray[Any, np.dtype[np.int64]]
    """For each region its calls, ticks, operations and bytes."""
    events: np.ndarray[Any, np.dtype[np.int64]]
    """For each time that a region ran its number, and when it began and ended; the first ones where there are many."""
    lost_events: int
    calls: tuple[Call, ...]
    seconds_per_tick: float

    def fastest(self) -> Recording:
        """Returns what was recorded of the call that took the least time; all of it where not all events were kept."""
        if self.lost_events or len(self.calls) < 2:
            return self
        call = min(self.calls, key=lambda call: call.end - call.begin)
        begin, end = self.events[:, layout.BEGIN], self.events[:, layout.END]
        events = self.events[(begin >= call.begin) & (end <= call.end)]
        totals = np.zeros_like(self.totals)
        regions = events[:, layout.REGION]
        amounts = {
            layout.CALLS: np.ones_like(regions),
            layout.TICKS: events[:, layout.END] - events[:, layout.BEGIN],
            layout.FLOPS: events[:, layout.EVENT_FLOPS],
            layout.BYTES: events[:, layout.EVENT_BYTES],
        }
        for column, amount in amounts.items():
            np.add.at(totals[:, column], regions, amount)
        return replace(self, totals=totals, events=events, calls=(call,))


class Recorder:
    """Owns the profile of an executable; calls of it run one after the other, as they write the same memory."""

    def __init__(self, interface: ProfileInterface):
        self.interface = interface
        self._layout = ProfileLayout(len(interface.regions))
        self._memory = aligned_empty(8 * self._layout.size).view(np.int64)
        self._lock = RLock()
        self._calls: list[Call] = []
        self._native_ticks = 0
        self._clock = clock()
        self._clear()

    @property
    def address(self) -> int:
        """Where code finds the memory."""
        return self._memory.ctypes.data

    def timed(self, function: str, call: Callable[[], Result]) -> Result:
        """Makes a call of Python that is part of the profile."""
        with self._lock:
            native, begin = self._native_ticks, self._clock.ticks()
            result = call()
            self._calls.append(Call(function, begin, self._clock.ticks(), self._native_ticks - native))
            return result

    def timed_entry(self, entry: Callable[..., int]) -> Callable[..., int]:
        """Returns a C entry whose time counts as that of native code."""

        def run(*arguments: int | bytes) -> int:
            begin = self._clock.ticks()
            status = entry(*arguments)
            self._native_ticks += self._clock.ticks() - begin
            return status

        return run

    @contextmanager
    def recording(self) -> Generator[list[Recording], None, None]:
        """Records what this thread calls; at the end the list has the recording."""
        taken: list[Recording] = []
        with self._lock:
            self._clear()
            yield taken
            taken.append(self._recording())
            self._clear()

    def _clear(self) -> None:
        self._memory[: self._layout.first_event] = 0
        self._calls.clear()
        self._native_ticks = 0

    def _recording(self) -> Recording:
        count = int(self._memory[layout.EVENTS])
        kept = min(count, layout.MOST_EVENTS)
        begin = self._layout.first_event
        rows = self._memory[layout.HEADER : begin].reshape(-1, layout.REGION_COLUMNS)
        events = self._memory[begin : begin + layout.EVENT_COLUMNS * kept].reshape(-1, layout.EVENT_COLUMNS)
        return Recording(
            self.interface.regions,
            rows.copy(),
            events.copy(),
            count - kept,
            tuple(self._calls),
            self._clock.seconds_per_tick(),
        )
