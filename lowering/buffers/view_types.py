"""The memref types of views: slices, collapsed and expanded shapes, casts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, NoneAttr, StridedLayoutAttr, TensorType
from xdsl.ir import Attribute, SSAValue

from ..sizes.op_sizes import dropped_dims


def strided(element: Attribute, shape: Sequence[int], strides: Sequence[int | None], offset: int | None) -> MemRefType:
    """Returns a memref with a layout, or without one where the layout is that of a compact row-major array."""
    if offset == 0 and None not in strides and list(strides) == row_major(shape):
        return MemRefType(element, shape)
    return MemRefType(element, shape, StridedLayoutAttr(strides, offset))


def row_major(shape: Sequence[int]) -> list[int | None]:
    """Returns the strides of a compact array; None where they depend on a dynamic size."""
    strides: list[int | None] = []
    product: int | None = 1
    for size in reversed(shape):
        strides.append(product)
        product = None if product is None or size == DYNAMIC_INDEX else product * size
    return strides[::-1]


def is_compact(type_: MemRefType) -> bool:
    """Returns whether a memref has the identity layout."""
    return isinstance(type_.layout, NoneAttr)


def with_shape(type_: MemRefType, shape: Sequence[int]) -> MemRefType:
    """Returns the type after a cast that makes dims static or dynamic."""
    return MemRefType(type_.element_type, shape, type_.layout)


def strides_and_offset(type_: MemRefType) -> tuple[list[int | None], int | None]:
    """Returns the strides of a memref and its offset; None for those that are known at run time only."""
    layout = type_.layout
    if isinstance(layout, StridedLayoutAttr):
        return list(layout.get_strides()), layout.get_offset()
    return row_major(type_.get_shape()), 0


def slice_type(
    source: MemRefType,
    offsets: Sequence[int | SSAValue],
    sizes: Sequence[int | SSAValue],
    strides: Sequence[int | SSAValue],
    result: TensorType,
) -> MemRefType:
    """Returns the type of `memref.subview`, with the dims dropped that the tensor type of the slice does not have."""
    view = memref.SubviewOp.infer_result_type(source, offsets, sizes, strides)
    view_strides, offset = strides_and_offset(view)
    dropped = dropped_dims(view.get_shape(), result.get_shape())
    kept = [s for d, s in enumerate(view_strides) if d not in dropped]
    if is_compact(source) and offset == 0 and not dropped:
        # A leading part of a compact array is compact even where its strides are not static.
        shape, whole = view.get_shape(), source.get_shape()
        steps = all(s == 1 for s in strides)
        if steps and all(a == b != DYNAMIC_INDEX for a, b in zip(shape[1:], whole[1:], strict=True)):
            return MemRefType(source.element_type, shape)
    return strided(source.element_type, result.get_shape(), kept, offset)


def collapsed_type(source: MemRefType, groups: Sequence[Sequence[int]], shape: Sequence[int]) -> MemRefType | None:
    """Returns the type of `memref.collapse_shape`, or None where the dims of a group may not lie one after the other."""
    if is_compact(source):
        return MemRefType(source.element_type, shape)
    strides, offset = strides_and_offset(source)
    sizes = source.get_shape()
    collapsed: list[int | None] = []
    for group in groups:
        inner = [d for d in group if sizes[d] != 1] or [group[-1]]
        for outer, next_ in pairwise(inner):
            a, b = strides[outer], strides[next_]
            if a is None or b is None or sizes[next_] == DYNAMIC_INDEX or a != b * sizes[next_]:
                return None
        if not all(sizes[d] == 1 for d in group[group.index(inner[-1]) + 1 :]):
            return None
        if any(sizes[d] == 1 for d in group) and inner != [group[-1]] and sizes[group[-1]] != 1:
            # Unit dims in front of or between others carry strides that upstream compares.
            return None
        collapsed.append(strides[inner[-1]])
    if not groups and any(s != 1 for s in sizes):
        return None
    return strided(source.element_type, shape, collapsed, offset)


def expanded_type(source: MemRefType, groups: Sequence[Sequence[int]], shape: Sequence[int]) -> MemRefType | None:
    """Returns the type of `memref.expand_shape`."""
    if is_compact(source):
        return MemRefType(source.element_type, shape)
    strides, offset = strides_and_offset(source)
    expanded: list[int | None] = [None] * len(shape)
    for group, stride in zip(groups, strides, strict=True):
        for d in reversed(group):
            expanded[d] = stride
            stride = None if stride is None or shape[d] == DYNAMIC_INDEX else stride * shape[d]
    if not groups:
        expanded = [1] * len(shape)
    return strided(source.element_type, shape, expanded, offset)
