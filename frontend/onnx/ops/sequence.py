"""Sequences and optionals, which exist during the import alone: their length and their content are known."""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from ...model.problems import Unsupported
from ...model.value_types import normalized
from ..node import Node
from ..table import Table, converters
from ..values import Optional, Sequence, Tensor, Value
from .manipulate import parted

TABLE: Table = {}
op = converters(TABLE)


def _sequence(node: Node, index: int) -> Sequence:
    value = node.any(index)
    if isinstance(value, Optional) and isinstance(value.item, Sequence):
        return value.item
    if not isinstance(value, Sequence):
        raise Unsupported(f"takes a sequence as operand {index}")
    return value


def _position(node: Node, index: int, length: int) -> int:
    """Returns an operand that is a place in a sequence; negative ones count from the end."""
    position = int(node.number(index, 0))
    position = position + length if position < 0 else position
    if not 0 <= position <= length:
        raise Unsupported(f"the position must be from 0 to {length}, got {position}")
    return position


@op("SequenceEmpty")
def _empty(node: Node) -> Value:
    return Sequence([])


@op("SequenceConstruct")
def _construct(node: Node) -> Value:
    return Sequence([node.tensor(index) for index in range(len(node.inputs))])


@op("SequenceInsert")
def _insert(node: Node) -> Value:
    items = list(_sequence(node, 0).items)
    items.insert(_position(node, 2, len(items)) if node.has(2) else len(items), node.tensor(1))
    return Sequence(items)


@op("SequenceErase")
def _erase(node: Node) -> Value:
    items = list(_sequence(node, 0).items)
    del items[_position(node, 1, len(items)) if node.has(1) else -1]
    return Sequence(items)


@op("SequenceAt")
def _at(node: Node) -> Value:
    items = _sequence(node, 0).items
    position = _position(node, 1, len(items))
    if position == len(items):
        raise Unsupported(f"the position must be less than {len(items)}")
    return items[position]


@op("SequenceLength")
def _length(node: Node) -> Value:
    return Tensor(known=np.array(len(_sequence(node, 0).items), np.int64))


@op("SplitToSequence")
def _split(node: Node) -> Value:
    """Converts a node. Without sizes each part has one element, and the dim is dropped unless `keepdims`."""
    axis, g = node.axis(0), node.g
    size = node.shape(0)[axis]
    if not isinstance(size, int):
        raise Unsupported(f"the size of the dim that is split must be known, got {size}")
    if node.has(1):
        given = node.ints(1)
        if node.rank(1) == 0:
            if given[0] < 1:
                raise Unsupported(f"the size of the parts must be at least 1, got {given[0]}")
            given = [min(given[0], size - start) for start in range(0, size, given[0])]
        parts = parted(node, node.x(0), given, axis)
    else:
        parts = parted(node, node.x(0), [1] * size, axis)
        if not node.attr("keepdims", 1):
            parts = [g.squeeze(part, axis=[axis]) for part in parts]
    return Sequence([Tensor(value=part, kind=node.kind(0)) for part in parts])


@op("ConcatFromSequence")
def _concat(node: Node) -> SSAValue:
    g, items = node.g, [node.importer.materialized(item) for item in _sequence(node, 0).items]
    if not items:
        raise Unsupported("an empty sequence has no shape")
    rank = len(_sequence(node, 0).items[0].shape)
    if node.attr("new_axis", 0):
        return g.stack(*items, axis=normalized(node.attr("axis", 0), rank + 1))
    return g.concat(*items, axis=normalized(node.attr("axis", 0), rank))


@op("Optional")
def _optional(node: Node) -> Value:
    value = node.any(0) if node.has(0) else None
    if not isinstance(value, Tensor | Sequence | None):
        raise Unsupported("an optional of an optional has no counterpart")
    return Optional(value)


@op("OptionalHasElement")
def _has_element(node: Node) -> Value:
    value = node.any(0) if node.has(0) else Optional(None)
    return Tensor(known=np.array(not isinstance(value, Optional) or value.item is not None))


@op("OptionalGetElement")
def _get_element(node: Node) -> Value:
    value = node.any(0)
    if not isinstance(value, Optional):
        return value
    if value.item is None:
        raise Unsupported("the optional is empty")
    return value.item
