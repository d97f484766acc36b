"""Rows of pixels as rows of the tiles that a convolution with channels last is computed by."""

from __future__ import annotations

from ...dialects.relax.schedule import MOST_JOINED_ROWS
from ...targets.cpu import TILE_ROWS

FULL = 3 / 4
"""The part of tiles that must have pixels: with less, pixels of all rows together are worth a copy of their windows."""


def fills_tiles(rows: int, pixels: int, pitch: int) -> bool:
    """Returns whether so many rows of pixels fill tiles: each row its own, or all together with what is between them.

    `pitch` is the number of pixels from the start of a row to that of the next.
    """
    tiles, together = rows * -(-pixels // TILE_ROWS), (rows - 1) * pitch + pixels
    if together <= MOST_JOINED_ROWS:
        tiles = min(tiles, -(-together // TILE_ROWS))
    return rows * pixels >= FULL * TILE_ROWS * tiles
