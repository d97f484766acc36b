"""Blocks whose sums are in tile registers: rows take several panels, or several blocks of a packed B, in turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from xdsl.ir import SSAValue

from ....emit.emitter import Index
from ..kernels import KernelOperands
from ..loop_nest import with_loop
from .contraction_block import BlockRows, ContractionBlock, Source
from .epilogue import EpilogueTiles, emit_epilogue
from .panel_blocks import PanelBlocks
from .tile_instructions import release
from .tile_rows import TileRows
from .tiled_contraction import Progress, TiledContraction

EPILOGUE_VECTORS = 4
"""The vectors of a row that an epilogue takes at a time after sums in tile registers."""


class RegisterBlock(ContractionBlock):
    """A block by tiles of 16 rows and 16 columns, of which one or two rows of tiles are multiplied together."""

    def __init__(self, whole: TiledContraction, point: list[Index], rows: BlockRows, columns: Index):
        super().__init__(whole, point, rows, columns)
        self.rows_of_sums = TileRows(whole)

    def panel(self, count: int) -> PanelBlocks:
        whole = self.whole
        return PanelBlocks(whole.b, whole.nest, whole.k, whole.t, whole.fb, self.columns, count)

    def tiles(self, at: list[Index], emit: Callable[[list[Index], Index], None]) -> None:
        if not self.rows_of_sums.are_whole(self.start, self.end):
            super().tiles(at, emit)
            return
        self.rows_of_sums.configure_whole()
        super().tiles(at, emit)
        release(self.whole.b)

    def tiles_of_rows(self, emit: Callable[[Index, Index], None]) -> None:
        self.rows_of_sums.rows(self.start, self.end, emit)

    def operands(self, point: list[Index], first: SSAValue, source: Source, steps: Index) -> KernelOperands:
        operands = super().operands(point, first, source, steps)
        return replace(operands, c=self.rows_of_sums.sums_at(point) or operands.c)

    def call(self, rows: Index, operands: KernelOperands) -> None:
        self.rows_of_sums.multiply(rows, operands, self.rows_of_a)

    def emit_by_chunks(self) -> None:
        if self.whole.tiles.packs_rhs:
            super().emit_by_chunks()
            return
        self.clear_if_empty()
        self.tiles(self.point, self._tile_over_all if self.part_in_blocks() is None else self.tile_at_once)

    def source_in_blocks(self, point: list[Index]) -> Source:
        whole = self.whole
        return whole.fb.buffer, whole.fb.offset(whole.b, point), self.distance_of_blocks(point)

    def _tile_over_all(self, at: list[Index], rows: Index) -> None:
        """Emits some rows over the whole reduction, of which no panels are made, chunk by chunk."""
        whole = self.whole

        def chunk(progress: Progress) -> None:
            part = whole.chunk_of(progress)
            self.multiply(progress.point, rows, part.is_first, self.source_in_blocks(progress.point), part.steps)

        whole.outer_reductions(0, Progress(at, None, None), chunk)
        if whole.epilogue:
            self.finish(at, rows)

    def distance_of_blocks(self, point: list[Index]) -> Index:
        """Returns the elements from a block of columns of a B that lies in blocks to the next."""
        whole = self.whole
        b, column, width = whole.b, whole.k.column, whole.k.packed_block
        if whole.t.width <= width:
            return 0
        beyond = with_loop(point, column, b.add(point[column], width))
        return b.sub(whole.fb.offset(b, beyond), whole.fb.offset(b, point))

    def finish(self, point: list[Index], rows: Index) -> None:
        """Emits the epilogue on one tile, whose columns it takes by the width of a tile in vector registers."""
        if self.whole.joined is None:
            self._finish_rows_of_loop(point, rows)

    def finish_rows(self, point: list[Index]) -> None:
        """Emits the epilogue on rows of two loops, once the sums of all are on the stack."""
        whole = self.whole
        if whole.joined is not None and whole.t.row is not None:
            joined, rows = whole.joined, whole.sizes[whole.t.row]
            whole.b.plain_loop(
                0, whole.sizes[joined], 1, lambda i: self._finish_rows_of_loop(with_loop(point, joined, i), rows)
            )

    def _finish_rows_of_loop(self, point: list[Index], rows: Index) -> None:
        """Emits the epilogue on rows of one loop."""
        whole = self.whole
        b, t, column = whole.b, whole.t, whole.k.column
        vectors = min(t.vectors, EPILOGUE_VECTORS)
        tiles = EpilogueTiles(t.lanes, vectors, t.row, column)
        epilogue = self.rows_of_sums.reading_sums(point)

        def finish(start: Index, columns: Index) -> None:
            at = with_loop(point, column, b.add(point[column], start))
            emit_epilogue(b, tiles, epilogue, at, rows, columns)

        width, size = vectors * t.lanes, whole.sizes[column]
        limit = b.round_down(self.columns, width)
        b.plain_loop(0, limit, width, lambda start: finish(start, width))
        if t.width % width or not isinstance(size, int) or size % width:
            b.when(b.less(limit, self.columns), lambda: finish(limit, b.sub(self.columns, limit)))
