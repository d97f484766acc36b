"""Errors of passes that name the op and where it stands; xDSL's `PassFailedException` has a text alone.

For upstream: "`PassFailedException` takes the operation at fault, so that a driver can print its location."
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from .picklable_error import PicklableError
from .positions import located, position_of


class OpError(PicklableError, PassFailedException):
    """An error about one op; its text starts with `file:line:col: error:` where the op was parsed from a file."""

    def __init__(self, op: Operation, reason: str):
        self.op: Operation | None = op
        """The op; `None` in an error that came from another process."""
        self.reason = reason
        super().__init__(located(op.location, reason))


def refuse(problems: Sequence[tuple[Operation, str]]) -> None:
    """Raises one `OpError` for all ops at fault, if there are any: the reason of the first, the names and lines of the others."""
    if not problems:
        return
    (first, reason), *others = problems
    lines: dict[str, list[str]] = {}
    for op, _ in others:
        position = position_of(op.location)
        lines.setdefault(op.name, []).append("?" if position is None else str(position[1]))
    listed = ", ".join(f"{name} (line {', '.join(numbers)})" for name, numbers in lines.items())
    raise OpError(first, f"{reason}; also {listed}" if listed else reason)
