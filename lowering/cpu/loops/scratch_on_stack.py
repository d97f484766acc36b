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
        source = owner.operands[0] if isinstance(owner, memref.SubviewOp | memref.CollapseShapeOp) else None
        if source is None or (base := moved(source)) is source:
            kept.add(value)
            return value
        assert isinstance(owner, Operation)
        views[value] = b.insert(
            new_op(type(owner), [base, *owner.operands[1:]], [_type_of(owner, base)], owner.properties)
        )
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


def _type_of(view: Operation, source: SSAValue) -> MemRefType:
    """Returns the type of a slice or a collapsed view of another source."""
    type_ = cast(MemRefType, source.type)
    if isinstance(view, memref.CollapseShapeOp):
        return collapsed_type(type_, [[axis.value.data for axis in group] for group in view.reassociation])
    assert isinstance(view, memref.SubviewOp)
    old = cast(MemRefType, view.result.type)
    strides = strides_of(type_)
    starts = view.static_offsets.get_values()
    layout = type_.layout
    before = layout.get_offset() if isinstance(layout, StridedLayoutAttr) else 0
    is_known = before is not None and DYNAMIC_INDEX not in starts
    offset = before + sum(s * (t or 0) for s, t in zip(starts, strides, strict=True)) if is_known else None
    return MemRefType(old.element_type, old.get_shape(), StridedLayoutAttr(strides, offset), old.memory_space)
