"""Rows of pixels as rows of the tiles that a convolution with channels last is computed by."""

from __future__ import annotations

TILE = 16
"""Most rows of a tile."""

MOST_TOGETHER = 4
"""The most tiles that take pixels of several rows."""

FULL = 3 / 4
"""The part of tiles that must have pixels: with less, pixels of all rows together are worth a copy of their windows."""


def fills_tiles(rows: int, pixels: int, pitch: int) -> bool:
    """Returns whether so many rows of pixels fill tiles: each row its own, or all together with what is between them.

    `pitch` is the number of pixels from the start of a row to that of the next.
    """
    apart, together = rows * -(-pixels // TILE), -(-((rows - 1) * pitch + pixels) // TILE)
    if together <= MOST_TOGETHER:
        apart = min(apart, together)
    return rows * pixels >= FULL * TILE * apart
