"""The page about schedules has every field of every class, with its default."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any, cast

from xdsl_relax.dialects.relax.schedule import CLASSES, Skinny, Tiles

PAGE = Path(__file__).parents[3] / "docs" / "schedules.md"


def row(word: str, record: type[Any]) -> str:
    """Returns the row of a class: the fields that are needed, and the others with what they are where they are left out."""
    known = cast("tuple[Field[Any], ...]", fields(record))
    needed = ", ".join(f"`{item.name}`" for item in known if item.default is MISSING)
    others = (item for item in known if item.default is not MISSING)
    left_out = ", ".join(f"`{item.name}{'' if item.default is None else f' = {item.default}'}`" for item in others)
    return f"| `{word}` |" + "".join(f" {cell} |" if cell else " |" for cell in (needed, left_out))


def test_fields_and_defaults_are_those_of_the_records():
    lines = PAGE.read_text().splitlines()
    start = lines.index("| of | needed | where it is left out |") + 2
    kinds = {**CLASSES, "tiles": Tiles, "skinny": Skinny}
    assert lines[start : start + len(kinds)] == [row(word, record) for word, record in kinds.items()]
    assert lines[start + len(kinds)] == ""
