"""Which contractions an instruction multiplies several steps at a time for: four of 8 bits (unsigned times signed, wrapping around), or
two of bf16.

The steps of a group lie together in B, and in A. Where both factors of 8 bits have the same sign, A is moved by 128 into the other one,
and what a row of zeros gives is subtracted at the end: the sum of each column of B times 128, or times -128.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast, get_args

from xdsl.dialects.builtin import bf16, f32, i8, i32
from xdsl.ir import Attribute

from ....dialects.relax.schedule import Instruction
from ....targets.cpu import DOT_PRODUCTS, CpuTarget
from .contraction import Contraction


@dataclass(frozen=True)
class DotProduct:
    """The instruction, and how it takes the factors."""

    instruction: Instruction
    moves_a: bool = False
    """Whether the sign of A's elements must change."""
    swaps: bool = False
    """Whether B is the first factor."""

    @property
    def group(self) -> int:
        """The steps of the reduction that the instruction takes."""
        return DOT_PRODUCTS[self.instruction].group

    @property
    def element(self) -> Attribute:
        """The type of the factors."""
        return bf16 if self.instruction == "vdpbf16ps" else i8

    def rows_of_sums(self, rows: int) -> int:
        """Returns the rows of sums for so many rows of A: there is one more for zeros in A if A is moved."""
        return rows + int(self.moves_a)


def dot_product_of(contraction: Contraction, instruction: Instruction | None) -> DotProduct | None:
    """Returns the dot product that a contraction consists of; None if it multiplies something else, or without an instruction.

    Both factors are extended from i8 to i32, or from bf16 to f32, and a B that lies in blocks has the groups of the instruction.
    """
    k = contraction
    if instruction is None:
        return None
    accesses, conversions = (k.a, k.b), (k.a_conversion, k.b_conversion)
    names = [[op.name for op in conversion.ops] for conversion in conversions]
    types = {access.type.element_type for access in accesses}
    if instruction == "vdpbf16ps":
        # Products of bf16 are exact in f32.
        fits = types == {bf16} and k.acc_type == f32 and names == [["arith.extf"]] * 2
        dot = DotProduct(instruction)
    else:
        extensions = (["arith.extsi"], ["arith.extui"])
        fits = types == {i8} and k.acc_type == i32 and all(each in extensions for each in names)
        a_unsigned, b_unsigned = (each == ["arith.extui"] for each in names)
        moves_a = a_unsigned == b_unsigned
        dot = DotProduct(instruction, moves_a, swaps=a_unsigned == moves_a)
    return dot if fits and (not k.packed_block or k.packed_group == dot.group) else None


def pick_dot_product(contraction: Contraction, target: CpuTarget) -> DotProduct | None:
    """Returns the dot product that a contraction consists of, if the target has an instruction for it."""
    for factors in (("ui8", "i8"), ("bf16", "bf16")):
        row = target.dot_product(*factors)
        if row is not None and row.name in get_args(Instruction) and target.lanes in row.lanes:
            dot = dot_product_of(contraction, cast(Instruction, row.name))
            if dot is not None:
                return dot
    return None


def lies_in_groups(contraction: Contraction, innermost: int) -> bool:
    """Returns whether the steps of the innermost reduction are neighbors in A, so that groups are read in place."""
    return contraction.a.static_step(innermost) == 1
