"""Interpreter rules. Reading and writing by index: take, slices, gather, scatter, one_hot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...dialects.relax.ops import indexing
from ...dialects.relax.rules.slice_rules import slice_range
from ..rule import Bindings, Rules, result_dtype


def from_start(indices: Any, size: int) -> Any:
    """Returns indices as i64, with the negative ones counted from the end; those beyond i64 become the largest."""
    array = np.asarray(indices)
    if array.dtype == np.uint64:
        array = np.minimum(array, np.uint64(2**63 - 1))
    wide = array.astype(np.int64)
    return np.where(wide < 0, wide + size, wide)


def nearest(indices: Any, size: int) -> Any:
    """Returns indices counted from the start and clipped to a dim that is not empty."""
    return np.clip(from_start(indices, size), 0, max(size - 1, 0))


def _read(data: Any, index: tuple[Any, ...], shape: Sequence[int]) -> Any:
    """Returns `data[index]`, zeros where there is nothing to read."""
    return np.zeros(tuple(shape), data.dtype) if data.size == 0 else data[index]


def _take(op: indexing.TakeOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    x, indices = args
    axis = op.normalized_axis(x.ndim)
    x = np.atleast_1d(x)
    size = x.shape[axis]
    shape = (*x.shape[:axis], *np.shape(indices), *x.shape[axis + 1 :])
    if size == 0:
        return [np.full(shape, np.nan if op.prop("mode") == "nan" else 0, x.dtype)]
    wide = from_start(indices, 0)
    mode = op.prop("mode", "fast")
    if mode == "wrap":
        return [np.take(x, np.mod(wide, size), axis)]
    result = np.take(x, nearest(indices, size) if mode == "fast" else np.clip(wide, 0, size - 1), axis)
    if mode == "nan":
        outside = (wide < 0) | (wide >= size)
        trailing = (1,) * (x.ndim - axis - 1)
        result = np.where(outside.reshape((*outside.shape, *trailing)), np.asarray(np.nan, x.dtype), result)
    return [result]


def _sliced(x: Any, ranges: Sequence[tuple[Any, Any, int]]) -> Any:
    for axis, (first, size, stride) in enumerate(ranges):
        index = np.clip(first + stride * np.arange(size), 0, max(x.shape[axis] - 1, 0))
        empty = size == 0 or x.shape[axis] == 0
        x = np.zeros((*x.shape[:axis], size, *x.shape[axis + 1 :]), x.dtype) if empty else np.take(x, index, axis)
    return x


def _strided_slice(op: indexing.StridedSliceOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    x = args[0]
    ranges = op.ranges(x.shape)
    return [_sliced(x, [(bindings.dim(first), bindings.dim(size), stride) for first, size, stride in ranges])]


def _dynamic_strided_slice(op: indexing.DynamicStridedSliceOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    x = args[0]
    ranges: list[tuple[Any, Any, int]] = []
    for size, *entries in zip(x.shape, *args[1:], strict=True):
        begin, end, stride = map(int, entries)
        ranges.append((*slice_range(size, begin, end, stride or 1), stride or 1))
    return [_sliced(x, ranges)]


def _along(indices: Any, axis: int, along: Any) -> tuple[Any, ...]:
    """Returns the index of every element of `indices`, with `along` along the axis."""
    grid = list(np.indices(indices.shape, sparse=True))
    grid[axis] = along
    return tuple(grid)


def _gather_elements(op: indexing.GatherElementsOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    data, indices = args
    axis = op.prop("axis", 0) % data.ndim
    return [_read(data, _along(indices, axis, nearest(indices, data.shape[axis])), indices.shape)]


def _gather_nd(op: indexing.GatherNDOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    data, indices = args
    batch, count = op.prop("batch_dims", 0), indices.shape[-1]
    location = tuple(nearest(indices[..., i], data.shape[batch + i]) for i in range(count))
    # Without an index into the data, the numbers of the batches alone give the shape.
    lead = tuple(np.indices(indices.shape[:-1], sparse=count > 0)[:batch])
    shape = (*indices.shape[:-1], *data.shape[batch + count :])
    if batch + count == 0:
        return [np.broadcast_to(data, shape)]
    return [_read(data, (*lead, *location), shape)]


def _index_tensor(op: indexing.IndexTensorOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    data, *indices = args
    location = tuple(nearest(index, size) for index, size in zip(indices, data.shape, strict=False))
    shape = (*np.broadcast_shapes(*(index.shape for index in indices)), *data.shape[len(indices) :])
    return [np.asarray(_read(data, location, shape))]


_REDUCE: dict[str, Callable[[Any, Any], Any]] = {
    "update": lambda old, new: new,
    "add": lambda old, new: old + new,
    "mul": lambda old, new: old * new,
    "min": np.minimum,
    "max": np.maximum,
}


def _scatter_elements(op: indexing.ScatterElementsOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    data, indices, updates = args
    axis = op.prop("axis", 0) % data.ndim
    combine = _REDUCE[op.prop("reduction", "update")]
    result = np.array(data)
    targets = from_start(indices, data.shape[axis])
    for position in np.ndindex(indices.shape):
        index = int(targets[position])
        if 0 <= index < data.shape[axis]:
            target = (*position[:axis], index, *position[axis + 1 :])
            result[target] = combine(result[target], updates[position])
    return [result]


def _scatter_nd(op: indexing.ScatterNDOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    data, indices, updates = args
    combine = _REDUCE[op.prop("reduction", "update")]
    result = np.array(data)
    count = indices.shape[-1]
    for position in np.ndindex(indices.shape[:-1]):
        location = tuple(int(from_start(indices[(*position, i)], data.shape[i])) for i in range(count))
        if all(0 <= i < size for i, size in zip(location, data.shape, strict=False)):
            result[location] = combine(result[location], updates[position])
    return [result]


def _slice_scatter(op: indexing.SliceScatterOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    result, src = np.array(args[0]), args[1]
    axis, first, size, step = op.slice_along(result.shape)
    start, count = bindings.dim(first), min(bindings.dim(size), src.shape[axis])
    lead = (slice(None),) * axis
    result[(*lead, slice(start, start + step * count, step))] = src[(*lead, slice(count))]
    return [result]


def _one_hot(op: indexing.OneHotOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    (indices,) = args
    axis = op.normalized_axis(indices.ndim)
    depth = np.arange(op.prop("depth")).reshape((-1,) + (1,) * (indices.ndim - axis))
    dtype = result_dtype(op)
    hot = np.expand_dims(indices, axis) == depth
    return [
        np.where(hot, np.asarray(op.prop("on_value")).astype(dtype), np.asarray(op.prop("off_value")).astype(dtype))
    ]


RULES: Rules = {
    indexing.TakeOp: _take,
    indexing.StridedSliceOp: _strided_slice,
    indexing.DynamicStridedSliceOp: _dynamic_strided_slice,
    indexing.GatherElementsOp: _gather_elements,
    indexing.GatherNDOp: _gather_nd,
    indexing.ScatterElementsOp: _scatter_elements,
    indexing.ScatterNDOp: _scatter_nd,
    indexing.IndexTensorOp: _index_tensor,
    indexing.SliceScatterOp: _slice_scatter,
    indexing.OneHotOp: _one_hot,
}
