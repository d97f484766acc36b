"""Sorting, and what counts or picks elements by their values."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....dialects.symbolic.expressions import apply
from ....dialects.symbolic.nodes import Known
from ....dialects.symbolic.order import is_nonnegative
from ...model.ordering import first_in_order
from ...model.problems import Unsupported
from ...model.sizes import number_hint
from ...model.value_types import normalized
from ..node import Node
from ..table import Table, converters
from .manipulate import with_size

TABLE: Table = {}
op = converters(TABLE)


@op("TopK")
def _topk(node: Node) -> Sequence[SSAValue]:
    axis = node.axis(-1)
    given: list[Known] = [int(node.attr("k", 0))] if "k" in node.attributes else node.sizes(1)
    if len(given) != 1:
        raise Unsupported(f"takes one number k, got {len(given)}")
    count, size = given[0], node.shape(0)[axis]
    if isinstance(count, int) and (count < 0 or (isinstance(size, int) and count > size)):
        raise Unsupported(f"k must be from 0 to the size {size} of the dim, got {count}")
    if not is_nonnegative(count):
        raise Unsupported(f"k must not be negative, got {count}; {number_hint([count])}")
    wanted = apply("max", size, count)
    assert wanted is not None
    x = with_size(node, node.x(0), axis, wanted)
    return first_in_order(node.g, x, count, axis, bool(node.attr("largest", 1)))


@op("NonZero")
def _nonzero(node: Node) -> SSAValue:
    return node.g.nonzero(node.x(0))


@op("Unique")
def _unique(node: Node) -> Sequence[SSAValue]:
    axis = node.attributes.get("axis")
    arguments = {} if axis is None else {"axis": normalized(axis, node.rank(0))}
    return node.g.unique(
        node.x(0),
        sorted=bool(node.attr("sorted", 1)),
        return_index=True,
        return_inverse=True,
        return_counts=True,
        **arguments,
    )


@op("Compress")
def _compress(node: Node) -> SSAValue:
    """Takes what a condition holds for; a condition that is shorter than the dim holds for nothing more."""
    g, x = node.g, node.x(0)
    axis = node.attributes.get("axis")
    if axis is None:
        x, place = g.flatten(x), 0
    else:
        place = normalized(axis, node.rank(0))
    places = node.importer.named(g.nonzero(node.x(1)))
    return g.take(x, g.squeeze(places, axis=[0]), axis=place)


@op("OneHot")
def _one_hot(node: Node) -> SSAValue:
    """Converts a node. Negative indices count from the end; the two values are a tensor, which need not be known."""
    g = node.g
    depth = int(node.number(1, 0))
    rank = node.rank(0)
    axis = normalized(node.attr("axis", -1), rank + 1)
    indices = node.cast(node.x(0), i64)
    count = g.constant(depth, i64)
    indices = g.where(g.less(indices, g.constant(0, i64)), g.add(indices, count), indices)
    places = g.reshape(g.arange(start=0, end=depth, dtype=i64), [depth, *(1 for _ in range(rank - axis))])
    chosen = g.equal(g.expand_dims(indices, axis=[axis]), places)
    off, on = (g.reshape(part, []) for part in g.split(node.x(2), sections=2, axis=0))
    return g.where(chosen, on, off)
