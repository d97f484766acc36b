"""Gives values other types: in place, or by a cast in front of the op that reads them."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects.relax.base import implied_type
from ...dialects.relax.ops.core import MatchCastOp


def retype(value: SSAValue, value_type: Attribute) -> None:
    """Gives a value another type in place."""
    value._type = value_type  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]


def cast_before(op: Operation, value: SSAValue, value_type: Attribute) -> SSAValue:
    """Returns a value with another type: the result of a `relax.match_cast` that is inserted in front of an op."""
    cast = MatchCastOp.build_from(value, result_types=[value_type])
    Rewriter.insert_op(cast, InsertPoint.before(op))
    cast.result.name_hint = value.name_hint
    return cast.result


def cast_operands(op: Operation, value_types: Sequence[Attribute]) -> None:
    """Gives each operand of an op a type that others rely on, by a cast where it has another one."""
    for index, (operand, value_type) in enumerate(zip(op.operands, value_types, strict=True)):
        if operand.type != value_type:
            op.operands[index] = cast_before(op, operand, value_type)


def asserts_nothing(cast: MatchCastOp) -> bool:
    """Returns whether a cast says nothing of its operand that the type does not say."""
    return implied_type(cast.result.type, cast.input.type)
