"""Where an op comes from, as jax and other exporters write it."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, LocationAttr, StringAttr, UnknownLoc

from ..model.locations import scoped_location


def location_of(location: Any) -> LocationAttr:
    """Returns a location of MLIR: the path of a name (`jit(f)/layer/add`), or a line of a file."""
    name = name_of(location)
    if name:
        *scopes, last = name.split("/")
        return scoped_location(last, scopes)
    if hasattr(location, "start_line"):
        return FileLineColLoc(
            StringAttr(str(location.filename.value if hasattr(location.filename, "value") else location.filename)),
            IntAttr(int(location.start_line)),
            IntAttr(int(location.start_col)),
        )
    return UnknownLoc()


def name_of(location: Any) -> str:
    """Returns the name that a location is, or empty text."""
    return str(location.name_str) if hasattr(location, "name_str") else ""


def path_of(location: Any) -> str:
    """Returns a location in the words of an error."""
    name = name_of(location)
    if name:
        # jax writes callbacks with the place of their function, which is none here.
        return name.rstrip(":")
    return f"line {location.start_line}" if hasattr(location, "start_line") else "an unknown place"
