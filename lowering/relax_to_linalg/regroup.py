"""Splits a dim of a tensor in two, and joins two again, without moving data."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, IntegerAttr, i64
from xdsl.ir import SSAValue

from ...dialects.symbolic.expressions import Dim
from ..emit.tensor_builder import Size, element, ranked, tensor_shape
from .builder import LinalgBuilder


def split_dim(
    b: LinalgBuilder, value: SSAValue, axis: int, outer: Size, inner: Size, dims: Sequence[Dim] | None = None
) -> SSAValue:
    """Returns the value with the dim `axis` as the two dims `outer` and `inner`, whose product is its size.

    The other sizes are computed from `dims`, those of the value, where they are given and known.
    """
    known: Sequence[Dim] = dims or [None] * len(tensor_shape(value))
    before: list[Size] = [
        0 if index == axis else b.dim(value, index) if dim is None else b.size(dim) for index, dim in enumerate(known)
    ]
    sizes = [*before[:axis], outer, inner, *before[axis + 1 :]]
    dynamic = [size for size in sizes if not isinstance(size, int)]
    static = [size if isinstance(size, int) else DYNAMIC_INDEX for size in sizes]
    groups = _groups(len(before), axis)
    return b.insert(tensor.ExpandShapeOp(value, dynamic, groups, static, ranked(sizes, element(value))))


def join_dims(b: LinalgBuilder, value: SSAValue, axis: int) -> SSAValue:
    """Returns the value with the dims `axis` and `axis + 1` as one."""
    shape = tensor_shape(value)
    outer, inner = shape[axis], shape[axis + 1]
    joined = DYNAMIC_INDEX if DYNAMIC_INDEX in (outer, inner) else outer * inner
    result = ranked([*shape[:axis], joined, *shape[axis + 2 :]], element(value))
    properties = {"reassociation": _groups(len(shape) - 1, axis)}
    return b.insert(tensor.CollapseShapeOp.build(operands=[value], properties=properties, result_types=[result]))


def _groups(rank: int, axis: int) -> ArrayAttr[ArrayAttr[IntegerAttr]]:
    lists: list[Sequence[int]] = []
    for position in range(rank):
        start = position + (position > axis)
        lists.append([start, start + 1] if position == axis else [start])
    return ArrayAttr(ArrayAttr(IntegerAttr(index, i64) for index in group) for group in lists)
