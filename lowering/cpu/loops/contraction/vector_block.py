"""Blocks whose sums are in vector registers: calls of micro-kernels, which are compiled for the rows and columns of a tile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from xdsl.ir import SSAValue

from ....emit.emitter import Index
from ...schedule.access import Access
from ...schedule.panel_parts import distance_of_parts
from ...schedule.tiles import has_whole_groups, lines_of_group, widens_blocks
from ..fetch import elements_of_line, fetch
from ..flat import flatten
from ..kernels import KernelOperands
from ..loop_nest import uppers_of, with_loop
from ..stack import stack
from .contraction_block import BlockRows, ContractionBlock, Source
from .epilogue import EpilogueTiles, emit_epilogue
from .lhs_rows import lhs_contents
from .micro_kernel import MicroKernel, Unrolled, call_kernel
from .panel import Panel, panel_contents
from .panel_blocks import PanelBlocks
from .sums_on_stack import reading_sums
from .tiled_contraction import Progress, TiledContraction


class VectorBlock(ContractionBlock):
    """A block by register tiles, with a kernel for whole ones and for each number of rows that may be left."""

    def __init__(self, whole: TiledContraction, point: list[Index], rows: BlockRows, columns: Index):
        super().__init__(whole, point, rows, columns)
        t = whole.t
        self.sums = stack(whole.b, whole.k.acc_type, t.rows * t.width) if whole.tiles.sums == "stack" else None
        """The sums of a tile; None where they are in the output."""
        self.column_terms: SSAValue | None = None
        """What belongs to columns of the panel alone, where sums of bytes are multiplied."""

    def panel(self, count: int) -> Panel:
        whole = self.whole
        panel = Panel(whole.b, whole.nest, whole.k, whole.t, whole.fb, count)
        self.column_terms = panel.terms
        return panel

    def tiles(self, at: list[Index], emit: Callable[[list[Index], Index], None]) -> None:
        def tile(point: list[Index], rows: Index) -> None:
            self._fetch_results(point)
            emit(point, rows)

        super().tiles(at, tile)

    def _fetch_results(self, point: list[Index]) -> None:
        """Emits the fetch, to be written, of the lines of the results of a tile some rows behind the one at a point."""
        whole = self.whole
        b, t, ahead = whole.b, whole.t, whole.tiles.ahead
        if not ahead or t.row is None:
            return
        for access in _results(whole):
            results = whole.fc if access.value is whole.fc.access.value else flatten(b, access)
            line = elements_of_line(access.type.element_type)
            for row in range(ahead, ahead + t.rows):
                start = results.offset(b, with_loop(point, t.row, b.add(point[t.row], row)))
                for column in range(0, t.width, line):
                    fetch(b, results.buffer, b.add(start, column), level=1, to_write=True)

    def tiles_of_rows(self, emit: Callable[[Index, Index], None]) -> None:
        whole = self.whole
        whole.b.plain_loop(self.start, self.end, whole.t.rows, lambda row: emit(row, self._rows_from(row)))

    def _rows_from(self, row: Index) -> Index:
        """Returns how many rows the tile from `row` on has."""
        whole = self.whole
        if isinstance(whole.rows, int) and whole.rows % whole.t.rows == 0:
            return whole.t.rows
        return whole.b.minimum(whole.b.sub(self.end, row), whole.t.rows)

    def emit_by_chunks(self) -> None:
        if self.part_in_blocks() is None:
            super().emit_by_chunks()
        else:
            self.tiles(self.point, self.tile_at_once)

    def fill(self, progress: Progress, panel: Panel | PanelBlocks, count: Index) -> None:
        if self.whole.tiles.filled == "before":
            super().fill(progress, panel, count)
            return
        # The kernel of the first tile copies whole rows only.
        b, width = self.whole.b, self.whole.t.width
        if not self.has_all_columns:
            b.when(b.less(self.columns, width), lambda: super(VectorBlock, self).fill(progress, panel, count))

    @property
    def has_all_columns(self) -> bool:
        """Whether the columns make whole tiles."""
        size = self.whole.sizes[self.whole.k.column]
        return isinstance(size, int) and size % self.whole.t.width == 0

    def multiply(self, point: list[Index], rows: Index, first: SSAValue, source: Source, steps: Index) -> None:
        if self.whole.tiles.filled == "before":
            if self.whole.tiles.fetched and widens_blocks(self.whole.k, self.whole.t):
                self._fetch_block(point, steps)
            super().multiply(point, rows, first, source, steps)
            return
        whole = self.whole
        b, t = whole.b, whole.t
        assert t.row is not None

        def copy() -> None:
            in_place = (whole.fb.buffer, whole.fb.offset(b, point), whole.fb.step(b, t.chunked))
            operands = self.operands(point, first, in_place, steps)
            fetched = self.fetched(point, source, steps)
            operands = replace(operands, columns=t.width, fetched=fetched, copied=source)
            call_kernel(b, whole.library, self._kernel(t.rows, t.vectors, operands), operands)

        copies = b.compare("eq", point[t.row], self.start)
        if not self.has_all_columns:
            copies = b.both(copies, b.compare("eq", self.columns, t.width))
        b.if_else(copies, copy, lambda: super(VectorBlock, self).multiply(point, rows, first, source, steps))

    def operands(self, point: list[Index], first: SSAValue, source: Source, steps: Index) -> KernelOperands:
        whole = self.whole
        if has_whole_groups(whole.k, whole.t):
            steps = whole.b.mul(whole.b.ceildiv(steps, whole.t.group), whole.t.group)
        operands = super().operands(point, first, source, steps)
        if whole.row_terms is not None and self.column_terms is not None:
            assert isinstance(whole.rows, int) and whole.t.row is not None
            number = whole.b.floordiv(point[whole.t.chunked], whole.t.chunk)
            place = whole.b.add(whole.b.mul(number, whole.rows), point[whole.t.row])
            operands = replace(operands, terms=(whole.row_terms, place, self.column_terms))
        return operands if self.sums is None else replace(operands, c=(self.sums, 0, whole.t.width))

    def call(self, rows: Index, operands: KernelOperands) -> None:
        def call(count: int) -> None:
            copies = self.rows_of_a
            a = operands.a if copies is None else copies.fill(operands.a, count, operands.steps)
            # What few rows are left has a kernel of its own, of which there is the less code.
            fetched = operands.fetched if count == self.whole.t.rows else None
            self.call_for_columns(count, replace(operands, a=a, fetched=fetched))

        self.for_number_of_rows(rows, call)

    def for_number_of_rows(self, rows: Index, emit: Callable[[int], None]) -> None:
        """Emits code for a known number of rows, or with a branch for each that a tile may have."""
        b, rows_of_all, most = self.whole.b, self.whole.rows, self.whole.t.rows
        if isinstance(rows, int):
            emit(rows)
            return

        def rest() -> None:
            if isinstance(rows_of_all, int):
                # Only the last tile of all has fewer rows.
                emit(rows_of_all % most)
            else:
                b.switch(rows, [lambda count=count: emit(count) for count in range(1, most)])

        b.if_else(b.less(rows, most), rest, lambda: emit(most))

    def call_for_columns(self, rows: int, operands: KernelOperands) -> None:
        """Emits the call of the kernel for so many rows, and for as many vectors as the block has columns for."""
        whole = self.whole
        b, t, last = whole.b, whole.t, -(-self._columns_of_last_block() // whole.t.lanes)

        def call(vectors: int, columns: Index) -> None:
            # The stack has room for all columns of a tile.
            existing = replace(operands, columns=columns if self.sums is None else vectors * t.lanes)
            call_kernel(b, whole.library, self._kernel(rows, vectors, existing), existing)

        if last == t.vectors:
            call(t.vectors, operands.columns)
        else:
            is_last = b.less(operands.columns, t.width)
            b.if_else(is_last, lambda: call(last, operands.columns), lambda: call(t.vectors, t.width))

    def _columns_of_last_block(self) -> int:
        """Returns the columns that the last block has; all of a tile where their number is not known."""
        t, size = self.whole.t, self.whole.sizes[self.whole.k.column]
        rest = size % t.width if isinstance(size, int) and t.joined_rows == 1 else 0
        return rest or t.width

    def _kernel(self, rows: int, vectors: int, operands: KernelOperands) -> MicroKernel:
        k, t, tiles = self.whole.k, self.whole.t, self.whole.tiles
        a_type, a_conversion = lhs_contents(k, t) if tiles.packs_lhs else (k.a.type.element_type, k.a_conversion)
        b_type, b_conversion = panel_contents(k, t) if tiles.packs_rhs else (k.b.type.element_type, k.b_conversion)
        types = (a_type, b_type, k.acc_type)
        unrolled = Unrolled()
        if rows == t.rows:
            fetched = tiles.fetched if operands.fetched is not None else 0
            unrolled = Unrolled(tiles.unroll, fetched, _known(operands.a[-1]), _known(operands.b[-1]))
        if t.dot is not None and t.dot.widens:
            panel = t.width if t.dot.pairs else None
            unrolled = replace(unrolled, a_row=_known(operands.a[2]), panel=panel)
        copies = operands.copied is not None
        parts = tuple(self.whole.nest.sizes[d] or 0 for d in t.outer) if operands.parts else ()
        is_whole = operands.columns == vectors * t.lanes
        form = (a_conversion, b_conversion, t.group, t.dot, unrolled, copies, parts, is_whole)
        return MicroKernel(rows, vectors, t.lanes, *types, *form)

    def fetched(self, point: list[Index], source: Source, steps: Index) -> Source | None:
        """Returns the part for a tile of the panel that follows, which the tiles of a block share.

        Later tiles begin behind it. Behind the last of some blocks of columns that is one which others take.
        """
        whole = self.whole
        b, t, tiles = whole.b, whole.t, whole.tiles
        if not tiles.fetched or widens_blocks(whole.k, t):
            return None
        line = elements_of_line(whole.k.b.type.element_type)
        if tiles.packs_rhs:
            return self._fetched_rows(point, b.mul(self._number_of_tile(point), tiles.fetched), line)
        buffer, offset, step = source
        parts = 1 if distance_of_parts(whole.k, t) is None else b.product(uppers_of(whole.nest, t.outer))
        panel = b.mul(b.mul(steps, step), parts)
        lines = b.mul(b.mul(b.floordiv(steps, tiles.unroll * t.group), tiles.fetched), parts)
        before = b.mul(b.mul(self._number_of_tile(point), lines), line)
        following = b.add(offset, panel)
        if tiles.column_block:
            column = whole.k.column
            following = whole.fb.offset(b, with_loop(point, column, b.add(point[column], t.width)))
        return buffer, b.add(following, b.minimum(before, panel)), tiles.fetched * line

    def _fetch_block(self, point: list[Index], steps: Index) -> None:
        """Emits the fetch of a part of what the next panel is widened from: of the next steps, or of the first ones of the next columns."""
        whole = self.whole
        b, k, t, size = whole.b, whole.k, whole.t, whole.sizes[whole.t.chunked]
        line, lines = elements_of_line(k.b.type.element_type), lines_of_group(k, t)
        columns = with_loop(with_loop(point, t.chunked, 0), k.column, b.add(point[k.column], t.width))
        start = whole.fb.offset(b, columns)
        if not isinstance(size, int) or size > t.chunk:
            further = with_loop(point, t.chunked, b.add(point[t.chunked], t.chunk))
            start = b.select(b.less(further[t.chunked], size), whole.fb.offset(b, further), start)
        most = b.mul(b.ceildiv(steps, k.packed_group), lines)
        before = b.minimum(b.mul(self._number_of_tile(point), whole.tiles.fetched), most)

        def part(index: Index) -> None:
            number = b.add(before, index)
            group = b.floordiv(number, lines)
            inside = b.mul(b.sub(number, b.mul(group, lines)), line)
            place = b.add(b.mul(group, k.packed_block * k.packed_group), inside)
            fetch(b, whole.fb.buffer, b.add(start, place))

        b.plain_loop(0, whole.tiles.fetched, 1, part)

    def _number_of_tile(self, point: list[Index]) -> Index:
        """Returns how many tiles of the block are before the one at a point."""
        whole = self.whole
        b, t = whole.b, whole.t
        outer: Index = 0
        for d in whole.other_rows:
            outer = b.add(b.mul(outer, whole.sizes[d]), point[d])
        if self.outer_rows is not None:
            outer = b.sub(outer, self.outer_rows[0])
        if t.row is None:
            return outer
        tiles = b.ceildiv(b.sub(self.end, self.start), t.rows)
        return b.add(b.mul(outer, tiles), b.floordiv(b.sub(point[t.row], self.start), t.rows))

    def _fetched_rows(self, point: list[Index], number: Index, line: int) -> Source:
        """Returns the part of what the panel that follows is copied from: of the lines for an iteration's steps, those from a number on."""
        whole = self.whole
        b, k, t, tiles = whole.b, whole.k, whole.t, whole.tiles
        lines = -(-t.width // line)
        row = whole.fb.step(b, t.chunked)
        following, number = b.add(point[k.column], t.width), b.sub(number, b.round_down(number, tiles.unroll * lines))
        start = whole.fb.offset(b, with_loop(point, k.column, following))
        inside = b.add(b.mul(b.floordiv(number, lines), row), b.mul(b.sub(number, b.round_down(number, lines)), line))
        return whole.fb.buffer, b.add(start, inside), b.mul(row, tiles.unroll)

    def finish(self, point: list[Index], rows: Index) -> None:
        self.finish_columns(point, rows, self.columns)

    def finish_columns(self, point: list[Index], rows: Index, columns: Index) -> None:
        """Emits the epilogue on so many columns of a tile: all of it, or those of the last one, with the masks that it needs."""
        b, width, last = self.whole.b, self.whole.t.width, self._columns_of_last_block()
        if isinstance(columns, int) or self.has_all_columns:
            self._finish(point, rows, columns if isinstance(columns, int) else width)
            return
        of_last = columns if last == width else last
        is_last = b.less(columns, width)
        b.if_else(is_last, lambda: self._finish(point, rows, of_last), lambda: self._finish(point, rows, width))

    def _finish(self, point: list[Index], rows: Index, columns: Index) -> None:
        whole, k, t = self.whole, self.whole.k, self.whole.t
        second = k.columns[-2] if t.joined_rows > 1 else None
        tiles = EpilogueTiles(t.lanes, t.vectors, t.row, k.column, t.joined_rows, second)
        epilogue = whole.epilogue if self.sums is None else reading_sums(whole, self.sums, t.width, point)
        emit_epilogue(whole.b, tiles, epilogue, point, rows, columns)


def _known(distance: Index) -> int | None:
    return distance if isinstance(distance, int) else None


def _results(whole: TiledContraction) -> list[Access]:
    """Returns what is written for good of a tile: by its epilogue what no later op of that reads, without one the sums."""
    kept: list[Access] = []
    read: set[SSAValue] = set()
    for nest in reversed(whole.epilogue):
        kept += [output for output in nest.outputs if output.value not in read]
        read |= {access.value for access in nest.inputs}
    return kept[::-1] or [whole.k.c]
