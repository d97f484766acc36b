"""Cases of Winograd's convolution; the oracle is direct convolution in float64."""

from __future__ import annotations

import numpy as np
from harness.op_cases import Arg, Case
from xdsl_relax.dialects.relax.ops.nn.winograd import WinogradConv2DOp
from xdsl_relax.dialects.relax.rules.winograd import KERNEL_TRANSFORM


def transformed(rng, shape):
    """Returns a random kernel as the op takes it."""
    return transform(rng.standard_normal((*shape[2:], 3, 3)))


def transform(kernel):
    """Returns `G g G^T` of a kernel [O, C, 3, 3], as [4, 4, O, C]."""
    matrix = np.array(KERNEL_TRANSFORM)
    return np.einsum("ui,vj,ocij->uvoc", matrix, matrix, kernel)


def taps(kernel):
    """Returns the kernel [O, C, 3, 3] that a transformed one is of."""
    inverse = np.linalg.pinv(np.array(KERNEL_TRANSFORM))
    return np.einsum("iu,jv,uvoc->ocij", inverse, inverse, kernel)


def _case(name, data, outputs, padding=(1, 1, 1, 1), channels=None, **sizes):
    def oracle(x, kernel):
        top, left, bottom, right = padding
        padded = np.pad(x, [(0, 0), (0, 0), (top, bottom), (left, right)])
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
        return np.einsum("ncyxij,ocij->noyx", windows, taps(kernel))

    kernel = (4, 4, outputs, data[1] if channels is None else channels)
    args = [Arg(data), Arg(kernel, values=transformed)]
    return Case(f"winograd_conv2d-{name}", WinogradConv2DOp, args, oracle, {"padding": padding}, sizes)


CASES = (
    _case("even", (1, 3, 8, 6), 4),
    _case("odd", (2, 5, 7, 9), 3),
    _case("odd-rows", (1, 2, 5, 8), 17),
    _case("four-paddings", (1, 2, 5, 6), 3, (0, 1, 2, 3)),
    _case("no-padding", (1, 4, 9, 10), 5, (0, 0, 0, 0)),
    _case("wide-padding", (1, 2, 1, 2), 3, (5, 4, 3, 2)),
    _case("one-result", (1, 7, 3, 3), 2, (0, 0, 0, 0)),
    _case("one-pixel", (3, 1, 1, 1), 1),
    _case("one-row", (1, 3, 3, 12), 5, (0, 1, 0, 1)),
    _case("no-pixels", (1, 3, 0, 4), 2, (2, 1, 2, 1)),
    _case("no-images", ("n", 3, 6, 5), 2, n=0),
    _case("no-inputs", (2, 0, 5, 6), 3),
    _case("no-outputs", (2, 3, 5, 6), 0),
    _case("symbolic-batch", ("n", 3, 14, 14), 16, n=3),
    _case("symbolic", ("n", 2, "h", "w"), 3, (1, 0, 1, 0), n=2, h=7, w=12),
    _case("symbolic-channels", (1, "c", 6, 5), "o", c=5, o=7),
    _case("channels", (1, 67, 13, 12), 37),
)
