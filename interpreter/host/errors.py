"""The error that callers of a program can mend."""

from __future__ import annotations

from ...dialects.upstream.picklable_error import PicklableError


class ArgumentError(ValueError):
    """Arguments or parameters that do not fit the function; the message may have several lines, one for each."""


class FileError(PicklableError, ArgumentError):
    """Files that cannot be used, and why; the message has a line for each."""

    def __init__(self, *problems: tuple[str, str]):
        self.problems = problems
        """Pairs of the name of a file and what is wrong with it."""
        super().__init__("\n".join(f"{file}: {reason}" for file, reason in problems))
