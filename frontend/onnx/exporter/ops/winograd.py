"""Winograd's convolutions as products of matrices: transforms of tiles are products by the Kronecker product of a transform with itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import i32

from .....dialects.relax.dtypes import numpy_dtype
from .....dialects.relax.ops.nn import winograd
from .....dialects.relax.rules.window import Window
from .....dialects.relax.rules.winograd import INTEGER_SHIFT, TAPS, TWO, Transform, WinogradTile, on_both_dims
from .....dialects.symbolic.expressions import Dim, Known, add, apply, ceildiv, product
from ..table import Rules, Scope, known
from .manipulate import padded
from .windows import gathered_windows


def _transformed(scope: Scope, transform: Transform, x: str) -> str:
    """Returns a matrix whose columns are tiles, transformed."""
    matrix = np.array(on_both_dims(transform), numpy_dtype(scope.nodes.element(x)))
    return scope.nodes.add("MatMul", scope.nodes.constant(matrix), x)


def _winograd_conv2d(op: winograd.WinogradConv2DOp, args: Sequence[str], scope: Scope) -> str:
    tile, data = op.tile(), (args[0], tuple(scope.dims(op.data, args[0])))
    channels, outputs = scope.dims(op.kernel, args[1])[2:]
    matrices = scope.nodes.transposed(scope.reshaped(args[1], [tile.products, channels, outputs]), [0, 2, 1])
    return _convolved(scope, op, tile, data, matrices, outputs)


def _integer_winograd_conv2d(op: winograd.IntegerWinogradConv2DOp, args: Sequence[str], scope: Scope) -> str:
    nodes = scope.nodes
    batch, rows, columns, channels = scope.dims(op.data, args[0])
    _, _, blocks, _, block, _ = scope.dims(op.kernel, args[1])
    (outputs,) = known([product([blocks, block])])
    matrices = nodes.transposed(nodes.cast(args[1], i32), [0, 1, 2, 4, 3, 5])
    matrices = scope.reshaped(matrices, [TWO.products, outputs, channels])
    data = nodes.transposed(nodes.cast(args[0], i32), [0, 3, 1, 2]), (batch, channels, rows, columns)
    sums = nodes.transposed(_convolved(scope, op, TWO, data, matrices, outputs), [0, 2, 3, 1])
    # A shift to the right is for unsigned integers in ONNX: what it drops is subtracted before an exact division.
    divisor = nodes.scalar(1 << INTEGER_SHIFT, i32)
    return nodes.add("Div", nodes.add("Sub", sums, nodes.add("Mod", sums, divisor)), divisor)


def _convolved(
    scope: Scope,
    op: winograd.WinogradOp,
    tile: WinogradTile,
    data: tuple[str, tuple[Known, ...]],
    matrices: str,
    outputs: Known,
) -> str:
    """Returns the results for data with channels first, whose dims are given too, and a matrix [O, C] for each product."""
    nodes, windows, step = scope.nodes, op.windows(), tile.size
    x, (batch, channels, *sizes) = data
    counts = known(
        [add(size, window.before + window.after + 1 - TAPS) for size, window in zip(sizes, windows, strict=True)]
    )
    tiles = known([ceildiv(count, step) for count in counts])
    # The last tile reads further rows where the result has some of its rows alone, how many may be known at run time only.
    is_whole = [apply("mod", count, step) == 0 for count in counts]
    most = [0 if whole else step - 1 for whole in is_whole]
    pairs = [(window.before, window.after + more) for window, more in zip(windows, most, strict=True)]
    x = padded(scope, x, [(0, 0), (0, 0), *pairs], 0)
    view = nodes.transposed(
        gathered_windows(scope, x, [Window(tile.window, step)] * 2, tiles, [tile.window] * 2), [3, 5, 1, 0, 2, 4]
    )
    columns = _transformed(scope, tile.data, _matrix(scope, view, tile.products, [channels, batch, *tiles]))
    (places,) = known([product([batch, *tiles])])
    sums = nodes.add("MatMul", matrices, scope.reshaped(columns, [tile.products, channels, places]))
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


RULES: Rules = {
    winograd.WinogradConv2DOp: _winograd_conv2d,
    winograd.IntegerWinogradConv2DOp: _integer_winograd_conv2d,
}
