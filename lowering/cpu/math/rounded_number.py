"""Numbers that are rounded to integers of few bits and back: what is dequantized right behind its quantization.

    %r = %q + 12582912.0                      for bounded %q
    %n = trunci (bitcast %r - 0x4B3FFF82)     the integer next to %q, plus 126
    %y = sitofp (extui %n - 126)

becomes

    %y = %r - 12582912.0

which is exact, and 0.0 where the integer is 0.
"""

from __future__ import annotations

from typing import cast

import numpy as np
from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, IntegerType, VectorType, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ....dialects.walks import ops_inside
from ....kinds import kind_test
from ...emit.scalar import ROUNDER
from .builder import MathBuilder, Value
from .rounded_quotient import constant_of, parameters_of

ROUNDER_BITS = int(np.float32(ROUNDER).view(np.int32))

_is_truncation = kind_test(arith.TruncIOp)


def is_rounded_number(op: Operation) -> bool:
    """Returns whether an op makes a number of an integer that was one, with all its bits, before it got few of them."""
    total = rounded_sum(op)
    if total is None:
        return False
    narrowed = op.operands[0].owner
    assert isinstance(narrowed, arith.SubiOp)
    bounds = parameters_of(total.lhs.owner) if isinstance(total.lhs.owner, arith.DivfOp) else None
    if bounds is None:
        return False
    divisor, least, greatest = bounds
    zero_point = integer_of(narrowed.rhs) or 0
    extension = narrowed.lhs.owner
    assert isinstance(extension, arith.ExtUIOp | arith.ExtSIOp)
    width = _element(extension.input).width.data
    low, high = (
        (0, 2**width - 1) if isinstance(extension, arith.ExtUIOp) else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)
    )
    with np.errstate(all="ignore"):
        first, last = (np.rint(np.float32(bound) / np.float32(divisor)) + zero_point for bound in (least, greatest))
    return bool(low <= first and last <= high)


def rounded_number(m: MathBuilder, op: Operation) -> Value:
    """Returns the number, given by the sum that rounds."""
    total = rounded_sum(op)
    assert total is not None
    return m.wrap(total.result) - ROUNDER


def rounded_sum(op: Operation) -> arith.AddfOp | None:
    """Returns the sum that rounds a number to the integer that an op converts back, with the same zero point; None for other ops."""
    shifted = op.operands[0].owner if isinstance(op, arith.SIToFPOp) else None
    extension = shifted.lhs.owner if isinstance(shifted, arith.SubiOp) else None
    if not isinstance(extension, arith.ExtUIOp | arith.ExtSIOp) or not isinstance(
        extension.input.owner, arith.TruncIOp
    ):
        return None
    assert isinstance(shifted, arith.SubiOp)
    moved = extension.input.owner.input.owner
    bits = moved.lhs.owner if isinstance(moved, arith.SubiOp) and _element(moved.result) == i32 else None
    total = bits.input.owner if isinstance(bits, arith.BitcastOp) else None
    if not isinstance(total, arith.AddfOp) or constant_of(total.rhs) != ROUNDER:
        return None
    assert isinstance(moved, arith.SubiOp)
    here, there = integer_of(shifted.rhs), integer_of(moved.rhs)
    is_same = here is not None and there is not None and here == ROUNDER_BITS - there
    return total if is_same and op.results[0].type == total.result.type else None


def drop_hidden_differences(root: Operation) -> None:
    """Replaces `trunci (x - c)` by `trunci x` where the last bits of c, all that are left, are zeros: a zero point of 0."""
    for op in filter(_is_truncation, ops_inside(root)):
        difference = op.input.owner
        if not isinstance(difference, arith.SubiOp):
            continue
        subtracted = integer_of(difference.rhs)
        if subtracted is None or subtracted % (1 << _element(op.result).width.data):
            continue
        op.operands[0] = difference.lhs
        if not difference.result.uses:
            Rewriter.erase_op(difference)


def integer_of(value: SSAValue) -> int | None:
    """Returns the integer that a constant has, in all lanes, or that is extended from one."""
    match value.owner:
        case arith.ConstantOp(value=IntegerAttr() as number):
            return number.value.data
        case arith.ConstantOp(value=DenseIntOrFPElementsAttr() as numbers) if numbers.is_splat():
            return int(cast(int, numbers.get_values()[0]))
        case vector.BroadcastOp(source=source):
            return integer_of(source)
        case arith.ExtSIOp(input=source):
            return integer_of(source)
        case arith.ExtUIOp(input=source):
            number = integer_of(source)
            return None if number is None else number % (1 << _element(source).width.data)
        case _:
            return None


def _element(value: SSAValue) -> IntegerType:
    type_: Attribute = value.type.element_type if isinstance(value.type, VectorType) else value.type
    return cast(IntegerType, type_)
