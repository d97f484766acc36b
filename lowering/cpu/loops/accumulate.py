"""Emits what combines partial results of reductions: their neutral values, and their use on scalars and vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, VectorType
from xdsl.ir import Attribute, SSAValue

from ....dialects.upstream.arith_ops import CmpfOp, CmpiOp, SelectOp
from ..schedule.combiners import ByComparison, ByOperation, ByPlace, Combiner
from ..schedule.nest import Nest
from .builder import LoopBuilder


def identities(builder: LoopBuilder, nest: Nest, combiner: Combiner) -> list[SSAValue]:
    """Returns the scalars that leave all others as they are when combined with them."""
    types = [nest.output_arg(combiner.output + k).type for k in range(len(combiner.neutral))]
    return [_constant(builder, value, type_) for value, type_ in zip(combiner.neutral, types, strict=True)]


def _constant(builder: LoopBuilder, value: float, type_: Attribute) -> SSAValue:
    return builder.constant(value if isinstance(type_, AnyFloat) else int(value), type_)


def combine(
    builder: LoopBuilder, combiner: Combiner, lhs: Sequence[SSAValue], rhs: Sequence[SSAValue]
) -> list[SSAValue]:
    """Emits the combination of the values of two parts, scalars or vectors; of equal values those of `lhs` stay."""
    match combiner:
        case ByOperation(_, op):
            made = type(op).create(
                operands=[lhs[0], rhs[0]], result_types=[lhs[0].type], properties=dict(op.properties)
            )
            return [builder.insert(made)]
        case ByComparison(_, predicate):
            return [_select(builder, _compare(builder, predicate, rhs[0], lhs[0]), rhs[0], lhs[0])]
        case ByPlace():
            better = _is_better(builder, combiner, rhs[0], lhs[0])
            return [_select(builder, better, new, old) for new, old in zip(rhs, lhs, strict=True)]


def horizontal(builder: LoopBuilder, combiner: Combiner, accumulators: Sequence[Sequence[SSAValue]]) -> list[SSAValue]:
    """Emits all lanes of all accumulators combined in halves."""
    values = [list(accumulator) for accumulator in accumulators]
    while len(values) > 1:
        half = len(values) // 2
        values = [_merge(builder, combiner, values[k], values[k + half]) for k in range(half)]
    (value,) = values
    if isinstance(combiner, ByOperation) and isinstance(combiner.op, arith.AddiOp):
        # LLVM 22's code for x86 makes `vpdpbusd` of products of 8 or 16 pairs of 8 bits that are summed in halves, and loses lanes.
        return [builder.sum_of_lanes(value[0])]
    lanes = cast(VectorType, value[0].type).get_shape()[0]
    while lanes > 1:
        lanes //= 2
        lower = [builder.shuffle(v, v, range(lanes)) for v in value]
        upper = [builder.shuffle(v, v, range(lanes, 2 * lanes)) for v in value]
        value = _merge(builder, combiner, lower, upper)
    return [builder.extract(v, 0) for v in value]


def _merge(
    builder: LoopBuilder, combiner: Combiner, lhs: Sequence[SSAValue], rhs: Sequence[SSAValue]
) -> list[SSAValue]:
    """Emits the combination of two parts whose elements alternate: of equal values that with the lesser place stays."""
    if not isinstance(combiner, ByPlace):
        return combine(builder, combiner, lhs, rhs)
    # Not worse than each other: equal, or both NaN.
    better, worse = (_is_better(builder, combiner, *pair) for pair in ((rhs[0], lhs[0]), (lhs[0], rhs[0])))
    earlier = _compare(builder, "slt", rhs[1], lhs[1])
    taken = builder.either(better, builder.insert(arith.AndIOp(earlier, _negated(builder, worse))))
    return [_select(builder, taken, new, old) for new, old in zip(rhs, lhs, strict=True)]


def _is_better(builder: LoopBuilder, combiner: ByPlace, new: SSAValue, old: SSAValue) -> SSAValue:
    """Returns whether a value replaces that before it."""
    over = _compare(builder, combiner.predicate, new, old)
    if not isinstance(combiner.value_type, AnyFloat):
        return over
    return builder.both(over, _compare(builder, "ord", old, old))


def _compare(builder: LoopBuilder, predicate: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    type_ = lhs.type.element_type if isinstance(lhs.type, VectorType) else lhs.type
    return builder.insert((CmpfOp if isinstance(type_, AnyFloat) else CmpiOp)(lhs, rhs, predicate))


def _select(builder: LoopBuilder, condition: SSAValue, new: SSAValue, old: SSAValue) -> SSAValue:
    return builder.insert(SelectOp(condition, new, old))


def _negated(builder: LoopBuilder, condition: SSAValue) -> SSAValue:
    return builder.insert(arith.XOrIOp(condition, builder.constant(True, condition.type)))
