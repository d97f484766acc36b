"""The entry points by which installed packages add to the compiler, as `extensions` loads them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .installed import may_offer

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

UNIVERSES = "xdsl.universe"
EXTENSIONS = "xdsl_relax.extensions"

EXTENSIONS_VARIABLE = "RELAX_EXTENSIONS"
"""The environment variable that leaves out all packages but xDSL and this one where it is 0."""

_KNOWN = ("xdsl", __name__.partition(".")[0])
"""The modules whose entry points are known without a look at them."""


def offered(group: str) -> list[EntryPoint]:
    """Returns what installed packages other than xDSL and this one offer in a group, unloaded; nothing where the environment says so."""
    if os.environ.get(EXTENSIONS_VARIABLE) == "0" or not may_offer((group,), but=_KNOWN):
        return []
    from importlib.metadata import entry_points

    entries = [entry for entry in entry_points(group=group) if entry.value.partition(".")[0] not in _KNOWN]
    return sorted(entries, key=lambda entry: (package_of(entry), entry.name))


def owner_of(part: type) -> str | None:
    """Returns the name and the version of the package that a class is from; `None` where no entry point names its module."""
    module = part.__module__.partition(".")[0]
    entries = [entry for group in (UNIVERSES, EXTENSIONS) for entry in offered(group)]
    return next((package_of(entry) for entry in entries if entry.value.partition(".")[0] == module), None)


def package_of(entry: EntryPoint) -> str:
    """Returns the name and the version of the package that offers an entry."""
    return entry.name if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"
