"""Gives products of quantized tensors the types that a target has instructions for, and makes tables of functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from xdsl.dialects.builtin import i8, i16, i32
from xdsl.ir import Attribute, SSAValue

from ...dialects.relax.attrs import element_type_of
from ...dialects.relax.base import RelaxOp, element
from ...dialects.relax.dtypes import numpy_dtype, ui8
from ...dialects.relax.ops.binary import AddOp
from ...dialects.relax.ops.indexing import TakeOp
from ...dialects.relax.ops.qnn.contraction import QnnBatchMatmulOp, QnnConv2DOp, QnnDenseOp
from ...dialects.relax.ops.qnn.unary import QnnUnaryOp
from ...dialects.relax.rules.qnn_lookup import FUNCTIONS, lookup_table
from .qnn_arithmetic import QuantizedEmitter, Rules, numbers_of, require_ranks
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

PRODUCTS: Sequence[type[RelaxOp]] = (QnnDenseOp, QnnConv2DOp, QnnBatchMatmulOp)

_OFFSET = 128


def _moved(
    emit: QuantizedEmitter, value: SSAValue, zero_point: SSAValue, target: Attribute
) -> tuple[SSAValue, SSAValue]:
    """Returns an 8-bit tensor and its zero point in the other 8-bit type; both move by 128."""
    if element(value) == target:
        return value, zero_point
    offset = _OFFSET if target == ui8 else -_OFFSET
    wide = emit.cast(value, i32)
    moved = emit.cast(emit.op(AddOp, wide, emit.number(offset, wide)), target)
    numbers = numbers_of(zero_point)
    if numbers is not None:
        return moved, emit.constant(numbers + np.int32(offset), i32)
    return moved, emit.op(AddOp, zero_point, emit.number(offset, zero_point))


def _is_narrow(*values: SSAValue) -> bool:
    return all(element(value) in (i8, ui8) for value in values)


def legalize_factors(
    op: QnnDenseOp | QnnConv2DOp | QnnBatchMatmulOp, emit: QuantizedEmitter, types: Sequence[Attribute | None]
) -> SSAValue | None:
    """Gives data and weight the types of a target; declines unless both have 8 bits."""
    lhs, rhs, lhs_zero, rhs_zero, *scales = op.operands
    if not _is_narrow(lhs, rhs):
        return None
    factor_types = [factor_type or element(rhs) for factor_type in types]
    if [element(lhs), element(rhs)] == factor_types:
        return None
    lhs, lhs_zero = _moved(emit, lhs, lhs_zero, factor_types[0])
    rhs, rhs_zero = _moved(emit, rhs, rhs_zero, factor_types[1])
    return emit.like(op, lhs, rhs, lhs_zero, rhs_zero, *scales)[0]


def legalize_to_int16(op: QnnDenseOp | QnnConv2DOp | QnnBatchMatmulOp, emit: QuantizedEmitter) -> SSAValue | None:
    """Replaces a product of 8-bit tensors by one of i16 tensors, from which the zero points are subtracted."""
    lhs, rhs, lhs_zero, rhs_zero = op.operands[:4]
    if not _is_narrow(lhs, rhs):
        return None
    require_ranks(lhs, rhs)
    numbers = numbers_of(lhs_zero), numbers_of(rhs_zero)
    if any(array is None or np.any(np.abs(array) > 2**14) for array in numbers):
        # The differences must be i16 numbers.
        return None
    axis = op.kernel_positions()[0] if isinstance(op, QnnConv2DOp) else 0
    lhs = emit.difference(lhs, lhs_zero, 0, i16)
    rhs = emit.difference(rhs, rhs_zero, axis, i16)
    if isinstance(op, QnnConv2DOp):
        return convolution(emit, lhs, rhs, convolution_attributes(op))
    return matmul(emit, lhs, transposed(emit, rhs))


def legalize_unary(op: QnnUnaryOp, emit: QuantizedEmitter) -> SSAValue | None:
    """Replaces a function of 8-bit elements by a lookup in a table; declines unless its scales and zero points are constants."""
    if not _is_narrow(op.x):
        return None
    parameters = [numbers_of(operand) for operand in op.operands[1:]]
    if any(parameter is None for parameter in parameters):
        return None
    element_type = element_type_of(op.result.type)
    table = lookup_table(FUNCTIONS[type(op)], numpy_dtype(element_type), *parameters)
    # A negative index counts from the end of the table.
    return emit.op(TakeOp, emit.constant(table, element_type), op.x, axis=0, mode="fast")


def rules(target: str) -> Rules:
    """Returns the rules of a target."""
    products: Rules = {}
    if target == INT16:
        products = dict.fromkeys(PRODUCTS, legalize_to_int16)
    elif target in FACTOR_TYPES:
        products = dict.fromkeys(PRODUCTS, partial(legalize_factors, types=FACTOR_TYPES[target]))
    return {**dict.fromkeys(FUNCTIONS, legalize_unary), **products}
