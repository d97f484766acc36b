"""What an import or export cannot express, collected and reported at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ...dialects.upstream.picklable_error import PicklableError

UNREADABLE = "a node that holds what it may not"


class UnsupportedError(PicklableError, ValueError):
    """A module has constructs without a counterpart; `problems` lists them as `@function: construct: reason`."""

    def __init__(self, action: str, problems: Sequence[str]):
        counts = Counter(problems)
        self.problems = tuple(counts)
        noun = "construct" if len(counts) == 1 else "constructs"
        lines = (f"  {text}{f' ({times} times)' if times > 1 else ''}" for text, times in counts.items())
        super().__init__("\n".join((f"cannot {action} {len(counts)} {noun}:", *lines)))


class Unsupported(Exception):
    """One construct without a counterpart; caught where importing can go on."""
