"""Reads the fields of tuples that a function makes from where they come."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.rewriter import Rewriter

from ...dialects.relax.ops.core import TupleGetItemOp, TupleOp
from ...dialects.walks import ops_inside


def read_fields(function: func.FuncOp) -> None:
    """Lets readers of a field of a tuple that is made in a function read the field itself; erases tuples that nothing reads then."""
    made: dict[TupleOp, None] = {}
    for op in ops_inside(function):
        if not isinstance(op, TupleGetItemOp) or not isinstance(bundle := op.tuple_value.owner, TupleOp):
            continue
        field = bundle.fields[op.index.value.data]
        if field.type == op.result.type:
            field.name_hint = field.name_hint or op.result.name_hint
            op.result.replace_all_uses_with(field)
            Rewriter.erase_op(op)
            made[bundle] = None
    for bundle in made:
        if bundle.result.first_use is None:
            Rewriter.erase_op(bundle)
