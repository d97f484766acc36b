"""The table that is sorted: keys, the items that go along with them, and scratch, as tensors that loops carry."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType, i64
from xdsl.ir import SSAValue

from ....records import record
from ...emit.tensor_builder import Size
from ..builder import LinalgBuilder
from .keys import DIGIT

VALUES = 1 << DIGIT
"""The values of a digit."""

FEW = 64
"""The most keys that are sorted by their ranks."""


@record
class Table:
    """Keys and items, each in the first half of a tensor whose second half is scratch."""

    keys: SSAValue
    items: SSAValue
    counts: SSAValue
    """How many keys have each value of each digit."""
    ranks: SSAValue
    """The places of few keys."""

    @staticmethod
    def empty(b: LinalgBuilder, key_type: IntegerType, capacity: Size, digits: int) -> Table:
        """Returns a table of undefined content."""
        double = b.mul(capacity, 2)
        return Table(
            b.empty([double], key_type),
            b.empty([double], i64),
            b.empty([digits * VALUES], i64),
            b.empty([FEW], key_type),
        )
