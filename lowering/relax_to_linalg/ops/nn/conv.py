"""Convolutions as one contraction over padded data, without copies of the windows; groups are a dim of their own.

    %y = relax.nn.conv2d %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>}

becomes

    %p = tensor.insert_slice %x into %zeros[0, 0, 1, 1]
    linalg.generic %y[n, o, h, w] += %p[n, c, 2 * h + i, 2 * w + j] * %w[o, c, i, j]
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from .....dialects.relax.attrs import dims_of, element_type_of
from .....dialects.relax.base import dims
from .....dialects.relax.base import element as relax_element
from .....dialects.relax.dtypes import is_unsigned
from .....dialects.relax.ops.nn import conv as nn_conv
from .....dialects.relax.rules.window import Window
from .....dialects.symbolic.expressions import floordiv
from ....emit.tensor_builder import Size, element, projection, tensor_shape
from ...builder import LinalgBuilder
from ...regroup import join_dims, split_dim
from ...rule import Rules
from ...window import padded
from ..linear_algebra import contract


def canonical_to(positions: Sequence[int], values: Sequence[AffineExpr]) -> list[AffineExpr]:
    """Returns values given in canonical order (one for each dim) in the order of a layout."""
    return [values[positions.index(axis)] for axis in range(len(positions))]


def _convolve(
    op: nn_conv.ConvOp,
    b: LinalgBuilder,
    data: SSAValue,
    kernel: SSAValue,
    windows: Sequence[Window],
) -> SSAValue:
    """Contracts padded data, whose channels are in groups, with a kernel: item k of window o reads `o * stride + k * dilation`."""
    spatial = len(windows)
    data_at, kernel_at, out_at = list(op.data_positions()), list(op.kernel_positions()), list(op.out_positions())
    result_dims = list(dims_of(op.result.type) or ())  # pyright: ignore[reportAttributeAccessIssue]
    groups = op.group_count
    channel = out_at[1]
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
    data_exprs = canonical_to(data_at, [batch, inputs, *reads])
    block = op.kernel_block
    group_size = op.kernel_group
    channels = [output // block if block else output, inputs // group_size if group_size else inputs]
    kernel_exprs = canonical_to(kernel_at, [*channels, *items])
    if block:
        kernel_exprs.append(output % block)
    if group_size:
        kernel_exprs.append(inputs % group_size)
    if groups > 1:
        data_exprs.insert(data_at[1], group)
        # The kernel of a convolution has its groups among the outputs, that of a transpose among the inputs: its first channels.
        kernel, kernel_exprs = grouped(b, kernel, kernel_exprs, kernel_at[0], groups, group)
    maps = [
        AffineMap(total, 0, tuple(data_exprs)),
        AffineMap(total, 0, tuple(kernel_exprs)),
        AffineMap(total, 0, tuple(AffineExpr.dimension(axis) for axis in range(rank))),
    ]
    element_type = element_type_of(op.result.type)  # pyright: ignore[reportAttributeAccessIssue]
    signs = is_unsigned(relax_element(op.operands[0])), is_unsigned(relax_element(op.operands[1]))
    result = contract(b, data, kernel, maps, sizes, rank, 1 + spatial, element_type, *signs)
    return join_dims(b, result, channel) if groups > 1 else result


def _is_depthwise(op: nn_conv.ConvOp, kernel: Sequence[int]) -> bool:
    """Returns whether each group is one channel of the data and one of the result."""
    kernel_at, groups = op.kernel_positions(), op.group_count
    return groups > 1 and not op.kernel_block and kernel[kernel_at[0]] == groups and kernel[kernel_at[1]] == 1


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
        AffineMap(rank + spatial, 0, tuple(canonical_to(op.data_positions(), [batch, channel, *reads]))),
        AffineMap(
            rank + spatial, 0, tuple(canonical_to(op.kernel_positions(), [channel, AffineExpr.constant(0), *items]))
        ),
        projection(rank + spatial, range(rank)),
    ]
    element_type = element_type_of(op.result.type)  # pyright: ignore[reportAttributeAccessIssue]
    signs = is_unsigned(relax_element(op.operands[0])), is_unsigned(relax_element(op.operands[1]))
    return contract(b, data, kernel, maps, b.sizes(result_dims), rank, spatial, element_type, *signs)


def grouped(
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
    sizes, depthwise = list(dims_of(op.data.type) or ()), _is_depthwise(op, tensor_shape(kernel))
    if op.group_count > 1 and not depthwise:
        # Before there are zeros around it, so that the convolution reads what was padded, and no view of it.
        channels = data_at[1]
        data, _ = grouped(b, data, [], channels, op.group_count, AffineExpr.constant(0))
        sizes[channels : channels + 1] = [op.group_count, floordiv(sizes[channels], op.group_count)]
        for around in (before, after):
            around.insert(channels, 0)
    data = padded(b, data, sizes, b.constant(0, element(data)), before, after)
    convolve = _convolve_depthwise if depthwise else _convolve
    return [convolve(op, b, data, kernel, windows)]


RULES: Rules = {
    nn_conv.Conv1DOp: _conv,
    nn_conv.Conv2DOp: _conv,
    nn_conv.Conv3DOp: _conv,
}
