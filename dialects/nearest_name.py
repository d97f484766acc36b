"""The nearest name of a list, for errors about a name that is unknown."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def suggestion(name: str, known: Iterable[str]) -> str:
    """Returns `, did you mean 'strides'?` for the nearest known name; nothing if none is near."""
    matches = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f", did you mean {matches[0]!r}?" if matches else ""
