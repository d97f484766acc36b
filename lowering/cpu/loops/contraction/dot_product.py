"""Emits products of 8-bit elements that are added by fours to i32 lanes; see `schedule/dot_product`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, llvm, vector
from xdsl.dialects.builtin import VectorType, i8, i32
from xdsl.ir import SSAValue

from .....targets.cpu import DOT_PRODUCTS
from ....emit.constructors import vector_type
from ...schedule.dot_product import GROUP, DotProduct
from ..builder import LoopBuilder


def spread(b: LoopBuilder, group: SSAValue, lanes: int) -> SSAValue:
    """Emits four neighbors of A, in every lane."""
    return as_bytes(b, b.splat(b.extract(as_lanes(b, group), 0), lanes))


def moved(b: LoopBuilder, dot: DotProduct, a: SSAValue) -> SSAValue:
    """Emits elements of A as the instruction takes them: moved by 128 where their sign is the wrong one."""
    return b.insert(arith.XOrIOp(a, b.constant(-128, a.type))) if dot.moves_a else a


def with_zero_row(b: LoopBuilder, dot: DotProduct, factors: Sequence[SSAValue], lanes: int) -> list[SSAValue]:
    """Emits the factors of all rows of sums; those of A have been moved."""
    zeros = b.constant(0, vector_type(i8, GROUP * lanes))
    return [*factors, moved(b, dot, zeros)] if dot.moves_a else list(factors)


def without_zero_row(b: LoopBuilder, dot: DotProduct, sums: Sequence[SSAValue], columns: int) -> list[SSAValue]:
    """Emits the sums of the rows of A, less the sums of the row of zeros; each row has as many vectors of them."""
    if not dot.moves_a:
        return list(sums)
    zeros = sums[-columns:]
    return [b.insert(arith.SubiOp(x, zeros[k % columns])) for k, x in enumerate(sums[:-columns])]


def multiply_add_groups(b: LoopBuilder, dot: DotProduct, a: SSAValue, column: SSAValue, acc: SSAValue) -> SSAValue:
    """Emits the sum of `acc` and, in each lane, four products; `a` has been moved."""
    factors = (a, column) if dot.a_unsigned != dot.moves_a else (column, a)
    assert isinstance(acc.type, VectorType)
    name = DOT_PRODUCTS[dot.instruction].intrinsic.format(bits=acc.type.get_shape()[0] * 32)
    return b.insert(llvm.CallIntrinsicOp(name, [acc, *factors], [acc.type]))


def as_bytes(b: LoopBuilder, value: SSAValue) -> SSAValue:
    """Emits lanes of i32 as their bytes."""
    assert isinstance(value.type, VectorType)
    return b.insert(vector.BitcastOp(value, vector_type(i8, GROUP * value.type.get_shape()[0])))


def as_lanes(b: LoopBuilder, value: SSAValue) -> SSAValue:
    """Emits bytes as lanes of i32."""
    assert isinstance(value.type, VectorType)
    return b.insert(vector.BitcastOp(value, vector_type(i32, value.type.get_shape()[0] // GROUP)))


def interleave(b: LoopBuilder, rows: Sequence[SSAValue]) -> SSAValue:
    """Emits lane 0 of each of four vectors, then lane 1 of each, and so on."""
    assert isinstance(rows[0].type, VectorType)
    lanes = rows[0].type.get_shape()[0]
    first, second, third, fourth = rows
    paired = [p for k in range(lanes) for p in (k, lanes + k)]
    order = [p for k in range(0, 2 * lanes, 2) for p in (k, k + 1, 2 * lanes + k, 2 * lanes + k + 1)]
    return b.shuffle(b.shuffle(first, second, paired), b.shuffle(third, fourth, paired), order)
