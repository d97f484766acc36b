"""Products of 8-bit elements added by fours to i32 lanes (`vpdpbusd`: unsigned times signed, wrapping around).

Four steps of the reduction lie together in B. Where both factors have the same sign, A is moved by 128 into the other one,
and what a row of zeros gives is subtracted at the end: the sum of each column of B times 128, or times -128.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, llvm, vector
from xdsl.dialects.builtin import VectorType, i8, i32
from xdsl.ir import Attribute, SSAValue

from ....targets import cpu
from ....targets.cpu import CpuTarget
from .builder import LoopBuilder
from .conversion import Conversion

GROUP = 4
"""Steps of the reduction that one instruction takes."""


@dataclass(frozen=True)
class DotProduct:
    """The instruction, and the signs of the factors."""

    instruction: cpu.DotProduct
    a_unsigned: bool
    b_unsigned: bool

    @property
    def moves_a(self) -> bool:
        """Whether the type of A's elements must change."""
        return self.a_unsigned == self.b_unsigned

    def spread(self, b: LoopBuilder, group: SSAValue, lanes: int) -> SSAValue:
        """Four neighbours of A, in every lane."""
        return as_bytes(b, b.splat(b.extract(as_lanes(b, group), 0), lanes))

    def moved(self, b: LoopBuilder, a: SSAValue) -> SSAValue:
        """Elements of A with the sign that the instruction takes."""
        return b.insert(arith.XOrIOp(a, b.constant(-128, a.type))) if self.moves_a else a

    def rows_of_sums(self, rows: int) -> int:
        """The rows of sums for so many rows of A: there is one more for zeros in A if A is moved."""
        return rows + int(self.moves_a)

    def with_zero_row(self, b: LoopBuilder, factors: Sequence[SSAValue], lanes: int) -> list[SSAValue]:
        """The factors of all rows of sums; those of A have been moved."""
        zeros = b.constant(0, VectorType(i8, [GROUP * lanes]))
        return [*factors, self.moved(b, zeros)] if self.moves_a else list(factors)

    def without_zero_row(self, b: LoopBuilder, sums: Sequence[SSAValue], columns: int) -> list[SSAValue]:
        """The sums of the rows of A, less what zeros in A give; each row has so many vectors of them."""
        if not self.moves_a:
            return list(sums)
        zeros = sums[-columns:]
        return [b.insert(arith.SubiOp(x, zeros[k % columns])) for k, x in enumerate(sums[:-columns])]

    def multiply_add(self, b: LoopBuilder, a: SSAValue, column: SSAValue, acc: SSAValue) -> SSAValue:
        """`acc` and, in each lane, four products; `a` has been moved."""
        factors = (a, column) if self.a_unsigned != self.moves_a else (column, a)
        assert isinstance(acc.type, VectorType)
        name = self.instruction.intrinsic.format(bits=acc.type.get_shape()[0] * 32)
        return b.insert(llvm.CallIntrinsicOp(name, [acc, *factors], [acc.type]))


def dot_product(
    a: tuple[Attribute, Conversion], b: tuple[Attribute, Conversion], acc_type: Attribute, target: CpuTarget
) -> DotProduct | None:
    """The dot product that a target has instructions for, of elements that are converted before they are multiplied."""
    instruction = target.dot_product("ui8", "i8")
    if instruction is None or acc_type != i32:
        return None
    signs: list[bool] = []
    for element, conversion in (a, b):
        names = [op.name for op in conversion.ops]
        if element != i8 or names not in (["arith.extsi"], ["arith.extui"]):
            return None
        signs.append(names == ["arith.extui"])
    return DotProduct(instruction, *signs)


def as_bytes(b: LoopBuilder, value: SSAValue) -> SSAValue:
    """Lanes of i32 as their bytes."""
    assert isinstance(value.type, VectorType)
    return b.insert(vector.BitcastOp(value, VectorType(i8, [GROUP * value.type.get_shape()[0]])))


def as_lanes(b: LoopBuilder, value: SSAValue) -> SSAValue:
    """Bytes as lanes of i32."""
    assert isinstance(value.type, VectorType)
    return b.insert(vector.BitcastOp(value, VectorType(i32, [value.type.get_shape()[0] // GROUP])))


def interleave(b: LoopBuilder, rows: Sequence[SSAValue]) -> SSAValue:
    """Lane 0 of each of four vectors, then lane 1 of each, and so on."""
    assert isinstance(rows[0].type, VectorType)
    lanes = rows[0].type.get_shape()[0]
    first, second, third, fourth = rows
    paired = [p for k in range(lanes) for p in (k, lanes + k)]
    order = [p for k in range(0, 2 * lanes, 2) for p in (k, k + 1, 2 * lanes + k, 2 * lanes + k + 1)]
    return b.shuffle(b.shuffle(first, second, paired), b.shuffle(third, fourth, paired), order)
