"""Whether the sums of a contraction are needed by the ops on its tiles alone: then they need no memory but that of a tile.

linalg.fill 0 -> %c
linalg.generic %c += %a * %b
linalg.generic %d = f(%c)        the only op that reads %c, which is a part of the workspace
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import memref
from xdsl.ir import Operation, SSAValue

from .dependence import Buffers
from .nest import nest_of


def may_stay_on_stack(
    contraction: Operation, init: Operation | None, epilogue: Sequence[Operation], buffers: Buffers
) -> bool:
    """Returns whether nothing but the epilogue reads what a contraction writes, which starts at zero by `init`."""
    output = contraction.operands[-1]
    view = output.owner
    if init is None or not epilogue or not isinstance(view, memref.ViewOp):
        return False
    inside = {init, contraction, *epilogue}
    # What asks for a size reads no element.
    users = [use.operation for use in output.uses if not isinstance(use.operation, memref.DimOp)]
    if any(user not in inside for user in users):
        return False
    if any(access.value is output for op in epilogue for access in nest_of(op).outputs):
        return False
    return buffers.is_only_view(view)


def uncollapsed(value: SSAValue) -> SSAValue:
    """Returns the memref of which a value is a view with fewer dims."""
    while isinstance(value.owner, memref.CollapseShapeOp):
        value = value.owner.operands[0]
    return value
