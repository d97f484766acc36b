"""Locations of the ops that the builder makes: the caller's line, unless a location is given."""

from __future__ import annotations

import inspect
from collections.abc import Generator
from contextlib import contextmanager
from itertools import islice
from types import FrameType
from typing import TypeAlias

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, LocationAttr, ModuleOp, NameLoc, StringAttr, UnknownLoc

from ..callers import is_own, package_of_frame
from ..records import record

Location: TypeAlias = LocationAttr | str
"""A location, or a name for the caller's line: `layers.0.attn` gives `loc("layers.0.attn"("model.py":12:9))`."""


def caller_location(*others: str) -> LocationAttr:
    """Returns the innermost line that is being executed outside of this package, and of others, with the column of the call."""
    frame = inspect.currentframe()
    while frame is not None and (is_own(frame) or package_of_frame(frame) in others):
        frame = frame.f_back
    return UnknownLoc() if frame is None else _line(frame, frame.f_lasti)


def raised_location(error: BaseException) -> LocationAttr | None:
    """Returns the innermost line outside of this package that an error went through; `None` for one that never left the package."""
    innermost = None
    trace = error.__traceback__
    while trace is not None:
        if not is_own(trace.tb_frame):
            innermost = _line(trace.tb_frame, trace.tb_lasti)
        trace = trace.tb_next
    return innermost


def _line(frame: FrameType, instruction: int) -> LocationAttr:
    code = frame.f_code
    position = next(islice(code.co_positions(), instruction // 2, None), None)
    line, column = (position[0], position[2]) if position is not None else (None, None)
    return FileLineColLoc(
        StringAttr(code.co_filename), IntAttr(line or frame.f_lineno), IntAttr(1 if column is None else column + 1)
    )


@record(frozen=False)
class Locations:
    """The location of what is being built; the builders of one module share it."""

    current: LocationAttr | None = None
    """The location of all ops, if `at` gives one."""
    module: ModuleOp | None = None
    """The module that is built, if the builder makes it."""

    def resolve(self, location: Location | None) -> LocationAttr:
        """Returns the location of an op: the one given, that of `at`, or the caller's line."""
        if isinstance(location, str):
            return NameLoc(StringAttr(location), caller_location())
        if location is not None:
            return location
        return caller_location() if self.current is None else self.current

    @contextmanager
    def at(self, location: Location) -> Generator[None, None, None]:
        """Gives all ops that are made inside a location."""
        outer, self.current = self.current, self.resolve(location)
        try:
            yield
        finally:
            self.current = outer
