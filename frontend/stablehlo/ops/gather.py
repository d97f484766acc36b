"""Reading at computed places: gather and dynamic slices."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....dialects.relax.dtypes import ui64
from ....dialects.symbolic.expressions import apply, equal, product
from ....dialects.symbolic.nodes import Known
from ...model.value_types import element_of, sizes_of
from ..bindings import stablehlo
from ..node import Node
from ..table import Table, converters
from .create import counted
from .manipulate import declared, transposed

TABLE: Table = {}
op = converters(TABLE)


LARGEST = 2**63 - 1


def signed_index(node: Node, indices: SSAValue) -> SSAValue:
    """Returns indices in i64; unsigned ones beyond its range stay the largest, as no dim has them."""
    if element_of(indices) == ui64:
        indices = node.g.minimum(indices, node.g.constant(LARGEST, ui64))
    return node.cast(indices, i64)


def vectors(node: Node, indices: SSAValue, axis: int) -> SSAValue:
    """Returns index vectors along the last dim, in i64."""
    rank = len(sizes_of(indices))
    if axis == rank:
        indices = node.g.expand_dims(indices, axis=[rank])
    else:
        indices = transposed(node, indices, [*(other for other in range(rank) if other != axis), axis])
    return signed_index(node, indices)


def component(node: Node, indices: SSAValue, index: int) -> SSAValue:
    """Returns one entry of all index vectors."""
    *batch, count = sizes_of(indices)
    if count == 1:
        return node.g.reshape(indices, list(batch))
    entry = node.g.strided_slice(indices, axes=[len(batch)], begin=[index], end=[index + 1])
    return node.g.reshape(entry, list(batch))


def clamped(node: Node, start: SSAValue, most: Known) -> SSAValue:
    """Returns first indices of slices, moved inside."""
    g = node.g
    return g.minimum(g.maximum(start, g.constant(0, i64)), node.number(most))


def difference(size: Known, part: Known) -> Known:
    """Returns the last place where a part of a dim may start."""
    last = apply("-", size, part)
    assert last is not None
    return last


def spread(node: Node, x: SSAValue, places: Sequence[int], rank: int) -> SSAValue:
    """Returns a tensor of `rank` dims whose dims `places` are those of another one, the others being 1."""
    sizes: list[Known] = [1] * rank
    for place, size in zip(places, sizes_of(x), strict=True):
        sizes[place] = size
    return node.g.reshape(x, sizes)


def flat_index(node: Node, coordinates: Sequence[SSAValue | None], shape: Sequence[Known]) -> SSAValue:
    """Returns places in row-major order from one coordinate for each dim, `None` for 0."""
    g = node.g
    total: SSAValue | None = None
    for axis, coordinate in enumerate(coordinates):
        if coordinate is None:
            continue
        stride = product(shape[axis + 1 :])
        assert stride is not None
        step = coordinate if stride == 1 else g.multiply(coordinate, node.number(stride))
        total = step if total is None else g.add(total, step)
    return g.constant(0, i64) if total is None else total


@op("gather")
def _gather(node: Node) -> SSAValue:
    return _gathered(node, list(node.ints("slice_sizes")))


@op("dynamic_gather")
def _dynamic_gather(node: Node) -> SSAValue:
    return _gathered(node, node.sizes(2))


def _gathered(node: Node, slices: Sequence[Known]) -> SSAValue:
    """Returns slices at computed places: whole rows by `relax.take`, all others element by element from the flattened operand."""
    g, x, shape = node.g, node.x(0), node.shape(0)
    numbers = stablehlo.GatherDimensionNumbers(node.attribute("dimension_numbers"))
    offsets, dropped = list(numbers.offset_dims), list(numbers.collapsed_slice_dims)
    batching, index_batching = list(numbers.operand_batching_dims), list(numbers.start_indices_batching_dims)
    mapped = list(numbers.start_index_map)
    indices = vectors(node, node.x(1), numbers.index_vector_dim)
    batch = list(sizes_of(indices)[:-1])
    rank = len(offsets) + len(batch)
    batch_places = [axis for axis in range(rank) if axis not in offsets]
    window = [axis for axis in range(len(shape)) if axis not in dropped and axis not in batching]
    starts = {
        axis: clamped(node, component(node, indices, index), difference(shape[axis], slices[axis]))
        for index, axis in enumerate(mapped)
    }
    partial = [axis for axis in range(len(shape)) if not equal(slices[axis], shape[axis])]
    if len(mapped) == 1 and partial in ([], mapped) and slices[mapped[0]] == 1 and not batching:
        return _rows(node, x, mapped[0], starts[mapped[0]], dropped, batch_places, offsets)
    sizes: list[Known] = [1] * rank
    for place, size in zip(batch_places, batch, strict=True):
        sizes[place] = size
    coordinates: list[SSAValue | None] = []
    for axis in range(len(shape)):
        coordinate = None
        if axis in starts:
            coordinate = spread(node, starts[axis], batch_places, rank)
        if axis in batching:
            # The axes of the indices that are batches stand before the index vector, or behind it.
            own = index_batching[batching.index(axis)]
            own -= own > numbers.index_vector_dim
            coordinate = spread(node, counted(node, shape[axis]), [batch_places[own]], rank)
        if axis in window:
            place = offsets[window.index(axis)]
            sizes[place] = slices[axis]
            if slices[axis] != 1:
                along = spread(node, counted(node, slices[axis]), [place], rank)
                coordinate = along if coordinate is None else g.add(coordinate, along)
        coordinates.append(coordinate)
    places = g.broadcast_to(flat_index(node, coordinates, shape), sizes)
    return g.take(g.flatten(x), places, axis=0, mode="clip")


def _rows(
    node: Node,
    x: SSAValue,
    axis: int,
    start: SSAValue,
    dropped: Sequence[int],
    batch_places: Sequence[int],
    offsets: Sequence[int],
) -> SSAValue:
    """Returns whole rows along an axis."""
    g, rank, count = node.g, len(sizes_of(x)), len(sizes_of(start))
    rows = g.take(x, start, axis=axis, mode="clip")
    if axis not in dropped:
        rows = g.expand_dims(rows, axis=[axis + count])
    # The dims before the axis, the batch, the dims behind it: each goes where the result has it.
    batch = range(axis, axis + count)
    others = [index for index in range(len(sizes_of(rows))) if index not in batch]
    order = [0] * len(sizes_of(rows))
    for place, index in [*zip(batch_places, batch, strict=True), *zip(offsets, others, strict=True)]:
        order[place] = index
    assert rank + count >= len(order)
    return transposed(node, rows, order)


def leading(shape: Sequence[Known], slices: Sequence[Known]) -> int:
    """Returns the number of dims up to the last one that a slice does not take whole."""
    return max((axis + 1 for axis in range(len(shape)) if not equal(shape[axis], slices[axis])), default=0)


def lead_places(node: Node, first: int, shape: Sequence[Known], slices: Sequence[Known], count: int) -> SSAValue:
    """Returns the places of a slice in the first `count` dims, flattened; its first indices are operands from `first` on."""
    coordinates: list[SSAValue | None] = []
    for axis in range(count):
        start = signed_index(node, node.x(first + axis))
        start = clamped(node, start, difference(shape[axis], slices[axis]))
        along = spread(node, counted(node, slices[axis]), [axis], count)
        coordinates.append(along if equal(shape[axis], slices[axis]) else node.g.add(start, along))
    return node.g.flatten(flat_index(node, coordinates, shape[:count]))


def flat_rows(node: Node, x: SSAValue, count: int) -> SSAValue:
    """Returns a tensor with the first `count` dims joined."""
    sizes = sizes_of(x)
    rows = product(sizes[:count])
    assert rows is not None
    return node.g.reshape(x, [rows, *sizes[count:]])


@op("dynamic_slice")
def _dynamic_slice(node: Node) -> SSAValue:
    x, shape, slices = node.x(0), node.shape(0), list(node.ints("slice_sizes"))
    count = leading(shape, slices)
    if count == 0:
        return x
    places = lead_places(node, 1, shape, slices, count)
    rows = node.g.take(flat_rows(node, x, count), places, axis=0, mode="clip")
    return node.g.reshape(rows, declared(node))


@op("real_dynamic_slice")
def _real_dynamic_slice(node: Node) -> SSAValue:
    g = node.g
    bounds = [signed_index(node, node.x(index)) for index in (1, 2, 3)]
    if all(node.is_known(index) for index in (1, 2, 3)):
        begin, end = g.shape(*node.sizes(1)), g.shape(*node.sizes(2))
        strides = [int(item) for item in node.known(3)]
        return g.strided_slice(node.x(0), begin, end, axes=list(range(node.rank(0))), strides=strides)
    return g.dynamic_strided_slice(node.x(0), *bounds)
