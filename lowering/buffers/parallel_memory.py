"""Memory of parallel loops: what is allocated inside of one is needed once for each iteration.

    scf.parallel (%i) = (%c0) to (%n) step (%c1) { %t = memref.alloc() ... }

has a section of the workspace for each iteration, in which what is inside is planned as in a function of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from ...dialects.upstream.op_error import OpError
from ...records import record
from ...targets.cpu import BUFFER_ALIGNMENT
from ..sizes.index_expr import Expr, aligned
from ..sizes.op_sizes import constant_index
from ..sizes.sizes import SizeAnalysis
from .arena import Device, Item, plan
from .order import ExecutionOrder


@record
class Section:
    """The memory of an iteration of a loop on a device, and the item that stands for that of all iterations."""

    iteration: SSAValue
    size: Expr
    whole: Item


def loop_around(op: Operation) -> scf.ParallelOp | None:
    """Returns the outermost parallel loop around an op."""
    outermost: scf.ParallelOp | None = None
    parent = op.parent_op()
    while parent is not None:
        if isinstance(parent, scf.ParallelOp):
            outermost = parent
        parent = parent.parent_op()
    return outermost


def plan_sections(items: Sequence[Item], sizes: SizeAnalysis, order: ExecutionOrder) -> dict[Item, Section]:
    """Sets the offsets of items inside of parallel loops, counted from the start of their section; returns the section of each."""
    inside: dict[tuple[scf.ParallelOp, Device], list[Item]] = {}
    for item in items:
        loop = loop_around(item.op)
        if loop is not None:
            inside.setdefault((loop, item.device), []).append(item)
    sections: dict[Item, Section] = {}
    for (loop, device), members in inside.items():
        size = aligned(plan(members), BUFFER_ALIGNMENT)
        whole = Item(loop, size * _iterations(loop, sizes), *order.span(loop), device)
        section = Section(loop.body.block.args[0], size, whole)
        sections.update(dict.fromkeys(members, section))
    return sections


def _iterations(loop: scf.ParallelOp, sizes: SizeAnalysis) -> Expr:
    """Returns the iterations of a loop, or an upper bound."""
    steps = [
        (constant_index(lower), constant_index(step)) for lower, step in zip(loop.lowerBound, loop.step, strict=True)
    ]
    count = sizes.value(loop.upperBound[0], False)
    if steps != [(0, 1)] or count is None:
        raise OpError(
            loop,
            "plan-arena: scratch in scf.parallel, expected one loop from 0 by steps of 1 to a bound that sizes tell",
        )
    return count
