"""Programs as callers give them: a module, its text, or the file that has it."""

from __future__ import annotations

from pathlib import Path

from ..records import record


@record
class Source:
    """The text of a program, and the name of the file that positions in it carry."""

    text: str | bytes
    file: str


def read_source(program: str | Path) -> Source:
    """Returns the text of a program, which a `Path`, or a string of one line that ends in `.mlir`, names the file of."""
    if not isinstance(program, str | Path):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"expected the text of a module, or the Path of its file, got {program!r:.60}")
    if isinstance(program, Path) or (program.endswith(".mlir") and "\n" not in program):
        return Source(Path(program).read_bytes(), str(program))
    return Source(program, "<text>")
