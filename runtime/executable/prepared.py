"""Parameters that calls take by the hundred, looked at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .leaf import Array


@dataclass(frozen=True)
class Prepared:
    """What a call needs of the leaves of a parameter set: they fit, and their memory is passed as it is."""

    arrays: list[Array]
    sizes: Sequence[int]
    """All their dims."""
    addresses: bytes
