"""A nest of which loops are about to be written: sizes as values, and collapsed views of its memrefs.

loops = [[0, 1], [2]] of memref<?x4x8xf32>    becomes    %0 = memref.dim %m, %c0;  %1 = arith.muli %0, %c4
                                                         %2 = memref.collapse_shape %m [[0, 1], [2]]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from functools import cache

from xdsl.dialects import memref
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, MemRefType, i64
from xdsl.ir import SSAValue

from ....dialects.new_op import new_op
from ....records import record
from ...emit.emitter import Index
from ..schedule.access import Access
from ..schedule.groups import Group, Member
from ..schedule.nest import Nest, nest_of, size_source
from .builder import LoopBuilder


@record(frozen=False)
class LoopNest(Nest):
    """A nest with the number of iterations of each loop, and with accesses to values that exist."""

    uppers: list[Index]


def loop_nests(b: LoopBuilder, group: Group, in_parallel: bool) -> list[LoopNest]:
    """Emits the sizes before each op of a group, the views before its last op, and returns the nests.

    The builder stands before the last op in the end. Shared loops have the sizes of the first op that has them.
    """
    extents: list[dict[int, Index]] = []
    for member in group.members:
        b.at(member.op, in_parallel)
        sources = nest_of(member.op)
        extents.append({})
        for d in range(sources.rank()):
            source = size_source(sources, d)
            extents[-1][d] = source if isinstance(source, int) else b.dim(*source)
    first = group.members[0]
    nests: list[LoopNest] = []
    for member, own in zip(group.members, extents, strict=True):
        for k, loop in enumerate(member.nest.loops[: group.shared]):
            own.update(zip(loop, (extents[0][d] for d in first.nest.loops[k]), strict=True))
        for (d,), size in zip(member.flat.loops, member.flat.sizes, strict=True):
            if size is not None:
                own[d] = size
        nests.append(_loop_nest(b, member, own))
    return nests


def _loop_nest(b: LoopBuilder, member: Member, extents: dict[int, Index]) -> LoopNest:
    nest = member.nest
    values = {f.name: getattr(nest, f.name) for f in fields(Nest)}
    values["inputs"] = [viewed(b, access) for access in nest.inputs]
    values["outputs"] = [viewed(b, access) for access in nest.outputs]
    return LoopNest(**values, uppers=[b.product([extents[d] for d in loop]) for loop in nest.loops])


def viewed(b: LoopBuilder, access: Access) -> Access:
    """Returns the access to the collapsed view of its memref, which is emitted."""
    if access.merged is None:
        return access
    return Access(collapse(b, access.value, access.merged, access.type), access.exprs)


def collapse(b: LoopBuilder, memory: SSAValue, merged: Sequence[Sequence[int]], type_: MemRefType) -> SSAValue:
    """Emits the view of a memref, of a type, whose dims are runs of its own."""
    groups = ArrayAttr([ArrayAttr([_axis(axis) for axis in group]) for group in merged])
    return b.insert(new_op(memref.CollapseShapeOp, [memory], [type_], {"reassociation": groups}))


@cache
def _axis(number: int) -> IntegerAttr:
    return IntegerAttr(number, i64)


def uppers_of(nest: LoopNest, loops: Sequence[int]) -> list[Index]:
    """Returns the numbers of iterations of some loops."""
    return [nest.uppers[d] for d in loops]


def with_loop(point: Sequence[Index], loop: int, index: Index) -> list[Index]:
    """Returns the point with another index of a loop."""
    changed = list(point)
    changed[loop] = index
    return changed
