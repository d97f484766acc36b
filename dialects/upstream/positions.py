"""Where a location of the program points: xDSL has five kinds of locations, people want a file, a line and a column."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    NameLoc,
    NoneAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute

Position: TypeAlias = tuple[str, int, int]
"""File, line and column, both from 1."""


def file_position(file: StringAttr, line: IntAttr, column: IntAttr) -> FileLineColLoc:
    """Returns the location of a position in a file: what xDSL's constructor makes, which is asked for each op and checks all three."""
    location = object.__new__(FileLineColLoc)
    for name, part in ("filename", file), ("line", line), ("column", column):
        object.__setattr__(location, name, part)
    return location


_NO_METADATA = NoneAttr()


def _fused_from(locations: Sequence[LocationAttr]) -> FusedLoc:
    """Returns the location of several, which are locations as they stand: xDSL's constructor asks each of them again."""
    location = object.__new__(FusedLoc)
    object.__setattr__(location, "locations", ArrayAttr(locations))
    object.__setattr__(location, "metadata", _NO_METADATA)
    return location


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


def all_positions(location: Attribute) -> list[Position]:
    """Returns every position that a location names, in order; those of callees for call sites."""
    match location:
        case FileLineColLoc():
            return [(location.filename.data, location.line.data, location.column.data)]
        case NameLoc():
            return all_positions(location.location)
        case CallSiteLoc():
            return all_positions(location.callee) or all_positions(location.caller)
        case FusedLoc(locations=ArrayAttr() as locations):
            return [position for inner in locations for position in all_positions(inner)]
        case _:
            return []


def fused(locations: Iterable[LocationAttr]) -> LocationAttr:
    """Returns the location of an op that stands for several, those that are known, each once; the first is that of errors."""
    # Flat, as what is fused again and again would nest deeper than Python's stack.
    parts = [part for location in locations for part in _parts(location) if type(part) is not UnknownLoc]
    first: dict[Hashable, LocationAttr] = {}
    for part in parts:
        first.setdefault(_key(part), part)
    known = [*first.values()]
    if len(known) > 1:
        return _fused_from(known)
    return known[0] if known else UnknownLoc()


def _key(location: LocationAttr) -> Hashable:
    """Returns what is equal for equal locations, of which those that most ops have take long to hash."""
    if type(location) is FileLineColLoc:
        return location.filename.data, location.line.data, location.column.data
    return location


def _parts(location: LocationAttr) -> Iterable[LocationAttr]:
    """Returns the locations that were fused to one, which has no more to say than they."""
    if type(location) is FusedLoc and type(location.metadata) is NoneAttr:
        return location.locations  # pyright: ignore[reportReturnType]
    return (location,)


def _first(locations: Iterable[Attribute]) -> Position | None:
    return next((position for location in locations if (position := position_of(location)) is not None), None)


def name_of(location: Attribute) -> str | None:
    """Returns the name that a location has around its position, such as the path of a module of a model; `None` if it has none."""
    match location:
        case NameLoc():
            return location.desc.data
        case CallSiteLoc():
            return name_of(location.callee) or name_of(location.caller)
        case FusedLoc(locations=ArrayAttr() as locations):
            return next((name for inner in locations if (name := name_of(inner)) is not None), None)
        case _:
            return None


def named(location: Attribute, message: str) -> str:
    """Returns a message behind the name of its location, if that has one."""
    name = name_of(location)
    return f"{name}: {message}" if name else message


def located(location: Attribute, message: str) -> str:
    """Returns a message as compilers write it, `file:line:col: error: name: message`, with what the location tells of position and name."""
    position, text = position_of(location), named(location, message)
    return text if position is None else f"{position[0]}:{position[1]}:{position[2]}: error: {text}"
