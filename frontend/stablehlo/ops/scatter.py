"""Writing at computed places: scatter with any body, and dynamic updates of slices."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import i1, i64
from xdsl.ir import SSAValue

from ....builder import BlockBuilder
from ....dialects.relax.dtypes import ui8
from ....dialects.symbolic.expressions import product
from ...model.value_types import element_of, sizes_of
from ..bindings import stablehlo
from ..bodies import applied, only_op
from ..node import Node, known_sizes
from ..table import Table, converters
from .create import counted
from .gather import component, flat_index, flat_rows, lead_places, leading, spread, vectors

TABLE: Table = {}
op = converters(TABLE)

REDUCTIONS = {"second": "update", "add": "add", "multiply": "mul", "maximum": "max", "minimum": "min"}
OF_TRUTH = {
    "second": "update",
    "add": "max",
    "or": "max",
    "maximum": "max",
    "multiply": "min",
    "and": "min",
    "minimum": "min",
}


@op("scatter")
def _scatter(node: Node) -> list[SSAValue]:
    """Converts an op: each element of the updates gets its place in the flattened operand, one outside of it if it has none."""
    count = (len(node.inputs) - 1) // 2
    g, shape = node.g, node.shape(0)
    numbers = stablehlo.ScatterDimensionNumbers(node.attribute("scatter_dimension_numbers"))
    windows, inserted = list(numbers.update_window_dims), list(numbers.inserted_window_dims)
    batching, index_batching = list(numbers.input_batching_dims), list(numbers.scatter_indices_batching_dims)
    mapped = list(numbers.scattered_dims_to_operand_dims)
    updates = node.shape(count + 1)
    indices = vectors(node, node.x(count), numbers.index_vector_dim)
    batch_places = [axis for axis in range(len(updates)) if axis not in windows]
    window = [axis for axis in range(len(shape)) if axis not in inserted and axis not in batching]
    coordinates: list[SSAValue | None] = []
    inside: SSAValue | None = None
    for axis in range(len(shape)):
        coordinate = None
        if axis in mapped:
            coordinate = spread(node, component(node, indices, mapped.index(axis)), batch_places, len(updates))
        if axis in batching:
            own = index_batching[batching.index(axis)]
            own -= own > numbers.index_vector_dim
            coordinate = spread(node, counted(node, shape[axis]), [batch_places[own]], len(updates))
        if axis in window and updates[windows[window.index(axis)]] != 1:
            place = windows[window.index(axis)]
            along = spread(node, counted(node, updates[place]), [place], len(updates))
            coordinate = along if coordinate is None else g.add(coordinate, along)
        coordinates.append(coordinate)
        if axis in mapped:
            assert coordinate is not None
            size = node.number(shape[axis])
            valid = g.logical_and(g.greater_equal(coordinate, g.constant(0, i64)), g.less(coordinate, size))
            inside = valid if inside is None else g.logical_and(inside, valid)
    total = product(shape)
    assert total is not None
    places = flat_index(node, coordinates, shape)
    places = places if inside is None else g.where(inside, places, node.number(total))
    places = g.flatten(g.broadcast_to(places, list(updates)))
    data = [g.flatten(node.x(index)) for index in range(count)]
    values = [g.flatten(node.x(count + 1 + index)) for index in range(count)]
    is_unique = bool(node.attr("unique_indices", False))
    results = scattered(node, node.regions[0], data, places, values, is_unique)
    return [g.reshape(result, list(shape)) for result in results]


def scattered(
    node: Node, region: Any, data: list[SSAValue], places: SSAValue, updates: list[SSAValue], is_unique: bool
) -> list[SSAValue]:
    """Returns vectors with updates joined to them at places by a body; a place outside changes nothing."""
    g, count = node.g, len(data)
    results: list[SSAValue] = []
    for index, (x, update) in enumerate(zip(data, updates, strict=True)):
        name = only_op(region, index, count)
        element = element_of(x)
        if name == "first":
            results.append(x)
            continue
        reduction = (OF_TRUTH if element == i1 else REDUCTIONS).get(name or "")
        if reduction is None:
            break
        if element == i1 and reduction != "update":
            x, update = g.astype(x, dtype=ui8), g.astype(update, dtype=ui8)
        result = g.scatter_elements(x, places, update, axis=0, reduction=reduction)
        results.append(node.cast(result, element))
    if len(results) == count:
        return results
    if is_unique:
        current = [g.take(x, places, axis=0, mode="clip") for x in data]
        joined = applied(node, region, [*current, *updates], sizes_of(places))
        return [g.scatter_elements(x, places, value, axis=0) for x, value in zip(data, joined, strict=True)]
    return _in_turn(node, region, data, places, updates)


def _in_turn(
    node: Node, region: Any, data: list[SSAValue], places: SSAValue, updates: list[SSAValue]
) -> list[SSAValue]:
    """Returns vectors with updates joined to them one after the other."""
    g, count = node.g, len(data)
    (total,) = known_sizes(sizes_of(places), "the number of updates")

    def step(inner: BlockBuilder, number: SSAValue, *values: SSAValue) -> list[SSAValue]:
        at = inner.reshape(number, [1])
        with node.importer.inserting(inner):
            place = inner.take(places, at, axis=0)
            current = [inner.take(x, place, axis=0, mode="clip") for x in values]
            given = [inner.take(x, at, axis=0) for x in updates]
            joined = applied(node, region, [*current, *given], [1])
            following = [
                inner.scatter_elements(x, place, value, axis=0) for x, value in zip(values, joined, strict=True)
            ]
        return [inner.add(number, inner.constant(1, i64)), *following]

    results = g.while_(
        [g.constant(0, i64), *data],
        lambda inner, number, *values: inner.less(number, inner.constant(total, i64)),
        step,
    )
    return list(results[1 : 1 + count])


@op("dynamic_update_slice")
def _dynamic_update_slice(node: Node) -> SSAValue:
    """Converts an op: rows behind the last dim that the update does not fill are written whole."""
    g, x, update = node.g, node.x(0), node.x(1)
    shape, slices = node.shape(0), node.shape(1)
    count = leading(shape, slices)
    if count == 0:
        return update
    places = lead_places(node, 2, shape, slices, count)
    rows = g.scatter_nd(flat_rows(node, x, count), g.expand_dims(places, axis=[1]), flat_rows(node, update, count))
    return g.reshape(rows, list(shape))
