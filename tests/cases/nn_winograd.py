"""Cases of Winograd's convolutions, with tiles of 2x2 and of 4x4 results, and of bytes; the oracle is direct convolution in float64, or
in int64."""

from __future__ import annotations

import numpy as np
from harness.op_cases import Arg, Case
from xdsl.dialects.builtin import i8, i16
from xdsl_relax.dialects.relax.dtypes import ui8
from xdsl_relax.dialects.relax.ops.nn.winograd import IntegerWinogradConv2DOp, WinogradConv2DOp
from xdsl_relax.dialects.relax.rules.winograd import INTEGER_KERNEL, TILES, TWO, WinogradTile


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


def packed(kernel, block):
    """Returns `2 G g (2 G)^T` of a kernel of bytes [O, C, 3, 3], as [4, 4, O / block, C / 2, block, 2]."""
    matrix = np.array(INTEGER_KERNEL, np.int64)
    whole = np.einsum("ui,vj,ocij->uvoc", matrix, matrix, kernel.astype(np.int64))
    _, _, outputs, inputs = whole.shape
    parts = whole.reshape(4, 4, outputs // block, block, inputs // 2, 2)
    return parts.transpose(0, 1, 2, 4, 3, 5)


def _bytes(name, data, outputs, block, padding=(1, 1, 1, 1), element=ui8, extreme=False, **sizes):
    """Yields a case of bytes; extreme ones make the largest sums, of one sign."""
    *_, inputs = data
    shape = (outputs, inputs, 3, 3)
    low, high = (0, 256) if element == ui8 else (-128, 128)

    def image(rng, dims):
        return np.full(dims, high - 1 if element == ui8 else low) if extreme else rng.integers(low, high, dims)

    def kernel_of(rng):
        return np.full(shape, -128) if extreme else rng.integers(-128, 128, shape)

    def transformed_bytes(rng, dims):
        return packed(kernel_of(rng), block)

    def oracle(x, kernel):
        top, left, bottom, right = padding
        whole = np.pad(x, [(0, 0), (top, bottom), (left, right), (0, 0)])
        windows = np.lib.stride_tricks.sliding_window_view(whole, (3, 3), (1, 2))
        matrices = kernel.transpose(0, 1, 2, 4, 3, 5).reshape(4, 4, outputs, inputs)
        inverse = np.linalg.pinv(np.array(INTEGER_KERNEL))
        taps_of = np.rint(np.einsum("iu,jv,uvoc->ocij", inverse, inverse, matrices)).astype(np.int64)
        return np.einsum("nyxcij,ocij->nyxo", windows, taps_of)

    dims = (4, 4, outputs // block, inputs // 2, block, 2)
    args = [Arg(data, element, values=image), Arg(dims, i16, values=transformed_bytes)]
    yield Case(f"integer_winograd_conv2d-{name}", IntegerWinogradConv2DOp, args, oracle, {"padding": padding}, sizes)


CASES = (
    *_bytes("even", (1, 8, 6, 2), 4, 2),
    *_bytes("odd", (2, 7, 9, 6), 3, 1, element=i8),
    *_bytes("four-paddings", (1, 5, 6, 4), 6, 3, (0, 1, 2, 3)),
    *_bytes("one-pixel", (1, 1, 1, 2), 1, 1),
    *_bytes("no-images", ("n", 6, 5, 2), 4, 4, n=0),
    *_bytes("no-inputs", (2, 5, 6, 0), 3, 1),
    *_bytes("no-outputs", (2, 5, 6, 2), 0, 4),
    *_bytes("vectors", (1, 13, 12, 32), 32, 16),
    *_bytes("vectors-of-i8", (2, 7, 14, 64), 48, 16, element=i8),
    *_bytes("extreme", (1, 4, 4, 1826), 16, 16, extreme=True),
    *_bytes("extreme-i8", (1, 3, 5, 96), 32, 16, (0, 1, 1, 0), element=i8, extreme=True),
    *_bytes("wide-panels", (1, 6, 15, 32), 64, 64),
    *_bytes("symbolic-batch", ("n", 14, 14, 64), 32, 16, n=3),
    *_bytes("symbolic", ("n", "h", "w", 32), 16, 16, n=2, h=7, w=12),
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
