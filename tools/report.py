"""Tables and lines of the tools: with rich on a terminal, aligned plain text elsewhere."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..visible import visible


class Report:
    """Writes a tool's report to stdout."""

    def __init__(self, *, plain: bool | None = None) -> None:
        self.plain = not sys.stdout.isatty() if plain is None else plain

    def line(self, text: str, style: str = "") -> None:
        """Prints a line; `style` is rich's, and lost in plain text."""
        if self.plain:
            print(text, flush=True)
            return
        from rich.console import Console
        from rich.text import Text

        Console(highlight=False).print(Text(text, style=style))

    @contextmanager
    def status(self) -> Generator[Callable[[str], None]]:
        """Yields what shows the work at hand in a line that the next one replaces; nothing in plain text."""
        if self.plain:
            yield lambda text: None
            return
        from rich.console import Console

        with Console().status("") as status:
            yield status.update

    def table(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Prints a table; columns whose header ends in `>` are aligned to the right."""
        if not rows:
            return
        names = [name.removesuffix(">") for name in header]
        rows = [[*map(visible, row)] for row in rows]
        right = [name.endswith(">") for name in header]
        if not self.plain:
            self._rich_table(names, right, rows)
            return
        widths = [max(len(row[i]) for row in (names, *rows)) for i in range(len(names))]
        for row in (names, *rows):
            cells = (
                cell.rjust(width) if is_right else cell.ljust(width)
                for cell, width, is_right in zip(row, widths, right, strict=True)
            )
            print(("  " + "  ".join(cells)).rstrip(), flush=True)

    def _rich_table(self, names: Sequence[str], right: Sequence[bool], rows: Sequence[Sequence[str]]) -> None:
        from rich import box
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False)
        for name, is_right in zip(names, right, strict=True):
            table.add_column(name, justify="right" if is_right else "left", no_wrap=not is_right)
        for row in rows:
            table.add_row(*(Text(cell, style="cyan" if i == 0 else "") for i, cell in enumerate(row)))
        Console(highlight=False).print(table)


def describe_type(value: Any) -> str:
    """Returns the type of a value as MLIR writes it: `tensor<2x3xf32>`, with the actual sizes."""
    if isinstance(value, tuple):
        if all(isinstance(item, int) for item in value):  # pyright: ignore[reportUnknownVariableType]
            return f"!relax.shape<{list(value)}>"  # pyright: ignore[reportUnknownArgumentType]
        return f"tuple<{', '.join(map(describe_type, value))}>"  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(value, int):
        return "index"
    array = np.asarray(value)
    if array.dtype == object:
        return "!relax.object"
    name = array.dtype.name
    for long, short in (("bfloat", "bf"), ("float", "f"), ("uint", "ui"), ("int", "i"), ("bool", "i1")):
        if name.startswith(long):
            name = short + name.removeprefix(long)
            break
    return f"tensor<{''.join(f'{size}x' for size in array.shape)}{name}>"


def statistics(value: Any) -> tuple[str, str, str]:
    """Returns minimum, mean and maximum of a value, NaN included; empty for what has none."""
    if isinstance(value, tuple):
        return ("", "", "")
    array = np.asarray(value)
    if array.size == 0 or array.dtype == object:
        return ("", "", "")
    if array.dtype.kind in "biu":
        return (str(int(array.min())), number(float(array.mean(dtype=np.float64))), str(int(array.max())))
    if array.dtype.itemsize < 4:
        array = array.astype(np.float32)
    with np.errstate(all="ignore"):
        return (number(float(array.min())), number(float(array.mean(dtype=np.float64))), number(float(array.max())))


def number(value: float) -> str:
    """Returns a number with five significant digits."""
    return f"{value:.5g}" if math.isfinite(value) else str(value)


def duration(seconds: float) -> str:
    """Returns a time in the unit that fits it."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.4g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def bytes_text(size: int) -> str:
    """Returns a number of bytes in the unit that fits it."""
    for unit, scale in (("MB", 1e6), ("kB", 1e3)):
        if size >= scale:
            return f"{size / scale:.3g} {unit}"
    return f"{size} B"
