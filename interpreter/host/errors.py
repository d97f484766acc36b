"""The error that callers of a program can mend."""

from __future__ import annotations

from ...dialects.upstream.picklable_error import PicklableError
from ...dialects.upstream.positioned import POSITIONED


class ArgumentError(ValueError):
    """Arguments or parameters that do not fit the function; the message may have several lines, one for each."""


class FileError(PicklableError, ArgumentError):
    """Files that cannot be used, and why; the message has a line for each."""

    def __init__(self, *problems: tuple[str, str]):
        self.problems = problems
        """Pairs of the name of a file and what is wrong with it."""
        super().__init__("\n".join(f"{file}: {reason}" for file, reason in problems))


def put_in_front(error: Exception, place: str) -> None:
    """Puts where a call stands in the source in front of the text of the error that it raised; behind one that is no text, as a note."""
    match error.args:
        case (str() as text,):
            if POSITIONED.match(text) is None:
                error.args = (f"{place}{text}",)
        case _ if place:
            error.add_note(f"{place}the function that is called raised this")
        case _:
            pass
