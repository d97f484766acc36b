"""Patterns that bring products of quantized tensors into the types a target has instructions for, and functions into tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import i8, i16, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from ...dialects.relax.attrs import element_type_of
from ...dialects.relax.base import element
from ...dialects.relax.dtypes import numpy_dtype, ui8
from ...dialects.relax.ops.binary import AddOp
from ...dialects.relax.ops.indexing import TakeOp
from ...dialects.relax.ops.qnn_contraction import QnnBatchMatmulOp, QnnConv2DOp, QnnDenseOp
from ...dialects.relax.ops.qnn_unary import QnnUnaryOp
from ...dialects.relax.rules.qnn_lookup import FUNCTIONS, lookup_table
from .qnn_arithmetic import QuantizedEmitter, known, require_ranks
from .qnn_canonicalize import QnnPattern
from .qnn_contraction import convolution, convolution_attributes, matmul, transposed

PLAIN = "plain"
INT16 = "int16"
FACTOR_TYPES: Mapping[str, tuple[Attribute | None, Attribute | None]] = {
    "x86-vnni": (ui8, i8),
    "cuda-dp4a": (i8, i8),
    # The data takes the weight's type.
    "arm-dotprod": (None, None),
}
"""The types of data and weight that a target's instructions multiply."""

TARGETS: Sequence[str] = (PLAIN, INT16, *FACTOR_TYPES)

_OFFSET = 128


def _moved(
    emit: QuantizedEmitter, value: SSAValue, zero_point: SSAValue, wanted: Attribute
) -> tuple[SSAValue, SSAValue]:
    """Returns an 8-bit tensor and its zero point in the other 8-bit type; both move by 128."""
    if element(value) == wanted:
        return value, zero_point
    offset = _OFFSET if wanted == ui8 else -_OFFSET
    wide = emit.cast(value, i32)
    moved = emit.cast(emit.op(AddOp, wide, emit.number(offset, wide)), wanted)
    numbers = known(zero_point)
    if numbers is not None:
        return moved, emit.constant(numbers + np.int32(offset), i32)
    return moved, emit.op(AddOp, zero_point, emit.number(offset, zero_point))


def _is_narrow(*values: SSAValue) -> bool:
    return all(element(value) in (i8, ui8) for value in values)


class LegalizeFactors(QnnPattern):
    """Gives data and weight the types of a target; declines unless both have 8 bits."""

    def __init__(self, target: str):
        self.target = target

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: QnnDenseOp | QnnConv2DOp | QnnBatchMatmulOp, rewriter: PatternRewriter) -> None:
        self.rewrite(op, rewriter)

    def emitted(self, op: QnnDenseOp | QnnConv2DOp | QnnBatchMatmulOp, emit: QuantizedEmitter) -> SSAValue | None:
        lhs, rhs, lhs_zero, rhs_zero, *scales = op.operands
        if not _is_narrow(lhs, rhs):
            return None
        wanted = [own or element(rhs) for own in FACTOR_TYPES[self.target]]
        if [element(lhs), element(rhs)] == wanted:
            return None
        lhs, lhs_zero = _moved(emit, lhs, lhs_zero, wanted[0])
        rhs, rhs_zero = _moved(emit, rhs, rhs_zero, wanted[1])
        return emit.like(op, lhs, rhs, lhs_zero, rhs_zero, *scales)[0]


class LegalizeToInt16(QnnPattern):
    """Replaces a product of 8-bit tensors by one of i16 tensors, from which the zero points are subtracted."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: QnnDenseOp | QnnConv2DOp | QnnBatchMatmulOp, rewriter: PatternRewriter) -> None:
        self.rewrite(op, rewriter)

    def emitted(self, op: QnnDenseOp | QnnConv2DOp | QnnBatchMatmulOp, emit: QuantizedEmitter) -> SSAValue | None:
        lhs, rhs, lhs_zero, rhs_zero = op.operands[:4]
        if not _is_narrow(lhs, rhs):
            return None
        require_ranks(lhs, rhs)
        numbers = known(lhs_zero), known(rhs_zero)
        if any(array is None or np.any(np.abs(array) > 2**14) for array in numbers):
            # The differences must be i16 numbers.
            return None
        axis = op.kernel_positions()[0] if isinstance(op, QnnConv2DOp) else 0
        lhs = emit.difference(lhs, lhs_zero, 0, i16)
        rhs = emit.difference(rhs, rhs_zero, axis, i16)
        if isinstance(op, QnnConv2DOp):
            return convolution(emit, lhs, rhs, convolution_attributes(op))
        return matmul(emit, lhs, transposed(emit, rhs))


class LegalizeUnary(QnnPattern):
    """Replaces a function of 8-bit elements by a lookup in a table; declines unless its scales and zero points are constants."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: QnnUnaryOp, rewriter: PatternRewriter) -> None:
        self.rewrite(op, rewriter)

    def emitted(self, op: Any, emit: QuantizedEmitter) -> SSAValue | None:
        function = FUNCTIONS.get(type(op))
        if function is None or not _is_narrow(op.x):
            return None
        parameters = [known(operand) for operand in op.operands[1:]]
        if any(parameter is None for parameter in parameters):
            return None
        element_type = element_type_of(op.result.type)
        table = lookup_table(function, numpy_dtype(element_type), *parameters)
        # A negative index counts from the end of the table.
        return emit.op(TakeOp, emit.constant(table, element_type), op.x, axis=0, mode="fast")


def patterns(target: str) -> list[RewritePattern]:
    """Returns the patterns of a target."""
    if target in FACTOR_TYPES:
        return [LegalizeUnary(), LegalizeFactors(target)]
    return [LegalizeUnary(), LegalizeToInt16()] if target == INT16 else [LegalizeUnary()]
