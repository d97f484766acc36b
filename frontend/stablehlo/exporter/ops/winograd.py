"""Winograd's convolutions as products of matrices: transforms of tiles are products by the Kronecker product of a transform with itself."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from .....dialects.relax.rules.winograd import INTEGER_SHIFT, TWO, Transform, WinogradTile, on_both_dims
from ..emit import Emitter, element_of, shape_of
from ..rule import Rules, result_shape
from .products import batched_product


def _transformed(e: Emitter, transform: Transform, x: Any) -> Any:
    """Writes a transform of tiles, which are the columns of a value whose first dim is one of a matrix."""
    count, *others = shape_of(x)
    element = element_of(x)
    number = np.float32 if element == "f32" else np.int32
    matrix = e.array(np.array(on_both_dims(transform), number), element)
    result = batched_product(e, matrix, e.reshape(x, [count, prod(others)]))
    return e.reshape(result, [shape_of(matrix)[0], *others])


def _winograd_conv2d(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    (data, kernel), tile = operands, op.tile()
    channels, outputs = shape_of(kernel)[2:]
    matrices = e.transpose(e.reshape(kernel, [tile.products, channels, outputs]), [0, 2, 1])
    return _convolved(e, op, tile, data, matrices, result_shape(op))


def _integer_winograd_conv2d(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    data, kernel = (e.convert(x, "i32") for x in operands)
    _, _, blocks, pairs, block, pair = shape_of(kernel)
    matrices = e.reshape(e.transpose(kernel, [0, 1, 2, 4, 3, 5]), [TWO.products, blocks * block, pairs * pair])
    batch, rows, columns, channels = result_shape(op)
    shape = [batch, channels, rows, columns]
    sums = e.transpose(_convolved(e, op, TWO, e.transpose(data, [0, 3, 1, 2]), matrices, shape), [0, 2, 3, 1])
    return e.binary("shift_right_arithmetic", sums, e.constant(INTEGER_SHIFT, "i32", shape_of(sums)))


def _convolved(e: Emitter, op: Any, tile: WinogradTile, data: Any, matrices: Any, shape: Sequence[int]) -> Any:
    """Writes the results of a shape for data with channels first and a matrix [O, C] for each product."""
    step = tile.size
    batch, channels, *_ = shape_of(data)
    _, outputs, *counts = shape
    windows, tiles = op.windows(), [-(-count // step) for count in counts]
    # The last tile reads further rows where the result has some of its rows alone.
    high = [window.after + step * number - count for window, number, count in zip(windows, tiles, counts, strict=True)]
    padding = [0, 0, *(window.before for window in windows)], [0, 0, *high]
    data = e.transpose(e.pad(data, e.constant(0, element_of(data)), *padding), [1, 0, 2, 3])
    ends = [step * (number - 1) + 1 for number in tiles]
    places = batch * tiles[0] * tiles[1]
    items = [
        e.along(e.along(data, 2, row, row + ends[0], step), 3, column, column + ends[1], step)
        for row in range(tile.window)
        for column in range(tile.window)
    ]
    columns = e.concatenate([e.reshape(item, [1, channels, places]) for item in items], 0)
    sums = batched_product(e, matrices, _transformed(e, tile.data, columns))
    parts = e.reshape(_transformed(e, tile.result, sums), [step, step, outputs, batch, *tiles])
    whole = e.reshape(e.transpose(parts, [3, 2, 4, 0, 5, 1]), [batch, outputs, *(step * number for number in tiles)])
    return e.slice(whole, [0] * 4, shape)


RULES: Rules = {
    "relax.nn.winograd_conv2d": _winograd_conv2d,
    "relax.nn.integer_winograd_conv2d": _integer_winograd_conv2d,
}
