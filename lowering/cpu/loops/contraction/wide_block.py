"""Blocks of several tiles' columns: rows of A are copied, and converted, once for all of them, each of which has a panel.

memref.alloca panels of 4 x 512 x 64
scf.for chunks of 512 steps
  scf.for 4 tiles' columns: fill a panel
  scf.for tiles of 6 rows
    copy of 6 rows of %a for 512 steps
    scf.for 4 tiles' columns
      func.call @relax.contract.6x64...
      the epilogue on the tile, once its last chunk is done
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ....emit.emitter import Index
from ..loop_nest import with_loop
from .panel import Panel
from .tiled_contraction import Progress
from .vector_block import VectorBlock


class WideBlock(VectorBlock):
    """A block of at most `column_block` columns, of which tiles take their widths in turn."""

    def emit_by_chunks(self) -> None:
        whole = self.whole
        panels = self.panel(whole.tiles.column_block // whole.t.width)
        self.clear_if_empty()
        whole.outer_reductions(0, Progress(self.point, None, None), lambda progress: self._wide_chunk(progress, panels))

    def _wide_chunk(self, progress: Progress, panels: Panel) -> None:
        """Emits one chunk of the reduction: its panels, and the tiles of all rows."""
        whole = self.whole
        b, k, t = whole.b, whole.k, whole.t
        chunk = whole.chunk_of(progress)
        ends = whole.ends_with(progress, chunk)

        def start(columns: Index) -> Index:
            return b.mul(b.floordiv(columns, t.width), panels.size)

        def at_columns(at: list[Index], columns: Index) -> list[Index]:
            return with_loop(at, k.column, b.add(at[k.column], columns))

        self._tiles_of_columns(lambda c, _: panels.fill(at_columns(progress.point, c), chunk.count, start(c)))

        def tile(at: list[Index], rows: Index) -> None:
            def all_columns(number: int) -> None:
                assert self.rows_of_a is not None
                source = (whole.fa.buffer, whole.fa.offset(b, at), whole.a_row, whole.a_step)
                a = self.rows_of_a.fill(source, number, chunk.steps)

                def multiply(first: Index, columns: Index) -> None:
                    point = at_columns(at, first)
                    panel = (panels.buffer, start(first), panels.distance)
                    operands = self.operands(point, chunk.is_first, panel, chunk.steps)
                    self.call_for_columns(number, replace(operands, a=a, columns=columns))
                    whole.finish_if(ends, lambda: self.finish_columns(point, number, columns))

                self._tiles_of_columns(multiply)

            self.for_number_of_rows(rows, all_columns)

        self.tiles(progress.point, tile)

    def _tiles_of_columns(self, emit: Callable[[Index, Index], None]) -> None:
        """Emits the widths of tiles in turn, given the first column of the block and the columns that exist."""
        b, width = self.whole.b, self.whole.t.width

        def tile(first: Index) -> None:
            emit(first, width if self.has_all_columns else b.minimum(b.sub(self.columns, first), width))

        b.plain_loop(0, self.columns, width, tile)
