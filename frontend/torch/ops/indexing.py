"""Reading and writing at indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import i1, i64
from xdsl.ir import SSAValue

from ....dialects.relax.dtypes import accumulator, is_float, ui8
from ....dialects.symbolic.expressions import product
from ...model.problems import Unsupported
from ...model.value_types import element_of, sizes_of
from ..node import Node
from ..table import Table, converters
from .manipulate import slice_bounds

TABLE: Table = {}
op = converters(TABLE)

REDUCTIONS = {"sum": "add", "prod": "mul", "amax": "max", "amin": "min", "add": "add", "multiply": "mul"}


@op("embedding")
def _embedding(node: Node) -> SSAValue:
    return node.g.take(node.value("weight"), node.value("indices"), axis=0)


@op("index_select", "take")
def _index_select(node: Node) -> SSAValue:
    g, x, index = node.g, node.value("self"), node.value("index")
    if node.op == "take":
        return (
            g.take(g.flatten(x), index, axis=0)
            if node.rank("index")
            else g.reshape(g.take(g.flatten(x), index, axis=0), [])
        )
    index = index if node.rank("index") else g.expand_dims(index, axis=[0])
    if node.rank("self") == 0:
        return g.reshape(g.take(g.expand_dims(x, axis=[0]), index, axis=0), [])
    return g.take(x, index, axis=node.axis("dim"))


@op("gather")
def _gather(node: Node) -> SSAValue:
    g, x, index = node.g, node.value("self"), node.value("index")
    if not node.rank("self") or not node.rank("index"):
        shape = list(node.shape("index"))
        return g.reshape(g.gather_elements(_vector(node, x), _vector(node, index), axis=0), shape)
    return g.gather_elements(x, index, axis=node.axis("dim"))


def _vector(node: Node, x: SSAValue) -> SSAValue:
    """Returns a scalar as a vector of one element."""
    return x if sizes_of(x) else node.g.expand_dims(x, axis=[0])


@op("index.Tensor", "_unsafe_index.Tensor")
def _index(node: Node) -> SSAValue:
    """Converts a node. Indexed dims come first for the dialect; torch leaves them in place if they are neighbors."""
    g, x = node.g, node.value("self")
    places, indices = _indices(node)
    rank = len(sizes_of(x))
    order = [*places, *(axis for axis in range(rank) if axis not in places)]
    moved = x if order == list(range(rank)) else g.permute_dims(x, axes=order)
    if len(indices) == 1:
        result = g.take(moved, indices[0], axis=0)
    else:
        result = g.index_tensor(moved, *indices)
    width = max(len(sizes_of(index)) for index in indices)
    if places != list(range(places[0], places[0] + len(places))) or not places[0]:
        return result
    total = len(sizes_of(result))
    first = places[0]
    back = [*range(width, width + first), *range(width), *range(width + first, total)]
    return g.permute_dims(result, axes=back)


def _indices(node: Node) -> tuple[list[int], list[SSAValue]]:
    """Returns the dims that are indexed and their indices; a condition stands for the places for which it holds."""
    g = node.g
    places, indices = list[int](), list[SSAValue]()
    axis = 0
    for item in node["indices"]:
        if item is None:
            axis += 1
            continue
        given = [item]
        if element_of(item) in (i1, ui8):
            columns = node.importer.named(g.nonzero(item), "u")
            given = [
                g.squeeze(g.strided_slice(columns, axes=[0], begin=[row], end=[row + 1]), axis=[0])
                for row in range(len(sizes_of(item)))
            ]
        for index in given:
            places.append(axis)
            indices.append(index)
            axis += 1
    return places, indices


@op("index_put", "_unsafe_index_put", "_index_put_impl")
def _index_put(node: Node) -> SSAValue:
    """Converts a node. A condition chooses between old and new elements; indices become vectors that name places."""
    g, x, values = node.g, node.value("self"), node.x("values")
    masks = [item for item in node["indices"] if item is not None and element_of(item) in (i1, ui8)]
    if masks:
        return _put_where(node, x, masks, values)
    places, indices = _indices(node)
    rank = len(sizes_of(x))
    order = [*places, *(axis for axis in range(rank) if axis not in places)]
    moved = x if order == list(range(rank)) else g.permute_dims(x, axes=order)
    spread = _broadcast(node, indices)
    shape = sizes_of(spread[0])
    inner = sizes_of(moved)[len(places) :]
    neighbors = places == list(range(places[0], places[0] + len(places)))
    if neighbors and places[0]:
        # torch has the new dims where the indexed ones were.
        first, width = places[0], len(shape)
        wide = [*sizes_of(moved)[len(places) : len(places) + first], *shape, *inner[first:]]
        values = g.broadcast_to(values, wide)
        values = g.permute_dims(
            values, axes=[*range(first, first + width), *range(first), *range(first + width, len(wide))]
        )
    else:
        values = g.broadcast_to(values, [*shape, *inner])
    joined = g.stack(*spread, axis=len(shape))
    reduction = "add" if node["accumulate"] else "update"
    result = _scattered_nd(node, moved, joined, values, reduction)
    back = [order.index(axis) for axis in range(rank)]
    return result if order == list(range(rank)) else g.permute_dims(result, axes=back)


def _scattered_nd(node: Node, x: SSAValue, indices: SSAValue, values: SSAValue, reduction: str) -> SSAValue:
    if element_of(x) != i1 or reduction == "update":
        return node.g.scatter_nd(x, indices, values, reduction=reduction)
    g = node.g
    return g.astype(
        g.scatter_nd(g.astype(x, dtype=i64), indices, g.astype(values, dtype=i64), reduction=reduction), dtype=i1
    )


def _broadcast(node: Node, indices: Sequence[SSAValue]) -> list[SSAValue]:
    """Returns indices in one shape, as i64."""
    g = node.g
    total: SSAValue | None = None
    for item in indices:
        zeros = g.zeros_like(item, dtype=i64)
        total = zeros if total is None else g.add(total, zeros)
    assert total is not None
    shape = list(sizes_of(total))
    return [g.broadcast_to(node.cast(item, i64), shape) for item in indices]


def _put_where(node: Node, x: SSAValue, masks: Sequence[SSAValue], values: SSAValue) -> SSAValue:
    """Returns elements that a condition on the leading dims replaces by one value, or by rows that broadcast."""
    g = node.g
    if len(masks) > 1 or len([item for item in node["indices"] if item is not None]) > 1 or node["indices"][0] is None:
        raise Unsupported("several conditions as indices have no counterpart")
    mask = node.cast(masks[0], i1)
    trailing = len(sizes_of(x)) - len(sizes_of(mask))
    if len(sizes_of(values)) > trailing and product(sizes_of(values)[: len(sizes_of(values)) - trailing]) != 1:
        raise Unsupported("as many values as a condition holds for: their number depends on data")
    if len(sizes_of(values)) > trailing:
        values = g.reshape(values, list(sizes_of(values)[len(sizes_of(values)) - trailing :]))
    mask = g.expand_dims(mask, axis=list(range(-trailing, 0))) if trailing else mask
    return g.where(mask, g.add(x, values) if node["accumulate"] else values, x)


# Writing


@op("scatter.src", "scatter.value", "scatter_add", "scatter.reduce", "scatter.value_reduce")
def _scatter(node: Node) -> SSAValue:
    given = "value" if "value" in node.arguments else "src"
    reduction = "add" if node.op == "scatter_add" else REDUCTIONS[node["reduce"]] if node.has("reduce") else "update"
    return scattered(node, node.value("self"), node.value("index"), node.x(given), reduction)


def scattered(node: Node, x: SSAValue, index: SSAValue, source: SSAValue, reduction: str) -> SSAValue:
    """Returns a tensor with elements written at indices; of the source the corner that the indices have is read."""
    g = node.g
    shape = sizes_of(x)
    x, index = _vector(node, x), _vector(node, index)
    if not sizes_of(source):
        source = g.broadcast_to(source, list(sizes_of(index)))
    if sizes_of(source) != sizes_of(index):
        axes = list(range(len(sizes_of(index))))
        source = g.strided_slice(source, g.shape(*([0] * len(axes))), g.shape(*sizes_of(index)), axes=axes)
    axis = node.axis("dim") if shape else 0
    if element_of(x) == i1 and reduction != "update":
        x, source = (g.astype(item, dtype=i64) for item in (x, source))
    wide = accumulator(element_of(x)) if reduction in ("add", "mul") else element_of(x)
    result = g.scatter_elements(node.cast(x, wide), index, node.cast(source, wide), axis=axis, reduction=reduction)
    return result if shape else g.reshape(result, [])


@op("scatter_reduce.two")
def _scatter_reduce(node: Node) -> SSAValue:
    """Converts a node. Without `include_self` places that are written start with the neutral element; a mean counts."""
    g, x, index, source = node.g, node.value("self"), node.value("index"), node.x("src")
    kind, element = node["reduce"], node.element()
    wide = accumulator(element)
    includes = bool(node["include_self"])
    name = "sum" if kind == "mean" else kind
    x, source = node.cast(x, wide), node.cast(source, wide)
    start = x
    if not includes:
        neutral = {"sum": 0, "prod": 1}.get(name)
        if neutral is None:
            text = str(wide)
            if is_float(wide):
                limit: Any = float("inf")
                neutral = -limit if name == "amax" else limit
            else:
                bits = int(text.lstrip("ui"))
                low, high = (
                    (0, (1 << bits) - 1) if text.startswith("u") else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
                )
                neutral = low if name == "amax" else high
        marks = scattered(node, g.zeros_like(x, dtype=ui8), index, g.constant(1, ui8), "update")
        start = g.where(g.astype(marks, dtype=i1), node.number(neutral, wide), x)
    result = scattered(node, start, index, source, REDUCTIONS[name])
    if kind != "mean":
        return result
    first = g.ones_like(x, dtype=wide)
    if not includes:
        marks = scattered(node, g.zeros_like(x, dtype=ui8), index, g.constant(1, ui8), "update")
        first = g.where(g.astype(marks, dtype=i1), node.number(0, wide), first)
    counts = scattered(node, first, index, node.number(1, wide), "add")
    return g.divide(result, counts) if is_float(wide) else g.floor_divide(result, counts)


@op("slice_scatter")
def _slice_scatter(node: Node) -> SSAValue:
    g, x, axis = node.g, node.value("self"), node.axis("dim")
    start, end = slice_bounds(node, node.shape("self")[axis])
    source = node.x("src")
    step = node.int("step")
    if isinstance(start, int) and isinstance(end, int):
        return g.slice_scatter(x, source, axis=axis, start=start, end=end, step=step)
    return g.slice_scatter(x, source, g.shape(start), g.shape(end), axis=axis, step=step)


@op("select_scatter")
def _select_scatter(node: Node) -> SSAValue:
    g, x, axis = node.g, node.value("self"), node.axis("dim")
    size, index = node.shape("self")[axis], node["index"]
    source = g.expand_dims(node.x("src"), axis=[axis])
    if isinstance(index, int) and (index >= 0 or isinstance(size, int)):
        start = index if index >= 0 else index + int(str(size))
        return g.slice_scatter(x, source, axis=axis, start=start, end=start + 1, step=1)
    place = node.operand(index, i64)
    rank = node.rank("self")
    where = g.equal(g.reshape(g.arange([0, size, 1], dtype=i64), [size, *([1] * (rank - axis - 1))]), place)
    return g.where(where, source, x)


@op("diagonal_scatter")
def _diagonal_scatter(node: Node) -> SSAValue:
    """Converts a node: the places of the diagonal are compared with, and read from a spread of the source."""
    g, offset = node.g, node.int("offset")
    first, second = node.axis("dim1"), node.axis("dim2")
    rank = node.rank("self")
    order = [axis for axis in range(rank) if axis not in (first, second)] + [first, second]
    x = g.permute_dims(node.value("self"), axes=order)
    *outer, rows, columns = sizes_of(x)
    row = g.expand_dims(g.arange([0, rows, 1], dtype=i64), axis=[1])
    column = g.arange([0, columns, 1], dtype=i64)
    chosen = g.equal(g.subtract(column, row), g.constant(offset, i64))
    place = g.reshape(g.arange([0, rows, 1], dtype=i64), [rows])
    if offset < 0:
        place = g.add(place, g.constant(offset, i64))
    source = node.x("src")
    if 0 in sizes_of(source):
        return node.value("self")
    count = sizes_of(source)[-1]
    last = g.subtract(node.operand(count, i64), g.constant(1, i64))
    place = g.minimum(g.maximum(place, g.constant(0, i64)), last)
    spread = g.expand_dims(g.take(source, place, axis=len(outer)), axis=[len(outer) + 1])
    back = [order.index(axis) for axis in range(rank)]
    return g.permute_dims(g.where(chosen, spread, x), axes=back)


@op("index_add", "index_copy", "index_fill.int_Scalar", "index_fill.int_Tensor")
def _index_add(node: Node) -> SSAValue:
    """Converts a node: the indices are spread over the other dims."""
    g, index = node.g, _vector(node, node.value("index"))
    x = _vector(node, node.value("self"))
    axis = node.axis("dim")
    shape = list(sizes_of(x))
    shape[axis] = sizes_of(index)[0]
    spread = g.reshape(index, [shape[axis] if item == axis else 1 for item in range(len(shape))])
    spread = g.broadcast_to(spread, shape)
    source = node.x("value") if node.op == "index_fill" else node.x("source")
    source = g.broadcast_to(source, shape) if node.op == "index_fill" else g.reshape(source, shape)
    if node.op == "index_add" and node["alpha"] != 1:
        source = g.multiply(source, node.operand(node["alpha"], node.element()))
    reduction = "add" if node.op == "index_add" else "update"
    result = scattered(node, x, spread, source, reduction)
    return result if node.rank("self") else g.reshape(result, [])


@op("masked_scatter")
def _masked_scatter(node: Node) -> SSAValue:
    """Converts a node: the k-th place for which the condition holds gets the k-th element of the source."""
    g, x = node.g, node.value("self")
    shape = list(sizes_of(x))
    mask = g.flatten(g.broadcast_to(node.value("mask"), shape)) if shape else g.reshape(node.value("mask"), [1])
    places = g.subtract(g.cumsum(mask, axis=0, dtype=i64), g.constant(1, i64))
    source = node.x("source")
    taken = g.take(g.reshape(source, [product(sizes_of(source))]), places, axis=0)
    return g.reshape(g.where(mask, taken, g.reshape(x, [product(shape)])), shape)


@op("one_hot")
def _one_hot(node: Node) -> SSAValue:
    g, classes = node.g, node.int("num_classes")
    if classes < 0:
        raise Unsupported("the number of classes depends on data, give num_classes")
    places = g.arange(start=0, end=classes, dtype=i64)
    rank = node.rank("self")
    return g.astype(g.equal(g.expand_dims(node.value("self"), axis=[rank]), places), dtype=i64)


@op("_embedding_bag", "_embedding_bag_forward_only")
def _embedding_bag(node: Node) -> Sequence[SSAValue | None]:
    """Converts a node. A bag has the rows from its offset to the next one: which bag a row is of, comparisons of its place tell."""
    g, element = node.g, node.element()
    if any(node.is_read(index) for index in (1, 2, 3)):
        raise Unsupported("which rows a bag has as a result has no counterpart")
    weight, indices = node.value("weight"), node.value("indices")
    offsets = node.cast(node.value("offsets"), i64)
    mode = int(node["mode"])
    bags = sizes_of(offsets)[0]
    starts = offsets
    if node["include_last_offset"]:
        bags = node.result_dims()[0]
        starts = g.strided_slice(offsets, g.shape(0), g.shape(bags), axes=[0])
    rows = g.take(weight, indices, axis=0)
    count = sizes_of(indices)[0]
    places = g.arange([0, count, 1], dtype=i64) if count != 0 else g.zeros(g.shape(0), dtype=i64)
    # The bag of a row is the number of offsets up to it, less 1.
    reached = g.less_equal(g.expand_dims(starts, axis=[1]), places)
    bag = g.subtract(g.sum(g.astype(reached, dtype=i64), axis=[0], keepdims=False), g.constant(1, i64))
    member = g.equal(g.expand_dims(g.arange([0, bags, 1], dtype=i64), axis=[1]), bag)
    if node.int("padding_idx") >= 0:
        member = g.logical_and(member, g.not_equal(indices, g.constant(node.int("padding_idx"), element_of(indices))))
    wide = accumulator(element)
    rows = node.cast(rows, wide)
    if node.has("per_sample_weights"):
        rows = g.multiply(rows, g.expand_dims(node.x("per_sample_weights", wide), axis=[1]))
    if mode == 2:
        spread = g.where(g.expand_dims(member, axis=[2]), rows, g.constant(float("-inf"), wide))
        largest = g.max(spread, axis=[1], keepdims=False)
        empty = g.equal(largest, g.constant(float("-inf"), wide))
        return [g.where(empty, g.constant(0, wide), largest), None, None, None]
    shares = g.astype(member, dtype=wide)
    total = g.matmul(shares, rows)
    if mode == 1:
        number = g.maximum(g.sum(shares, axis=[1], keepdims=True), g.constant(1, wide))
        total = g.divide(total, number)
    return [total, None, None, None]
