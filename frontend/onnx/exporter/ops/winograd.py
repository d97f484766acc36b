"""Winograd's convolution as products of matrices: transforms of tiles are products by the Kronecker product of a transform with itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .....dialects.relax.ops.nn import winograd
from .....dialects.relax.rules.window import Window
from .....dialects.relax.rules.winograd import TAPS, Transform, on_both_dims
from .....dialects.symbolic.expressions import Dim, add, apply, ceildiv, product
from ..table import Rules, Scope, known
from .manipulate import padded
from .windows import gathered_windows


def _transformed(scope: Scope, transform: Transform, x: str) -> str:
    """Returns a matrix whose columns are tiles, transformed."""
    matrix = np.array(on_both_dims(transform), np.float32)
    return scope.nodes.add("MatMul", scope.nodes.constant(matrix), x)


def _winograd_conv2d(op: winograd.WinogradConv2DOp, args: Sequence[str], scope: Scope) -> str:
    nodes, windows, tile = scope.nodes, op.windows(), op.tile()
    step = tile.size
    batch, channels, *sizes = scope.dims(op.data, args[0])
    outputs = scope.dims(op.kernel, args[1])[3]
    counts = known(
        [add(size, window.before + window.after + 1 - TAPS) for size, window in zip(sizes, windows, strict=True)]
    )
    tiles = known([ceildiv(count, step) for count in counts])
    # The last tile reads further rows where the result has some of its rows alone, how many may be known at run time only.
    is_whole = [apply("mod", count, step) == 0 for count in counts]
    most = [0 if whole else step - 1 for whole in is_whole]
    pairs = [(window.before, window.after + more) for window, more in zip(windows, most, strict=True)]
    x = padded(scope, args[0], [(0, 0), (0, 0), *pairs], 0)
    view = nodes.transposed(
        gathered_windows(scope, x, [Window(tile.window, step)] * 2, tiles, [tile.window] * 2), [3, 5, 1, 0, 2, 4]
    )
    columns = _transformed(scope, tile.data, _matrix(scope, view, tile.products, [channels, batch, *tiles]))
    (places,) = known([product([batch, *tiles])])
    sums = nodes.add(
        "MatMul",
        nodes.transposed(scope.reshaped(args[1], [tile.products, channels, outputs]), [0, 2, 1]),
        scope.reshaped(columns, [tile.products, channels, places]),
    )
    parts = _transformed(scope, tile.result, _matrix(scope, sums, tile.products, [outputs, places]))
    split = nodes.transposed(scope.reshaped(parts, [step, step, outputs, batch, *tiles]), [3, 2, 4, 0, 5, 1])
    whole = scope.reshaped(split, [batch, outputs, *(apply("*", number, step) for number in tiles)])
    for axis, (count, exact) in enumerate(zip(counts, is_whole, strict=True), start=2):
        if not exact:
            whole = nodes.sliced(whole, axis, nodes.integers([0]), scope.sizes.vector(count))
    return whole


def _matrix(scope: Scope, x: str, rows: int, dims: Sequence[Dim]) -> str:
    """Returns a value as a matrix, whose columns are what has some dims."""
    return scope.reshaped(x, [rows, *known([product(known(dims))])])


RULES: Rules = {winograd.WinogradConv2DOp: _winograd_conv2d}
