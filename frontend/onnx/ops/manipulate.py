"""Shapes: reshaping, reordering, joining, cutting, repeating and padding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import i1, i64
from xdsl.ir import SSAValue

from ....builder import shape as shape_type
from ....dialects.relax.dtypes import ui8
from ....dialects.relax.symbol_ranges import declared_ranges
from ....dialects.symbolic.expressions import Symbol, apply, equal, product
from ....dialects.symbolic.nodes import Known
from ...model.problems import Unsupported
from ...model.sizes import number_hint
from ...model.value_types import normalized_axes, sizes_of
from ..node import Node
from ..table import Table, at_least, converters, exactly

TABLE: Table = {}
op = converters(TABLE)


@op("Reshape", ranks={1: exactly(1)})
def _reshape(node: Node) -> SSAValue:
    """Converts a node. A 0 stands for the size of the operand at that place, unless `allowzero` is set; -1 for what is left."""
    g, x, shape = node.g, node.x(0), node.shape(0)
    if "shape" in node.attributes:
        sizes: list[Known] = [int(item) for item in node.attr("shape", [])]
    elif node.is_known(1):
        sizes = node.sizes(1)
    else:
        return _dynamic_reshape(node)
    if not node.attr("allowzero", 0):
        beyond = next((place for place, size in enumerate(sizes[len(shape) :], len(shape)) if size == 0), None)
        if beyond is not None:
            raise Unsupported(
                f"a size of 0 at place {beyond} stands for that of the operand, which has {len(shape)} dims"
            )
        sizes = [shape[i] if isinstance(size, int) and size == 0 else size for i, size in enumerate(sizes)]
    return g.reshape(x, sizes)


def _dynamic_reshape(node: Node) -> SSAValue:
    """Returns a tensor in a shape that the program computes; its dims get new names, and none is above the number of elements."""
    g, total = node.g, product(node.shape(0))
    if total == 0:
        # Of no elements, the other dims may be anything.
        node.sizes(1)
    sizes = _resolved_shape(node)
    (count,) = sizes_of(sizes)
    assert isinstance(count, int)
    computed = g.tensor_to_shape(sizes, [total] * count)
    names = [node.importer.fresh_symbol("d") for _ in range(count)]
    return g.reshape(node.x(0), g.match_cast(computed, shape_type(names)))


def _resolved_shape(node: Node) -> SSAValue:
    """Returns a shape that the program computes, its zeros and its -1 replaced by sizes."""
    g, shape = node.g, node.shape(0)
    entries = node.shape(1)[0]
    if not isinstance(entries, int):
        raise Unsupported("the number of dims depends on values")
    sizes = node.cast(node.x(1), i64)
    if not node.attr("allowzero", 0):
        own = [*shape, *(1 for _ in range(entries))][:entries]
        given = g.shape_to_tensor(g.shape(*own))
        sizes = g.where(g.equal(sizes, g.constant(0, i64)), given, sizes)
    is_rest = g.equal(sizes, g.constant(-1, i64))
    others = g.prod(g.where(is_rest, g.constant(1, i64), sizes), axis=[0])
    rest = g.divide(g.symbol_value(g.shape(product(shape))), others)
    return g.where(is_rest, rest, sizes)


@op("Flatten")
def _flatten(node: Node) -> SSAValue:
    shape = node.shape(0)
    axis = node.attr("axis", 1)
    axis = axis + len(shape) if axis < 0 else axis
    return node.g.reshape(node.x(0), [product(shape[:axis]), product(shape[axis:])])


@op("Transpose")
def _transpose(node: Node) -> SSAValue:
    rank = node.rank(0)
    axes = [int(axis) for axis in node.attr("perm", list(reversed(range(rank))))]
    if sorted(axes) != list(range(rank)):
        raise Unsupported(f"perm must have each of the {rank} dims once, counted from 0, got {axes}")
    return node.g.permute_dims(node.x(0), axes=axes)


@op("Squeeze")
def _squeeze(node: Node) -> SSAValue:
    axes = node.ints_of("axes", 1)
    if axes is None:
        axes = [i for i, size in enumerate(node.shape(0)) if _is_one(node, size)]
    axes = normalized_axes(axes, node.rank(0))
    return node.g.squeeze(node.x(0), axis=axes) if axes else node.x(0)


def _is_one(node: Node, size: Known) -> bool:
    """Returns whether a size is 1; one that is an argument's is declared to be no 1 where that is open.

    The number of dims of the result depends on it.
    """
    if isinstance(size, int):
        return size == 1
    function = node.importer.function
    ranges = declared_ranges(function.function)
    if equal(size, 1, ranges) is not None:
        return bool(equal(size, 1, ranges))
    own = {dim for value in function.inputs for dim in sizes_of(value)}
    if not isinstance(size, Symbol) or size not in own:
        raise Unsupported(f"whether the size {size} is 1 decides the number of dims; {number_hint([size])}")
    least, most = ranges.intervals.get(size.name, (0, None))
    function.symbol_range(size.name, max(least or 0, 2), most)
    return False


@op("Unsqueeze")
def _unsqueeze(node: Node) -> SSAValue:
    axes = node.ints_of("axes", 1) or []
    axes = sorted(normalized_axes(axes, node.rank(0) + len(axes)))
    return node.g.expand_dims(node.x(0), axis=axes) if axes else node.x(0)


@op("Concat")
def _concat(node: Node) -> SSAValue:
    if len(node.inputs) == 1:
        return node.x(0)
    return node.g.concat(*node.xs(), axis=node.axis(0))


@op("Split")
def _split(node: Node) -> Sequence[SSAValue]:
    axis = node.axis(0)
    size = node.shape(0)[axis]
    parts = node.ints_of("split", 1)
    x = node.x(0)
    if parts is None:
        number = int(node.attr("num_outputs", node.outputs))
        if number != node.outputs:
            raise Unsupported(f"num_outputs must be the number of results, {node.outputs}, got {number}")
        # All parts but the last one have the same size; before version 18 the last one too.
        part = apply("floordiv", apply("+", size, number - 1), number)
        least = apply("*", part, number if node.since < 18 else number - 1)
        wanted = least if node.since < 18 else apply("max", size, least)
        assert part is not None and wanted is not None
        x = with_size(node, x, axis, wanted)
        if not isinstance(size, int) or not isinstance(part, int):
            return _listed(node.g.split(x, sections=number, axis=axis)) if number > 1 else [x]
        parts = [min(part, size - i * part) for i in range(number)]
    return parted(node, x, parts, axis)


def with_size(node: Node, x: SSAValue, axis: int, wanted: Known) -> SSAValue:
    """Returns a tensor one of whose dims must be as large as is said, which is checked when the program runs if need be."""
    sizes = [*sizes_of(x)]
    own, sizes[axis] = sizes[axis], wanted
    matched = node.importer.matched(x, sizes)
    if matched is None:
        raise Unsupported(f"dim {axis} must have the size {wanted}, got {own}")
    return x if matched is x else node.g.match_cast(matched, x.type)


def parted(node: Node, x: SSAValue, sizes: Sequence[int], axis: int) -> Sequence[SSAValue]:
    """Returns consecutive parts of a tensor along an axis, with the sizes given."""
    if min(sizes, default=0) < 0:
        raise Unsupported(f"the sizes of parts must not be negative, got {list(sizes)}")
    x = with_size(node, x, axis, sum(sizes))
    if len(sizes) == 1:
        return [x]
    return _listed(node.g.split(x, indices=[int(item) for item in np.cumsum(sizes)[:-1]], axis=axis))


def _listed(results: SSAValue | tuple[SSAValue, ...]) -> Sequence[SSAValue]:
    return results if isinstance(results, tuple) else [results]


@op("Slice")
def _slice(node: Node) -> SSAValue:
    """Converts a node. Bounds are attributes before version 10, then operands; entries beyond the dim stand for its end."""
    g, x, shape = node.g, node.x(0), node.shape(0)
    rank = len(shape)
    if "starts" in node.attributes:
        starts: list[Known] = [int(item) for item in node.attr("starts", [])]
        ends: list[Known] = [int(item) for item in node.attr("ends", [])]
    elif not (node.is_known(1) and node.is_known(2)):
        return _dynamic_slice(node)
    else:
        starts, ends = node.sizes(1), node.sizes(2)
    axes = normalized_axes(node.ints_of("axes", 3) or list(range(len(starts))), rank)
    steps = node.ints(4) if node.has(4) else [1] * len(starts)
    if all(isinstance(item, int) for item in (*starts, *ends)):
        limit = 1 << 62
        begin = [max(min(int(str(item)), limit), -limit) for item in starts]
        end = [max(min(int(str(item)), limit), -limit) for item in ends]
        return g.strided_slice(x, axes=axes, begin=begin, end=end, strides=steps)
    if any(step < 0 for step in steps):
        raise Unsupported("a slice between symbolic bounds runs forwards alone")
    if not len(starts) == len(ends) == len(axes) == len(steps):
        counts = f"{len(starts)} starts, {len(ends)} ends, {len(axes)} axes and {len(steps)} steps"
        raise Unsupported(f"takes as many starts as ends, axes and steps, got {counts}")
    begin_sizes = [_bound(item, shape[axis]) for item, axis in zip(starts, axes, strict=True)]
    end_sizes = [_bound(item, shape[axis]) for item, axis in zip(ends, axes, strict=True)]
    return g.strided_slice(x, g.shape(*begin_sizes), g.shape(*end_sizes), axes=axes, strides=steps)


def _bound(bound: Known, size: Known) -> Known:
    """Returns a bound that is not negative: one that is counts from the end."""
    if isinstance(bound, int) and bound < 0:
        counted = apply("max", apply("+", size, bound), 0)
    elif isinstance(bound, int) and isinstance(size, int):
        counted = min(bound, size)
    elif isinstance(bound, int) and bound >= 1 << 31:
        counted = size
    else:
        counted = bound
    assert counted is not None
    return counted


def _dynamic_slice(node: Node) -> SSAValue:
    """Converts a node. The bounds are computed by the program: each dim gets its own."""
    g, shape = node.g, node.shape(0)
    rank = len(shape)
    count = node.shape(1)[0] if node.rank(1) == 1 else None
    if not isinstance(count, int):
        raise Unsupported("the number of sliced dims depends on values")
    axes = normalized_axes(node.ints(3) if node.has(3) else list(range(count)), rank)
    if any(node.has(index) and node.shape(index) != (len(axes),) for index in (1, 2, 4)):
        raise Unsupported(f"takes as many starts, ends and steps as axes, {len(axes)}")
    full = g.shape_to_tensor(g.shape(*shape))
    defaults = (g.constant(np.zeros(rank, np.int64)), full, g.constant(np.ones(rank, np.int64)))
    bounds: list[SSAValue] = []
    for index, default in zip((1, 2, 4), defaults, strict=True):
        if not node.has(index):
            bounds.append(default)
            continue
        places = g.constant(np.array(axes, np.int64))
        bounds.append(g.scatter_elements(default, places, node.cast(node.x(index), i64), axis=0))
    return g.dynamic_strided_slice(node.x(0), *bounds)


@op("Expand")
def _expand(node: Node) -> SSAValue:
    return node.g.broadcast_to(node.x(0), broadcast_shape(node.shape(0), node.sizes(1)))


def broadcast_shape(lhs: Sequence[Known], rhs: Sequence[Known]) -> list[Known]:
    """Returns the shape that two shapes are broadcast to; of two that may differ the second one is taken."""
    rank = max(len(lhs), len(rhs))
    padded = [[*([1] * (rank - len(shape))), *shape] for shape in (lhs, rhs)]
    return [
        b if isinstance(a, int) and a == 1 else a if (isinstance(b, int) and b == 1) or equal(a, b) else b
        for a, b in zip(*padded, strict=True)
    ]


@op("Tile")
def _tile(node: Node) -> SSAValue:
    repeats = node.ints(1)
    if len(repeats) != node.rank(0):
        raise Unsupported(f"takes one number of repeats for each of {node.rank(0)} dims, got {len(repeats)}")
    return node.g.tile(node.x(0), repeats=repeats)


MODES = {"constant": "constant", "reflect": "reflect", "edge": "replicate", "wrap": "circular"}


@op("Pad")
def _pad(node: Node) -> SSAValue:
    """Converts a node. Negative entries cut elements off."""
    g, x, rank = node.g, node.x(0), node.rank(0)
    pads = node.ints_of("pads", 1)
    if pads is None:
        raise Unsupported("has no pads")
    mode = MODES.get(node.attr("mode", "constant"))
    if mode is None:
        raise Unsupported(f"the mode {node.attr('mode', '')!r} is not known")
    axes = normalized_axes(node.ints(3), rank) if node.has(3) else list(range(rank))
    count = len(axes)
    if len(pads) != 2 * count:
        raise Unsupported(f"needs two pads for each of {count} axes, got {len(pads)}")
    before = dict(zip(axes, pads[:count], strict=True))
    after = dict(zip(axes, pads[count:], strict=True))
    cut = [axis for axis in axes if before[axis] < 0 or after[axis] < 0]
    if cut:
        sizes = node.shape(0)
        begin = [max(-before[axis], 0) for axis in cut]
        if not all(isinstance(sizes[axis], int) for axis in cut):
            raise Unsupported("negative padding needs dims that are numbers")
        end = [int(str(sizes[axis])) - max(-after[axis], 0) for axis in cut]
        x = g.strided_slice(x, axes=cut, begin=begin, end=end)
    width = [max(side.get(axis, 0), 0) for axis in range(rank) for side in (before, after)]
    if mode != "constant":
        return g.nn.pad(x, pad_width=width, pad_mode=mode)
    return _padded_with(node, x, width)


def _padded_with(node: Node, x: SSAValue, width: list[int]) -> SSAValue:
    """Returns a tensor with a value around it, which the program may compute."""
    g, element = node.g, node.element(0)
    if "value" in node.attributes or not node.has(2) or node.is_known(2):
        value = node.attr("value", 0.0) if "value" in node.attributes else node.number(2, 0)
        if element != i1:
            return g.nn.pad(x, pad_width=width, pad_value=float(value))
        padded = g.nn.pad(g.astype(x, dtype=ui8), pad_width=width, pad_value=float(value))
        return g.astype(padded, dtype=i1)
    inside = g.nn.pad(g.ones_like(x, dtype=ui8), pad_width=width)
    around = node.x(2) if node.rank(2) == 0 else g.reshape(node.x(2), [])
    padded = g.nn.pad(g.astype(x, dtype=ui8) if element == i1 else x, pad_width=width)
    return g.where(g.astype(inside, dtype=i1), node.cast(padded, element), around)


@op("DepthToSpace", ranks={0: exactly(4)})
def _depth_to_space(node: Node) -> SSAValue:
    g, (batch, depth, height, width) = node.g, node.shape(0)
    block = _block_size(node, depth)
    channels = apply("floordiv", depth, block * block)
    if node.attr("mode", "DCR") == "DCR":
        split, order = [batch, block, block, channels, height, width], [0, 3, 4, 1, 5, 2]
    else:
        split, order = [batch, channels, block, block, height, width], [0, 1, 4, 2, 5, 3]
    parts = g.permute_dims(g.reshape(node.x(0), split), axes=order)
    return g.reshape(parts, [batch, channels, apply("*", height, block), apply("*", width, block)])


def _block_size(node: Node, depth: Known = 0) -> int:
    """Returns the size of the blocks; its square must divide the number of channels that become blocks."""
    block = int(node.attr("blocksize", 1))
    if block < 1:
        raise Unsupported(f"blocksize must be at least 1, got {block}")
    if isinstance(depth, int) and depth % (block * block):
        raise Unsupported(f"blocks of {block} x {block} need a multiple of {block * block} channels, got {depth}")
    return block


@op("SpaceToDepth", ranks={0: exactly(4)})
def _space_to_depth(node: Node) -> SSAValue:
    g, (batch, channels, height, width) = node.g, node.shape(0)
    block = _block_size(node)
    rows, columns = apply("floordiv", height, block), apply("floordiv", width, block)
    order = {"DCR": [0, 3, 5, 1, 2, 4], "CRD": [0, 1, 3, 5, 2, 4]}.get(node.attr("mode", "DCR"))
    if order is None:
        raise Unsupported(f"the mode {node.attr('mode', '')!r} is not known")
    parts = g.reshape(node.x(0), [batch, channels, rows, block, columns, block])
    parts = g.permute_dims(parts, axes=order)
    return g.reshape(parts, [batch, apply("*", channels, block * block), rows, columns])


@op("Trilu", ranks={0: at_least(2)})
def _trilu(node: Node) -> SSAValue:
    """Converts a node. The diagonal may be computed by the program: rows and columns are compared."""
    g, x, shape = node.g, node.x(0), node.shape(0)
    upper = bool(node.attr("upper", 1))
    if not node.has(1) or node.is_known(1):
        places = int(node.number(1, 0))
        if -(1 << 31) < places < 1 << 31 and node.element(0) != i1:
            return g.op("triu" if upper else "tril", x, k=places)
    rows, columns = (g.arange([0, size, 1], dtype=i64) for size in shape[-2:])
    diagonal = node.cast(node.x(1), i64) if node.has(1) else g.constant(0, i64)
    limit = g.add(
        g.expand_dims(rows, axis=[1]), diagonal if not node.has(1) or node.rank(1) == 0 else g.reshape(diagonal, [])
    )
    kept = g.op("greater_equal" if upper else "less_equal", columns, limit)
    return g.where(kept, x, g.constant(0, node.element(0)))


@op("ReverseSequence", ranks={0: at_least(2), 1: exactly(1)})
def _reverse_sequence(node: Node) -> SSAValue:
    """Converts a node. Each place reads from the length less the place, as far as that is inside."""
    g, shape = node.g, node.shape(0)
    rank = len(shape)
    batch, time = (node.axis(default, name=name) for name, default in (("batch_axis", 1), ("time_axis", 0)))
    lengths = node.cast(node.x(1), i64)
    lengths = g.reshape(lengths, [shape[axis] if axis == batch else 1 for axis in range(rank)])
    places = g.arange([0, shape[time], 1], dtype=i64)
    places = g.reshape(places, [shape[axis] if axis == time else 1 for axis in range(rank)])
    mirrored = g.subtract(g.subtract(lengths, g.constant(1, i64)), places)
    source = g.where(g.less(places, lengths), mirrored, places)
    return g.gather_elements(node.x(0), g.broadcast_to(source, list(shape)), axis=time)
