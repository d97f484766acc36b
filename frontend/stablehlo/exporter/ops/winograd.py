"""Winograd's convolution as products of matrices: transforms of tiles are products by the Kronecker product of a transform with itself."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from .....dialects.relax.rules.winograd import (
    DATA_TRANSFORM,
    PRODUCTS,
    RESULT_TRANSFORM,
    TILE,
    WINDOW,
    Transform,
    on_both_dims,
)
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
    data, kernel = operands
    batch, channels, *_ = shape_of(data)
    outputs, counts, windows = shape_of(kernel)[2], result_shape(op)[2:], op.windows()
    tiles = [-(-count // TILE) for count in counts]
    # The last tile of an odd number of results reads one row more.
    high = [window.after + TILE * tile - count for window, tile, count in zip(windows, tiles, counts, strict=True)]
    padding = [0, 0, *(window.before for window in windows)], [0, 0, *high]
    data = e.transpose(e.pad(data, e.constant(0, element_of(data)), *padding), [1, 0, 2, 3])
    ends = [TILE * (tile - 1) + 1 for tile in tiles]
    places = batch * tiles[0] * tiles[1]
    items = [
        e.along(e.along(data, 2, row, row + ends[0], TILE), 3, column, column + ends[1], TILE)
        for row in range(WINDOW)
        for column in range(WINDOW)
    ]
    columns = e.concatenate([e.reshape(item, [1, channels, places]) for item in items], 0)
    factor = e.reshape(kernel, [PRODUCTS, outputs, channels])
    sums = batched_product(e, factor, _transformed(e, DATA_TRANSFORM, columns))
    parts = e.reshape(_transformed(e, RESULT_TRANSFORM, sums), [TILE, TILE, outputs, batch, *tiles])
    whole = e.reshape(e.transpose(parts, [3, 2, 4, 0, 5, 1]), [batch, outputs, *(TILE * tile for tile in tiles)])
    return e.slice(whole, [0] * 4, result_shape(op))


RULES: Rules = {"relax.nn.winograd_conv2d": _winograd_conv2d}
