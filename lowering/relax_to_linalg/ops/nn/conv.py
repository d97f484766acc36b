"""Convolutions as one contraction over padded data, without copies of the windows; groups are a dim of their own.

    %y = relax.nn.conv2d %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>}

becomes

    %p = tensor.insert_slice %x into %zeros[0, 0, 1, 1]
    linalg.generic %y[n, o, h, w] += %p[n, c, 2 * h + i, 2 * w + j] * %w[o, c, i, j]

A transpose is the product of each item with each tap of the kernel, then sums of the products that meet at a position.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from xdsl.dialects import arith
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from .....dialects.relax.attrs import dims_of, element_type_of
from .....dialects.relax.base import dims
from .....dialects.relax.base import element as relax_element
from .....dialects.relax.dtypes import accumulator_of, is_unsigned
from .....dialects.relax.ops.nn import conv as nn_conv
from .....dialects.relax.rules.window import Window
from .....dialects.symbolic.expressions import floordiv
from ....emit import scalar
from ....emit.op_builder import OpBuilder
from ....emit.tensor_builder import PARALLEL, REDUCTION, Size, element, projection, tensor_shape
from ...builder import LinalgBuilder, LoweringError, signless
from ...regroup import join_dims, split_dim
from ...rule import Rules
from ...window import padded
from ..indexing import iterations
from ..linear_algebra import contract, convert


def _canonical_to(positions: Sequence[int], values: Sequence[AffineExpr]) -> list[AffineExpr]:
    """Returns values given in canonical order (one for each dim) in the order of a layout."""
    return [values[positions.index(axis)] for axis in range(len(positions))]


def _convolve(
    op: nn_conv.ConvOp,
    b: LinalgBuilder,
    data: SSAValue,
    kernel: SSAValue,
    windows: Sequence[Window],
) -> SSAValue:
    """Contracts padded data with a kernel: item k of window o reads `o * stride + k * dilation`."""
    spatial = len(windows)
    data_at, kernel_at, out_at = list(op.data_positions()), list(op.kernel_positions()), list(op.out_positions())
    result_dims = list(dims_of(op.result.type) or ())  # pyright: ignore[reportAttributeAccessIssue]
    groups = op.group_count
    channel = out_at[1]
    if groups > 1 and not op.kernel_block and _is_depthwise(tensor_shape(kernel), kernel_at, groups):
        return _convolve_depthwise(op, b, data, kernel, windows)
    if groups > 1:
        per_group = floordiv(result_dims[channel], groups)
        result_dims[channel : channel + 1] = [groups, per_group]
    sizes = b.sizes(result_dims)
    rank = len(sizes)
    total = rank + 1 + spatial
    out_dims = [AffineExpr.dimension(axis + (groups > 1 and axis > channel)) for axis in range(2 + spatial)]
    batch, *positions = (out_dims[out_at[axis]] for axis in (0, *range(2, 2 + spatial)))
    group, output = AffineExpr.dimension(channel), AffineExpr.dimension(channel + (groups > 1))
    inputs = AffineExpr.dimension(rank)
    items = [AffineExpr.dimension(rank + 1 + axis) for axis in range(spatial)]
    reads = [
        position * window.stride + item * window.dilation
        for position, item, window in zip(positions, items, windows, strict=True)
    ]
    data_exprs = _canonical_to(data_at, [batch, inputs, *reads])
    block = op.kernel_block
    kernel_exprs = _canonical_to(kernel_at, [output // block if block else output, inputs, *items])
    if block:
        kernel_exprs.append(output % block)
    if groups > 1:
        data, data_exprs = _grouped(b, data, data_exprs, data_at[1], groups, group)
        # The kernel of a convolution has its groups among the outputs, that of a transpose among the inputs: its first channels.
        kernel, kernel_exprs = _grouped(b, kernel, kernel_exprs, kernel_at[0], groups, group)
    maps = [
        AffineMap(total, 0, tuple(data_exprs)),
        AffineMap(total, 0, tuple(kernel_exprs)),
        AffineMap(total, 0, tuple(AffineExpr.dimension(axis) for axis in range(rank))),
    ]
    element_type = element_type_of(op.result.type)  # pyright: ignore[reportAttributeAccessIssue]
    signs = is_unsigned(relax_element(op.operands[0])), is_unsigned(relax_element(op.operands[1]))
    result = contract(b, data, kernel, maps, sizes, rank, 1 + spatial, element_type, *signs)
    return join_dims(b, result, channel) if groups > 1 else result


def _is_depthwise(kernel: Sequence[int], kernel_at: Sequence[int], groups: int) -> bool:
    """Returns whether each group is one channel of the data and one of the result."""
    return kernel[kernel_at[0]] == groups and kernel[kernel_at[1]] == 1


def _convolve_depthwise(
    op: nn_conv.ConvOp, b: LinalgBuilder, data: SSAValue, kernel: SSAValue, windows: Sequence[Window]
) -> SSAValue:
    """Sums windows of each channel by itself; groups are no dim of their own, so that what follows has the dims of the result."""
    result_dims = list(dims_of(op.result.type) or ())  # pyright: ignore[reportAttributeAccessIssue]
    rank, spatial = len(result_dims), len(windows)
    batch, channel, *positions = (AffineExpr.dimension(axis) for axis in op.out_positions())
    items = [AffineExpr.dimension(rank + axis) for axis in range(spatial)]
    reads = [
        position * window.stride + item * window.dilation
        for position, item, window in zip(positions, items, windows, strict=True)
    ]
    maps = [
        AffineMap(rank + spatial, 0, tuple(_canonical_to(op.data_positions(), [batch, channel, *reads]))),
        AffineMap(
            rank + spatial, 0, tuple(_canonical_to(op.kernel_positions(), [channel, AffineExpr.constant(0), *items]))
        ),
        projection(rank + spatial, range(rank)),
    ]
    element_type = element_type_of(op.result.type)  # pyright: ignore[reportAttributeAccessIssue]
    signs = is_unsigned(relax_element(op.operands[0])), is_unsigned(relax_element(op.operands[1]))
    return contract(b, data, kernel, maps, b.sizes(result_dims), rank, spatial, element_type, *signs)


def _grouped(
    b: LinalgBuilder, value: SSAValue, exprs: list[AffineExpr], axis: int, groups: int, group: AffineExpr
) -> tuple[SSAValue, list[AffineExpr]]:
    """Splits a channel dim into groups, which are read at `group`."""
    channels = b.dim(value, axis)
    if isinstance(channels, int):
        per_group: Size = channels // groups
    else:
        per_group = b.insert(arith.DivUIOp(channels, b.index(groups)))
    return split_dim(b, value, axis, groups, per_group), [*exprs[:axis], group, *exprs[axis:]]


def _conv(op: nn_conv.ConvOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    data, kernel = operands
    data_at, kernel_at = op.data_positions(), op.kernel_positions()
    kernel_dims = dims(op.weight) or ()
    windows = op.windows([kernel_dims[axis] for axis in kernel_at[2:]])
    before, after = ([0] * len(data_at) for _ in range(2))
    for axis, window in zip(data_at[2:], windows, strict=True):
        before[axis], after[axis] = window.before, window.after
    data = padded(b, data, op.data, b.constant(0, element(data)), before, after)
    return [_convolve(op, b, data, kernel, windows)]


@dataclass(frozen=True)
class _Axis:
    """A spatial dim of a transpose: item i of the data and tap k of the kernel meet in item `i * stride + k * dilation - before`."""

    size: Size
    taps: int
    window: Window

    @property
    def step(self) -> int:
        """From one tap that may meet an item of the result to the next."""
        return self.window.stride if self.window.dilation == 1 or self.window.stride == 1 else 1

    @property
    def rounds(self) -> int:
        """How many taps may meet an item of the result."""
        return -(-self.taps // self.step)

    def meeting(self, s: OpBuilder, position: SSAValue, turn: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue]:
        """Returns the tap of a turn, the item of the data that it meets at a position of the result, and whether there are such."""
        # Without dilation every `stride`-th tap meets an item; with it taps are tried one by one.
        stride, dilation = self.window.stride, self.window.dilation
        reached = s.as_index(s.add(position, self.window.before))
        # As an unsigned number a negative index is large.
        if self.step == stride:
            block = s.as_index(s.floordiv(reached, stride))
            phase = s.as_index(s.sub(reached, s.mul(block, stride)))
            tap = s.as_index(s.add(phase, s.mul(turn, stride)))
            item = s.as_index(s.sub(block, s.mul(turn, dilation)))
            exists = s.compare("ult", tap, s.index(self.taps)) if self.taps % stride else None
        else:
            tap, rest = turn, s.as_index(s.sub(reached, s.mul(turn, dilation)))
            item = s.as_index(s.floordiv(rest, stride))
            exists = s.compare("eq", s.as_index(s.mul(item, stride)), rest)
        meets = s.compare("ult", item, s.as_index(self.size))
        if exists is not None:
            meets = s.both(meets, exists)
        return tap, item, meets


def _conv_transpose(op: nn_conv.ConvTransposeOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    """Returns, at each position, the sum of the products of items of the data and taps of the kernel that meet there.

    The products are one contraction over the channels. Nothing else is multiplied, so that Inf and NaN reach what they belong to alone.
    """
    data, kernel = operands
    data_at, kernel_at = op.data_positions(), op.kernel_positions()
    taps = [tensor_shape(kernel)[axis] for axis in kernel_at[2:]]
    windows = op.windows([(dims(op.weight) or ())[axis] for axis in kernel_at[2:]])
    if DYNAMIC_INDEX in taps:
        unknown = next(str(window.size) for window in windows if not isinstance(window.size, int))
        raise LoweringError(f"the spatial dims of the kernel must be static, got {unknown}")
    axes = [
        _Axis(b.dim(data, at), *given) for at, given in zip(data_at[2:], zip(taps, windows, strict=True), strict=True)
    ]
    result_type = element_type_of(op.result.type)
    wide = accumulator_of(relax_element(op.data), result_type)
    sizes = b.sizes(dims_of(op.result.type))
    products = _products(op, b, data, kernel, wide)
    total = b.nonempty(
        [axis.size for axis in axes], sizes, signless(wide), lambda inner: _met(op, inner, products, sizes, axes)
    )
    signs = [is_unsigned(relax_element(operand)) for operand in op.operands]
    return [convert(b, total, sizes, result_type, all(signs))]


def _products(
    op: nn_conv.ConvTransposeOp, b: LinalgBuilder, data: SSAValue, kernel: SSAValue, wide: Attribute
) -> SSAValue:
    """Returns the product of each item of the data and each tap, `[N, O, taps..., items...]`."""
    data_at, kernel_at, groups = list(op.data_positions()), list(op.kernel_positions()), op.group_count
    spatial = len(data_at) - 2
    taken, given = b.shape(data), b.shape(kernel)
    sizes: list[Size] = [taken[data_at[0]], given[kernel_at[1]]]
    sizes += [given[axis] for axis in kernel_at[2:]] + [taken[axis] for axis in data_at[2:]]
    if groups > 1:
        sizes.insert(1, groups)
    rank = len(sizes)
    batch, *group, output = (AffineExpr.dimension(axis) for axis in range(rank - 2 * spatial))
    inputs = AffineExpr.dimension(rank)
    taps, items = (
        [AffineExpr.dimension(first + axis) for axis in range(spatial)]
        for first in (rank - 2 * spatial, rank - spatial)
    )
    data_exprs = _canonical_to(data_at, [batch, inputs, *items])
    kernel_exprs = _canonical_to(kernel_at, [inputs, output, *taps])
    if groups > 1:
        data, data_exprs = _grouped(b, data, data_exprs, data_at[1], groups, group[0])
        kernel, kernel_exprs = _grouped(b, kernel, kernel_exprs, kernel_at[0], groups, group[0])
    maps = [
        AffineMap(rank + 1, 0, tuple(data_exprs)),
        AffineMap(rank + 1, 0, tuple(kernel_exprs)),
        projection(rank + 1, range(rank)),
    ]
    signs = is_unsigned(relax_element(op.data)), is_unsigned(relax_element(op.weight))
    products = contract(b, data, kernel, maps, sizes, rank, 1, wide, *signs)
    return join_dims(b, products, 1) if groups > 1 else products


def _met(
    op: nn_conv.ConvTransposeOp, b: LinalgBuilder, products: SSAValue, sizes: Sequence[Size], axes: Sequence[_Axis]
) -> SSAValue:
    """Returns the result, in its layout: what meets at each position is added."""
    out_at, kind = op.out_positions(), element(products)
    rank, count = len(sizes), len(axes)

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        at = iterations(s, rank + count)
        meetings = [
            axis.meeting(s, at[position], turn)
            for axis, position, turn in zip(axes, out_at[2:], at[rank:], strict=True)
        ]
        taps, items, meets = zip(*meetings, strict=True)
        meet = reduce(s.both, meets)
        location = [s.select(meet, index, 0) for index in (*taps, *items)]
        value = s.extract(products, [at[out_at[0]], at[out_at[1]], *location])
        return scalar.add(s, args[1], scalar.select(s, meet, value, s.constant(0, kind)))

    # The dims that are summed have the sizes of an operand that nothing is read from.
    turns = b.empty([axis.rounds for axis in axes], kind)
    maps = [projection(rank + count, range(rank, rank + count)), projection(rank + count, range(rank))]
    iterators = [PARALLEL] * rank + [REDUCTION] * count
    return b.generic([turns], [b.filled(0, kind, sizes)], maps, iterators, body)[0]


RULES: Rules = {
    nn_conv.Conv1DOp: _conv,
    nn_conv.Conv2DOp: _conv,
    nn_conv.Conv3DOp: _conv,
    nn_conv.Conv1DTransposeOp: _conv_transpose,
    nn_conv.Conv2DTransposeOp: _conv_transpose,
    nn_conv.Conv3DTransposeOp: _conv_transpose,
}
