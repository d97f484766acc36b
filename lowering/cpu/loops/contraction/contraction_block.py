"""A block of a tiled contraction, which is what one iteration of its parallel loop computes: some rows of some columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from .....records import record
from ....emit.emitter import Index
from ...schedule.panel_parts import distance_of_parts
from ..kernels import KernelOperands
from ..loop_nest import uppers_of
from .lhs_rows import LhsRows
from .panel import Panel
from .panel_blocks import PanelBlocks
from .tiled_contraction import Progress, TiledContraction

Source: TypeAlias = tuple[SSAValue, Index, Index]
"""Where kernels read B, or what they fetch: a buffer, the offset in it, and a distance."""


@record
class BlockRows:
    """The rows of a block: of the tile's loop from `start` to `end`, of the others some iterations through all of them, or all (None)."""

    outer: tuple[Index, Index] | None
    start: Index
    end: Index


class ContractionBlock(ABC):
    """Some rows of a block of `columns` columns that begins at a point, over the whole reduction."""

    def __init__(self, whole: TiledContraction, point: list[Index], rows: BlockRows, columns: Index):
        self.whole = whole
        self.point = point
        self.outer_rows = rows.outer
        self.start = rows.start
        self.end = rows.end
        self.columns = columns
        tiled = whole.tiles
        self.rows_of_a = LhsRows(whole.b, whole.nest, whole.k, whole.t, whole.fa) if tiled.packs_lhs else None
        """Where the rows of A that a tile reads are copied to; None where they are read in place."""

    @abstractmethod
    def panel(self, count: int) -> Panel | PanelBlocks:
        """Returns memory for so many panels, allocated where the builder stands."""

    @abstractmethod
    def tiles_of_rows(self, emit: Callable[[Index, Index], None]) -> None:
        """Emits the tiles of the rows, given the first row and the rows of each."""

    @abstractmethod
    def call(self, rows: Index, operands: KernelOperands) -> None:
        """Emits the call of the kernel for so many rows of a tile; A is where it lies."""

    def fetched(self, point: list[Index], source: Source, steps: Index) -> Source | None:
        """Returns what the kernel fetches while it multiplies the tile at a point, as operands of kernels have it; None for nothing."""
        return None

    def finish_rows(self, point: list[Index]) -> None:
        """Emits what follows all tiles of rows, the first of which is at the point."""

    @abstractmethod
    def finish(self, point: list[Index], rows: Index) -> None:
        """Emits the epilogue on one tile."""

    def emit(self) -> None:
        """Emits the block."""
        if self.whole.tiles.panels > 1:
            self._emit_with_all_panels()
        else:
            self.emit_by_chunks()

    def emit_by_chunks(self) -> None:
        """Emits the block chunk by chunk of the reduction, with a panel for each unless B lies in blocks."""
        whole = self.whole
        panel = self.panel(1) if whole.tiles.packs_rhs else None
        self.clear_if_empty()
        whole.outer_reductions(0, Progress(self.point, None, None), lambda progress: self.emit_chunk(progress, panel))

    def clear_if_empty(self) -> None:
        """Emits zeros in the block of the output, if the reduction turns out to have no step at all."""
        whole = self.whole
        if not whole.starts_at_zero or not whole.may_be_empty:
            return
        b = whole.b
        steps = b.product(uppers_of(whole.nest, whole.k.reduced))
        zero = b.constant(0, whole.k.acc_type)

        def zero_at(indices: Sequence[Index]) -> None:
            at = whole.with_rows(self.point, indices[:-2], b.add(self.start, indices[-2]))
            b.store(zero, whole.fc.buffer, [b.add(whole.fc.offset(b, at), indices[-1])])

        def clear_rows(outer: Sequence[Index]) -> None:
            b.nest([b.sub(self.end, self.start), self.columns], lambda inner: zero_at([*outer, *inner]))

        def clear() -> None:
            self._for_outer_rows(clear_rows)

        b.when(b.compare("eq", steps, 0), clear)

    def _emit_with_all_panels(self) -> None:
        """Emits the block after its panels, which are filled first, so that the sums of a tile stay in the cache."""
        whole = self.whole
        panel, steps = self.panel(whole.tiles.panels), whole.panel_steps
        self.fill_all_panels(panel)

        def tile(at: list[Index], rows: Index) -> None:
            self.multiply_by_panels(at, rows, panel, steps)
            if whole.epilogue:
                self.finish(at, rows)

        self.tiles(self.point, tile)

    def fill_all_panels(self, panel: Panel | PanelBlocks) -> None:
        """Emits copies of all steps to the panels of each iteration of the loops around them."""
        whole = self.whole

        def fill(progress: Progress) -> None:
            panel.fill(progress.point, whole.sizes[whole.t.chunked], self._start_of_panel(progress.point, panel))

        whole.outer_reductions(0, Progress(self.point, None, None), fill)

    def multiply_by_panels(self, point: list[Index], rows: Index, panel: Panel | PanelBlocks, steps: Index) -> None:
        """Emits the products of one tile over all reductions, of which so many steps are in each panel: one call for all panels, so that
        sums stay in registers, but where copies of rows have the steps of one panel.
        """
        if self.rows_of_a is None:
            self.multiply_parts(point, rows, (panel.buffer, 0, panel.distance), panel.size, steps)
            return
        whole, b = self.whole, self.whole.b

        def call(progress: Progress) -> None:
            first = progress.first if whole.starts_at_zero else None
            is_first = b.constant(False, i1) if first is None else first
            start = self._start_of_panel(progress.point, panel)
            self.multiply(progress.point, rows, is_first, (panel.buffer, start, panel.distance), steps)

        whole.outer_reductions(0, Progress(point, None, None), call)

    def multiply_parts(self, point: list[Index], rows: Index, source: Source, part: Index, steps: Index) -> None:
        """Emits the call that has the loops around panels itself, the steps of each of which lie `part` elements behind those before."""
        whole, b = self.whole, self.whole.b
        operands = self.operands(point, b.constant(whole.starts_at_zero, i1), source, steps)
        parts = tuple(whole.fa.step(b, d) for d in whole.t.outer)
        fetched = self.fetched(point, source, steps)
        self.call(rows, replace(operands, parts=parts, part=part, fetched=fetched))

    def _start_of_panel(self, point: list[Index], panel: Panel | PanelBlocks) -> Index:
        """Returns where the panel begins that has the steps of a point."""
        whole, b = self.whole, self.whole.b
        flat: Index = 0
        for d in whole.t.outer:
            flat = b.add(b.mul(flat, whole.sizes[d]), point[d])
        return b.mul(flat, panel.size)

    def emit_chunk(self, progress: Progress, panel: Panel | PanelBlocks | None) -> None:
        """Emits one chunk of the reduction: its panel, and all tiles that use it."""
        whole = self.whole
        chunk = whole.chunk_of(progress)
        if panel is not None:
            self.fill(progress, panel, chunk.count)
            source: Source = (panel.buffer, 0, panel.distance)
        else:
            source = self.source_in_blocks(progress.point)
        ends = whole.ends_with(progress, chunk)

        def tile(at: list[Index], rows: Index) -> None:
            self.multiply(at, rows, chunk.is_first, source, chunk.steps)
            whole.finish_if(ends, lambda: self.finish(at, rows))

        self.tiles(progress.point, tile)

    def source_in_blocks(self, point: list[Index]) -> Source:
        """Returns where kernels read a B that lies in blocks already."""
        whole = self.whole
        step = whole.fb.step(whole.b, whole.t.innermost) if whole.t.group == 1 else whole.k.packed_block
        return whole.fb.buffer, whole.fb.offset(whole.b, point), step

    def part_in_blocks(self) -> int | None:
        """Returns the elements from a panel's steps to the next in a B that lies in blocks; None where one call cannot take all of them."""
        return None if self.rows_of_a is not None else distance_of_parts(self.whole.k, self.whole.t)

    def tile_at_once(self, at: list[Index], rows: Index) -> None:
        """Emits some rows over the whole reduction, of which no panels are made, by one call."""
        self.multiply_parts(at, rows, self.source_in_blocks(at), self.part_in_blocks() or 0, self.whole.panel_steps)
        if self.whole.epilogue:
            self.finish(at, rows)

    def fill(self, progress: Progress, panel: Panel | PanelBlocks, count: Index) -> None:
        """Emits the copy of so many steps of the chunked loop to a panel."""
        panel.fill(progress.point, count)

    def tiles(self, at: list[Index], emit: Callable[[list[Index], Index], None]) -> None:
        """Emits the tiles of all rows, the last of which may have fewer, given where each begins and its rows."""
        whole = self.whole

        def rows(indices: Sequence[Index]) -> None:
            self.tiles_of_rows(lambda row, count: emit(whole.with_rows(at, indices, row), count))
            self.finish_rows(whole.with_rows(at, indices, 0))

        self._for_outer_rows(rows)

    def _for_outer_rows(self, emit: Callable[[Sequence[Index]], None]) -> None:
        """Emits the loops over the other rows, given the index of each loop."""
        whole = self.whole
        if self.outer_rows is None:
            whole.b.nest(uppers_of(whole.nest, whole.other_rows), emit)
        else:
            whole.b.plain_loop(*self.outer_rows, 1, lambda number: emit(whole.outer_indices(number)))

    def multiply(self, point: list[Index], rows: Index, first: SSAValue, source: Source, steps: Index) -> None:
        """Emits the products of one tile over some steps; they are the first, or are added to what C has."""
        fetched = self.fetched(point, source, steps)
        self.call(rows, replace(self.operands(point, first, source, steps), fetched=fetched))

    def operands(self, point: list[Index], first: SSAValue, source: Source, steps: Index) -> KernelOperands:
        """Returns what the kernel takes for the tile at a point."""
        whole, b = self.whole, self.whole.b
        a = (whole.fa.buffer, whole.fa.offset(b, point), whole.a_row, whole.a_step)
        c = (whole.fc.buffer, whole.fc.offset(b, point), whole.c_row)
        return KernelOperands(a, source, c, steps, self.columns, first)
