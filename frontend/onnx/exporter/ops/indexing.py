"""Reading and writing by index, with indices out of range as the dialect has them; nodes of ONNX refuse those."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import f32, f64, i1, i32, i64
from xdsl.ir import SSAValue

from .....dialects.relax.attrs import element_type_of
from .....dialects.relax.dense import dense_to_numpy
from .....dialects.relax.dtypes import is_unsigned, ui64
from .....dialects.relax.ops import indexing
from .....dialects.relax.ops.core import ConstantOp
from .....dialects.symbolic.expressions import Dim, Known, add, apply, product
from ..table import Rules, Scope, is_positive, known

_BEYOND = 2**63 - 1


def _signed(scope: Scope, indices: str) -> str:
    """Returns indices as i64; those beyond it become the largest."""
    nodes = scope.nodes
    wide = nodes.cast(indices, i64)
    if nodes.element(indices) != ui64:
        return wide
    return nodes.where(nodes.compare("Less", wide, nodes.scalar(0, i64)), nodes.scalar(_BEYOND, i64), wide)


def _from_start(scope: Scope, indices: str, dim: Known) -> str:
    """Returns indices as i64, with the negative ones counted from the end."""
    nodes = scope.nodes
    wide = _signed(scope, indices)
    if is_unsigned(nodes.element(indices)):
        return wide
    negative = nodes.compare("Less", wide, nodes.scalar(0, i64))
    return nodes.where(negative, nodes.add("Add", wide, scope.sizes.scalar(dim)), wide)


def _is_inside(value: SSAValue, dim: Known) -> bool:
    """Returns whether indices are constants that are in range of a dim of known size."""
    owner = value.owner
    if not isinstance(owner, ConstantOp) or not isinstance(dim, int):
        return False
    indices = dense_to_numpy(owner.value)
    return indices.size == 0 or bool(indices.min() >= 0 and indices.max() < dim)


def _take(op: indexing.TakeOp, args: Sequence[str], scope: Scope) -> str:
    nodes, (x, indices) = scope.nodes, args
    dims = scope.dims(op.x, x)
    axis = op.normalized_axis(len(dims))
    if not dims:
        x, dims = nodes.unsqueezed(x, [0]), (1,)
    dim, mode = dims[axis], op.prop("mode", "fast")
    if _is_inside(op.indices, dim):
        return nodes.gathered(x, nodes.cast(indices, i64), axis)
    if mode == "fast":
        return scope.read(x, dims, axis, _from_start(scope, indices, dim))
    wide = _signed(scope, indices)
    if mode == "wrap":
        size = scope.sizes.scalar(dim)
        if not is_positive(dim):
            size = nodes.add("Max", size, nodes.scalar(1, i64))
        return scope.read(x, dims, axis, nodes.add("Mod", wide, size))
    result = scope.read(x, dims, axis, wide)
    if mode == "nan":
        outside = _outside(scope, wide, dim)
        trailing = len(dims) - axis - 1
        rank = len(scope.dims(op.indices, indices))
        outside = nodes.unsqueezed(outside, range(rank, rank + trailing))
        result = nodes.where(outside, nodes.like(np.nan, result), result)
    return result


def _outside(scope: Scope, indices: str, dim: Known) -> str:
    nodes = scope.nodes
    below = nodes.compare("Less", indices, nodes.scalar(0, i64))
    return nodes.add("Or", below, nodes.compare("GreaterOrEqual", indices, scope.sizes.scalar(dim)))


def _steps(scope: Scope, first: Known, size: Known, stride: int) -> str:
    """Returns the indices of a slice."""
    nodes = scope.nodes
    steps = nodes.add("Mul", scope.indices(size), nodes.scalar(stride, i64))
    return nodes.add("Add", steps, scope.sizes.vector(first))


def _strided_slice(op: indexing.StridedSliceOp, args: Sequence[Any], scope: Scope) -> str:
    x: str = args[0]
    nodes, dims = scope.nodes, scope.dims(op.x, args[0])
    for axis, (first, size, stride) in enumerate(op.ranges(dims)):
        begin, count = known([first, size])
        if begin == 0 and count == dims[axis] and stride == 1:
            continue
        if stride > 0 and not op.prop("assume_inbound", False):
            end = known([add(begin, apply("*", count, stride))])[0]
            x = nodes.sliced(x, axis, scope.sizes.vector(begin), scope.sizes.vector(end), stride)
            # The end of the last step may be beyond that of the slice, never that of an element.
        else:
            x = scope.read(x, dims, axis, _steps(scope, begin, count, stride))
        dims = known([*dims[:axis], count, *dims[axis + 1 :]])
    return x


def _dynamic_strided_slice(op: indexing.DynamicStridedSliceOp, args: Sequence[str], scope: Scope) -> str:
    nodes, (x, begin, end, strides) = scope.nodes, args
    unit = nodes.integers([1])
    strides = nodes.where(nodes.compare("Equal", strides, nodes.integers([0])), unit, strides)
    axes = nodes.integers(range(len(scope.dims(op.x, x))))
    return nodes.moved("Slice", [x], [begin, end, axes, strides])


def _gather_elements(op: indexing.GatherElementsOp, args: Sequence[str], scope: Scope) -> str:
    nodes, (data, indices) = scope.nodes, args
    dims = scope.dims(op.data, data)
    axis = op.prop("axis", 0) % len(dims)
    dim = dims[axis]
    if _is_inside(op.indices, dim):
        return nodes.moved("GatherElements", [data], [nodes.cast(indices, i64)], axis=axis)
    location = scope.nearest(_from_start(scope, indices, dim), dim)
    if not is_positive(dim):
        data = scope.with_one_more(data, dims, axis, 0)
    return nodes.moved("GatherElements", [data], [location], axis=axis)


def _linear(scope: Scope, locations: Sequence[str], dims: Sequence[Known]) -> str:
    """Returns the places in a flattened tensor of locations, one tensor of indices a dim."""
    nodes = scope.nodes
    result = locations[0]
    for location, dim in zip(locations[1:], dims[1:], strict=True):
        result = nodes.add("Add", nodes.add("Mul", result, scope.sizes.scalar(dim)), location)
    return result


def _rows(scope: Scope, data: str, dims: Sequence[Known], count: int) -> tuple[str, Known]:
    """Returns data with its first dims joined, and a row of zeros where these may be empty; and how many rows there are."""
    (rows,) = known([product(dims[:count])])
    flat = scope.reshaped(data, [rows, *dims[count:]])
    return (flat if is_positive(rows) else scope.with_one_more(flat, [rows, *dims[count:]], 0, 0)), rows


def _column(scope: Scope, indices: str, axis: int, index: int) -> str:
    return scope.nodes.gathered(indices, scope.nodes.scalar(index, i64), axis)


def _gather_nd(op: indexing.GatherNDOp, args: Sequence[str], scope: Scope) -> str:
    nodes, (data, indices) = scope.nodes, args
    dims, shape = scope.dims(op.data, data), scope.dims(op.indices, indices)
    batch, count = op.prop("batch_dims", 0), shape[-1]
    assert isinstance(count, int)
    total = batch + count
    if total == 0:
        return scope.expanded(data, [*shape[:-1], *dims])
    last = len(shape) - 1
    locations = [
        nodes.unsqueezed(scope.indices(dim), [axis for axis in range(last) if axis != index])
        for index, dim in enumerate(shape[:batch])
    ]
    for index in range(count):
        dim = dims[batch + index]
        locations.append(scope.nearest(_from_start(scope, _column(scope, indices, last, index), dim), dim))
    place = _linear(scope, locations, dims[:total])
    if batch:
        place = scope.expanded(place, shape[:-1])
    rows, size = _rows(scope, data, dims, total)
    if not is_positive(size):
        place = scope.nearest(place, size)
    return nodes.gathered(rows, place, 0)


def _index_tensor(op: indexing.IndexTensorOp, args: Sequence[str], scope: Scope) -> str:
    data, *indices = args
    dims = scope.dims(op.data, data)
    locations = [scope.nearest(_from_start(scope, index, dim), dim) for index, dim in zip(indices, dims, strict=False)]
    rows, size = _rows(scope, data, dims, len(indices))
    place = _linear(scope, locations, dims[: len(indices)])
    return scope.nodes.gathered(rows, place if is_positive(size) else scope.nearest(place, size), 0)


def _scattered(
    scope: Scope, data: str, dims: Sequence[Known], axis: int, place: str, updates: str, reduction: str
) -> str:
    """Returns data with updates at places of i64; what is outside of the dim changes nothing: it goes to one item more."""
    nodes, dim = scope.nodes, dims[axis]
    place = nodes.where(_outside(scope, place, dim), scope.sizes.scalar(dim), place)
    element = nodes.element(data)
    if reduction in ("min", "max"):
        data, updates = nodes.ordered(data), nodes.ordered(updates)
    elif reduction != "update":
        data, updates = nodes.wide(data), nodes.wide(updates)
    longer = scope.with_one_more(data, dims, axis, 0)
    options = {} if reduction == "update" else {"reduction": reduction}
    result = nodes.moved("ScatterElements", [longer, updates], [place], "dod", axis=axis, **options)
    if reduction in ("min", "max"):
        result = nodes.unordered(_with_nan(scope, result, longer, updates, place, axis), element)
    return nodes.sliced(nodes.cast(result, element), axis, nodes.integers([0]), scope.sizes.vector(dim))


def _with_nan(scope: Scope, result: str, data: str, updates: str, place: str, axis: int) -> str:
    """Returns extremes with NaN where there is one among the operands: kernels of ONNX compare, and leave it out."""
    nodes = scope.nodes
    if nodes.element(data) not in (f32, f64):
        return result
    marks, more = (nodes.cast(nodes.is_nan(value), i32) for value in (data, updates))
    marked = nodes.add("ScatterElements", marks, place, more, axis=axis, reduction="max")
    return nodes.where(nodes.compare("Greater", marked, nodes.scalar(0, i32)), nodes.like(np.nan, result), result)


def _scatter_elements(op: indexing.ScatterElementsOp, args: Sequence[str], scope: Scope) -> str:
    data, indices, updates = args
    dims = scope.dims(op.data, data)
    axis = op.prop("axis", 0) % len(dims)
    place = _from_start(scope, indices, dims[axis])
    return _scattered(scope, data, dims, axis, place, updates, op.prop("reduction", "update"))


def _scatter_nd(op: indexing.ScatterNDOp, args: Sequence[str], scope: Scope) -> str:
    # As updates of the elements of a flattened tensor, in order: the node for this leaves the order open.
    nodes, (data, indices, updates) = scope.nodes, args
    dims, shape = scope.dims(op.data, data), scope.dims(op.indices, indices)
    count = shape[-1]
    assert isinstance(count, int)
    (rows,), (inner,), (many,) = (known([product(part)]) for part in (dims[:count], dims[count:], shape[:-1]))
    flat = scope.reshaped(data, [rows, inner])
    if count == 0:
        place = scope.filled(0, i64, [many])
    else:
        locations = [
            _from_start(scope, _column(scope, indices, len(shape) - 1, index), dims[index]) for index in range(count)
        ]
        place = _linear(scope, locations, dims[:count])
        for location, dim in zip(locations, dims[:count], strict=True):
            place = nodes.where(_outside(scope, location, dim), nodes.scalar(-1, i64), place)
        place = nodes.flattened(place)
    place = scope.expanded(nodes.unsqueezed(place, [1]), [many, inner])
    changes = scope.reshaped(updates, [many, inner])
    result = _scattered(scope, flat, [rows, inner], 0, place, changes, op.prop("reduction", "update"))
    return scope.reshaped(result, dims)


def _slice_scatter(op: indexing.SliceScatterOp, args: Sequence[Any], scope: Scope) -> str:
    data, src = args[:2]
    dims = scope.dims(op.input, data)
    axis, first, size, step = op.slice_along(dims)
    begin, count = known([first, size])
    shape: list[Dim] = [1] * len(dims)
    shape[axis] = count
    place = scope.reshaped(_steps(scope, begin, count, step), shape)
    target: list[Dim] = [*dims[:axis], count, *dims[axis + 1 :]]
    return _scattered(scope, data, dims, axis, scope.expanded(place, target), src, "update")


def _one_hot(op: indexing.OneHotOp, args: Sequence[str], scope: Scope) -> str:
    nodes, (indices,) = scope.nodes, args
    rank = len(scope.dims(op.indices, indices))
    axis = op.normalized_axis(rank)
    element = element_type_of(op.result.type)
    wide = nodes.unsqueezed(_signed(scope, indices), [axis])
    depth = nodes.constant(np.arange(op.prop("depth")).reshape((-1,) + (1,) * (rank - axis)))
    hot = nodes.add("Equal", wide, depth, element=i1)
    return nodes.where(hot, nodes.scalar(op.prop("on_value"), element), nodes.scalar(op.prop("off_value"), element))


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
