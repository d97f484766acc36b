"""Shapes: reshaping, reordering, joining, cutting, repeating and padding."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ....dialects.symbolic.expressions import apply, equal
from ....dialects.symbolic.nodes import Known
from ...model.problems import Unsupported
from ...model.value_types import sizes_of
from ..node import Node
from ..table import Table, converters
from ..values import Value

TABLE: Table = {}
op = converters(TABLE)


def declared(node: Node) -> list[Known]:
    """Returns the sizes of the result, which must all be declared."""
    sizes = node.result.sizes
    known = [size for size in sizes if size is not None]
    if len(known) < len(sizes):
        raise Unsupported("the sizes of the result are not known")
    return list(known)


@op("reshape")
def _reshape(node: Node) -> SSAValue:
    return node.g.reshape(node.x(0), declared(node))


@op("dynamic_reshape")
def _dynamic_reshape(node: Node) -> SSAValue:
    return node.g.reshape(node.x(0), node.sizes(1))


@op("transpose")
def _transpose(node: Node) -> SSAValue:
    return transposed(node, node.x(0), node.ints("permutation"))


def transposed(node: Node, x: SSAValue, axes: Sequence[int]) -> SSAValue:
    """Returns a tensor with its dims in another order."""
    return x if list(axes) == list(range(len(axes))) else node.g.permute_dims(x, axes=list(axes))


def _broadcast(node: Node, sizes: Sequence[Known], dims: Sequence[int]) -> SSAValue:
    """Returns operand 0 with its dims at the places `dims` of the sizes, those of size 1 repeated."""
    g, x = node.g, node.x(0)
    order = sorted(range(len(dims)), key=lambda index: dims[index])
    x = transposed(node, x, order)
    own: list[Known] = [1] * len(sizes)
    shape = node.shape(0)
    for index in order:
        own[dims[index]] = shape[index]
    if all(equal(a, b) for a, b in zip(own, sizes, strict=True)):
        return x if len(own) == len(dims) else g.reshape(x, own)
    # Broadcasting adds leading dims.
    first = min(dims, default=len(sizes))
    x = x if len(sizes) - first == len(dims) else g.reshape(x, own[first:])
    return g.broadcast_to(x, list(sizes))


@op("broadcast_in_dim")
def _broadcast_in_dim(node: Node) -> SSAValue:
    return _broadcast(node, declared(node), node.ints("broadcast_dimensions"))


@op("dynamic_broadcast_in_dim")
def _dynamic_broadcast_in_dim(node: Node) -> SSAValue:
    return _broadcast(node, node.sizes(1), node.ints("broadcast_dimensions"))


@op("concatenate")
def _concatenate(node: Node) -> SSAValue:
    return node.x(0) if len(node.inputs) == 1 else node.g.concat(*node.xs(), axis=int(node.attr("dimension")))


@op("slice")
def _slice(node: Node) -> SSAValue:
    starts, ends, strides = (node.ints(name) for name in ("start_indices", "limit_indices", "strides"))
    return sliced(node, node.x(0), starts, ends, strides)


def sliced(
    node: Node, x: SSAValue, starts: Sequence[int], ends: Sequence[Known], strides: Sequence[int] | None = None
) -> SSAValue:
    """Returns a slice; dims that are taken whole are left out of it."""
    shape = sizes_of(x)
    steps = [1] * len(shape) if strides is None else list(strides)
    axes = [
        axis
        for axis in range(len(shape))
        if starts[axis] != 0 or steps[axis] != 1 or not equal(ends[axis], shape[axis])
    ]
    if not axes:
        return x
    begin, end, stride = ([items[axis] for axis in axes] for items in (starts, ends, steps))
    if all(isinstance(item, int) for item in end):
        return node.g.strided_slice(x, axes=axes, begin=begin, end=end, strides=stride)
    return node.g.strided_slice(x, node.g.shape(*begin), node.g.shape(*end), axes=axes, strides=stride)


@op("reverse")
def _reverse(node: Node) -> SSAValue:
    return reversed_along(node, node.x(0), node.ints("dimensions"))


def reversed_along(node: Node, x: SSAValue, axes: Sequence[int]) -> SSAValue:
    """Returns a tensor with the elements along axes in the other order."""
    for axis in axes:
        x = node.g.flip(x, axis=axis)
    return x


@op("pad")
def _pad(node: Node) -> SSAValue:
    low, high = node.ints("edge_padding_low"), node.ints("edge_padding_high")
    return padded(node, node.x(0), node.x(1), low, high, node.ints("interior_padding"))


@op("dynamic_pad")
def _dynamic_pad(node: Node) -> SSAValue:
    low, high, inner = ([int(item) for item in node.known(index)] for index in (2, 3, 4))
    return padded(node, node.x(0), node.x(1), low, high, inner)


def padded(
    node: Node, x: SSAValue, value: SSAValue, low: Sequence[int], high: Sequence[int], inner: Sequence[int]
) -> SSAValue:
    """Returns a tensor with a scalar tensor before, after and between its elements; negative numbers cut elements off."""
    g = node.g
    for axis, count in enumerate(inner):
        if count > 0:
            x = _spread(node, x, value, axis, count)
    for axis, (before, after) in enumerate(zip(low, high, strict=True)):
        parts: list[SSAValue] = []
        shape = list(sizes_of(x))
        ends = [*shape]
        starts = [0] * len(shape)
        starts[axis] = max(-before, 0)
        cut = apply("-", shape[axis], max(-after, 0))
        assert cut is not None
        ends[axis] = cut
        middle = sliced(node, x, starts, ends)
        if before > 0:
            parts.append(_filled(node, value, [*shape[:axis], before, *shape[axis + 1 :]]))
        parts.append(middle)
        if after > 0:
            parts.append(_filled(node, value, [*shape[:axis], after, *shape[axis + 1 :]]))
        x = parts[0] if len(parts) == 1 else g.concat(*parts, axis=axis)
    return x


def _filled(node: Node, value: SSAValue, sizes: Sequence[Known]) -> SSAValue:
    return node.g.full(list(sizes), value)


def _spread(node: Node, x: SSAValue, value: SSAValue, axis: int, count: int) -> SSAValue:
    """Returns a tensor with `count` elements more between two along an axis."""
    g = node.g
    shape = list(sizes_of(x))
    size = shape[axis]
    if isinstance(size, int) and size < 2:
        return x
    gaps = _filled(node, value, [*shape[: axis + 1], count, *shape[axis + 1 :]])
    joined = g.concat(g.expand_dims(x, axis=[axis + 1]), gaps, axis=axis + 1)
    total = apply("*", size, count + 1)
    end = apply("-", total, count)
    assert total is not None and end is not None
    flat = g.reshape(joined, [*shape[:axis], total, *shape[axis + 1 :]])
    return sliced(node, flat, [0] * len(shape), [*shape[:axis], end, *shape[axis + 1 :]])


@op("tuple")
def _tuple(node: Node) -> Value:
    return tuple(node.inputs)  # pyright: ignore[reportReturnType]


@op("get_tuple_element")
def _tuple_element(node: Node) -> Value:
    fields = node.inputs[0]
    if not isinstance(fields, tuple):
        raise Unsupported("takes an element of a tuple alone")
    return fields[int(node.attr("index"))]
