"""The profile of some calls: how long each kernel took, what it computed and moved, and what share of the calls that is."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from ...dialects.relax import profile_layout as layout
from ...records import record
from ...visible import visible
from ...whole_file import write_text
from ..interface.record import ProfiledRegion
from .chrome_trace import trace_text
from .peak import Peak, machine_peak
from .recorder import Recording
from .roofline import Point, roofline_svg

FUNCTION = "function"
"""The kind of a region that is a whole function: what runs inside has regions of its own."""

COLUMNS = ("kernel", "source", "calls>", "us>", "share>", "GFLOP/s>", "of peak>", "GB/s>", "of peak>")
"""The header of the table; columns that end in `>` are numbers."""


@record
class Row:
    """A kernel at one place of the program, or a part of the calls that is none."""

    name: str
    source: str
    """The name of the layer and the position of the op, where they are known."""
    calls: int
    seconds: float
    share: float
    """The part of the time of all calls."""
    flops: int | None
    """Arithmetic on elements in all calls; `None` where it is not counted."""
    bytes: int | None
    """The bytes of arguments and results that all calls read and write, each once a call."""
    region: ProfiledRegion | None = None

    @property
    def flops_per_second(self) -> float | None:
        """The speed of arithmetic, `None` where there is none."""
        return self.flops / self.seconds if self.flops and self.seconds else None

    @property
    def bytes_per_second(self) -> float | None:
        """The speed of memory."""
        return self.bytes / self.seconds if self.bytes and self.seconds else None


class Profile:
    """What `Executable.profiling` and `NativeFunction.profile` have recorded; `print` shows a table."""

    def __init__(self, recording: Recording, threads: int):
        self.recording = recording
        self.threads = threads

    @property
    def seconds(self) -> float:
        """The time of all calls, as Python sees it."""
        return sum(call.end - call.begin for call in self.recording.calls) * self.recording.seconds_per_tick

    @property
    def native_seconds(self) -> float:
        """The time of all calls inside of native code."""
        return sum(call.native for call in self.recording.calls) * self.recording.seconds_per_tick

    def fastest(self) -> Profile:
        """Returns the profile of the call that took the least time: that which other processes disturbed least.

        It is the profile of all calls where they had more parts than are kept one by one.
        """
        return Profile(self.recording.fastest(), self.threads)

    @cached_property
    def kernels(self) -> tuple[Row, ...]:
        """The kernels that ran, the slowest first."""
        total, per_tick = self.seconds, self.recording.seconds_per_tick
        rows: list[Row] = []
        for region, row in zip(self.recording.regions, self.recording.totals.tolist(), strict=True):
            if region.kind == FUNCTION or not row[layout.CALLS]:
                continue
            seconds = row[layout.TICKS] * per_tick
            counted = region.is_counted
            rows.append(
                Row(
                    region.name,
                    source_of(region),
                    row[layout.CALLS],
                    seconds,
                    seconds / total,
                    row[layout.FLOPS] if counted else None,
                    row[layout.BYTES] if counted else None,
                    region,
                )
            )
        return tuple(sorted(rows, key=lambda row: -row.seconds))

    @property
    def rows(self) -> tuple[Row, ...]:
        """The kernels, and the rest of the calls: native code between kernels, and Python around it."""
        calls, total = len(self.recording.calls), self.seconds
        between = max(0.0, self.native_seconds - sum(row.seconds for row in self.kernels))
        around = max(0.0, total - self.native_seconds)
        parts = (("(between kernels)", between), ("(arguments and results)", around))
        return (*self.kernels, *(Row(name, "", calls, s, s / total if total else 0.0, None, None) for name, s in parts))

    @property
    def kernel_share(self) -> float:
        """The part of native code that kernels are."""
        return sum(row.seconds for row in self.kernels) / self.native_seconds if self.native_seconds else 0.0

    @cached_property
    def peak(self) -> Peak:
        """What the machine can do at most, measured once."""
        return machine_peak(self.threads)

    def table(self, most: int | None = None) -> list[tuple[str, ...]]:
        """Returns the rows as texts under `COLUMNS`, times those of one call; of the kernels at most `most`, the slowest."""
        shown = self.rows if most is None else (*self.kernels[:most], *self.rows[len(self.kernels) :])
        calls = max(1, len(self.recording.calls))
        return [
            (
                visible(row.name),
                visible(row.source),
                _number(row.calls / calls),
                f"{row.seconds / calls * 1e6:.1f}",
                f"{100 * row.share:.1f} %",
                *_speed(row.flops_per_second, self.peak.flops),
                *_speed(row.bytes_per_second, self.peak.bandwidth((row.bytes or 0) / max(1, row.calls))),
            )
            for row in shown
        ]

    def summary(self) -> str:
        """Returns the time of a call, and what part of it the rows are."""
        count, total = len(self.recording.calls), sum(row.share for row in self.rows)
        return (
            f"{count} call{'' if count == 1 else 's'} of {self.seconds / max(1, count) * 1e6:.1f} us: kernels are "
            f"{100 * self.kernel_share:.1f} % of native code, all rows {100 * total:.1f} % of the time"
        )

    def __str__(self) -> str:
        """Returns the table as aligned text."""
        rows = [tuple(name.removesuffix(">") for name in COLUMNS), *self.table()]
        widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
        right = [name.endswith(">") for name in COLUMNS]
        lines = [
            "  ".join(
                cell.rjust(width) if is_right else cell.ljust(width)
                for cell, width, is_right in zip(row, widths, right, strict=True)
            ).rstrip()
            for row in rows
        ]
        return "\n".join([self.summary(), self.peak.text, *lines])

    def save_trace(self, path: str | Path) -> None:
        """Writes the calls as a trace in Chrome's format, for `chrome://tracing` and Perfetto."""
        write_text(path, trace_text(self.recording))

    def save_roofline(self, path: str | Path) -> None:
        """Writes a picture of kernels under the roofline of the machine, as SVG."""
        write_text(path, roofline_svg(self.points, self.peak))

    @property
    def points(self) -> list[Point]:
        """The kernels whose arithmetic and bytes are counted."""
        return [
            Point(row.name, row.source, row.flops / row.bytes, row.flops_per_second, row.share)
            for row in self.kernels
            if row.flops and row.bytes and row.flops_per_second
        ]


def source_of(region: ProfiledRegion) -> str:
    """Returns the name of the layer, and the position of the op that a kernel ends with."""
    more = f" (+{len(region.places) - 1})" if len(region.places) > 1 else ""
    place = f"{region.places[0]}{more}" if region.places else ""
    return " ".join(text for text in (region.layer, place) if text) or f"@{region.function}"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.1f}"


def _speed(per_second: float | None, peak: float) -> Sequence[str]:
    if per_second is None:
        return "-", "-"
    return f"{per_second / 1e9:.1f}", f"{100 * per_second / peak:.0f} %"
