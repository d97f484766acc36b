"""The interpreter rules of Winograd's convolutions, in f32 and i32: tiles are transformed, multiplied as matrices, and transformed back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....dialects.relax.ops.nn import winograd
from ....dialects.relax.rules.window import Window
from ....dialects.relax.rules.winograd import INTEGER_SHIFT, TAPS, TWO, Transform, WinogradTile
from ...rule import Bindings, Rules
from .conv import gathered_windows


def _transformed(transform: Transform, tiles: Any) -> Any:
    """Returns `T x T^T` for the matrices of the first two axes; what a transform has a zero for is not read."""
    number = tiles.dtype.type
    for axis in (0, 1):
        rows = np.moveaxis(tiles, axis, 0)
        sums = [
            sum((number(factor) * row for factor, row in zip(factors, rows, strict=True) if factor), number(0))
            for factors in transform
        ]
        tiles = np.moveaxis(np.stack(sums), 0, axis)
    return tiles


def _convolve(op: winograd.WinogradOp, tile: WinogradTile, data: Any, kernel: Any) -> Any:
    """Returns the results for data [N, C, H, W] and a kernel [u, v, O, C] of their element type."""
    batch, channels, *sizes = data.shape
    outputs, windows, step = kernel.shape[2], op.windows(), tile.size
    counts = [window.before + size + window.after - (TAPS - 1) for window, size in zip(windows, sizes, strict=True)]
    tiles = [-(-count // step) for count in counts]
    # The last tile reads further rows where the result has some of its rows alone.
    pads = [
        (window.before, window.after + step * number - count)
        for window, number, count in zip(windows, tiles, counts, strict=True)
    ]
    padded = np.pad(data, [(0, 0), (0, 0), *pads])
    view = gathered_windows(padded, [Window(tile.window, step)] * 2, tiles)
    columns = view.transpose(4, 5, 1, 0, 2, 3).reshape(tile.window, tile.window, channels, batch * tiles[0] * tiles[1])
    products = kernel @ _transformed(tile.data, columns)
    parts = _transformed(tile.result, products).reshape(step, step, outputs, batch, *tiles)
    whole = parts.transpose(3, 2, 4, 0, 5, 1).reshape(batch, outputs, *(step * number for number in tiles))
    return whole[:, :, : counts[0], : counts[1]]


def _winograd_conv2d(op: winograd.WinogradConv2DOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    data, kernel = args
    return [np.ascontiguousarray(_convolve(op, op.tile(), data, kernel.swapaxes(2, 3)))]


def _integer_winograd_conv2d(
    op: winograd.IntegerWinogradConv2DOp, args: Sequence[Any], bindings: Bindings
) -> list[Any]:
    data, kernel = (np.asarray(value, np.int32) for value in args)
    rows, columns, blocks, pairs, block, pair = kernel.shape
    matrices = kernel.transpose(0, 1, 2, 4, 3, 5).reshape(rows, columns, blocks * block, pairs * pair)
    sums = _convolve(op, TWO, data.transpose(0, 3, 1, 2), matrices)
    return [np.ascontiguousarray((sums >> INTEGER_SHIFT).transpose(0, 2, 3, 1))]


RULES: Rules = {
    winograd.WinogradConv2DOp: _winograd_conv2d,
    winograd.IntegerWinogradConv2DOp: _integer_winograd_conv2d,
}
