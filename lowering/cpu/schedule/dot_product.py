"""Which contractions an instruction multiplies several steps at a time for: four of 8 bits (unsigned times signed, wrapping around), or
two of bf16 or i16.

The steps of a group lie together in B, and in A. Where both factors of 8 bits have the same sign, A is moved by 128 into the other one,
and what a row of zeros gives is subtracted at the end: the sum of each column of B times 128, or times -128.

An instruction for i16 multiplies 8 bits of any sign, which are widened on the way: those of B to panels, also where it lies in blocks, and
those of A to copies of its rows. It may multiply sums of them, see `paired_products`.
"""

from __future__ import annotations

from typing import cast, get_args

from xdsl.dialects.builtin import bf16, f32, i8, i16, i32
from xdsl.ir import Attribute

from ....dialects.relax.schedule import Instruction, TileInstruction
from ....records import record
from ....targets import cpu as targets
from ....targets.cpu import DOT_PRODUCTS, TILE_PRODUCTS, CpuTarget, assembles
from .contraction import Contraction
from .paired_products import BYTES_TOGETHER, gains_by_pairs, holds_bytes, may_pair

_ELEMENTS: dict[str, Attribute] = {"bf16": bf16, "i16": i16}
"""The types of factors that have no 8 bits."""


@record
class DotProduct:
    """The instruction, and how it takes the factors."""

    instruction: Instruction | TileInstruction
    moves_a: bool = False
    """Whether the sign of A's elements must change."""
    swaps: bool = False
    """Whether B is the first factor."""

    @property
    def group(self) -> int:
        """The steps of the reduction that the instruction takes."""
        return self._row.group

    @property
    def is_of_tiles(self) -> bool:
        """Whether the factors are tiles, not vectors."""
        return self.instruction in TILE_PRODUCTS

    @property
    def element(self) -> Attribute:
        """The type of the factors."""
        return _ELEMENTS.get(self._row.factors[0], i8)

    @property
    def accumulates(self) -> bool:
        """Whether the instruction adds to a sum; otherwise products need registers of their own before they are added."""
        return self.is_of_tiles or DOT_PRODUCTS[self.instruction].accumulates

    @property
    def products(self) -> int:
        """The registers that products need before they are added: two, so that LLVM need not spill sums for an order of its own; of sums of
        bytes as many as two of them, and another row and the second pairs of the columns.
        """
        return 0 if self.accumulates else 5 if self.pairs else 2

    @property
    def widens(self) -> bool:
        """Whether the factors may be of fewer bits than it takes."""
        return not self.is_of_tiles and DOT_PRODUCTS[self.instruction].widens

    @property
    def stored_group(self) -> int:
        """The steps that lie together in a B in blocks: where it is widened on the way, those of other instructions for bytes."""
        return BYTES_TOGETHER if self.widens else self.group

    @property
    def stored_element(self) -> Attribute:
        """The type of the elements of such a B."""
        return i8 if self.widens else self.element

    @property
    def pairs(self) -> bool:
        """Whether sums of bytes of both factors are multiplied, two products by one multiplication."""
        return not self.is_of_tiles and DOT_PRODUCTS[self.instruction].pairs

    def rows_of_sums(self, rows: int) -> int:
        """Returns the rows of sums for so many rows of A: there is one more for zeros in A if A is moved."""
        return rows + int(self.moves_a)

    @property
    def _row(self) -> targets.DotProduct | targets.TileProduct:
        """What is known of the instruction."""
        return (TILE_PRODUCTS if self.is_of_tiles else DOT_PRODUCTS)[self.instruction]


def _factors_of(contraction: Contraction) -> tuple[str, str] | None:
    """Returns what A and B hold of a contraction that sums i8 or i16 in i32, or bf16 in f32, where products are exact; None for others."""
    k = contraction
    types = {access.type.element_type for access in (k.a, k.b)}
    names = [
        ["arith.extsi"] if holds_bytes(access, conversion) else [op.name for op in conversion.ops]
        for access, conversion in ((k.a, k.a_conversion), (k.b, k.b_conversion))
    ]
    if types == {bf16} and k.acc_type == f32 and names == [["arith.extf"]] * 2:
        return "bf16", "bf16"
    signs = {"arith.extsi": "", "arith.extui": "u"}
    if not types <= {i8, i16} or k.acc_type != i32 or not all(len(each) == 1 and each[0] in signs for each in names):
        return None
    ((a,), (b,)) = names
    return f"{signs[a]}{k.a.type.element_type}", f"{signs[b]}{k.b.type.element_type}"


def dot_product_of(contraction: Contraction, instruction: Instruction | TileInstruction | None) -> DotProduct | None:
    """Returns the dot product that a contraction consists of; None if it multiplies something else, or without an instruction.

    Both factors are extended from i8 or i16 to i32, or from bf16 to f32, and a B that lies in blocks has the groups of the instruction, or
    those of bytes, which are widened.
    """
    k, factors = contraction, _factors_of(contraction)
    if instruction is None or factors is None:
        return None
    if instruction in TILE_PRODUCTS:
        fits, dot = factors == TILE_PRODUCTS[instruction].factors, DotProduct(instruction)
    elif instruction == "vdpbf16ps":
        fits, dot = factors == ("bf16", "bf16"), DotProduct(instruction)
    elif DOT_PRODUCTS[instruction].widens:
        dot = DotProduct(instruction)
        fits = may_pair(k) if dot.pairs else set(factors) <= {"i8", "ui8", "i16"}
    else:
        a_unsigned, b_unsigned = (each == "ui8" for each in factors)
        moves_a = a_unsigned == b_unsigned
        fits, dot = set(factors) <= {"i8", "ui8"}, DotProduct(instruction, moves_a, swaps=a_unsigned == moves_a)
    reads = not k.packed_block or (k.packed_group == dot.stored_group and k.b.type.element_type == dot.stored_element)
    return dot if fits and reads else None


def pick_dot_product(contraction: Contraction, target: CpuTarget) -> DotProduct | None:
    """Returns the dot product that a contraction consists of, if the target has an instruction for it."""
    for row in sorted(target.dot_products, key=lambda row: not row.pairs):
        if row.name in get_args(Instruction) and target.lanes in row.lanes:
            dot = dot_product_of(contraction, cast(Instruction, row.name))
            if dot is not None and (not dot.pairs or (gains_by_pairs(contraction) and assembles(target))):
                return dot
    return None


def pick_tile_product(contraction: Contraction, target: CpuTarget) -> DotProduct | None:
    """Returns the same of an instruction that multiplies tiles."""
    factors = _factors_of(contraction)
    row = None if factors is None else target.tile_product(*factors)
    return None if row is None else dot_product_of(contraction, cast(TileInstruction, row.name))


def reads_blocks(contraction: Contraction, dot: DotProduct | None) -> bool:
    """Returns whether B lies in blocks and is read in place, not copied to panels that have wider elements."""
    return bool(contraction.packed_block) and not (dot is not None and dot.widens)


def widens_lhs(contraction: Contraction, dot: DotProduct | None) -> bool:
    """Returns whether A has narrower elements than the instruction takes."""
    return dot is not None and dot.widens and contraction.a.type.element_type != dot.element


def lies_in_groups(contraction: Contraction, innermost: int) -> bool:
    """Returns whether the steps of the innermost reduction are neighbors in A, so that groups are read in place if wide enough."""
    return contraction.a.static_step(innermost) == 1
