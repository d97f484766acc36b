"""The combining operations of reductions: their neutral elements and their use on vectors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import cast

from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from .builder import LoopBuilder
from .iteration import Nest


def _width(type_: Attribute) -> int:
    return 64 if isinstance(type_, IndexType) else cast(IntegerType, type_).width.data


def _lowest(type_: Attribute) -> int:
    return -(1 << (_width(type_) - 1))


def _ones(type_: Attribute) -> int:
    return 1 if _width(type_) == 1 else -1


# maxnumf and minnumf drop a NaN, so NaN is what leaves every value as it is.
_IDENTITY: dict[str, Callable[[Attribute], float]] = {
    "arith.addf": lambda t: -0.0,
    "arith.mulf": lambda t: 1.0,
    "arith.maximumf": lambda t: -math.inf,
    "arith.minimumf": lambda t: math.inf,
    "arith.maxnumf": lambda t: math.nan,
    "arith.minnumf": lambda t: math.nan,
    "arith.addi": lambda t: 0,
    "arith.muli": lambda t: 1,
    "arith.maxsi": _lowest,
    "arith.minsi": lambda t: -_lowest(t) - 1,
    "arith.maxui": lambda t: 0,
    "arith.minui": _ones,
    "arith.andi": _ones,
    "arith.ori": lambda t: 0,
    "arith.xori": lambda t: 0,
}


def combiners_of(nest: Nest) -> list[Operation] | None:
    """The operation that combines each output's present content with something that does not depend on any; else None."""
    found: list[Operation] = []
    for position, value in enumerate(nest.yielded):
        op = value.owner
        present = nest.output_arg(position)
        if not isinstance(op, Operation) or op.name not in _IDENTITY or op.parent is not nest.body:
            return None
        if len(list(present.uses)) != 1 or len(list(value.uses)) != 1:
            return None
        if sum(o is present for o in op.operands) != 1:
            return None
        if isinstance(value.type, IntegerType) and _width(value.type) == 1 and op.name not in _LOGIC:
            return None
        found.append(op)
    return found if found else None


_LOGIC = frozenset(("arith.andi", "arith.ori", "arith.xori"))


def identity(builder: LoopBuilder, op: Operation) -> SSAValue:
    """The scalar that leaves every value as it is when combined with it."""
    type_ = op.results[0].type
    value = _IDENTITY[op.name](type_)
    return builder.constant(value if isinstance(type_, AnyFloat) else int(value), type_)


def combine(builder: LoopBuilder, op: Operation, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """The combining operation on two scalars or two vectors."""
    return builder.insert(type(op).create(operands=[lhs, rhs], result_types=[lhs.type], properties=dict(op.properties)))


def horizontal(builder: LoopBuilder, op: Operation, accumulators: Sequence[SSAValue]) -> SSAValue:
    """All lanes of all accumulators combined in halves."""
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
