"""Panels of B side by side, for columns that rows in tile registers take in turn.

B[k, n] of 1024 steps and 256 columns    becomes    panel[n floordiv 64][k floordiv 2][n mod 64][k mod 2]
                                         or         panel[n floordiv 16][k floordiv 2][n mod 16][k mod 2]

The latter where blocks are transposed on the way: all lines of a tile lie together, so that they take all sets of a cache in turn, not
every fourth. Rows that are contiguous along the columns are copied faster by 64.
"""

from __future__ import annotations

from dataclasses import replace

from ....emit.emitter import Index
from ...schedule.contraction import Contraction
from ...schedule.tiles import Tiling
from ..builder import LoopBuilder
from ..flat import FlatAccess
from ..loop_nest import LoopNest, with_loop
from .panel import Panel, is_transposed

MOST_VECTORS = 4
"""The vectors of a row of a panel that is not transposed: a page holds the 16 groups of steps that a tile takes."""

STEPS = 64
"""The steps of all panels that are filled before further ones, as their rows lie on the same pages."""


def block_width(contraction: Contraction, tiling: Tiling) -> int:
    """Returns the columns of a panel, which divide those of a tile."""
    if is_transposed(contraction, tiling):
        return tiling.lanes
    return tiling.lanes * next(n for n in range(MOST_VECTORS, 0, -1) if tiling.vectors % n == 0)


class PanelBlocks:
    """Panels on the stack, allocated where the builder stands; of `count` panels of steps each block of columns has all."""

    def __init__(
        self,
        b: LoopBuilder,
        nest: LoopNest,
        contraction: Contraction,
        tiling: Tiling,
        source: FlatAccess,
        columns: Index,
        count: int = 1,
    ):
        self.b = b
        self.k = contraction
        self.t = tiling
        self.columns = columns
        self.width = block_width(contraction, tiling)
        narrow = replace(tiling, vectors=self.width // tiling.lanes)
        blocks = tiling.width // self.width
        self.panel = Panel(b, nest, contraction, narrow, source, count * blocks)
        self.buffer = self.panel.buffer
        self.step = self.panel.inside * self.width
        """The elements of one step of the chunked dim."""
        self.distance = self.panel.size
        """The elements from one block of columns to the next."""
        self.size = blocks * self.distance
        """The elements from one panel of steps to the next."""

    def fill(self, point: list[Index], count: Index, start: Index = 0) -> None:
        """Copies `count` steps of the chunked dim from a point on to the panels that begin at `start`."""
        b, t = self.b, self.t

        def steps(step: Index) -> None:
            at = with_loop(point, t.chunked, b.add(point[t.chunked], step))
            self._fill(at, b.minimum(b.sub(count, step), STEPS), b.add(start, b.mul(step, self.step)))

        if self.panel.transposed:
            # Its last block reaches beyond the last step, into the next panel, which is filled later.
            self._fill(point, count, start)
        else:
            b.plain_loop(0, count, STEPS, steps)

    def _fill(self, point: list[Index], count: Index, start: Index) -> None:
        """Copies steps of all columns, panel by panel."""
        b, column = self.b, self.k.column

        def block(index: Index) -> None:
            at = with_loop(point, column, b.add(point[column], b.mul(index, self.width)))
            self.panel.fill(at, count, b.add(start, b.mul(index, self.distance)))

        b.plain_loop(0, b.ceildiv(self.columns, self.width), 1, block)
