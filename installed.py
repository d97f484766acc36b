"""What is installed, as the folders tell it in which installers describe packages.

`importlib.metadata` knows for certain, and takes longer to import than all else that a program in the cache needs: it is asked where the
folders do not tell.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

_DIST, _EGG = ".dist-info", ".egg-info"


def installed_version(package: str, places: Iterable[str]) -> str | None:
    """Returns the version of a package, by the name of its module, in folders with packages; `None` where they have none or several."""
    named = {_described(folder) for folder in _folders(places)}
    versions = {version for name, version in named if name == package and version}
    return versions.pop() if len(versions) == 1 else None


def may_offer(groups: Sequence[str], *, but: Sequence[str]) -> bool:
    """Returns whether a package, but for some, may have entry points in groups: its file of them is looked through for their names."""
    if any(place.endswith(".egg") or os.path.isfile(place) for place in sys.path):
        return True
    headers = [f"[{group}]" for group in groups]
    for folder in _folders(sys.path):
        if _described(folder)[0] in but:
            continue
        try:
            text = Path(folder.path, "entry_points.txt").read_text("utf-8", "replace").replace(" ", "")
        except OSError:
            continue
        if any(header in text for header in headers):
            return True
    return False


def _described(folder: os.DirEntry[str]) -> tuple[str, str]:
    """Returns the package that a folder describes, and its version; empty where its name has none."""
    name, _, rest = folder.name.removesuffix(_DIST).removesuffix(_EGG).partition("-")
    return name.lower(), rest.partition("-")[0]


def _folders(places: Iterable[str]) -> Iterator[os.DirEntry[str]]:
    """Yields the folders in which installers describe packages."""
    for place in places:
        try:
            with os.scandir(place or ".") as entries:
                folders = [entry for entry in entries if entry.name.endswith((_DIST, _EGG))]
        except OSError:
            continue
        yield from folders
