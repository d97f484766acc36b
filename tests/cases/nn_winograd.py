"""Cases of Winograd's convolutions, with tiles of 2x2 and of 4x4 results; the oracle is direct convolution in float64."""

from __future__ import annotations

import numpy as np
from harness.op_cases import Arg, Case
from xdsl_relax.dialects.relax.ops.nn.winograd import WinogradConv2DOp
from xdsl_relax.dialects.relax.rules.winograd import TILES, TWO, WinogradTile


def transformed(rng, shape):
    """Returns a random kernel as the op takes it; of a size that it refuses, one of another size."""
    return transform(rng.standard_normal((*shape[:1:-1], 3, 3)), TILES.get(shape[0], TWO))


def transform(kernel, tile: WinogradTile = TWO):
    """Returns `G g G^T` of a kernel [O, C, 3, 3], as [4, 4, C, O] or [6, 6, C, O]."""
    matrix = np.array(tile.kernel)
    return np.einsum("ui,vj,ocij->uvco", matrix, matrix, kernel)


def taps(kernel):
    """Returns the kernel [O, C, 3, 3] that a transformed one is of."""
    inverse = np.linalg.pinv(np.array(TILES[len(kernel)].kernel))
    return np.einsum("iu,jv,uvco->ocij", inverse, inverse, kernel)


def _cases(name, data, outputs, padding=(1, 1, 1, 1), channels=None, **sizes):
    def oracle(x, kernel):
        top, left, bottom, right = padding
        padded = np.pad(x, [(0, 0), (0, 0), (top, bottom), (left, right)])
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
        return np.einsum("ncyxij,ocij->noyx", windows, taps(kernel))

    for window, tile in TILES.items():
        kernel = (window, window, data[1] if channels is None else channels, outputs)
        args = [Arg(data), Arg(kernel, values=transformed)]
        named = f"winograd_conv2d-{name}-{tile.size}x{tile.size}"
        # Of the contraction, which multiplies all factors of each product, the sums are longer.
        tolerance = None if tile is TWO else 3e-4
        yield Case(named, WinogradConv2DOp, args, oracle, {"padding": padding}, sizes, tolerance)


CASES = (
    *_cases("even", (1, 3, 8, 6), 4),
    *_cases("odd", (2, 5, 7, 9), 3),
    *_cases("one-row-more", (1, 3, 13, 9), 4),
    *_cases("one-row-less", (2, 3, 11, 15), 4),
    *_cases("odd-rows", (1, 2, 5, 8), 17),
    *_cases("four-paddings", (1, 2, 5, 6), 3, (0, 1, 2, 3)),
    *_cases("no-padding", (1, 4, 9, 10), 5, (0, 0, 0, 0)),
    *_cases("wide-padding", (1, 2, 1, 2), 3, (5, 4, 3, 2)),
    *_cases("one-result", (1, 7, 3, 3), 2, (0, 0, 0, 0)),
    *_cases("one-pixel", (3, 1, 1, 1), 1),
    *_cases("one-row", (1, 3, 3, 12), 5, (0, 1, 0, 1)),
    *_cases("no-pixels", (1, 3, 0, 4), 2, (2, 1, 2, 1)),
    *_cases("no-images", ("n", 3, 6, 5), 2, n=0),
    *_cases("no-inputs", (2, 0, 5, 6), 3),
    *_cases("no-outputs", (2, 3, 5, 6), 0),
    *_cases("symbolic-batch", ("n", 3, 14, 14), 16, n=3),
    *_cases("symbolic", ("n", 2, "h", "w"), 3, (1, 0, 1, 0), n=2, h=7, w=12),
    *_cases("symbolic-channels", (1, "c", 6, 5), "o", c=5, o=7),
    *_cases("channels", (1, 67, 13, 12), 37),
)
