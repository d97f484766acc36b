"""Buffers of which each iteration of shared loops has a part of its own, and which nothing else touches: one part is enough.

linalg.fill 0 -> %p[c, ..]                                          scratch: a part of the workspace, of each channel c
linalg.generic %p[c, y + 1, x + 1] = %x[c, y, x]                    joins = 1
linalg.generic %y[c, y, x] += %p[c, y + i, x + j] * %w[c, i, j]     joins = 1, the only op that reads %p
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, FixedBitwidthType, MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from ....dialects.relax import schedule as schedules
from ....records import record
from ....targets.cpu import CpuTarget
from ...sizes.op_sizes import VIEWS
from .access import Access
from .dependence import Buffers, sliced
from .nest import Nest

L2_SHARE = 2
"""One part of the buffers takes up to this fraction (1 / 2) of the second-level cache."""


@record
class OwnParts:
    """A buffer of the workspace of which each iteration of the shared loops has a part of its own."""

    buffer: SSAValue
    axes: tuple[int, ...]
    """The axes along which the parts lie."""

    @property
    def type(self) -> MemRefType:
        return cast(MemRefType, self.buffer.type)

    @property
    def part(self) -> tuple[int, ...]:
        """The shape of one part, with 1 for the axes along which the parts lie."""
        return tuple(1 if axis in self.axes else size for axis, size in enumerate(self.type.get_shape()))

    @property
    def count(self) -> int:
        """The number of parts."""
        return prod(self.type.get_shape()[axis] for axis in self.axes)

    @property
    def bytes(self) -> int:
        """The bytes of one part."""
        return prod(self.part) * cast(FixedBitwidthType, self.type.element_type).size


def own_parts(nests: Sequence[Nest], shared: int, buffers: Buffers) -> list[OwnParts]:
    """Returns the buffers of the workspace of which each iteration of the first `shared` dims of some nests has a part of its own.

    The nests number these dims alike, and may join them; their accesses are those of the program, not to collapsed views.
    """
    inside = {nest.op for nest in nests}
    by_buffer: dict[SSAValue, list[Access]] = {}
    for nest in nests:
        for access in nest.accesses:
            if access.is_memref:
                by_buffer.setdefault(sliced(access.value)[0], []).append(access)
    dims = [d for d in range(shared) if nests[0].sizes[d] != 1]
    parts: list[OwnParts] = []
    for buffer, accesses in by_buffer.items():
        if not _is_scratch(buffer, buffers) or not _users(buffer) <= inside:
            continue
        axes = [_axis_of(accesses, d) for d in dims]
        if axes and None not in axes:
            parts.append(OwnParts(buffer, tuple(axis for axis in axes if axis is not None)))
    return parts


def _is_scratch(buffer: SSAValue, buffers: Buffers) -> bool:
    """Returns whether a buffer is a part of the workspace, of a known size, and the only name of its memory."""
    view, type_ = buffer.owner, cast(MemRefType, buffer.type)
    if not isinstance(view, memref.ViewOp) or isinstance(view.source.owner, VIEWS) or not buffers.is_only_view(view):
        return False
    return DYNAMIC_INDEX not in type_.get_shape() and isinstance(type_.element_type, FixedBitwidthType)


def _users(buffer: SSAValue) -> set[Operation]:
    """Returns the ops that touch a buffer, or that a slice of it goes to; what asks for a size reads no element."""
    uses = [use.operation for use in buffer.uses]
    slices = [op for op in uses if isinstance(op, memref.SubviewOp)]
    users = {op for op in uses if not isinstance(op, memref.SubviewOp | memref.DimOp)}
    return users.union(*(_users(each.result) for each in slices))


def _axis_of(accesses: Sequence[Access], dim: int) -> int | None:
    """Returns the axis of a buffer that all accesses to it, or to slices of it, have a dim on, from the same place on."""
    starts = [sliced(access.value)[1] for access in accesses]
    for axis, start in enumerate(starts[0]):
        if start is not None and all(
            access.exprs[axis] == AffineDimExpr(dim) and own[axis] == start
            for access, own in zip(accesses, starts, strict=True)
        ):
            return axis
    return None


def pick_scratch(parts: Sequence[OwnParts], target: CpuTarget) -> schedules.Scratch:
    """Returns where the buffers of a group lie: on the stack where all parts exceed the second-level cache, and one does not."""
    whole = sum(part.bytes * part.count for part in parts)
    is_small = L2_SHARE * sum(part.bytes for part in parts) <= min(target.l2.size, schedules.MOST_SCRATCH)
    return "stack" if is_small and whole >= target.l2.size else "workspace"


def scratch_problem(parts: Sequence[OwnParts]) -> str | None:
    """Returns the reason why the buffers of a group cannot lie on the stack."""
    if not parts:
        return "no buffer of the workspace is used by these ops alone, with a part of its own for each iteration of the common loops"
    total = sum(part.bytes for part in parts)
    if total > schedules.MOST_SCRATCH:
        return f"parts of {total} bytes, want at most {schedules.MOST_SCRATCH}"
    return None
