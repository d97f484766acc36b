"""Interpreter rules of convolutions: windows are gathered and contracted by a matrix product; f16 and bf16 accumulate in f32."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from math import prod
from typing import Any

import numpy as np

from ....dialects.relax.attrs import dims_of, element_type_of
from ....dialects.relax.base import element
from ....dialects.relax.dtypes import accumulator_of, numpy_dtype
from ....dialects.relax.ops.nn import conv as nn_conv
from ....dialects.relax.rules.window import Window
from ...rule import Bindings, Rules, result_dtype
from ..unary import converted


def gathered_windows(data: Any, windows: Sequence[Window], counts: Sequence[int]) -> Any:
    """Returns the windows of the last dims of an array, which is padded already: `[..., counts..., window sizes...]`."""
    first = data.ndim - len(windows)
    if 0 in counts:
        return np.empty((*data.shape[:first], *counts, *(_known(window.size) for window in windows)), data.dtype)
    axes = tuple(range(first, data.ndim))
    view = np.lib.stride_tricks.sliding_window_view(data, [_known(window.extent()) for window in windows], axes)
    steps = [
        slice(None, (count - 1) * spatial.stride + 1, spatial.stride)
        for count, spatial in zip(counts, windows, strict=True)
    ]
    items = [slice(None, None, window.dilation) for window in windows]
    return view[(slice(None),) * first + tuple(steps) + tuple(items)]


def _known(size: Any) -> int:
    assert isinstance(size, int)
    return size


def _convolved(data: Any, kernel: Any, windows: Sequence[Window], groups: int) -> Any:
    """Convolves data `[N, G*I, ...]`, padded already, with a kernel `[G*O, I, ...]`."""
    spatial = len(windows)
    counts = [
        (size - _known(window.extent())) // window.stride + 1
        for size, window in zip(data.shape[2:], windows, strict=True)
    ]
    if 0 in kernel.shape[2:]:
        return np.zeros((data.shape[0], kernel.shape[0], *counts), np.result_type(data, kernel))
    view = gathered_windows(data, windows, counts)
    inputs, outputs = kernel.shape[1], kernel.shape[0] // groups
    reduced = [1, *range(2 + spatial, 2 + 2 * spatial)]
    parts = [
        np.tensordot(
            view[:, group * inputs : (group + 1) * inputs],
            kernel[group * outputs : (group + 1) * outputs],
            (reduced, list(range(1, 2 + spatial))),
        )
        for group in range(groups)
    ]
    return np.moveaxis(np.concatenate(parts, axis=-1), -1, 1)


def _laid_out(op: nn_conv.ConvLikeOp, result: Any) -> Any:
    return converted(np.ascontiguousarray(result.transpose(np.argsort(op.out_positions()))), result_dtype(op))


def convolution(op: nn_conv.ConvOp, data: Any, kernel: Any) -> Any:
    """Returns the convolution of data and kernel in the op's layouts, accumulated in their type, in the type of the op's result."""
    if op.kernel_block:
        axes = op.kernel_axes()
        kernel = kernel.transpose(list(chain(*axes))).reshape([prod(kernel.shape[k] for k in each) for each in axes])
    data, kernel = data.transpose(op.data_positions()), kernel.transpose(op.kernel_positions())
    windows = op.windows(kernel.shape[2:])
    padded = np.pad(data, [(0, 0), (0, 0), *((window.before, window.after) for window in windows)])
    return _laid_out(op, _convolved(padded, kernel, windows, op.group_count))


def _wide(op: nn_conv.ConvLikeOp, args: Sequence[Any]) -> list[Any]:
    """Returns data and kernel in the accumulation type."""
    wide = numpy_dtype(accumulator_of(element(op.operands[0]), element_type_of(op.results[0].type)))
    return [args[0].astype(wide), args[1].astype(wide)]


def _conv(op: nn_conv.ConvOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    return [convolution(op, *_wide(op, args))]


def _conv_transpose(op: nn_conv.ConvTransposeOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    data, kernel = _wide(op, args)
    data, kernel = data.transpose(op.data_positions()), kernel.transpose(op.kernel_positions())
    windows, groups = op.windows(kernel.shape[2:]), op.group_count
    inputs, outputs = kernel.shape[0] // groups, kernel.shape[1]
    spatial = data.shape[2:]
    if 0 in spatial:
        return [np.zeros(bindings.dims(dims_of(op.result.type) or ()), result_dtype(op))]
    full = [(size - 1) * window.stride + _known(window.extent()) for size, window in zip(spatial, windows, strict=True)]
    sums = np.zeros((data.shape[0], groups * outputs, *full), data.dtype)
    for offsets in np.ndindex(*kernel.shape[2:]):
        slices = tuple(
            slice(offset * window.dilation, offset * window.dilation + (size - 1) * window.stride + 1, window.stride)
            for offset, window, size in zip(offsets, windows, spatial, strict=True)
        )
        taps = kernel[(slice(None), slice(None), *offsets)]
        for group in range(groups):
            product = np.tensordot(
                data[:, group * inputs : (group + 1) * inputs], taps[group * inputs : (group + 1) * inputs], (1, 0)
            )
            channels = slice(group * outputs, (group + 1) * outputs)
            sums[(slice(None), channels, *slices)] += np.moveaxis(product, -1, 1)
    extra = op.output_paddings()
    padded = np.pad(sums, [(0, 0), (0, 0), *((0, more) for more in extra)])
    kept = tuple(
        slice(window.before, size + more - window.after)
        for window, size, more in zip(windows, full, extra, strict=True)
    )
    return [_laid_out(op, padded[(slice(None), slice(None), *kept)])]


RULES: Rules = {
    nn_conv.Conv1DOp: _conv,
    nn_conv.Conv2DOp: _conv,
    nn_conv.Conv3DOp: _conv,
    nn_conv.Conv1DTransposeOp: _conv_transpose,
    nn_conv.Conv2DTransposeOp: _conv_transpose,
    nn_conv.Conv3DTransposeOp: _conv_transpose,
}
