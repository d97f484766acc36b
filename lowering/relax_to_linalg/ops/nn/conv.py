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
from ....emit.tensor_builder import Size, element, tensor_shape
from ...builder import LinalgBuilder, LoweringError
from ...regroup import join_dims, split_dim
from ...rule import Rules
from ...window import padded
from ..linear_algebra import contract


def _canonical_to(positions: Sequence[int], values: Sequence[AffineExpr]) -> list[AffineExpr]:
    """Returns values given in canonical order (one for each dim) in the order of a layout."""
    return [values[positions.index(axis)] for axis in range(len(positions))]


def _convolve(
    op: nn_conv.ConvLikeOp,
    b: LinalgBuilder,
    data: SSAValue,
    kernel: SSAValue,
    kernel_outputs: int,
    windows: Sequence[Window],
    shifts: Sequence[int],
) -> SSAValue:
    """Contracts padded data with a kernel whose output channels are its dim `kernel_outputs`, its other channels those of a group.

    Item k of window o reads `o * stride + k * dilation + shift`.
    """
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
        position * window.stride + item * window.dilation + shift
        for position, item, window, shift in zip(positions, items, windows, shifts, strict=True)
    ]
    data_exprs = _canonical_to(data_at, [batch, inputs, *reads])
    channels = [output, inputs] if kernel_outputs == 0 else [inputs, output]
    kernel_exprs = _canonical_to(kernel_at, [*channels, *items])
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
    return [_convolve(op, b, data, kernel, 0, windows, [0] * len(windows))]


def _conv_transpose(op: nn_conv.ConvTransposeOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    """Returns a convolution with the flipped kernel over the data with zeros between its items."""
    data, kernel = operands
    data_at, kernel_at = op.data_positions(), op.kernel_positions()
    kernel_dims = dims(op.weight) or ()
    windows = op.windows([kernel_dims[axis] for axis in kernel_at[2:]])
    before, after, spread = [0] * len(data_at), [0] * len(data_at), [1] * len(data_at)
    shifts: list[int] = []
    for axis, window, extra in zip(data_at[2:], windows, op.output_paddings(), strict=True):
        extent = window.extent()
        if not isinstance(extent, int):
            raise LoweringError(f"the spatial dims of the kernel must be static, got {window.size}")
        before[axis] = max(extent - 1 - window.before, 0)
        after[axis] = max(extent - 1 - window.after + extra, 0)
        spread[axis] = window.stride
        shifts.append(max(window.before - extent + 1, 0))
    data = padded(b, data, op.data, b.constant(0, element(data)), before, after, spread)
    unit = [Window(window.size, 1, window.dilation) for window in windows]
    return [_convolve(op, b, data, _flipped(b, kernel, kernel_at[2:]), 1, unit, shifts)]


def _flipped(b: LinalgBuilder, kernel: SSAValue, axes: Sequence[int]) -> SSAValue:
    """Returns the kernel with its (static) spatial dims reversed."""
    shape = tensor_shape(kernel)
    if all(shape[axis] == 1 for axis in axes):
        return kernel
    exprs = [
        AffineExpr.constant(shape[axis] - 1) - AffineExpr.dimension(axis)
        if axis in axes
        else AffineExpr.dimension(axis)
        for axis in range(len(shape))
    ]
    maps = [AffineMap(len(shape), 0, tuple(exprs))]
    return b.elementwise([kernel], b.shape(kernel), element(kernel), lambda s, args: args[0], maps=maps)


RULES: Rules = {
    nn_conv.Conv1DOp: _conv,
    nn_conv.Conv2DOp: _conv,
    nn_conv.Conv3DOp: _conv,
    nn_conv.Conv1DTransposeOp: _conv_transpose,
    nn_conv.Conv2DTransposeOp: _conv_transpose,
    nn_conv.Conv3DTransposeOp: _conv_transpose,
}
