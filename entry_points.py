"""The entry points by which installed packages add to the compiler, as `extensions` loads them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

UNIVERSES = "xdsl.universe"
EXTENSIONS = "xdsl_relax.extensions"

EXTENSIONS_VARIABLE = "RELAX_EXTENSIONS"
"""The environment variable that leaves out all packages but xDSL and this one where it is 0."""

_MODULE = __name__.partition(".")[0]


def offered(group: str) -> list[EntryPoint]:
    """Returns what installed packages other than this one offer in a group, unloaded, without those that the environment leaves out."""
    from importlib.metadata import entry_points

    entries = [entry for entry in entry_points(group=group) if entry.value.partition(".")[0] != _MODULE]
    if os.environ.get(EXTENSIONS_VARIABLE) == "0":
        entries = [entry for entry in entries if entry.value.partition(".")[0] == "xdsl"]
    return sorted(entries, key=lambda entry: (package_of(entry), entry.name))


def package_of(entry: EntryPoint) -> str:
    """Returns the name and the version of the package that offers an entry."""
    return entry.name if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"
