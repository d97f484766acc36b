"""Stacks of results of products and the like, each of which a kernel can write in place, row by row among those of others."""

from __future__ import annotations

from math import prod

from xdsl.ir import Operation, SSAValue

from ...dialects.relax.base import dims, normalized_axis
from ...dialects.relax.fusion_pattern import FusionPattern
from ...dialects.relax.ops.manipulate import StackOp
from ..analysis.op_pattern import op_pattern

SHORTEST_RUN = 32
"""Rows of fewer elements side by side are not written among others: `bufferize` computes them as one flat array, and copies them, as
vectors would be cut at every row.

Two of the widest vectors of any target: which buffers there are does not depend on the target.
"""


def stacks_rows(op: Operation) -> bool:
    """Returns whether an op stacks tensors of which each has several rows, that are long enough to be written in place.

    A tensor that lies in the result as a whole needs no kernel of its own for that: `bufferize` gives the part to any kernel.
    """
    if not isinstance(op, StackOp):
        return False
    shape = dims(op.result)
    if shape is None:
        return False
    axis = normalized_axis(op.prop("axis", 0), len(shape), "stack_c3")
    run = [size for size in shape[axis + 1 :] if isinstance(size, int)]
    is_known = len(run) == len(shape) - axis - 1
    return is_known and prod(run) >= SHORTEST_RUN and any(size != 1 for size in shape[:axis])


def is_sum(value: SSAValue) -> bool:
    """Returns whether a value that is read once is the result of a product or the like, or what element-wise ops make of one."""
    pending = [value]
    while pending:
        each = pending.pop()
        if not isinstance(each.owner, Operation) or not each.has_one_use():
            continue
        pattern = op_pattern(each.owner)
        if pattern == FusionPattern.OUT_ELEM_WISE_FUSABLE:
            return True
        if pattern <= FusionPattern.BROADCAST:
            pending += each.owner.operands
    return False
