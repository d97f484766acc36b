"""The transforms of Winograd's convolution F(2x2, 3x3): of a 3x3 kernel, of a 4x4 window of the data, and of their product."""

from __future__ import annotations

from typing import TypeAlias

Transform: TypeAlias = tuple[tuple[float, ...], ...]
"""A matrix by its rows; it is applied to both spatial dims: `T x T^T`."""

TILE = 2
"""Rows and columns of the results that one window gives."""

TAPS = 3
"""Rows and columns of the kernel."""

WINDOW = TILE + TAPS - 1
"""Rows and columns of the data that one tile reads, and products that each dim of a tile takes."""

KERNEL_TRANSFORM: Transform = ((1.0, 0.0, 0.0), (0.5, 0.5, 0.5), (0.5, -0.5, 0.5), (0.0, 0.0, 1.0))
"""`G`: a kernel `g` becomes `G g G^T`."""

DATA_TRANSFORM: Transform = ((1.0, 0.0, -1.0, 0.0), (0.0, 1.0, 1.0, 0.0), (0.0, -1.0, 1.0, 0.0), (0.0, 1.0, 0.0, -1.0))
"""`B^T`: a window `d` becomes `B^T d B`."""

RESULT_TRANSFORM: Transform = ((1.0, 1.0, 1.0, 0.0), (0.0, 1.0, -1.0, -1.0))
"""`A^T`: a product `m` becomes the results `A^T m A`."""


def on_both_dims(transform: Transform) -> Transform:
    """Returns the Kronecker product of a transform with itself, which does to a matrix as one vector what `T x T^T` does to it."""
    return tuple(tuple(a * b for a in upper for b in lower) for upper in transform for lower in transform)
