"""Winograd's convolution as products of matrices: transforms of tiles are products by the Kronecker product of a transform with itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .....dialects.relax.ops.nn import winograd
from .....dialects.relax.rules.window import Window
from .....dialects.relax.rules.winograd import (
    DATA_TRANSFORM,
    PRODUCTS,
    RESULT_TRANSFORM,
    TILE,
    WINDOW,
    Transform,
    on_both_dims,
)
from .....dialects.symbolic.expressions import Dim, add, apply, ceildiv, product
from ..table import Rules, Scope, known
from .manipulate import padded
from .windows import gathered_windows


def _transformed(scope: Scope, transform: Transform, x: str) -> str:
    """Returns a matrix whose columns are tiles, transformed."""
    matrix = np.array(on_both_dims(transform), np.float32)
    return scope.nodes.add("MatMul", scope.nodes.constant(matrix), x)


def _winograd_conv2d(op: winograd.WinogradConv2DOp, args: Sequence[str], scope: Scope) -> str:
    nodes, windows = scope.nodes, op.windows()
    batch, channels, *sizes = scope.dims(op.data, args[0])
    outputs = scope.dims(op.kernel, args[1])[2]
    counts = known(
        [add(size, window.before + window.after + TILE - WINDOW) for size, window in zip(sizes, windows, strict=True)]
    )
    tiles = known([ceildiv(count, TILE) for count in counts])
    # The last tile of an odd number of results reads one row more; it may be known at run time only whether there is one.
    is_even = [apply("mod", count, TILE) == 0 for count in counts]
    pairs = [(window.before, window.after + (not even)) for window, even in zip(windows, is_even, strict=True)]
    x = padded(scope, args[0], [(0, 0), (0, 0), *pairs], 0)
    view = nodes.transposed(
        gathered_windows(scope, x, [Window(WINDOW, TILE)] * 2, tiles, [WINDOW, WINDOW]), [3, 5, 1, 0, 2, 4]
    )
    columns = _transformed(scope, DATA_TRANSFORM, _matrix(scope, view, PRODUCTS, [channels, batch, *tiles]))
    (places,) = known([product([batch, *tiles])])
    sums = nodes.add(
        "MatMul",
        scope.reshaped(args[1], [PRODUCTS, outputs, channels]),
        scope.reshaped(columns, [PRODUCTS, channels, places]),
    )
    parts = _transformed(scope, RESULT_TRANSFORM, _matrix(scope, sums, PRODUCTS, [outputs, places]))
    split = nodes.transposed(scope.reshaped(parts, [TILE, TILE, outputs, batch, *tiles]), [3, 2, 4, 0, 5, 1])
    whole = scope.reshaped(split, [batch, outputs, *(apply("*", tile, TILE) for tile in tiles)])
    for axis, (count, even) in enumerate(zip(counts, is_even, strict=True), start=2):
        if not even:
            whole = nodes.sliced(whole, axis, nodes.integers([0]), scope.sizes.vector(count))
    return whole


def _matrix(scope: Scope, x: str, rows: int, dims: Sequence[Dim]) -> str:
    """Returns a value as a matrix, whose columns are what has some dims."""
    return scope.reshaped(x, [rows, *known([product(known(dims))])])


RULES: Rules = {winograd.WinogradConv2DOp: _winograd_conv2d}
