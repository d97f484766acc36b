"""What a shape rule knows of sizes beyond their expressions, and what it leaves to run time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Literal

from ...records import record
from .expressions import Dim, Known, OperandDim, equal, leaves, simplify, sub, symbols
from .order import NO_RANGES, Ranges, interval, is_nonnegative


@record
class Condition:
    """A relation between two sizes that must hold."""

    lhs: Known
    relation: Literal["==", ">="]
    rhs: Known
    broadcasts: bool = False
    """Whether a dim of an operand of which nothing is known may also be 1; compiled code reads such a dim as it is."""

    def __str__(self) -> str:
        return f"{self.lhs} {self.relation} {self.rhs}"

    @property
    def symbols(self) -> set[str]:
        """The symbols in both sizes."""
        return {*symbols(self.lhs), *symbols(self.rhs)}

    @property
    def operand_dims(self) -> set[OperandDim]:
        """The dims of operands in both sizes."""
        return {leaf for size in (self.lhs, self.rhs) for leaf in leaves(size) if isinstance(leaf, OperandDim)}

    def holds(self, lhs: int, rhs: int) -> bool:
        """Returns whether two sizes have the relation."""
        sides = (self.lhs, lhs), (self.rhs, rhs)
        if self.broadcasts and any(isinstance(side, OperandDim) and size == 1 for side, size in sides):
            return True
        return lhs == rhs if self.relation == "==" else lhs >= rhs


@record(frozen=False)
class SizeContext:
    """The sizes of one op as its shape rule sees them.

    A shape rule asks whether two sizes differ, or whether one is below another. Where that is not known, it goes on as if all were
    well, and what has to hold at run time is added to `conditions`.
    """

    ranges: Ranges = NO_RANGES
    """The ranges that the function around the op declares for its symbols."""
    conditions: list[Condition] = field(default_factory=list[Condition])

    def equal(self, lhs: Dim, rhs: Dim) -> bool | None:
        """Returns whether two dims are provably equal (True), provably different (False), or neither (None)."""
        return equal(lhs, rhs, self.ranges)

    def simplify(self, dim: Dim) -> Dim:
        """Returns the canonical form of a dim, with what the ranges of its symbols decide."""
        return simplify(dim, self.ranges) if self.ranges and dim is not None else dim

    def differ(self, lhs: Dim, rhs: Dim, broadcasts: bool = False) -> bool:
        """Returns whether two sizes are known to differ; where that is not known, that they are equal is a condition."""
        same = self.equal(lhs, rhs)
        if same is None and lhs is not None and rhs is not None:
            self._require(Condition(lhs, "==", rhs, broadcasts))
        return same is False

    def is_below(self, lhs: Dim, rhs: Dim) -> bool:
        """Returns whether a size is known to be less than another; where that is not known, that it is not is a condition."""
        room = sub(lhs, rhs)
        if lhs is None or rhs is None or room is None or is_nonnegative(room, self.ranges):
            return False
        _, most = interval(room, self.ranges)
        if most is not None and most < 0:
            return True
        self._require(Condition(lhs, ">=", rhs))
        return False

    def compatible(self, declared: Sequence[Dim] | None, inferred: Sequence[Dim] | None) -> bool:
        """Returns whether a declared shape may stand for an inferred one: no dim is provably different."""
        if declared is None or inferred is None:
            return True
        if len(declared) != len(inferred):
            return False
        return not any(self.differ(a, b) for a, b in zip(declared, inferred, strict=True))

    def _require(self, condition: Condition) -> None:
        if condition not in self.conditions:
            self.conditions.append(condition)
