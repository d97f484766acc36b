"""Emits what happens to the operands of a contraction before they are multiplied."""

from __future__ import annotations

from xdsl.dialects.builtin import VectorType
from xdsl.ir import SSAValue

from ....dialects.upstream.arith_ops import lanewise
from ...emit.constructors import vector_type
from ..schedule.contraction import Conversion
from .builder import LoopBuilder


def convert(b: LoopBuilder, conversion: Conversion, value: SSAValue) -> SSAValue:
    """Applies the operations of a conversion to a scalar or to lanes."""
    for op in conversion.ops:
        type_ = op.results[0].type
        if isinstance(value.type, VectorType):
            type_ = vector_type(type_, *value.type.get_shape())
        value = b.insert(
            lanewise(type(op)).create(
                operands=[value],
                result_types=[type_],
                properties=dict(op.properties),
                attributes=dict(op.attributes),
            )
        )
    return value
