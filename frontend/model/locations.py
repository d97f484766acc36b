"""Where an op comes from: the path of its module and the name of its node."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import LocationAttr, NameLoc, NoneAttr, StringAttr, UnknownLoc


def scoped_location(name: str, scopes: Sequence[str] = ()) -> LocationAttr:
    """Returns the location of a node with a name, inside of modules from the outermost to the innermost one."""
    location: LocationAttr | NoneAttr = NoneAttr()
    for item in (*scopes, name):
        if item:
            location = NameLoc(StringAttr(item), location)
    return UnknownLoc() if isinstance(location, NoneAttr) else location
