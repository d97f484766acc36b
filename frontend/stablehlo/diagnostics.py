"""What MLIR says of a program, kept in place of being printed."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

LENGTH = 300
"""Of longer messages, which have whole ops, the first characters are shown."""


@contextmanager
def diagnostics(context: Any) -> Generator[list[str]]:
    """Yields the list that gets each error of a context, in one line.

    The bindings would make the text of errors themselves, and end the process where it is no UTF-8, as that of a damaged file.
    """
    messages: list[str] = []

    def keep(diagnostic: Any) -> bool:
        try:
            if diagnostic.severity == type(diagnostic.severity).ERROR:
                messages.append(f"{_place(diagnostic.location)}{_line(diagnostic.message)}")
        except (UnicodeDecodeError, RuntimeError, ValueError):
            messages.append("the file is damaged (names in it are no UTF-8)")
        return True

    printed, context.emit_error_diagnostics = context.emit_error_diagnostics, True
    handler = context.attach_diagnostic_handler(keep)
    try:
        yield messages
    finally:
        handler.detach()
        context.emit_error_diagnostics = printed


def first(messages: list[str], error: Exception) -> str:
    """Returns the first message, or what the bindings raised where there is none."""
    return messages[0] if messages else _line(str(error)) or "it cannot be read"


def _line(message: str) -> str:
    # The rest tells how to call mlir-opt.
    text = " ".join(message.partition(". If this is intended")[0].split())
    return text if len(text) <= LENGTH else f"{text[:LENGTH]}..."


def _place(location: Any) -> str:
    line = getattr(location, "start_line", None)
    return f"line {line}: " if line else ""
