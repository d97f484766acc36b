"""A progress bar on standard error, for a person at a terminal alone."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def tracked(items: Sequence[Item], label: str, shown: bool = True) -> Iterable[Item]:
    """Returns the items; a bar says how many of them have been taken if it is to be shown and standard error is a terminal."""
    if not shown or not sys.stderr.isatty():
        return items
    from rich.console import Console
    from rich.progress import track

    return track(items, description=label, console=Console(stderr=True), transient=True)
