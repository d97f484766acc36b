"""Errors as the tools print them: `FILE:LINE:COL: error: message`, then the source line and the operation as it stands.

An exception knows its operation through its traceback: the innermost frame that was working on an operation names it.
That finds the position for verifier errors, rewrite patterns and whole passes alike, whoever wrote them.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.printer import Printer
from xdsl.utils.exceptions import ArgSpecParseError, DiagnosticException, MultipleSpansParseError, ParseError

from ..dialects.upstream.nesting import TOO_DEEP
from ..dialects.upstream.op_error import OpError
from ..dialects.upstream.positioned import POSITIONED
from ..dialects.upstream.positions import named, position_of
from ..entry_points import EXTENSIONS_VARIABLE
from ..extensions import ExtensionError
from ..interpreter.rule import InterpreterError
from ..targets.cpu import UnknownTargetError

MAX_SOURCE_LINE = 160
MAX_OPERATION = 400


@dataclass(frozen=True)
class Diagnostic:
    """One error: where (line and column from 1, or None), what, and the lines that explain it."""

    file: str
    line: int | None
    column: int | None
    message: str
    notes: tuple[str, ...] = ()

    @property
    def headline(self) -> str:
        """`FILE:LINE:COL: error: message`, without the position where there is none."""
        position = "" if self.line is None else f":{self.line}:{self.column}"
        return f"{self.file}{position}: error: {self.message}"

    def __str__(self) -> str:
        return "\n".join((self.headline, *self.notes))


_ABOUT_INPUT = (
    DiagnosticException,
    ParseError,
    ArgSpecParseError,
    UnknownTargetError,
    OSError,
    NotImplementedError,
    RecursionError,
)


def is_diagnosable(error: BaseException) -> bool:
    """Returns whether an error is about the input rather than a defect of this program."""
    return isinstance(error, _ABOUT_INPUT)


def says_its_position(error: BaseException) -> bool:
    """Returns whether a message begins with a position in the program, as what fails while a program runs may."""
    return POSITIONED.fullmatch(str(error)) is not None


def diagnose(error: BaseException, file: str, source: str = "", *, line_offset: int = 0) -> Diagnostic:
    """Returns the diagnostic of an error about the program in `file`.

    `source` is the text of the program (or of its part that starts after `line_offset` lines), to show the line from.
    """
    # Invariant: an error that is not about an op of the program returns before one is looked for.
    if isinstance(error, ParseError):
        return _diagnose_parse_error(error, file)
    if isinstance(error, RecursionError):
        return Diagnostic(file, None, None, TOO_DEEP)
    if isinstance(error, OSError):
        return Diagnostic(file, None, None, (error.strerror or str(error)).lower())
    if isinstance(error, ExtensionError):
        note = f"  note: {EXTENSIONS_VARIABLE}=0 in the environment leaves packages out, --debug shows the traceback"
        return Diagnostic(file, None, None, one_line(str(error)), (note,))
    about_op = error if isinstance(error, OpError | InterpreterError) and error.op is not None else None
    op = operation_of(error) if about_op is None else about_op.op
    message = one_line((str(error) if about_op is None else about_op.reason) or type(error).__name__)
    if op is None:
        positioned = POSITIONED.fullmatch(message)
        if positioned is None:
            return Diagnostic(file, None, None, message)
        path, line, column = positioned["file"], int(positioned["line"]), int(positioned["column"])
        return Diagnostic(
            path, line, column, positioned["message"], _excerpt(file, source, line_offset, path, line, column)
        )
    message = named(op.location, message)
    notes = (f"  note: see current operation: {short_form(op)}",)
    position = position_of(op.location)
    if position is None:
        return Diagnostic(file, None, None, message, notes)
    return Diagnostic(*position, message, (*_excerpt(file, source, line_offset, *position), *notes))


def _excerpt(file: str, source: str, line_offset: int, path: str, line: int, column: int) -> tuple[str, ...]:
    """Returns the source line of a position, if it is in the text at hand."""
    lines = source.split("\n")
    if path != file or not 0 < line - line_offset <= len(lines):
        return ()
    return tuple(_source_line(lines[line - line_offset - 1], column))


def one_line(message: str) -> str:
    """Returns the message in house style: one line, lower-case first letter, no final full stop."""
    text = " ".join(message.split())
    text = text.removesuffix(".").removesuffix("!")
    if re.match(r"[A-Z][a-z]", text):
        text = text[0].lower() + text[1:]
    return text


def operation_of(error: BaseException) -> Operation | None:
    """Returns the operation that was being worked on when the error was raised, from the frames of its traceback."""
    innermost: Operation | None = None
    for frame, _ in traceback.walk_tb(error.__traceback__):
        for name in ("self", "function", "op"):
            value = frame.f_locals.get(name)
            if isinstance(value, Operation) and (innermost is None or not isinstance(value, ModuleOp)):
                innermost = value
    return innermost


def short_form(op: Operation) -> str:
    """Returns the operation in generic form, on one line and without the contents of its regions."""
    out = _Limited()
    try:
        Printer(stream=out, print_generic_format=True).print_op(op)
    except _Full:
        pass
    except Exception:
        # An operation broken enough that it cannot be printed still has a name.
        return f'"{op.name}"'
    text = out.getvalue()
    head, newline, _ = text.partition("\n")
    return head + (" ..." if newline or len(text) >= MAX_OPERATION else "")


class _Full(Exception):
    """The output has reached its limit."""


class _Limited(StringIO):
    """A text stream that takes `MAX_OPERATION` characters, then stops the writer."""

    def write(self, s: str, /) -> int:
        space = MAX_OPERATION - self.tell()
        super().write(s[:space])
        if len(s) >= space:
            raise _Full
        return len(s)


def _is_binary(line: str) -> bool:
    """Returns whether a line is of a file that is no text, and would upset a terminal; a text may have a control character by mistake."""
    return sum(ord(character) < ord(" ") and character not in "\t\f\r" for character in line) > 1


def _diagnose_parse_error(error: ParseError, file: str) -> Diagnostic:
    location = error.span.get_location()
    content = error.span.input.content
    text = content.decode("utf-8", "replace") if isinstance(content, bytes) else content
    lines = text.split("\n")
    line = location.line - error.span.line_offset
    shown = line <= len(lines) and not _is_binary(lines[line - 1])
    notes = tuple(_source_line(lines[line - 1], location.col)) if shown else ()
    if isinstance(error, MultipleSpansParseError):
        for span, note in error.refs:
            reference = span.get_location()
            notes += (
                f"  note: {note or one_line(error.ref_text or 'see')} line {reference.line}, column {reference.col}",
            )
    return Diagnostic(location.file or file, location.line, location.col, one_line(error.msg), notes)


def _source_line(line: str, column: int) -> Iterator[str]:
    """Yields the source line and a caret under the column (from 1); of a long line, the part around the column, of a blank one nothing."""
    start = max(0, column - 1 - MAX_SOURCE_LINE // 2) if len(line) > MAX_SOURCE_LINE else 0
    shown = "".join(c if c.isprintable() else " " for c in line[start : start + MAX_SOURCE_LINE]).rstrip()
    if shown:
        yield f"  {shown}"
        yield " " * (column - start + 1) + "^"
