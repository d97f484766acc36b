"""Shape manipulation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import i64

from .....dialects.relax.base import dims as dims_of_value
from .....dialects.relax.dtypes import is_float
from .....dialects.relax.ops import manipulate
from .....dialects.symbolic.expressions import Dim, Known, add, apply, product
from ..nodes import Nodes
from ..table import Rules, Scope, known


def _permute_dims(op: manipulate.PermuteDimsOp, args: Sequence[str], scope: Scope) -> str:
    return scope.nodes.transposed(args[0], op.permutation(len(scope.dims(op.x, args[0]))))


def _reshape(op: manipulate.ReshapeOp, args: Sequence[Any], scope: Scope) -> str:
    x, shape = args
    target: Sequence[Dim] = shape
    if -1 in shape:
        target = manipulate.reshaped(op.size_context(), scope.dims(op.x, x), shape)
    return scope.reshaped(x, target)


def _expand_dims(op: manipulate.ExpandDimsOp, args: Sequence[str], scope: Scope) -> str:
    rank = len(scope.dims(op.x, args[0])) + len(op.prop("axis"))
    return scope.nodes.unsqueezed(args[0], sorted(axis % rank for axis in op.prop("axis")))


def _squeeze(op: manipulate.SqueezeOp, args: Sequence[str], scope: Scope) -> str:
    return scope.nodes.squeezed(args[0], op.removed(dims_of_value(op.x) or ()))


def _concat(op: manipulate.ConcatOp, args: Sequence[str], scope: Scope) -> str:
    return scope.nodes.joined(args, op.prop("axis", 0))


def _stack(op: manipulate.StackOp, args: Sequence[str], scope: Scope) -> str:
    rank = len(scope.dims(op.tensors[0], args[0])) + 1
    axis = op.prop("axis", 0) % rank
    return scope.nodes.joined([scope.nodes.unsqueezed(arg, [axis]) for arg in args], axis)


def _split(op: manipulate.SplitOp, args: Sequence[str], scope: Scope) -> list[str]:
    (x,) = args
    dims = scope.dims(op.x, x)
    axis = op.prop("axis", 0) % len(dims)
    parts: list[str] = []
    for begin, size in op.ranges(dims[axis]):
        first, last = (scope.sizes.vector(bound) for bound in known([begin, add(begin, size)]))
        parts.append(scope.nodes.sliced(x, axis, first, last))
    return parts


def _broadcast_to(op: manipulate.BroadcastToOp, args: Sequence[Any], scope: Scope) -> str:
    return scope.expanded(args[0], args[1])


def _collapse_sum_to(op: manipulate.CollapseSumToOp, args: Sequence[Any], scope: Scope) -> str:
    (x, shape), nodes = args, scope.nodes
    element, rank = nodes.element(x), len(scope.dims(op.x, x))
    lead = rank - len(shape)
    axes = [*range(lead), *(lead + axis for axis, size in enumerate(shape) if size == 1)]
    total = nodes.wide(x) if is_float(element) else nodes.cast(x, i64)
    for axis, size in enumerate(shape):
        if not isinstance(size, int):
            # A size that turns out as 1 is one to sum over.
            total = _folded(total, lead + axis, rank, size, scope)
    if axes:
        total = nodes.summed(total, rank, axes, keepdims=True)
    return nodes.cast(scope.reshaped(total, shape), element)


def _folded(x: str, axis: int, rank: int, size: Known, scope: Scope) -> str:
    """Returns the sums along an axis if a size is 1, else the value itself."""
    nodes = scope.nodes
    own = nodes.add("Shape", x, element=i64, start=axis, end=axis + 1)
    # The product of the size and a factor is the dim; the sum over the factor leaves the size.
    wanted = scope.sizes.vector(size)
    before = nodes.add("Shape", x, element=i64, start=0, end=axis)
    after = nodes.add("Shape", x, element=i64, start=axis + 1)
    is_one = nodes.compare("Equal", wanted, nodes.integers([1]))
    factor = nodes.where(is_one, own, nodes.integers([1]))
    kept = nodes.where(is_one, nodes.integers([1]), own)
    split = nodes.with_shape(x, nodes.joined([before, factor, kept, after], 0))
    return nodes.summed(split, rank + 1, [axis])


def _repeat(op: manipulate.RepeatOp, args: Sequence[str], scope: Scope) -> str:
    nodes, (x,), count = scope.nodes, args, op.prop("repeats")
    dims = scope.dims(op.x, x)
    if op.axis is None:
        x, dims, axis = nodes.flattened(x), known([product(dims)]), 0
    else:
        axis = op.prop("axis") % len(dims)
    spread = scope.expanded(nodes.unsqueezed(x, [axis + 1]), [*dims[: axis + 1], count, *dims[axis + 1 :]])
    return scope.reshaped(spread, [*dims[:axis], apply("*", dims[axis], count), *dims[axis + 1 :]])


def _tile(op: manipulate.TileOp, args: Sequence[str], scope: Scope) -> str:
    nodes, (x,), repeats = scope.nodes, args, op.prop("repeats")
    rank = len(scope.dims(op.x, x))
    x = nodes.unsqueezed(x, range(len(repeats) - rank))
    return nodes.moved("Tile", [x], [nodes.integers([1] * (rank - len(repeats)) + list(repeats))])


def flipped(nodes: Nodes, x: str, axis: int) -> str:
    """Returns the elements in reverse order along an axis."""
    return nodes.sliced(x, axis, nodes.integers([-1]), nodes.integers([-(2**63)]), -1)


def _flip(op: manipulate.FlipOp, args: Sequence[str], scope: Scope) -> str:
    return flipped(scope.nodes, args[0], op.prop("axis") % len(scope.dims(op.x, args[0])))


def _meshgrid(op: manipulate.MeshgridOp, args: Sequence[str], scope: Scope) -> list[str]:
    nodes = scope.nodes
    lengths: list[Dim] = [None] * len(args)
    for index, (tensor, arg) in enumerate(zip(op.tensors, args, strict=True)):
        lengths[op.axis_of(index)] = (scope.dims(tensor, arg) or (1,))[0]
    grids: list[str] = []
    for index, arg in enumerate(args):
        shape = [-1 if axis == op.axis_of(index) else 1 for axis in range(len(args))]
        grids.append(scope.expanded(nodes.moved("Reshape", [arg], [nodes.integers(shape)]), lengths))
    return grids


def padded(scope: Scope, x: str, pairs: Sequence[tuple[int, int]], value: Any) -> str:
    """Returns a value with constant elements around it."""
    if not any(map(any, pairs)):
        return x
    widths = [before for before, _ in pairs] + [after for _, after in pairs]
    return scope.nodes.moved("Pad", [x, scope.nodes.like(value, x)], [scope.nodes.integers(widths)], "dod")


def _pad(op: manipulate.PadOp, args: Sequence[str], scope: Scope) -> str:
    (x,), nodes = args, scope.nodes
    dims = scope.dims(op.x, x)
    mode, widths = op.prop("pad_mode", "constant"), op.widths(len(dims))
    if mode == "constant":
        return padded(scope, x, widths, op.prop("pad_value", 0.0))
    for axis, (before, after) in enumerate(widths):
        if not before and not after:
            continue
        dim = dims[axis]
        zero, unit = nodes.scalar(0, i64), nodes.scalar(1, i64)
        size = scope.sizes.scalar(dim)
        indices = nodes.add("Sub", scope.indices(add(before, dim, after)), nodes.scalar(before, i64))
        last = nodes.add("Sub", size, unit)
        if mode == "reflect":
            indices = nodes.add("Abs", indices)
            beyond = nodes.compare("Greater", indices, last)
            indices = nodes.where(beyond, nodes.add("Sub", nodes.add("Add", last, last), indices), indices)
        elif mode == "circular":
            indices = nodes.where(nodes.compare("Less", indices, zero), nodes.add("Add", indices, size), indices)
            indices = nodes.where(nodes.compare("Greater", indices, last), nodes.add("Sub", indices, size), indices)
        x = scope.read(x, dims, axis, indices)
        dims = known([*dims[:axis], add(before, dim, after), *dims[axis + 1 :]])
    return x


def _flatten(op: manipulate.FlattenOp, args: Sequence[str], scope: Scope) -> str:
    return scope.nodes.flattened(args[0])


RULES: Rules = {
    manipulate.PermuteDimsOp: _permute_dims,
    manipulate.ReshapeOp: _reshape,
    manipulate.FlattenOp: _flatten,
    manipulate.ExpandDimsOp: _expand_dims,
    manipulate.SqueezeOp: _squeeze,
    manipulate.ConcatOp: _concat,
    manipulate.StackOp: _stack,
    manipulate.SplitOp: _split,
    manipulate.BroadcastToOp: _broadcast_to,
    manipulate.CollapseSumToOp: _collapse_sum_to,
    manipulate.RepeatOp: _repeat,
    manipulate.TileOp: _tile,
    manipulate.FlipOp: _flip,
    manipulate.MeshgridOp: _meshgrid,
    manipulate.PadOp: _pad,
}
