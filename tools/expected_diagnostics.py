"""`--verify-diagnostics`: the errors of a file are compared with the ones that its comments announce, as in MLIR.

    // expected-error@+1 {{contraction dimensions differ}}
    %y = relax.matmul %x, %w : ...

The line is given as `@+N`, `@-N`, `@above`, `@below` or `@unknown` (an error without position); without any, it is the
comment's own line. The text between the braces must occur in the message.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .diagnostics import Diagnostic

_EXPECTED = re.compile(r"//.*?expected-(?P<kind>\w+)(?P<where>@[^\s{]*)?\s*(?:\{\{(?P<text>.*?)\}\})?")
_OFFSET = re.compile(r"@[+-]\d+")


@dataclass(frozen=True)
class Expectation:
    """An announced error: the line it is expected on (None: without position), and a part of its message."""

    line: int | None
    text: str
    comment_line: int

    def matches(self, diagnostic: Diagnostic) -> bool:
        """Returns whether a diagnostic is the announced one."""
        return self.line == diagnostic.line and self.text in diagnostic.message


def find_expectations(source: str, line_offset: int = 0) -> list[Expectation]:
    """Returns the announced errors of a text; raises `ValueError` for a comment that announces nothing readable."""
    expectations: list[Expectation] = []
    for number, line in enumerate(source.split("\n"), start=1 + line_offset):
        for match in _EXPECTED.finditer(line):
            if match["kind"] != "error" or match["text"] is None:
                form = "expected-error@+N {{text}}"
                raise ValueError(f"line {number}: cannot read '{match[0].strip()}', which is not of the form {form}")
            expectations.append(Expectation(_line(match["where"], number), match["text"], number))
    return expectations


def _line(where: str | None, number: int) -> int | None:
    if where is None:
        return number
    if _OFFSET.fullmatch(where):
        return number + int(where[1:])
    names = {"@above": number - 1, "@below": number + 1, "@unknown": None}
    if where not in names:
        raise ValueError(f"line {number}: '{where}' is none of @+N, @-N, @above, @below, @unknown")
    return names[where]


def compare(expected: Sequence[Expectation], reported: Sequence[Diagnostic], file: str) -> list[str]:
    """Returns a message for each announced error that did not appear and each error that was not announced."""
    mismatches: list[str] = []
    missing = list(expected)
    for diagnostic in reported:
        match = next((e for e in missing if e.matches(diagnostic)), None)
        if match is None:
            mismatches.append(f"{diagnostic.headline.replace(': error: ', ': error: unexpected error: ', 1)}")
        else:
            missing.remove(match)
    mismatches += [f'{file}:{e.comment_line}: error: expected error "{e.text}" was not produced' for e in missing]
    return mismatches
