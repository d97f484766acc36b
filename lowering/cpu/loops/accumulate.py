"""Emits the combining operations of reductions: their neutral elements, and their use on vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import AnyFloat, VectorType
from xdsl.ir import Operation, SSAValue

from ..schedule.combiners import NEUTRAL
from .builder import LoopBuilder


def identity(builder: LoopBuilder, op: Operation) -> SSAValue:
    """Returns the scalar that leaves every value as it is when combined with it."""
    type_ = op.results[0].type
    value = NEUTRAL[op.name](type_)
    return builder.constant(value if isinstance(type_, AnyFloat) else int(value), type_)


def combine(builder: LoopBuilder, op: Operation, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """Emits the combining operation on two scalars or two vectors."""
    return builder.insert(type(op).create(operands=[lhs, rhs], result_types=[lhs.type], properties=dict(op.properties)))


def horizontal(builder: LoopBuilder, op: Operation, accumulators: Sequence[SSAValue]) -> SSAValue:
    """Emits all lanes of all accumulators combined in halves."""
    values = list(accumulators)
    while len(values) > 1:
        half = len(values) // 2
        values = [combine(builder, op, values[k], values[k + half]) for k in range(half)]
    value = values[0]
    lanes = cast(VectorType, value.type).get_shape()[0]
    while lanes > 1:
        lanes //= 2
        lower = builder.shuffle(value, value, range(lanes))
        upper = builder.shuffle(value, value, range(lanes, 2 * lanes))
        value = combine(builder, op, lower, upper)
    return builder.extract(value, 0)
