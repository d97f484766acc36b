"""What the constraints of an op leave to run time: relations between sizes that are not known before.

A shape rule asks whether two sizes differ, or whether one is below another. Where that is not known, it goes on as if all were well,
and whoever collects conditions learns what has to hold.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal

from .dim_bounds import bounds, is_nonnegative
from .expressions import Dim, Known, Symbol, equal, sub, symbols


@dataclass(frozen=True)
class Condition:
    """A relation between two sizes that must hold."""

    lhs: Known
    relation: Literal["==", ">="]
    rhs: Known

    def __str__(self) -> str:
        return f"{self.lhs} {self.relation} {self.rhs}"

    @property
    def symbols(self) -> set[str]:
        """The symbols in both sizes."""
        return {*symbols(self.lhs), *symbols(self.rhs)}

    @property
    def operand_dims(self) -> dict[str, tuple[int, int]]:
        """The symbols that stand for unknown dims of operands, each with the operand and the axis."""
        found = ((name, _OPERAND_DIM.fullmatch(name)) for name in self.symbols)
        return {name: (int(place[2]), int(place[1])) for name, place in found if place is not None}

    def holds(self, lhs: int, rhs: int) -> bool:
        """Returns whether two sizes have the relation."""
        return lhs == rhs if self.relation == "==" else lhs >= rhs


def operand_dim(index: int, axis: int) -> Symbol:
    """Returns what stands for an unknown dim of an operand in the conditions of an op."""
    return Symbol(f"dim {axis} of operand {index}")


_OPERAND_DIM = re.compile(r"dim (\d+) of operand (\d+)")
_open: ContextVar[list[Condition] | None] = ContextVar("conditions", default=None)


@contextmanager
def collected() -> Generator[list[Condition], None, None]:
    """Collects the conditions that shape rules leave to run time, each once."""
    found: list[Condition] = []
    token = _open.set(found)
    try:
        yield found
    finally:
        _open.reset(token)


def _leave(condition: Condition) -> None:
    found = _open.get()
    if found is not None and condition not in found:
        found.append(condition)


def differ(lhs: Dim, rhs: Dim) -> bool:
    """Returns whether two sizes are known to differ; where that is not known, that they are equal is a condition."""
    same = equal(lhs, rhs)
    if same is None and lhs is not None and rhs is not None:
        _leave(Condition(lhs, "==", rhs))
    return same is False


def is_below(lhs: Dim, rhs: Dim) -> bool:
    """Returns whether a size is known to be less than another; where that is not known, that it is not is a condition."""
    room = sub(lhs, rhs)
    if lhs is None or rhs is None or room is None or is_nonnegative(room):
        return False
    _, most = bounds(room)
    if most is not None and most < 0:
        return True
    _leave(Condition(lhs, ">=", rhs))
    return False
