"""A recording as a trace in Chrome's format: one event for each call, and for each time that a function or kernel ran inside."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

from .recorder import Recording


def trace_text(recording: Recording) -> str:
    """Returns the trace as JSON."""
    first = min((call.begin for call in recording.calls), default=0)
    metadata = {"name": "process_name", "ph": "M", "pid": os.getpid(), "args": {"name": "xdsl-relax"}}
    events = [metadata, *_events(recording, first)]
    lost = {"events that were not kept": recording.lost_events} if recording.lost_events else {}
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ns", "otherData": lost}, indent=0)


def _events(recording: Recording, first: int) -> Iterator[dict[str, Any]]:
    def event(name: str, kind: str, begin: int, end: int, args: dict[str, Any]) -> dict[str, Any]:
        # In microseconds, as the format has it.
        scale = 1e6 * recording.seconds_per_tick
        times = {"ts": (begin - first) * scale, "dur": (end - begin) * scale}
        return {"name": name, "cat": kind, "ph": "X", "pid": os.getpid(), "tid": 0, **times, "args": args}

    for call in recording.calls:
        yield event(call.function, "call", call.begin, call.end, {})
    for number, begin, end, *_ in recording.events.tolist():
        region = recording.regions[number]
        args = {"function": region.function, "layer": region.layer, "source": ", ".join(region.places)}
        yield event(region.name, region.kind, begin, end, {key: text for key, text in args.items() if text})
