"""Refuses programs with tensors of which the element type is not known."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from ..relax.unknown_elements import has_unknown
from ..walks import ops_inside
from .op_error import OpError


def verify_known_elements(module: ModuleOp) -> None:
    """Raises `OpError` for the first tensor of unknown element type."""
    for op in ops_inside(module):
        values: list[SSAValue] = [*op.results]
        for region in op.regions:
            for block in region.blocks:
                values += block.args
        for value in values:
            if has_unknown(value.type):
                name = f"%{value.name_hint}" if value.name_hint else "a value"
                raise OpError(
                    op, f"the element type of {name} is unknown; relax-bind-element-types gives arguments one"
                )
