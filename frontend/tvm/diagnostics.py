"""What an import or export cannot express, collected and reported at once."""

from __future__ import annotations

from collections.abc import Sequence


class UnsupportedError(ValueError):
    """A module has constructs without a counterpart; `problems` lists them as `@function: construct: reason`."""

    def __init__(self, action: str, problems: Sequence[str]):
        self.problems = tuple(dict.fromkeys(problems))
        count = len(self.problems)
        noun = "construct" if count == 1 else "constructs"
        super().__init__(
            "\n".join((f"cannot {action} {count} {noun}:", *(f"  {problem}" for problem in self.problems)))
        )


class Unsupported(Exception):
    """One construct without a counterpart; caught where importing can go on."""
