"""Winograd's convolution as products of matrices: transforms of tiles are products by the Kronecker product of a transform with itself."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from .....dialects.relax.rules.winograd import Transform, on_both_dims
from ..emit import Emitter, element_of, shape_of
from ..rule import Rules, result_shape
from .products import batched_product


def _transformed(e: Emitter, transform: Transform, x: Any) -> Any:
    """Writes a transform of tiles, which are the columns of a value whose first dim is one of a matrix."""
    count, *others = shape_of(x)
    matrix = e.array(np.array(on_both_dims(transform), np.float32), element_of(x))
    result = batched_product(e, matrix, e.reshape(x, [count, prod(others)]))
    return e.reshape(result, [shape_of(matrix)[0], *others])


def _winograd_conv2d(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    (data, kernel), tile = operands, op.tile()
    step = tile.size
    batch, channels, *_ = shape_of(data)
    outputs, counts, windows = shape_of(kernel)[3], result_shape(op)[2:], op.windows()
    tiles = [-(-count // step) for count in counts]
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
    factor = e.transpose(e.reshape(kernel, [tile.products, channels, outputs]), [0, 2, 1])
    sums = batched_product(e, factor, _transformed(e, tile.data, columns))
    parts = e.reshape(_transformed(e, tile.result, sums), [step, step, outputs, batch, *tiles])
    whole = e.reshape(e.transpose(parts, [3, 2, 4, 0, 5, 1]), [batch, outputs, *(step * number for number in tiles)])
    return e.slice(whole, [0] * 4, result_shape(op))


RULES: Rules = {"relax.nn.winograd_conv2d": _winograd_conv2d}
