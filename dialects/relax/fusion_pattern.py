"""How the points of an op's results depend on the points of its operands: what fusion asks of an op."""

from __future__ import annotations

from enum import IntEnum


class FusionPattern(IntEnum):
    """The patterns of Relax, in the order in which the rules of fusion compare them."""

    ELEM_WISE = 0
    """Each point of the result depends on the same point of each operand; a smaller operand makes it a broadcast."""
    BROADCAST = 1
    """As element-wise, with operands that are repeated along some axes."""
    INJECTIVE = 2
    """Each point of the result is one point of an operand."""
    COMM_REDUCE = 3
    """Each point of the result is a reduction whose order does not matter."""
    OUT_ELEM_WISE_FUSABLE = 4
    """A contraction, or another costly op, whose result may go through element-wise ops before it is stored."""
    TUPLE = 7
    """A tuple."""
    OPAQUE = 8
    """Never joined to another op."""

    @property
    def words(self) -> str:
        """The name as documents write it."""
        return self.name.lower().replace("_", " ")
