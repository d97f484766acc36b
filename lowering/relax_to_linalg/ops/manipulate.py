"""Shape manipulation: copies through indexing maps, reshapes as views, joins as chains of `insert_slice`.

    %t = relax.permute_dims %x : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %c = relax.concat %a, %b {axis = 0 : i64}

becomes

    linalg.generic %t[d0, d1] = %x[d1, d0]
    %c0 = tensor.insert_slice %a into %e[0, 0]
    %c = tensor.insert_slice %b into %c0[2, 0]
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AnyFloat, IntegerType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ....dialects.relax.attrs import dims_of, element_type_of
from ....dialects.relax.base import dims, shape_value
from ....dialects.relax.base import element as relax_element
from ....dialects.relax.dtypes import accumulator, is_unsigned
from ....dialects.relax.ops import manipulate
from ....dialects.symbolic.expressions import Dim
from ...emit import scalar
from ...emit.op_builder import OpBuilder
from ...emit.tensor_builder import Size, element, projection, tensor_shape
from .. import reshape
from ..builder import LinalgBuilder, signless
from ..regroup import split_dim
from ..rule import Rules


def known_dims(op: manipulate.RelaxOp, index: int = 0) -> tuple[Dim, ...]:
    """Returns the dims of an operand, whose rank is known once it is lowered."""
    shape = dims(op.operands[index])
    assert shape is not None
    return shape


def sizes_along(b: LinalgBuilder, shape: Sequence[Dim], source: SSAValue, axes: Sequence[int | None]) -> list[Size]:
    """Returns the sizes of a shape; an unknown one is read off the dim of `source` that `axes` names."""
    return [
        b.dim(source, axis) if dim is None and axis is not None else b.size(dim)
        for dim, axis in zip(shape, axes, strict=True)
    ]


def sizes_of(b: LinalgBuilder, x: SSAValue, shape: Sequence[Dim]) -> list[Size]:
    """Returns the sizes of an operand with these dims."""
    return sizes_along(b, shape, x, range(len(shape)))


def _copy(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
    return args[0]


def _permute_dims(op: manipulate.PermuteDimsOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    (x,) = operands
    shape = known_dims(op)
    permutation = op.permutation(len(shape))
    sizes = sizes_of(b, x, shape)
    inverse = [permutation.index(axis) for axis in range(len(shape))]
    result_sizes = [sizes[axis] for axis in permutation]
    return [b.elementwise([x], result_sizes, element(x), _copy, maps=[projection(len(shape), inverse)])]


def _reshape(op: manipulate.ReshapeOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    (x,) = operands
    target = dims_of(op.result.type) or ()
    if any(dim is None for dim in target) or -1 in target:
        target = manipulate.reshaped(op.size_context(), known_dims(op), shape_value(op.shape))
    return [reshape.reshape(b, x, known_dims(op), target, b.sizes(target))]


def _flatten(op: manipulate.FlattenOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    return [reshape.flatten(b, operands[0])]


def _expand_dims(op: manipulate.ExpandDimsOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    (x,) = operands
    shape = known_dims(op)
    rank = len(shape) + len(op.prop("axis"))
    axes = [axis % rank for axis in op.prop("axis")]
    remaining = iter(sizes_of(b, x, shape))
    sizes = [1 if axis in axes else next(remaining) for axis in range(rank)]
    return [reshape.with_ones(b, x, sizes, axes)]


def _squeeze(op: manipulate.SqueezeOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    removed = op.removed(known_dims(op))
    x = reshape.cast(
        b, operands[0], [1 if axis in removed else size for axis, size in enumerate(tensor_shape(operands[0]))]
    )
    return [reshape.without_ones(b, x, removed)]


def _is_computed(value: SSAValue) -> bool:
    return isinstance(value.owner, linalg.GenericOp)


def join(b: LinalgBuilder, parts: Sequence[SSAValue], axis: int, sizes: Sequence[Size]) -> SSAValue:
    """Joins tensors along an axis; `sizes` are those of the result along the other axes.

    What is copied comes behind what is computed here, so that it can be copied in the loops of that.
    """
    lengths = [b.dim(part, axis) for part in parts]
    starts: list[Size] = [0]
    for length in lengths:
        starts.append(b.add(starts[-1], length))
    result = b.empty([*sizes[:axis], starts[-1], *sizes[axis + 1 :]], element(parts[0]))
    for part, start in sorted(zip(parts, starts, strict=False), key=lambda pair: not _is_computed(pair[0])):
        offsets = [start if i == axis else 0 for i in range(len(sizes))]
        result = b.insert_slice(part, result, offsets)
    return result


def _concat(op: manipulate.ConcatOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    shapes = [known_dims(op, index) for index in range(len(operands))]
    axis = op.prop("axis", 0) % len(shapes[0])
    return [join(b, operands, axis, sizes_of(b, operands[0], shapes[0]))]


def _stack(op: manipulate.StackOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    shape = known_dims(op, 0)
    axis = op.prop("axis", 0) % (len(shape) + 1)
    sizes = sizes_of(b, operands[0], shape)
    if axis < len(shape):
        # Tensors that are joined along an axis lie as those that are stacked in front of it, and are what a kernel can write in place.
        return [split_dim(b, join(b, operands, axis, sizes), axis, len(operands), sizes[axis])]
    parts = [reshape.insert_dim(b, x, axis) for x in operands]
    return [join(b, parts, axis, [*sizes[:axis], 1, *sizes[axis:]])]


def _split(op: manipulate.SplitOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    (x,) = operands
    shape = known_dims(op)
    axis = op.prop("axis", 0) % len(shape)
    sizes = sizes_of(b, x, shape)
    parts: list[SSAValue] = []
    for begin, size in op.ranges(shape[axis]):
        offsets = [b.size(begin) if i == axis else 0 for i in range(len(shape))]
        part_sizes = [b.size(size) if i == axis else sizes[i] for i in range(len(shape))]
        parts.append(b.extract_slice(x, offsets, part_sizes, [1] * len(shape)))
    return parts


def _broadcast_to(op: manipulate.BroadcastToOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    (x,) = operands
    shape, target = known_dims(op), shape_value(op.shape)
    lead = len(target) - len(shape)
    reads = [AffineExpr.constant(0) if dim == 1 else AffineExpr.dimension(lead + i) for i, dim in enumerate(shape)]
    sizes = b.sizes(target)
    return [b.elementwise([x], sizes, element(x), _copy, maps=[AffineMap(len(target), 0, tuple(reads))])]


def _collapse_sum_to(op: manipulate.CollapseSumToOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    (x,) = operands
    shape, target = known_dims(op), shape_value(op.shape)
    lead = len(shape) - len(target)
    ones = [axis for axis, dim in enumerate(target) if dim == 1]
    wide = accumulator(signless(relax_element(op.x)))
    axes = [*range(lead), *(lead + axis for axis in ones)]
    total = b.reduce(
        x,
        axes,
        b.constant(0, wide),
        lambda s, args: scalar.add(s, args[1], scalar.cast(s, args[0], wide)),
    )
    narrow = signless(element_type_of(op.result.type))
    if wide != narrow:
        total = b.elementwise([total], b.shape(total), narrow, lambda s, args: scalar.cast(s, args[0], narrow))
    sizes = b.sizes(target)
    return [reshape.with_ones(b, total, sizes, ones) if ones else total]


FEW = (2, 4)
"""Repetitions of neighbors that vectors are made of where they are read at `d floordiv count`."""


def _spread(b: LinalgBuilder, x: SSAValue, sizes: Sequence[Size], counts: Sequence[tuple[int, int]]) -> SSAValue:
    """Repeats dim i `before` times as a whole and each of its elements `after` times: `counts[i] = (before, after)`.

    The copy has a dim for each repetition but few of neighbors, so that it is affine; a collapse joins them.
    """
    wide: list[Size] = []
    groups: list[list[int]] = []
    reads: list[AffineExpr] = []
    for size, (before, after) in zip(sizes, counts, strict=True):
        start = len(wide)
        wide.extend([before] if before != 1 else [])
        read = AffineExpr.dimension(len(wide))
        reads.append(read // after if after in FEW else read)
        wide.extend([b.mul(size, after)] if after in FEW else [size] if after == 1 else [size, after])
        groups.append(list(range(start, len(wide))))
    copied = b.elementwise([x], wide, element(x), _copy, maps=[AffineMap(len(wide), 0, tuple(reads))])
    return copied if len(wide) == len(sizes) else reshape.collapse(b, copied, groups)


def _repeat(op: manipulate.RepeatOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    (x,) = operands
    repeats, axis = op.prop("repeats"), op.prop("axis")
    if axis is None:
        x = reshape.flatten(b, x)
        return [_spread(b, x, b.shape(x), [(1, repeats)])]
    shape = known_dims(op)
    counts = [(1, repeats if i == axis % len(shape) else 1) for i in range(len(shape))]
    return [_spread(b, x, sizes_of(b, x, shape), counts)]


def _tile(op: manipulate.TileOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    (x,) = operands
    repeats = op.prop("repeats")
    shape = known_dims(op)
    rank = max(len(shape), len(repeats))
    sizes: list[Size] = [1] * (rank - len(shape)) + sizes_of(b, x, shape)
    if rank > len(shape):
        x = reshape.with_ones(b, x, sizes, range(rank - len(shape)))
    counts = (1,) * (rank - len(repeats)) + tuple(repeats)
    return [_spread(b, x, sizes, [(count, 1) for count in counts])]


def _flip(op: manipulate.FlipOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    (x,) = operands
    shape = known_dims(op)
    axis = op.prop("axis") % len(shape)
    sizes = sizes_of(b, x, shape)

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        index: list[Size] = [s.insert(linalg.IndexOp(i)) for i in range(len(shape))]
        index[axis] = s.sub(s.sub(sizes[axis], 1), index[axis])
        return s.extract(x, index)

    return [b.elementwise([], sizes, element(x), body)]


def _meshgrid(op: manipulate.MeshgridOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    vectors = [x if tensor_shape(x) else reshape.flatten(b, x) for x in operands]
    rank = len(vectors)
    sizes: list[Size] = [1] * rank
    for index, vector in enumerate(vectors):
        sizes[op.axis_of(index)] = b.dim(vector, 0)
    return [
        b.elementwise([vector], sizes, element(vector), _copy, maps=[projection(rank, [op.axis_of(index)])])
        for index, vector in enumerate(vectors)
    ]


def _pad(op: manipulate.PadOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    (x,) = operands
    shape = known_dims(op)
    widths = op.widths(len(shape))
    source = sizes_of(b, x, shape)
    sizes = [b.add(b.add(size, before), after) for size, (before, after) in zip(source, widths, strict=True)]
    mode = op.prop("pad_mode", "constant")
    if mode == "constant":
        value = op.prop("pad_value", 0.0)
        unsigned = is_unsigned(relax_element(op.x))
        filled = b.fill(_constant(b, value, element(x), unsigned), sizes)
        return [b.insert_slice(x, filled, [before for before, _ in widths])]
    padded = [axis for axis, width in enumerate(widths) if max(width) > 0]

    def copy(b: LinalgBuilder) -> SSAValue:
        def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
            index: list[Size] = [s.insert(linalg.IndexOp(axis)) for axis in range(len(shape))]
            for axis in padded:
                shifted = s.sub(index[axis], widths[axis][0])
                index[axis] = _inside(s, mode, s.as_index(shifted), source[axis])
            return s.extract(x, index)

        return b.elementwise([], sizes, element(x), body)

    return [b.nonempty([source[axis] for axis in padded], sizes, element(x), copy)]


def _constant(b: LinalgBuilder, value: float, element_type: Attribute, unsigned: bool) -> SSAValue:
    """Returns a float as a constant of a type, converted as numpy's astype does."""
    if isinstance(element_type, AnyFloat):
        return b.constant(float(value), element_type)
    assert isinstance(element_type, IntegerType)
    return b.constant(bool(value) if element_type.width.data == 1 else int(value), element_type)


def _inside(s: OpBuilder, mode: str, index: SSAValue, size: Size) -> SSAValue:
    """Returns the index of the element that a mode of padding reads at `index`, which may be outside of `[0, size)`."""
    last = s.sub(size, 1)
    if mode == "reflect":
        positive = s.maximum(index, s.sub(0, index))
        mirrored = s.sub(s.add(last, last), positive)
        index = s.as_index(s.minimum(positive, mirrored))
    elif mode == "circular":
        below = s.select(s.less(index, 0), s.add(index, size), index)
        index = s.select(s.less(below, size), below, s.sub(below, size))
    return s.as_index(s.minimum(s.maximum(index, 0), last))


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
