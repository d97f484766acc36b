"""Emits products of narrow elements of which an instruction adds groups to lanes of 32 bits; see `schedule/dot_product`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, llvm, vector
from xdsl.dialects.builtin import FixedBitwidthType, VectorType, i32
from xdsl.ir import Attribute, SSAValue

from .....dialects.upstream.arith_ops import lanewise
from .....targets.cpu import DOT_PRODUCTS
from ....emit.constructors import vector_type
from ...schedule.contraction import Conversion
from ...schedule.dot_product import DotProduct
from ..builder import LoopBuilder

LANE_BITS = 32


def spread(b: LoopBuilder, group: SSAValue, lanes: int) -> SSAValue:
    """Emits the neighbors of A that make a group, in every lane."""
    assert isinstance(group.type, VectorType)
    return as_elements(b, b.splat(b.extract(as_lanes(b, group), 0), lanes), group.type.element_type)


def moved(b: LoopBuilder, dot: DotProduct, a: SSAValue) -> SSAValue:
    """Emits elements of A as the instruction takes them: moved by 128 where their sign is the wrong one."""
    return b.insert(arith.XOrIOp(a, b.constant(-128, a.type))) if dot.moves_a else a


def with_zero_row(b: LoopBuilder, dot: DotProduct, factors: Sequence[SSAValue], lanes: int) -> list[SSAValue]:
    """Emits the factors of all rows of sums; those of A have been moved."""
    if not dot.moves_a:
        return list(factors)
    return [*factors, moved(b, dot, b.constant(0, vector_type(dot.element, dot.group * lanes)))]


def without_zero_row(b: LoopBuilder, dot: DotProduct, sums: Sequence[SSAValue], columns: int) -> list[SSAValue]:
    """Emits the sums of the rows of A, less the sums of the row of zeros; each row has as many vectors of them."""
    if not dot.moves_a:
        return list(sums)
    zeros = sums[-columns:]
    return [b.insert(arith.SubiOp(x, zeros[k % columns])) for k, x in enumerate(sums[:-columns])]


def multiply_add_groups(b: LoopBuilder, dot: DotProduct, a: SSAValue, column: SSAValue, acc: SSAValue) -> SSAValue:
    """Emits the sum of `acc` and, in each lane, the products of a group; `a` has been moved.

    Of an instruction that does not add to a sum itself, the difference, so that sums that begin at zero are negative: LLVM reorders
    additions of several steps, whose products then need registers at the same time, but no subtractions.
    """
    factors = (column, a) if dot.swaps else (a, column)
    assert isinstance(acc.type, VectorType)
    name = DOT_PRODUCTS[dot.instruction].intrinsic_of(acc.type.get_shape()[0])
    if dot.accumulates:
        return b.insert(llvm.CallIntrinsicOp(name, [acc, *factors], [acc.type]))
    return b.insert(arith.SubiOp(acc, b.insert(llvm.CallIntrinsicOp(name, factors, [acc.type]))))


def sums_of_rows(b: LoopBuilder, dot: DotProduct, sums: Sequence[SSAValue], columns: int) -> list[SSAValue]:
    """Emits the sums of the rows of A of what began at zero, as many vectors of each row."""
    if dot.accumulates:
        return without_zero_row(b, dot, sums, columns)
    return [negative(b, x) for x in sums]


def negative(b: LoopBuilder, value: SSAValue) -> SSAValue:
    """Emits the negative number of an integer, or of those of a vector."""
    return b.insert(arith.SubiOp(b.constant(0, value.type), value))


def widened(b: LoopBuilder, dot: DotProduct | None, conversion: Conversion, value: SSAValue) -> SSAValue:
    """Emits elements of an operand as the instruction takes them, by what the conversion is for the whole way."""
    if (
        dot is None
        or not dot.widens
        or not isinstance(value.type, VectorType)
        or value.type.element_type == dot.element
    ):
        return value
    (extension,) = conversion.ops
    assert isinstance(extension, arith.ExtSIOp | arith.ExtUIOp)
    wide = vector_type(dot.element, *value.type.get_shape())
    return b.insert(lanewise(type(extension)).create(operands=[value], result_types=[wide]))


def as_elements(b: LoopBuilder, value: SSAValue, element: Attribute) -> SSAValue:
    """Emits lanes of i32 as the elements of their groups."""
    assert isinstance(value.type, VectorType) and isinstance(element, FixedBitwidthType)
    count = LANE_BITS // element.bitwidth * value.type.get_shape()[0]
    return b.insert(vector.BitcastOp(value, vector_type(element, count)))


def as_lanes(b: LoopBuilder, value: SSAValue) -> SSAValue:
    """Emits groups of elements as lanes of i32."""
    assert isinstance(value.type, VectorType) and isinstance(value.type.element_type, FixedBitwidthType)
    count = value.type.get_shape()[0] * value.type.element_type.bitwidth // LANE_BITS
    return b.insert(vector.BitcastOp(value, vector_type(i32, count)))


def interleave(b: LoopBuilder, rows: Sequence[SSAValue]) -> SSAValue:
    """Emits lane 0 of each of two or four vectors, then lane 1 of each, and so on."""
    assert isinstance(rows[0].type, VectorType)
    lanes = rows[0].type.get_shape()[0]
    paired = [p for k in range(lanes) for p in (k, lanes + k)]
    if len(rows) == 2:
        return b.shuffle(rows[0], rows[1], paired)
    first, second, third, fourth = rows
    order = [p for k in range(0, 2 * lanes, 2) for p in (k, k + 1, 2 * lanes + k, 2 * lanes + k + 1)]
    return b.shuffle(b.shuffle(first, second, paired), b.shuffle(third, fourth, paired), order)
