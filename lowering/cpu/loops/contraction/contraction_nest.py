"""Contractions by register tiles: panels of B, and calls of micro-kernels.

    linalg.generic %c += %a * %b    with tiles = <shape = [6, 64], pack = rhs, steps = 512>

becomes

    scf.parallel (batches, other columns, blocks of rows, blocks of 64 columns)
      memref.alloca panel of 512 x 64                      none where B lies in blocks already
      scf.for reductions around panels, chunks of 512 steps
        scf.for 512 steps: fill the panel
        scf.for other rows, tiles of 6 rows
          copy of 6 rows of %a for 512 steps               with pack = both, where they are converted
          func.call @relax.contract.6x64...                of the last tile, @relax.contract.4x64... for the rows that are left
          the epilogue on the tile, once its last chunk is done
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from .....dialects.relax import schedule as schedules
from .....records import record
from ....emit.emitter import Index
from ...schedule.contraction import Contraction, recognize
from ...schedule.tiles import tiling_of
from ..builder import LoopBuilder
from ..flat import flatten
from ..kernels import KernelLibrary, KernelOperands
from ..loop_nest import LoopNest, uppers_of, with_loop
from .epilogue import EpilogueTiles, emit_epilogue
from .lhs_rows import LhsRows, lhs_contents
from .micro_kernel import MicroKernel, call_kernel
from .panel import Panel, panel_contents, steps_inside
from .panel_blocks import PanelBlocks
from .skinny_gemm import emit_skinny
from .tile_rows import TileRows

EPILOGUE_VECTORS = 4
"""The vectors of a row that an epilogue takes at a time after sums in tile registers."""


def emit_contraction(
    b: LoopBuilder,
    library: KernelLibrary,
    schedule: schedules.Contraction,
    nests: Sequence[LoopNest],
    *,
    starts_at_zero: bool,
) -> None:
    """Emits a contraction, the first nest; it adds to the output's content, or starts at zero and does not read it.

    The other nests run on each finished tile; with any there must be at least one step of reduction. Where the schedule has
    both tiles and skinny kernels, the number of rows decides at run time.
    """
    nest, *epilogue = nests
    contraction = recognize(nest)
    assert contraction is not None

    def skinny() -> None:
        emit_skinny(b, library, schedule, nest, contraction, epilogue, starts_at_zero=starts_at_zero)

    def tiled() -> None:
        _TiledContraction(b, library, schedule, nest, contraction, epilogue, starts_at_zero).emit()

    if schedule.skinny is None:
        tiled()
    elif schedule.tiles is None:
        skinny()
    else:
        rows = 1 if schedule.row is None else nest.uppers[schedule.row]
        b.if_else(b.less(rows, max(schedule.skinny.rows) + 1), skinny, tiled)


@record
class _Progress:
    """Where the loops over the reduction stand: the point, and whether this is the first and the last step of each of them.

    None stands for what is known to hold.
    """

    point: list[Index]
    first: SSAValue | None
    last: SSAValue | None


@record
class _Block:
    """What one iteration of the parallel loop computes: the rows from `start` to `end` of a block of `columns` columns."""

    start: Index
    end: Index
    columns: Index
    rows_of_a: LhsRows | None
    """Where the rows of A that a tile reads are copied to; None where they are read in place."""
    registers: TileRows | None
    """The rows whose sums are in tile registers; None where they are in vector registers."""


class _TiledContraction:
    """Emits one contraction, from the outermost loop to the calls."""

    def __init__(
        self,
        b: LoopBuilder,
        library: KernelLibrary,
        schedule: schedules.Contraction,
        nest: LoopNest,
        contraction: Contraction,
        epilogue: Sequence[LoopNest],
        starts_at_zero: bool,
    ):
        assert schedule.tiles is not None
        self.b = b
        self.library = library
        self.nest = nest
        self.k = contraction
        self.t = tiling_of(contraction, schedule)
        self.tiles = schedule.tiles
        self.epilogue = epilogue
        self.starts_at_zero = starts_at_zero
        self.sizes = nest.uppers
        self.fa = flatten(b, contraction.a)
        self.fb = flatten(b, contraction.b)
        self.fc = flatten(b, contraction.c)
        self.inside = steps_inside(nest, self.t)
        self.a_step = self.fa.step(b, self.t.innermost)
        row = self.t.row
        self.rows: Index = 1 if row is None else self.sizes[row]
        self.a_row, self.c_row = (0, 0) if row is None else (self.fa.step(b, row), self.fc.step(b, row))
        self.other_rows = [d for d in contraction.rows if d != row]
        self.last_vectors = self._vectors_of_last_block()

    def _vectors_of_last_block(self) -> int:
        """Returns the vectors that the columns of the last block fill; all of a tile where their number is not known."""
        t, size = self.t, self.sizes[self.k.column]
        rest = size % t.width if isinstance(size, int) and t.joined_rows == 1 else 0
        return -(-rest // t.lanes) if rest else t.vectors

    # ---- blocks: the parallel loop ----

    def emit(self) -> None:
        """Emits the parallel loop over blocks of the output."""
        b, k, t = self.b, self.k, self.t
        if any(size == 0 for size, is_parallel in zip(self.sizes, self.nest.parallel, strict=True) if is_parallel):
            return
        if t.joined_rows > 1:
            outer, width, column = [*k.batch, *k.columns[:-2]], t.joined_rows, k.columns[-2]
        else:
            outer, width, column = [*k.batch, *k.columns[:-1]], t.width, k.column
        blocks = b.ceildiv(self.sizes[column], width)
        row_block = self.tiles.row_block
        row_blocks = b.ceildiv(self.rows, row_block) if row_block else 1

        def block(indices: Sequence[Index]) -> None:
            point: list[Index] = [0] * self.nest.rank()
            for d, index in zip(outer, indices, strict=False):
                point[d] = index
            row_index, column_index = reversed(indices[-2:]) if t.is_of_tiles else indices[-2:]
            point[column] = b.mul(column_index, width)
            start: Index = 0
            end = self.rows
            if row_block:
                start = b.mul(row_index, row_block)
                end = b.minimum(b.add(start, row_block), end)
            self._block(point, start, end, column)

        # Rows in tile registers are so fast that all of them take the columns that are in the second-level cache.
        order = [blocks, row_blocks] if t.is_of_tiles else [row_blocks, blocks]
        b.nest([*uppers_of(self.nest, outer), *order], block, self.tiles.grain)

    def _block(self, point: list[Index], start: Index, end: Index, column: int) -> None:
        """Emits one block over the whole reduction."""
        b, k, t = self.b, self.k, self.t
        left = b.sub(self.sizes[column], point[column])
        if t.joined_rows > 1:
            left = b.mul(left, self.sizes[k.column])
        most = t.width if t.joined_rows == 1 else b.mul(t.joined_rows, self.sizes[k.column])
        rows_of_a = LhsRows(b, self.nest, k, t) if self.tiles.packs_lhs else None
        registers = TileRows(b, self.library, self.nest, k, t, self.tiles.sums) if t.is_of_tiles else None
        block = _Block(start, end, b.minimum(left, most), rows_of_a, registers)
        if self.tiles.panels > 1:
            self._block_of_panels(point, block)
            return
        if t.is_of_tiles and not self.tiles.packs_rhs:
            if self.starts_at_zero and self._may_be_empty():
                self._clear(point, block)
            self._tiles(point, block, lambda at, rows: self._rows_of_sums(at, rows, block))
            return
        panel = self._panel(block, 1) if self.tiles.packs_rhs else None
        if self.starts_at_zero and self._may_be_empty():
            self._clear(point, block)
        self._outer_reductions(0, _Progress(point, None, None), lambda progress: self._chunk(progress, panel, block))

    def _block_of_panels(self, point: list[Index], block: _Block) -> None:
        """Emits one block whose panels are filled first, so that the sums of a tile stay in the cache."""
        b, t = self.b, self.t
        panel = self._panel(block, self.tiles.panels)
        count = self.sizes[t.chunked]
        steps = b.mul(count, self.inside)

        def start(progress: _Progress) -> Index:
            flat: Index = 0
            for d in t.outer:
                flat = b.add(b.mul(flat, self.sizes[d]), progress.point[d])
            return b.mul(flat, panel.size)

        def fill(progress: _Progress) -> None:
            panel.fill(progress.point, count, start(progress))

        self._outer_reductions(0, _Progress(point, None, None), fill)

        def tile(at: list[Index], rows: Index) -> None:
            def call(progress: _Progress) -> None:
                first = progress.first if self.starts_at_zero else None
                done = _Progress(progress.point, b.constant(False, i1) if first is None else first, None)
                self._multiply(
                    progress.point, rows, done, (panel.buffer, start(progress), panel.distance), steps, block
                )

            self._outer_reductions(0, _Progress(at, None, None), call)
            if self.epilogue:
                self._finish(at, rows, block)

        self._tiles(point, block, tile)

    def _panel(self, block: _Block, count: int) -> Panel | PanelBlocks:
        """Returns memory for so many panels, allocated where the builder stands."""
        if block.registers is None:
            return Panel(self.b, self.nest, self.k, self.t, self.fb, count)
        return PanelBlocks(self.b, self.nest, self.k, self.t, self.fb, block.columns, count)

    def _rows_of_sums(self, at: list[Index], rows: Index, block: _Block) -> None:
        """Emits some rows over the whole reduction, of which no panels are made, chunk by chunk."""
        b, t = self.b, self.t

        def chunk(progress: _Progress) -> None:
            position = progress.point[t.chunked]
            begins = self._begins(progress.first, position)
            is_first = b.constant(False, i1) if not self.starts_at_zero else begins or b.constant(True, i1)
            steps = b.mul(b.minimum(b.sub(self.sizes[t.chunked], position), t.chunk), self.inside)
            source = (self.fb.buffer, self.fb.offset(b, progress.point), self._distance_of_blocks(progress.point))
            self._multiply(progress.point, rows, _Progress(progress.point, is_first, None), source, steps, block)

        self._outer_reductions(0, _Progress(at, None, None), chunk)
        if self.epilogue:
            self._finish(at, rows, block)

    def _distance_of_blocks(self, point: list[Index]) -> Index:
        """Returns the elements from a block of columns of a B that lies in blocks to the next."""
        b, column, width = self.b, self.k.column, self.k.packed_block
        if self.t.width <= width:
            return 0
        beyond = with_loop(point, column, b.add(point[column], width))
        return b.sub(self.fb.offset(b, beyond), self.fb.offset(b, point))

    # ---- the reduction ----

    def _outer_reductions(self, level: int, progress: _Progress, chunk: Callable[[_Progress], None]) -> None:
        """Emits the reductions around panels from a level on, then the chunks of the one that is divided among panels."""
        t = self.t
        if level == len(t.outer):
            size = self.sizes[t.chunked]
            self.b.plain_loop(
                0,
                size,
                t.chunk,
                lambda i: chunk(_Progress(with_loop(progress.point, t.chunked, i), progress.first, progress.last)),
            )
            return
        d = t.outer[level]

        def body(i: Index) -> None:
            first, last = self._begins(progress.first, i), self._ends(progress.last, d, self.b.add(i, 1))
            self._outer_reductions(level + 1, _Progress(with_loop(progress.point, d, i), first, last), chunk)

        self.b.plain_loop(0, self.sizes[d], 1, body)

    def _chunk(self, progress: _Progress, panel: Panel | PanelBlocks | None, block: _Block) -> None:
        """Emits one chunk of the reduction: its panel, and all tiles that use it."""
        b, k, t = self.b, self.k, self.t
        position = progress.point[t.chunked]
        begins = self._begins(progress.first, position)
        count = b.minimum(b.sub(self.sizes[t.chunked], position), t.chunk)
        steps = b.mul(count, self.inside)
        if panel is not None:
            panel.fill(progress.point, count)
            source: tuple[SSAValue, Index, Index] = (panel.buffer, 0, panel.distance)
        else:
            step = self.fb.step(b, t.innermost) if t.group == 1 else k.packed_block
            source = (self.fb.buffer, self.fb.offset(b, progress.point), step)
        is_first = begins if begins is not None else b.constant(True, i1)
        if not self.starts_at_zero:
            is_first = b.constant(False, i1)
        ends = self._ends(progress.last, t.chunked, b.add(position, count))
        here = _Progress(progress.point, is_first, ends)
        self._tiles(progress.point, block, lambda point, rows: self._tile(point, rows, here, source, steps, block))

    def _begins(self, first: SSAValue | None, index: Index) -> SSAValue | None:
        """Returns whether a loop over a reduction and those around it are at their first step."""
        if isinstance(index, int):
            assert index == 0
            return first
        here = self.b.compare("eq", index, 0)
        return here if first is None else self.b.insert(arith.AndIOp(first, here))

    def _ends(self, last: SSAValue | None, loop: int, index: Index) -> SSAValue | None:
        """Returns whether a loop over a reduction and those around it are at their last step; only an epilogue needs it."""
        size = self.sizes[loop]
        if not self.epilogue or index == size:
            return last
        here = self.b.compare("eq", index, size)
        return here if last is None else self.b.insert(arith.AndIOp(last, here))

    # ---- an empty reduction ----

    def _may_be_empty(self) -> bool:
        return any(not isinstance(self.sizes[d], int) or self.sizes[d] == 0 for d in self.k.reduced)

    def _clear(self, point: list[Index], block: _Block) -> None:
        """Emits zeros in a block of the output, if the reduction has no step at all."""
        b, k = self.b, self.k
        steps = b.product(uppers_of(self.nest, k.reduced))
        zero = b.constant(0, k.acc_type)

        def zero_at(indices: Sequence[Index]) -> None:
            at = self._with_rows(point, indices[:-2], b.add(block.start, indices[-2]))
            b.store(zero, self.fc.buffer, [b.add(self.fc.offset(b, at), indices[-1])])

        def clear() -> None:
            b.nest([*uppers_of(self.nest, self.other_rows), b.sub(block.end, block.start), block.columns], zero_at)

        b.when(b.compare("eq", steps, 0), clear)

    # ---- tiles ----

    def _tiles(self, at: list[Index], block: _Block, emit: Callable[[list[Index], Index], None]) -> None:
        """Emits the tiles of a block's rows, the last of which may have fewer, given where each begins and its rows."""

        def rows(indices: Sequence[Index]) -> None:
            if block.registers is not None:
                block.registers.rows(
                    block.start, block.end, lambda row, count: emit(self._with_rows(at, indices, row), count)
                )
                return

            def tile(row: Index) -> None:
                emit(self._with_rows(at, indices, row), self._rows_of_tile(row, block.end))

            self.b.plain_loop(block.start, block.end, self.t.rows, tile)

        self.b.nest(uppers_of(self.nest, self.other_rows), rows)

    def _rows_of_tile(self, row: Index, end: Index) -> Index:
        """Returns how many rows the tile from `row` on has."""
        if isinstance(self.rows, int) and self.rows % self.t.rows == 0:
            return self.t.rows
        return self.b.minimum(self.b.sub(end, row), self.t.rows)

    def _for_number_of_rows(self, rows: Index, emit: Callable[[int], None]) -> None:
        """Emits code for a known number of rows, or with a branch for each that a tile may have."""
        b, whole = self.b, self.t.rows
        if isinstance(rows, int):
            emit(rows)
            return

        def rest() -> None:
            if isinstance(self.rows, int):
                # Only the last tile of all has fewer rows.
                emit(self.rows % whole)
            else:
                b.switch(rows, [lambda count=count: emit(count) for count in range(1, whole)])

        b.if_else(b.less(rows, whole), rest, lambda: emit(whole))

    def _tile(
        self,
        point: list[Index],
        rows: Index,
        progress: _Progress,
        source: tuple[SSAValue, Index, Index],
        steps: Index,
        block: _Block,
    ) -> None:
        """Emits the call for one tile, and the epilogue on it if this is the end of the reduction."""
        self._multiply(point, rows, progress, source, steps, block)
        if not self.epilogue:
            return
        if progress.last is None:
            self._finish(point, rows, block)
        else:
            self.b.when(progress.last, lambda: self._finish(point, rows, block))

    def _multiply(
        self,
        point: list[Index],
        rows: Index,
        progress: _Progress,
        source: tuple[SSAValue, Index, Index],
        steps: Index,
        block: _Block,
    ) -> None:
        """Emits the call for one tile."""
        b, first, columns = self.b, progress.first, block.columns
        assert first is not None
        a = (self.fa.buffer, self.fa.offset(b, point), self.a_row, self.a_step)
        c = (self.fc.buffer, self.fc.offset(b, point), self.c_row)
        if block.registers is not None:
            block.registers.multiply(rows, KernelOperands(a, source, c, steps, columns, first), block.rows_of_a)
            return

        def call(count: int) -> None:
            left = a if block.rows_of_a is None else block.rows_of_a.fill(a, count, steps)
            self._call(count, KernelOperands(left, source, c, steps, columns, first))

        self._for_number_of_rows(rows, call)

    def _finish(self, point: list[Index], rows: Index, block: _Block) -> None:
        """Emits the epilogue on one tile, whose columns it takes by the width of a tile in vector registers."""
        b, t, column = self.b, self.t, self.k.column
        second = self.k.columns[-2] if t.joined_rows > 1 else None
        if block.registers is None:
            tiles = EpilogueTiles(t.lanes, t.vectors, t.row, column, t.joined_rows, second)
            emit_epilogue(b, tiles, self.epilogue, point, rows, block.columns)
            return
        vectors = min(t.vectors, EPILOGUE_VECTORS)
        tiles = EpilogueTiles(t.lanes, vectors, t.row, column)
        epilogue = block.registers.reading_sums(self.epilogue, point)

        def finish(start: Index, columns: Index) -> None:
            at = with_loop(point, column, b.add(point[column], start))
            emit_epilogue(b, tiles, epilogue, at, rows, columns)

        width, size = vectors * t.lanes, self.sizes[column]
        limit = b.round_down(block.columns, width)
        b.plain_loop(0, limit, width, lambda start: finish(start, width))
        if not isinstance(size, int) or size % width:
            b.when(b.less(limit, block.columns), lambda: finish(limit, b.sub(block.columns, limit)))

    def _call(self, rows: int, operands: KernelOperands) -> None:
        """Emits the call of the kernel for so many rows, and for as many vectors as the block has columns for."""
        b, t = self.b, self.t

        def call(vectors: int) -> None:
            call_kernel(b, self.library, self._kernel(rows, vectors), operands)

        if self.last_vectors == t.vectors:
            call(t.vectors)
        else:
            b.if_else(b.less(operands.columns, t.width), lambda: call(self.last_vectors), lambda: call(t.vectors))

    def _with_rows(self, point: list[Index], others: Sequence[Index], row: Index) -> list[Index]:
        """Returns the point at given indices of the other row loops and of the tile's rows."""
        at = list(point)
        for d, index in zip(self.other_rows, others, strict=True):
            at[d] = index
        return at if self.t.row is None else with_loop(at, self.t.row, row)

    def _kernel(self, rows: int, vectors: int) -> MicroKernel:
        k, t = self.k, self.t
        a_type, a_conversion = lhs_contents(k, t) if self.tiles.packs_lhs else (k.a.type.element_type, k.a_conversion)
        b_type, b_conversion = panel_contents(k, t) if self.tiles.packs_rhs else (k.b.type.element_type, k.b_conversion)
        types = (a_type, b_type, k.acc_type)
        return MicroKernel(rows, vectors, t.lanes, *types, a_conversion, b_conversion, t.group, t.dot)
