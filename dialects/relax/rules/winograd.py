"""The transforms of Winograd's convolution F(2x2, 3x3): of a 3x3 kernel, of a 4x4 window of the data, and of their product."""

from __future__ import annotations

from typing import TypeAlias

from xdsl.ir.affine import AffineExpr, AffineMap

from ...symbolic.expressions import Dim, add, ceildiv, product

Transform: TypeAlias = tuple[tuple[float, ...], ...]
"""A matrix by its rows; it is applied to both spatial dims: `T x T^T`."""

TILE = 2
"""Rows and columns of the results that one window gives."""

TAPS = 3
"""Rows and columns of the kernel."""

WINDOW = TILE + TAPS - 1
"""Rows and columns of the data that one tile reads, and products that each dim of a tile takes."""

PRODUCTS = WINDOW * WINDOW
"""Products of a channel of the data and a channel of the kernel that a tile takes."""

KERNEL_TRANSFORM: Transform = ((1.0, 0.0, 0.0), (0.5, 0.5, 0.5), (0.5, -0.5, 0.5), (0.0, 0.0, 1.0))
"""`G`: a kernel `g` becomes `G g G^T`."""

DATA_TRANSFORM: Transform = ((1.0, 0.0, -1.0, 0.0), (0.0, 1.0, 1.0, 0.0), (0.0, -1.0, 1.0, 0.0), (0.0, 1.0, 0.0, -1.0))
"""`B^T`: a window `d` becomes `B^T d B`."""

RESULT_TRANSFORM: Transform = ((1.0, 1.0, 1.0, 0.0), (0.0, 1.0, -1.0, -1.0))
"""`A^T`: a product `m` becomes the results `A^T m A`."""


def on_both_dims(transform: Transform) -> Transform:
    """Returns the Kronecker product of a transform with itself, which does to a matrix as one vector what `T x T^T` does to it."""
    return tuple(tuple(a * b for a in upper for b in lower) for upper in transform for lower in transform)


def padded_size(results: Dim) -> Dim:
    """Returns the rows of the padded data that so many rows of results are computed from, in whole tiles; columns alike."""
    return add(product([ceildiv(results, TILE), TILE]), WINDOW - TILE)


def winograd_maps() -> list[AffineMap]:
    """Returns how a contraction indexes the padded data, the kernel, `A^T` twice, `B^T` twice and the result.

    Its dims are those of the result `[n, o, y, x]`, then the channels, the two of products `u, v`, and the two of a window `i, j`.
    """
    n, o, y, x, c, u, v, i, j = (AffineExpr.dimension(d) for d in range(9))
    exprs = [
        (n, c, y // TILE * TILE + i, x // TILE * TILE + j),
        (u, v, o, c),
        (y % TILE, u),
        (x % TILE, v),
        (u, i),
        (v, j),
        (n, o, y, x),
    ]
    return [AffineMap(9, 0, each) for each in exprs]
