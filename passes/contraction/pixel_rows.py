"""Rows of pixels as rows of the tiles that a convolution with channels last is computed by."""

from __future__ import annotations

TILE = 16
"""Most rows of a tile."""

FULL = 3 / 4
"""The part of tiles that must have pixels: with less, pixels of all rows together are worth a copy of their windows."""


def fills_tiles(pixels: int) -> bool:
    """Returns whether the pixels of a row fill tiles, none of which has pixels of two rows."""
    return pixels >= FULL * TILE * -(-pixels // TILE)
