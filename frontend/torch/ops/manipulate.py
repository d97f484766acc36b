"""Shapes: reshaping, reordering, joining, cutting, repeating and padding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import i1, i64
from xdsl.ir import SSAValue

from ....dialects.relax.dtypes import ui8
from ....dialects.symbolic.expressions import add, apply, equal, product
from ....dialects.symbolic.nodes import Known
from ....dialects.symbolic.order import is_nonnegative
from ...model.problems import Unsupported
from ...model.value_types import element_of, normalized, sizes_of
from ..node import Node
from ..table import Table, converters

TABLE: Table = {}
op = converters(TABLE)


@op("view", "reshape", "_unsafe_view", "_reshape_copy", "view_copy")
def _view(node: Node) -> SSAValue:
    """Converts a node. The shape that torch has found has no -1."""
    return node.g.reshape(node.value("self"), list(node.result_dims()))


@op("flatten.using_ints", "unflatten.int")
def _flatten(node: Node) -> SSAValue:
    return node.g.reshape(node.value("self"), list(node.result_dims()))


@op("permute", "permute_copy")
def _permute(node: Node) -> SSAValue:
    rank = node.rank("self")
    axes = [normalized(axis, rank, "dim") for axis in node.ints("dims")]
    return node.g.permute_dims(node.value("self"), axes=axes) if rank else node.value("self")


@op("transpose.int", "t", "numpy_T", "mT", "swapaxes", "swapdims")
def _transpose(node: Node) -> SSAValue:
    rank = node.rank("self")
    order = list(range(rank))
    if rank < 2:
        return node.value("self")
    first, second = (node.axis("dim0"), node.axis("dim1")) if node.op == "transpose" else (rank - 2, rank - 1)
    order[first], order[second] = order[second], order[first]
    return node.g.permute_dims(node.value("self"), axes=order)


@op("squeeze", "squeeze.dim", "squeeze.dims", "unsqueeze")
def _squeeze(node: Node) -> SSAValue:
    """Converts a node. What torch has squeezed is what is missing in its shape: dims whose size it knows to be 1."""
    g, x = node.g, node.value("self")
    if node.op == "unsqueeze":
        return g.expand_dims(x, axis=[node.axis("dim", extra=1)])
    shape = node.shape("self")
    if "dim" in node.arguments:
        axes = sorted({normalized(axis, max(len(shape), 1), "dim") for axis in node.ints("dim")})
    else:
        axes = list(range(len(shape)))
    axes = [axis for axis in axes if axis < len(shape) and equal(shape[axis], 1)]
    return g.squeeze(x, axis=axes) if axes else x


@op("expand", "expand_copy", "broadcast_to", "expand_as")
def _expand(node: Node) -> SSAValue:
    return node.g.broadcast_to(node.value("self"), list(node.result_dims()))


@op("cat", "concat", "concatenate")
def _cat(node: Node) -> SSAValue:
    """Converts a node. Vectors without elements are left out, whatever the others have for dims."""
    rank = len(node.results[0].shape)
    values = [node.cast(item, node.element()) for item in node.values("tensors")]
    kept = [item for item in values if len(sizes_of(item)) == rank]
    return node.g.concat(*kept, axis=normalized(node.int("dim"), rank, "dim")) if len(kept) > 1 else kept[0]


@op("stack")
def _stack(node: Node) -> SSAValue:
    values = [node.cast(item, node.element()) for item in node.values("tensors")]
    return node.g.stack(*values, axis=normalized(node.int("dim"), len(node.results[0].shape), "dim"))


@op("split_with_sizes", "split.Tensor", "chunk", "unbind.int", "tensor_split.sections", "tensor_split.indices")
def _split(node: Node) -> Sequence[SSAValue]:
    """Converts a node: consecutive slices, as long as torch has them."""
    g, x, axis = node.g, node.value("self"), node.axis("dim")
    if node.op == "unbind":
        parts = [g.strided_slice(x, axes=[axis], begin=[i], end=[i + 1]) for i in range(len(node.results))]
        return [g.squeeze(part, axis=[axis]) for part in parts]
    sizes = [node.result_dims(index)[axis] for index in range(len(node.results))]
    if len(sizes) == 1:
        return [x]
    if all(isinstance(size, int) for size in sizes):
        ends = [int(item) for item in np.cumsum([int(str(size)) for size in sizes])]
        if isinstance(sizes_of(x)[axis], int):
            return list(g.split(x, indices=ends[:-1], axis=axis))
    parts, start = list[SSAValue](), 0
    for size in sizes:
        end = add(start, size)
        parts.append(_cut(node, x, axis, start, end, 1))
        start = end
    return parts


def _cut(node: Node, x: SSAValue, axis: int, start: object, end: object, step: int) -> SSAValue:
    """Returns a slice between bounds that are not negative."""
    g = node.g
    if isinstance(start, int) and isinstance(end, int):
        return g.strided_slice(x, axes=[axis], begin=[start], end=[end], strides=[step])
    return g.strided_slice(x, g.shape(start), g.shape(end), axes=[axis], strides=[step])  # pyright: ignore[reportArgumentType]


@op("slice.Tensor", "narrow", "slice_copy.Tensor")
def _slice(node: Node) -> SSAValue:
    x = node.value("self")
    axis, size = node.axis("dim"), node.shape("self")[node.axis("dim")]
    if node.op == "narrow":
        start = bound(node.known_size(node["start"], "start"), size)
        return _cut(node, x, axis, start, add(start, node.known_size(node["length"], "length")), 1)
    start, end = slice_bounds(node, size)
    step = node.int("step")
    if equal(start, 0) and equal(end, size) and step == 1:
        return x
    return _cut(node, x, axis, start, end, step)


def slice_bounds(node: Node, size: Known) -> tuple[Known, Known]:
    """Returns the bounds of a slice, counted from the start; one that is left out is that of the dim."""
    start = bound(node.known_size(node["start"], "start"), size) if node.has("start") else 0
    end = bound(node.known_size(node["end"], "end"), size) if node.has("end") else size
    return start, end


def bound(given: Known, size: Known) -> Known:
    """Returns a bound counted from the start and not behind the end: a negative one counts from the end."""
    if isinstance(given, int) and isinstance(size, int):
        return min(max(given + size, 0) if given < 0 else given, size)
    if isinstance(given, int):
        if given >= 1 << 31:
            return size
        counted = apply("max", apply("+", size, given), 0) if given < 0 else given
    elif is_nonnegative(given):
        counted = given
    elif is_nonnegative(apply("*", given, -1) or 0):
        counted = apply("max", apply("+", size, given), 0)
    else:
        raise Unsupported(f"the bound {given} may be negative or not")
    assert counted is not None
    return counted


@op("select.int", "select_copy.int")
def _select(node: Node) -> SSAValue:
    g, x, axis = node.g, node.value("self"), node.axis("dim")
    index = node["index"]
    if not isinstance(index, int):
        place = node.operand(index, i64)
        return (
            g.take(x, place, axis=axis)
            if len(sizes_of(place)) == 0
            else g.squeeze(g.take(x, place, axis=axis), axis=[axis])
        )
    size = node.shape("self")[axis]
    if index < 0 and not isinstance(size, int):
        start = apply("+", size, index)
        return g.squeeze(_cut(node, x, axis, start, add(start, 1), 1), axis=[axis])
    index = index + int(str(size)) if index < 0 else index
    return g.squeeze(g.strided_slice(x, axes=[axis], begin=[index], end=[index + 1]), axis=[axis])


@op("repeat", "tile")
def _repeat(node: Node) -> SSAValue:
    """Converts a node; repeats that are sizes are broadcasts between the dims."""
    g, x = node.g, node.value("self")
    given = node.sizes("repeats" if node.op == "repeat" else "dims")
    shape = node.shape("self")
    repeats: list[Known] = [*([1] * (len(shape) - len(given))), *given]
    shape = (*([1] * (len(repeats) - len(shape))), *shape)
    if all(isinstance(item, int) for item in repeats) and 0 not in repeats:
        x = g.reshape(x, list(shape)) if len(shape) != node.rank("self") else x
        return g.tile(x, repeats=[int(str(item)) for item in repeats]) if repeats else x
    spread = g.reshape(x, [part for size in shape for part in (1, size)])
    wide = [part for size, count in zip(shape, repeats, strict=True) for part in (count, size)]
    return g.reshape(g.broadcast_to(spread, wide), list(node.result_dims()))


@op("repeat_interleave.self_int")
def _repeat_interleave(node: Node) -> SSAValue:
    g, x = node.g, node.value("self")
    if not node.has("dim"):
        return g.repeat(g.flatten(x), repeats=node.int("repeats"), axis=0)
    return g.repeat(x, repeats=node.int("repeats"), axis=node.axis("dim"))


@op("flip", "fliplr", "flipud")
def _flip(node: Node) -> SSAValue:
    x = node.value("self")
    if node.op != "flip":
        return node.g.flip(x, axis=1 if node.op == "fliplr" else 0)
    for axis in node.ints("dims"):
        x = node.g.flip(x, axis=normalized(axis, max(node.rank("self"), 1), "dim")) if node.rank("self") else x
    return x


@op("roll")
def _roll(node: Node) -> SSAValue:
    """Converts a node: what leaves at the end enters at the start."""
    g, x = node.g, node.value("self")
    shifts, dims = node.ints("shifts"), node.ints("dims")
    if not dims:
        flat = _rolled(node, g.flatten(x), shifts[0], 0)
        return g.reshape(flat, list(node.shape("self")))
    for shift, dim in zip(shifts, dims, strict=True):
        x = _rolled(node, x, shift, normalized(dim, node.rank("self"), "dim"))
    return x


def _rolled(node: Node, x: SSAValue, shift: int, axis: int) -> SSAValue:
    g, size = node.g, sizes_of(x)[axis]
    if isinstance(size, int):
        place = -shift % size if size else 0
        if not place:
            return x
        return g.concat(_cut(node, x, axis, place, size, 1), _cut(node, x, axis, 0, place, 1), axis=axis)
    place = apply("mod", -shift, size)
    return g.concat(_cut(node, x, axis, place, size, 1), _cut(node, x, axis, 0, place, 1), axis=axis)


@op("diagonal", "diagonal_copy")
def _diagonal(node: Node) -> SSAValue:
    """Converts a node: the dims are put last and joined, and every so-many-th element is read."""
    g, offset = node.g, node.int("offset")
    first, second = node.axis("dim1"), node.axis("dim2")
    rank = node.rank("self")
    order = [axis for axis in range(rank) if axis not in (first, second)] + [first, second]
    x = g.permute_dims(node.value("self"), axes=order)
    *outer, rows, columns = sizes_of(x)
    count = node.result_dims()[-1]
    start = offset if offset >= 0 else apply("*", columns, -offset)
    steps = g.arange([0, count, 1], dtype=i64)
    places = g.add(g.multiply(steps, node.operand(add(columns, 1), i64)), node.operand(start, i64))
    return g.take(g.reshape(x, [*outer, product([rows, columns])]), places, axis=len(outer))


@op("unfold")
def _unfold(node: Node) -> SSAValue:
    """Converts a node: windows along a dim, whose items are a new last one."""
    g, x = node.g, node.value("self")
    if node.rank("self") == 0:
        return g.broadcast_to(x, [node.int("size")])
    axis, size, step = node.axis("dimension"), node.int("size"), node.int("step")
    count = node.result_dims()[axis]
    starts = g.multiply(g.arange([0, count, 1], dtype=i64), g.constant(step, i64))
    places = g.add(g.expand_dims(starts, axis=[1]), g.constant(np.arange(size), i64))
    taken = g.take(x, places, axis=axis)
    rank = node.rank("self") + 1
    order = [item for item in range(rank) if item != axis + 1] + [axis + 1]
    return g.permute_dims(taken, axes=order)


@op("as_strided", "as_strided_copy")
def _as_strided(node: Node) -> SSAValue:
    """Converts a node: elements by their place in a tensor that lies in memory without gaps."""
    g = node.g
    sizes, strides = node.ints("size"), node.ints("stride")
    offset = node.int("storage_offset") if node.has("storage_offset") else 0
    meta = node.meta("self")
    if not meta.is_contiguous() or meta.storage_offset() not in (0,):
        raise Unsupported("reads memory by strides of a tensor that has strides of its own")
    places = np.array(offset, np.int64)
    for size, stride in zip(sizes, strides, strict=True):
        places = places[..., None] + np.arange(size) * stride
    return (
        g.take(g.flatten(node.value("self")), g.constant(places, i64), axis=0)
        if sizes
        else g.reshape(g.take(g.flatten(node.value("self")), g.constant(places.reshape(1), i64), axis=0), [])
    )


# Padding


@op("constant_pad_nd")
def _constant_pad(node: Node) -> SSAValue:
    """Converts a node. Entries are before and after, the last dim first; negative ones cut."""
    return padded(node, "constant", node["value"])


@op("reflection_pad1d", "reflection_pad2d", "reflection_pad3d")
def _reflection_pad(node: Node) -> SSAValue:
    return padded(node, "reflect")


@op("replication_pad1d", "replication_pad2d", "replication_pad3d")
def _replication_pad(node: Node) -> SSAValue:
    return padded(node, "replicate")


def padded(node: Node, mode: str, value: object = 0) -> SSAValue:
    """Returns a tensor with elements around it, or without those that negative entries cut off."""
    g, x, rank = node.g, node.value("self"), node.rank("self")
    given = node.ints("pad" if "pad" in node.arguments else "padding")
    width = [0] * (2 * rank)
    for index in range(len(given) // 2):
        axis = rank - 1 - index
        width[2 * axis], width[2 * axis + 1] = given[2 * index], given[2 * index + 1]
    for axis in range(rank):
        before, after = width[2 * axis : 2 * axis + 2]
        if before < 0 or after < 0:
            size = sizes_of(x)[axis]
            x = _cut(node, x, axis, max(-before, 0), add(size, min(after, 0)), 1)
    width = [max(item, 0) for item in width]
    if not any(width):
        return x
    if mode != "constant":
        return g.nn.pad(x, pad_width=width, pad_mode=mode)
    element = element_of(x)
    if element == i1:
        return g.astype(g.nn.pad(g.astype(x, dtype=ui8), pad_width=width, pad_value=float(bool(value))), dtype=i1)
    number = node.operand(value, element)
    if isinstance(value, int | float):
        return g.nn.pad(x, pad_width=width, pad_value=float(value))
    inside = g.astype(g.nn.pad(g.ones_like(x, dtype=ui8), pad_width=width), dtype=i1)
    return g.where(inside, g.nn.pad(x, pad_width=width), number)


@op("pixel_shuffle", "pixel_unshuffle")
def _pixel_shuffle(node: Node) -> SSAValue:
    """Converts a node: blocks of channels become blocks of the two last dims, or the other way round."""
    g = node.g
    *outer, channels, height, width = node.shape("self")
    rank = len(outer)
    if node.op == "pixel_shuffle":
        factor = node.int("upscale_factor")
        split = [*outer, apply("floordiv", channels, factor * factor), factor, factor, height, width]
        order = [*range(rank), rank, rank + 3, rank + 1, rank + 4, rank + 2]
    else:
        factor = node.int("downscale_factor")
        rows, columns = apply("floordiv", height, factor), apply("floordiv", width, factor)
        split = [*outer, channels, rows, factor, columns, factor]
        order = [*range(rank), rank, rank + 2, rank + 4, rank + 1, rank + 3]
    parts = g.permute_dims(g.reshape(node.value("self"), split), axes=order)
    return g.reshape(parts, list(node.result_dims()))


@op("tril", "triu")
def _triangle(node: Node) -> SSAValue:
    g, x, diagonal = node.g, node.value("self"), node.int("diagonal")
    if element_of(x) != i1 and abs(diagonal) < 1 << 31:
        return g.op(node.op, x, k=diagonal)
    rows, columns = (g.arange([0, size, 1], dtype=i64) for size in node.shape("self")[-2:])
    limit = g.add(g.expand_dims(rows, axis=[1]), g.constant(diagonal, i64))
    kept = g.op("greater_equal" if node.op == "triu" else "less_equal", columns, limit)
    return g.where(kept, x, node.number(0))
