"""Scratch memory of a group of nests on the stack: one part of each buffer, which all iterations of the common loops use in turn.

    %p = memref.view of memref<96x58x58xf32>

becomes

    %0 = memref.alloca() : memref<1x58x58xf32>
    %1 = memref.reinterpret_cast %0 to sizes: [96, 58, 58], strides: [0, 58, 1]    every part is the same memory
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, StridedLayoutAttr
from xdsl.ir import Operation, SSAValue

from ....dialects.new_op import new_op
from ....targets.cpu import BUFFER_ALIGNMENT
from ..schedule.access import Access, collapsed_type, strides_of
from ..schedule.scratch import OwnParts
from .builder import LoopBuilder
from .loop_nest import LoopNest


def with_parts_on_stack(b: LoopBuilder, nests: Sequence[LoopNest], parts: Sequence[OwnParts]) -> list[LoopNest]:
    """Emits one part of each buffer on the stack, where the builder stands, and the views of it; returns the nests that use them."""
    views: dict[SSAValue, SSAValue] = {own.buffer: _all_parts(b, own) for own in parts}
    # Buffers that stay where they are.
    kept: set[SSAValue] = set()

    def moved(value: SSAValue) -> SSAValue:
        """Returns what a view of a buffer is with the buffer on the stack."""
        owner = value.owner
        if value in views or value in kept:
            return views.get(value, value)
        if not isinstance(owner, memref.SubviewOp | memref.CollapseShapeOp) or moved(owner.operands[0]) in kept:
            kept.add(value)
            return value
        views[value] = b.insert(_view_of(owner, views[owner.operands[0]]))
        return views[value]

    def uses(access: Access) -> Access:
        return replace(access, value=moved(access.value)) if access.is_memref else access

    return [replace(nest, inputs=[*map(uses, nest.inputs)], outputs=[*map(uses, nest.outputs)]) for nest in nests]


def _all_parts(b: LoopBuilder, own: OwnParts) -> SSAValue:
    """Emits memory for one part, seen as all parts."""
    type_ = own.type
    memory = b.insert(memref.AllocaOp.get(type_.element_type, BUFFER_ALIGNMENT, own.part))
    shape = type_.get_shape()
    row_major = strides_of(MemRefType(type_.element_type, own.part))
    strides = [0 if axis in own.axes else stride for axis, stride in enumerate(row_major)]
    result = MemRefType(type_.element_type, shape, StridedLayoutAttr(strides, 0), type_.memory_space)
    known = [stride for stride in strides if stride is not None]
    return b.insert(memref.ReinterpretCastOp(memory, [], [], [], [0], shape, known, result))


def _view_of(view: memref.SubviewOp | memref.CollapseShapeOp, source: SSAValue) -> Operation:
    """Returns the slice or collapsed view of another source."""
    type_, operands = cast(MemRefType, source.type), [source, *view.operands[1:]]
    if isinstance(view, memref.CollapseShapeOp):
        result = collapsed_type(type_, tuple(tuple(axis.value.data for axis in group) for group in view.reassociation))
        return new_op(memref.CollapseShapeOp, operands, [result], view.properties)
    numbers = [view.static_offsets, view.static_sizes, view.static_strides]
    # For the type, a number that is known at run time only is any value.
    known = [[source if n == DYNAMIC_INDEX else n for n in each.get_values()] for each in numbers]
    result = memref.SubviewOp.infer_result_type(type_, *known)
    return new_op(memref.SubviewOp, operands, [result], view.properties)
