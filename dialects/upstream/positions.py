"""Where a location of the program points: xDSL has five kinds of locations, people want a file, a line and a column."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from xdsl.dialects.builtin import ArrayAttr, CallSiteLoc, FileLineColLoc, FusedLoc, NameLoc
from xdsl.ir import Attribute

Position: TypeAlias = tuple[str, int, int]
"""File, line and column, both from 1."""


def position_of(location: Attribute) -> Position | None:
    """Returns the first position that a location names, that of the callee for a call site; `None` if it names none."""
    match location:
        case FileLineColLoc():
            return location.filename.data, location.line.data, location.column.data
        case NameLoc():
            return position_of(location.location)
        case CallSiteLoc():
            return _first((location.callee, location.caller))
        case FusedLoc(locations=ArrayAttr() as locations):
            return _first(locations)
        case _:
            return None


def _first(locations: Iterable[Attribute]) -> Position | None:
    return next((position for location in locations if (position := position_of(location)) is not None), None)


def located(location: Attribute, message: str) -> str:
    """Returns a message as compilers write it, `file:line:col: error: message`; as it is where the location names no position."""
    position = position_of(location)
    return message if position is None else f"{position[0]}:{position[1]}:{position[2]}: error: {message}"
