"""Convolutions of few pixels as products of matrices: their windows are copied side by side, and the kernel is packed as a matrix is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import cast

from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from ...dialects.relax.attrs import known_sizes
from ...dialects.relax.base import dtype_attr
from ...dialects.relax.ops.indexing import StridedSliceOp
from ...dialects.relax.ops.manipulate import ConcatOp, PadOp, PermuteDimsOp, ReshapeOp
from ...dialects.relax.ops.nn.conv import ConvOp
from ...dialects.relax.ops.packing import PackedMatmulOp, PackWeightOp, panel_option
from ...dialects.relax.rules.window import Window, pad_widths
from ..analysis.remarks import Topic, function_of, remark
from ..contraction.pixel_rows import fills_tiles
from ..rewriting.emitter import Emitter
from .kernels_of_bytes import bytes_refusal, makes_blocks
from .weights import Weights, name_as_packed

MOST_PIXELS = 4
"""The pixels for each output channel up to which windows are copied: the kernel, which is read as it lies, need not be copied then."""

MOST_ITEMS = 16
"""The items of a window up to which it is copied, each by an op of its own; larger ones gain little, or lose where bytes have no dot
product."""


class UnfoldWindows(RewritePattern):
    """Replaces a convolution by a product of its windows, side by side, and its kernel, packed.

    Declines unless the kernel is a weight of 8 bits and channels come last in data and result, for groups, for sizes that are not known,
    and for windows of many items, or of several over many pixels, of which a copy would be large. With `tiles`, also for windows whose
    pixels make whole rows of tiles, if the kernel can be packed for them.
    """

    def __init__(self, weights: Weights, tiles: bool, panel: int):
        self.weights = weights
        self.tiles = tiles
        self.columns_of_panel = panel

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ConvOp, rewriter: PatternRewriter) -> None:
        data, kernel, result = (known_sizes(value.type) for value in (op.data, op.weight, op.result))
        if data is None or kernel is None or result is None or bytes_refusal(op, self.weights):
            return
        outputs, inputs, *spatial = op.kernel_positions()
        windows = op.windows([kernel[axis] for axis in spatial])
        items = prod(kernel[axis] for axis in spatial)
        if _copy_is_large(items, result):
            return
        pitch = data[-2] + windows[-1].before + windows[-1].after
        has_tiles = self.tiles and makes_blocks(kernel[outputs], kernel[inputs])
        if has_tiles and _rows_fill_tiles(items, result, pitch):
            return
        emit = Emitter(op, rewriter)
        rows = _windows(emit, op.data, windows, data, result)
        weight = emit.op(PermuteDimsOp, op.weight, axes=[*spatial, inputs, outputs])
        matrix = emit.op(ReshapeOp, weight, emit.shape(items * kernel[inputs], kernel[outputs]))
        packed = emit.op(PackWeightOp, matrix, panel=panel_option(self.columns_of_panel))
        name_as_packed(packed, op.weight)
        text = f"{op.name} is a product of its windows and a packed kernel: {PackedMatmulOp.name}"
        remark(Topic.REWRITE, function_of(op), op.location, text)
        out_dtype = None if op.out_dtype is None else dtype_attr(op.out_dtype)
        emit.replace(op, [emit.op(PackedMatmulOp, rows, packed, columns=kernel[outputs], out_dtype=out_dtype)])


def _copy_is_large(items: int, result: Sequence[int]) -> bool:
    """Returns whether windows of so many items are too much to copy for a result; those of one item are no copy."""
    return items > 1 and (items > MOST_ITEMS or prod(result[:-1]) > MOST_PIXELS * result[-1])


def _rows_fill_tiles(items: int, result: Sequence[int], pitch: int) -> bool:
    """Returns whether a result's rows of pixels, of windows of several items, fill tiles without a copy."""
    return items > 1 and fills_tiles(prod(result[1:-2]), result[-2], pitch)


def _windows(
    emit: Emitter, data: SSAValue, windows: Sequence[Window], sizes: Sequence[int], result: Sequence[int]
) -> SSAValue:
    """Returns the windows of each pixel of the result along the last dim: the channels of each item one after the other."""
    axes = range(1, len(windows) + 1)
    widths = pad_widths(windows)
    if any(widths):
        data = emit.op(PadOp, data, pad_width=widths, pad_value=0.0)
    items: list[SSAValue] = []
    for tap in product(*(range(cast(int, window.size)) for window in windows)):
        begin = [index * window.dilation for index, window in zip(tap, windows, strict=True)]
        strides = [window.stride for window in windows]
        end = [first + (result[axis] - 1) * step + 1 for first, axis, step in zip(begin, axes, strides, strict=True)]
        padded = [sizes[axis] + window.before + window.after for axis, window in zip(axes, windows, strict=True)]
        is_whole = not any(begin) and end == padded and all(step == 1 for step in strides)
        items.append(
            data if is_whole else emit.op(StridedSliceOp, data, axes=list(axes), begin=begin, end=end, strides=strides)
        )
    return items[0] if len(items) == 1 else emit.op(ConcatOp, *items, axis=len(sizes) - 1)
