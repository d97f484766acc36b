"""Which contractions an instruction multiplies four 8-bit steps at a time for (unsigned times signed, wrapping around).

Four steps of the reduction lie together in B. Where both factors have the same sign, A is moved by 128 into the other one,
and what a row of zeros gives is subtracted at the end: the sum of each column of B times 128, or times -128.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import i8, i32

from ....dialects.relax.schedule import Instruction
from ....targets.cpu import DOT_PRODUCTS
from .contraction import Contraction

GROUP = DOT_PRODUCTS["vpdpbusd"].group
"""Steps of the reduction that one instruction takes, whichever it is."""


@dataclass(frozen=True)
class DotProduct:
    """The instruction, and the signs of the factors."""

    instruction: Instruction
    a_unsigned: bool
    b_unsigned: bool

    @property
    def moves_a(self) -> bool:
        """Whether the type of A's elements must change."""
        return self.a_unsigned == self.b_unsigned

    def rows_of_sums(self, rows: int) -> int:
        """Returns the rows of sums for so many rows of A: there is one more for zeros in A if A is moved."""
        return rows + int(self.moves_a)


def dot_product_of(contraction: Contraction, innermost: int, instruction: Instruction | None) -> DotProduct | None:
    """Returns the dot product that a contraction consists of; None if it multiplies something else, or without an instruction.

    Both factors are extended from i8 to i32, and four steps of the innermost reduction are neighbors in A, and in a B that lies in
    blocks.
    """
    k = contraction
    if instruction is None or k.acc_type != i32:
        return None
    signs: list[bool] = []
    for access, conversion in ((k.a, k.a_conversion), (k.b, k.b_conversion)):
        names = [op.name for op in conversion.ops]
        if access.type.element_type != i8 or names not in (["arith.extsi"], ["arith.extui"]):
            return None
        signs.append(names == ["arith.extui"])
    if k.packed_block and k.packed_group != GROUP:
        return None
    return DotProduct(instruction, *signs) if k.a.static_step(innermost) == 1 else None
