"""Sorting, and what picks elements by their values."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i1, i64
from xdsl.ir import SSAValue

from ....dialects.relax.dtypes import ui8
from ....dialects.symbolic.expressions import product
from ...model.ordering import first_in_order
from ...model.problems import Unsupported
from ...model.value_types import element_of, sizes_of
from ..node import Node, Number
from ..table import Table, converters

TABLE: Table = {}
op = converters(TABLE)


@op("sort", "sort.stable")
def _sort(node: Node) -> Sequence[SSAValue]:
    """Converts a node; equal elements stay in order."""
    x = node.value("self")
    if not sizes_of(x):
        return [x, node.g.constant(0, i64)]
    axis = node.axis("dim")
    places = _argsorted(node, x, axis, bool(node["descending"]))
    return [node.g.gather_elements(x, places, axis=axis), places]


def _argsorted(node: Node, x: SSAValue, axis: int, descending: bool) -> SSAValue:
    return node.g.argsort(node.cast(x, ui8) if element_of(x) == i1 else x, axis=axis, descending=descending, dtype=i64)


@op("argsort", "argsort.stable")
def _argsort(node: Node) -> SSAValue:
    x = node.value("self")
    if not sizes_of(x):
        return node.g.constant(0, i64)
    return _argsorted(node, x, node.axis("dim"), bool(node["descending"]))


@op("topk")
def _topk(node: Node) -> Sequence[SSAValue]:
    g, x, count = node.g, node.value("self"), node.known_size(node["k"], "k")
    if not sizes_of(x) and count != 0:
        return [x, g.constant(0, i64)]
    if count == 0:
        return [g.zeros(g.shape(*node.result_dims(index)), dtype=node.element(index)) for index in (0, 1)]
    return first_in_order(g, x, count, node.axis("dim"), bool(node["largest"]))


@op("kthvalue", "median.dim", "nanmedian.dim", "median")
def _kth(node: Node) -> SSAValue | Sequence[SSAValue]:
    """Converts a node: an element of the sorted ones. A median has NaN where there is one."""
    g, x = node.g, node.value("self")
    if node.op.startswith("nan"):
        raise Unsupported("medians without NaN have no counterpart")
    if not sizes_of(x):
        return x if len(node.results) == 1 else [x, g.constant(0, i64)]
    whole = "dim" not in node.arguments
    x = g.flatten(x) if whole else x
    axis = 0 if whole else node.axis("dim")
    size = sizes_of(x)[axis]
    if not isinstance(size, int):
        raise Unsupported(f"the size of the dim must be a number, got {size}")
    place = node.int("k") - 1 if node.op == "kthvalue" else (size - 1) // 2
    if not 0 <= place < size:
        raise Unsupported("there is no such element")
    order = _argsorted(node, x, axis, False)
    values = g.gather_elements(x, order, axis=axis)
    parts = [g.strided_slice(item, axes=[axis], begin=[place], end=[place + 1]) for item in (values, order)]
    if "median" in node.op:
        last = [g.strided_slice(item, axes=[axis], begin=[size - 1], end=[size]) for item in (values, order)]
        broken = g.not_equal(last[0], last[0])
        parts = [g.where(broken, end, part) for end, part in zip(last, parts, strict=True)]
    if not node.arguments.get("keepdim", False):
        parts = [g.squeeze(item, axis=[axis]) for item in parts]
    return parts[0] if whole else parts


@op("nonzero")
def _nonzero(node: Node) -> SSAValue:
    """Converts a node: a row for each element, where the dialect has a column; a scalar has rows of nothing."""
    g = node.g
    if node.rank("self") == 0:
        raise Unsupported("nonzero of a scalar has no counterpart")
    columns = node.importer.named(g.nonzero(node.value("self")), "u")
    return g.permute_dims(columns, axes=[1, 0])


@op("masked_select")
def _masked_select(node: Node) -> SSAValue:
    """Converts a node: the elements for which a condition holds, in order."""
    g = node.g
    x, mask = node.value("self"), node.value("mask")
    shape = sizes_of(g.add(g.zeros_like(x, dtype=i64), g.zeros_like(mask, dtype=i64)))
    flat = [g.reshape(g.broadcast_to(item, list(shape)), [product(shape)]) for item in (x, mask)]
    places = node.importer.named(g.nonzero(flat[1]), "u")
    return g.take(flat[0], g.squeeze(places, axis=[0]), axis=0)


@op("_unique2", "unique_dim")
def _unique(node: Node) -> Sequence[SSAValue | None]:
    """Converts a node: the distinct elements, or slices, sorted; where each one is, and how often."""
    g, x = node.g, node.value("self")
    axis = {"axis": node.axis("dim")} if node.op == "unique_dim" else {}
    x = g.astype(x, dtype=ui8) if element_of(x) == i1 else x
    values, places, counts = g.unique(x, sorted=True, return_inverse=True, return_counts=True, **axis)
    inverse = g.reshape(places, list(node.result_dims(1))) if node["return_inverse"] else None
    return [node.cast(values, node.element()), inverse, counts if node["return_counts"] else None]


@op("_local_scalar_dense")
def _item(node: Node) -> Number:
    """Converts a node: a number that the program computes; no size may depend on it."""
    x = node.value("self")
    return Number(x if not sizes_of(x) else node.g.reshape(x, []))


@op("searchsorted.Tensor", "searchsorted.Scalar", "bucketize.Tensor", "bucketize.Scalar")
def _searchsorted(node: Node) -> SSAValue:
    """Converts a node: how many of the sorted ones are before a value, which are compared all."""
    g = node.g
    names = ("boundaries", "self") if node.op == "bucketize" else ("sorted_sequence", "self")
    right = bool(node["right"]) or node.arguments.get("side") == "right"
    if node.arguments.get("sorter") is not None:
        raise Unsupported("a sequence that is sorted by another one has no counterpart")
    element = node.common(*names)
    ordered, values = node.x(names[0], element), node.x(names[1], element)
    rank = len(sizes_of(values))
    wide = g.expand_dims(values, axis=[rank])
    if len(sizes_of(ordered)) > 1:
        ordered = g.expand_dims(ordered, axis=[len(sizes_of(ordered)) - 1])
    before = g.logical_not(g.op("less" if right else "greater_equal", *((wide, ordered) if right else (ordered, wide))))
    return node.cast(g.sum(g.astype(before, dtype=i64), axis=[-1], keepdims=False), node.element())
