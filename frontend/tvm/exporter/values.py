"""What an export sees of values: where implicit casts started, the tuple that values are the fields of, names and writings."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute, Operation, SSAValue

from ....dialects.relax.ops.core import DataflowOp, MatchCastOp, TupleGetItemOp
from ..vocabulary import ALIAS, IMPLICIT

TUPLES = ("relax.meshgrid",)
"""Ops whose value is a tuple in Relax even if it has one field."""


def maker(values: Sequence[SSAValue]) -> Operation | None:
    """Returns the op whose results are these values in order, if that is a tuple in Relax."""
    if not values or not isinstance(owner := values[0].owner, Operation):
        return None
    several = len(owner.results) != 1 or owner.name in TUPLES
    if not several or isinstance(owner, DataflowOp) or tuple(owner.results) != tuple(values):
        return None
    return owner


def items(values: Sequence[SSAValue]) -> SSAValue | None:
    """Returns the tuple of which the values are all fields in order, read without a name."""
    owners = [value.owner for value in values]
    first = owners[0]
    if not isinstance(first, TupleGetItemOp):
        return None
    count = len(first.tuple_value.type.types.data)  # pyright: ignore[reportAttributeAccessIssue]
    for index, owner in enumerate(owners):
        if not isinstance(owner, TupleGetItemOp) or owner.tuple_value != first.tuple_value:
            return None
        if owner.index.value.data != index or owner.result.name_hint is not None:
            return None
    return first.tuple_value if count == len(values) else None


def root(value: SSAValue) -> SSAValue:
    """Returns the value that implicit casts started from."""
    while isinstance(value.owner, MatchCastOp) and IMPLICIT in value.owner.attributes:
        value = value.owner.input
    return value


def writing(attr: Attribute | None) -> Sequence[Attribute]:
    """Returns what the importer noted about a type: how its dims are written."""
    return attr.data if isinstance(attr, ArrayAttr) else ()


def refined(value: SSAValue) -> SSAValue:
    """Returns a value, or it with the type that an implicit cast knows better."""
    for use in value.uses:
        if isinstance(use.operation, MatchCastOp) and use.operation.attributes.get(IMPLICIT) == StringAttr("refines"):
            return use.operation.result
    return value


def aliases(op: Operation) -> list[str]:
    attr = op.attributes.get(ALIAS)
    if not isinstance(attr, ArrayAttr) or len(attr.data) != len(op.operands):
        return []
    return [item.data if isinstance(item, StringAttr) else "" for item in attr.data]
