"""Where an op comes from: the path of its module and the name of its node, and the line of a file where that is known."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, LocationAttr, NameLoc, NoneAttr, StringAttr, UnknownLoc


def scoped_location(name: str, scopes: Sequence[str] = (), line: tuple[str, int] | None = None) -> LocationAttr:
    """Returns the location of a node with a name, inside of modules from the outermost to the innermost one."""
    location: LocationAttr | NoneAttr = NoneAttr()
    if line is not None:
        location = FileLineColLoc(StringAttr(line[0]), IntAttr(line[1]), IntAttr(1))
    for item in (*scopes, name):
        if item:
            location = NameLoc(StringAttr(item), location)
    return UnknownLoc() if isinstance(location, NoneAttr) else location
