"""Element-wise ops after a contraction, run on each tile of the output while it is in cache.

    linalg.generic %d = f(%c, %bias)    after the tile of %c at row %i and column %j

becomes

    scf.for the rows of the tile
      for each vector of the row: vector.load %c, f, vector.store %d
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .....records import record
from ....emit.emitter import Index
from ..builder import LoopBuilder
from ..loop_nest import LoopNest, with_loop
from ..vector_access import Mask, first_lanes
from ..vector_nest import VectorEmitter


@record
class EpilogueTiles:
    """The part of the output that is finished at a time: rows of several vectors."""

    lanes: int
    vectors: int
    row: int | None
    """The loop over the rows; None where there is one row."""
    column: int
    """The loop along which vectors lie."""
    joined_rows: int = 1
    """How many short rows of columns make a row of a tile."""
    second: int | None = None
    """The loop over those short rows."""


def emit_epilogue(
    b: LoopBuilder,
    tiles: EpilogueTiles,
    nests: Sequence[LoopNest],
    point: Sequence[Index],
    rows: Index,
    columns: Index,
    before: Callable[[list[Index], Mask], None] | None = None,
) -> None:
    """Emits the nests on a tile: `rows` rows from the point on, and those of `columns` columns that lie in the width of a tile.

    `before` is emitted in front of them at each vector.
    """
    emitters = [VectorEmitter(b, nest, tiles.column, tiles.lanes) for nest in nests]

    def vector(at: list[Index], left: Index) -> None:
        """Emits one vector of a row; `left` columns exist from there on."""
        if isinstance(left, int) and left <= 0:
            return
        mask = None if isinstance(left, int) and left >= tiles.lanes else first_lanes(b, left, tiles.lanes)
        if before is not None:
            before(at, mask)
        for emitter in emitters:
            emitter.at_point(at, mask)

    def plain_row(at: list[Index]) -> None:
        start = at[tiles.column]
        for v in range(tiles.vectors):
            vector(with_loop(at, tiles.column, b.add(start, v * tiles.lanes)), b.sub(columns, v * tiles.lanes))

    def joined_rows(at: list[Index]) -> None:
        """Emits the short rows that lie side by side; each begins with a vector of its own."""
        second, size = tiles.second, nests[0].sizes[tiles.column]
        assert second is not None and size is not None
        first = at[second]

        def short_row(index: Index) -> None:
            here = with_loop(at, second, b.add(first, index))
            for start in range(0, size, tiles.lanes):
                vector(with_loop(here, tiles.column, start), size - start)

        b.plain_loop(0, b.floordiv(columns, size), 1, short_row)

    def row(index: Index) -> None:
        at = list(point[: nests[0].rank()] if nests else point)
        if tiles.row is not None:
            at[tiles.row] = b.add(point[tiles.row], index)
        if tiles.joined_rows == 1:
            plain_row(at)
        else:
            joined_rows(at)

    b.plain_loop(0, rows, 1, row)
