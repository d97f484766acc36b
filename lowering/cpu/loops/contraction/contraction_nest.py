"""Contractions by register tiles: panels of B, and calls of micro-kernels.

    linalg.generic %c += %a * %b    with tiles = <shape = [6, 64], pack = rhs, steps = 512>

becomes

    scf.parallel (batches, other columns, blocks of other rows, blocks of rows, blocks of 64 columns)
      memref.alloca panel of 512 x 64                      none where B lies in blocks already
      scf.for reductions around panels, chunks of 512 steps
        scf.for 512 steps: fill the panel
        scf.for other rows, tiles of 6 rows
          copy of 6 rows of %a for 512 steps               with pack = both, where they are converted
          func.call @relax.contract.6x64...                of the last tile, @relax.contract.4x64... for the rows that are left
          the epilogue on the tile, once its last chunk is done

and with column_block = 512, where B lies in blocks

    scf.parallel (..., blocks of 512 columns)
      scf.for chunks of 512 steps
        scf.for 8 blocks of 64 columns
          scf.for tiles of 6 rows
            func.call @relax.contract.6x64...

With several panels, or a kernel of a window that lies in blocks, the micro-kernel has the loops around panels itself (`parts`).

With pack = both rows are copied once for all of these columns, see `wide_block.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from .....dialects.relax import schedule as schedules
from ....emit.emitter import Index
from ...schedule.contraction import recognize
from ..builder import LoopBuilder
from ..kernels import KernelLibrary
from ..loop_nest import LoopNest, uppers_of, with_loop
from .contraction_block import BlockRows, ContractionBlock
from .paired_products import emit_terms_of_rows
from .pipelined_block import PipelinedBlock
from .register_block import RegisterBlock
from .skinny_gemm import emit_skinny
from .tiled_contraction import Progress, TiledContraction
from .vector_block import VectorBlock
from .wide_block import WideBlock


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
        _emit_blocks(TiledContraction(b, library, schedule, nest, contraction, epilogue, starts_at_zero))

    if schedule.skinny is None:
        tiled()
    elif schedule.tiles is None:
        skinny()
    else:
        rows = 1 if schedule.row is None else nest.uppers[schedule.row]
        if isinstance(rows, int):
            (skinny if rows in schedule.skinny.rows else tiled)()
        else:
            b.if_else(b.less(rows, max(schedule.skinny.rows) + 1), skinny, tiled)


def _emit_blocks(whole: TiledContraction) -> None:
    """Emits the parallel loop over blocks of the output."""
    b, k, t = whole.b, whole.k, whole.t
    if any(size == 0 for size, is_parallel in zip(whole.sizes, whole.nest.parallel, strict=True) if is_parallel):
        return
    if t.dot is not None and t.dot.pairs:
        whole.row_terms = emit_terms_of_rows(whole)
    if t.joined_rows > 1:
        outer, width, column = [*k.batch, *k.columns[:-2]], t.joined_rows, k.columns[-2]
    else:
        outer, width, column = [*k.batch, *k.columns[:-1]], t.width, k.column
    blocks = b.ceildiv(whole.sizes[column], width)
    row_block = whole.tiles.row_block
    row_blocks = b.ceildiv(whole.rows, row_block) if row_block else 1
    tiles = max(whole.tiles.column_block // width, 1)
    outer_rows = whole.tiles.outer_rows
    all_outer = b.product(uppers_of(whole.nest, whole.other_rows))
    outer_blocks = b.ceildiv(all_outer, outer_rows) if outer_rows else 1

    def block(indices: Sequence[Index]) -> None:
        point: list[Index] = [0] * whole.nest.rank()
        for d, index in zip(outer, indices, strict=False):
            point[d] = index
        row_index, column_index = reversed(indices[-2:]) if t.is_of_tiles else indices[-2:]
        first = b.mul(indices[-3], outer_rows)
        others = (first, b.minimum(b.add(first, outer_rows), all_outer)) if outer_rows else None
        start: Index = 0
        end = whole.rows
        if row_block:
            start = b.mul(row_index, row_block)
            end = b.minimum(b.add(start, row_block), end)
        rows = BlockRows(others, start, end)
        registers = PipelinedBlock if whole.tiles.sums == "pipelined" else RegisterBlock
        kind = registers if t.is_of_tiles else VectorBlock

        def block_at(at: list[Index], index: Index) -> ContractionBlock:
            at = with_loop(at, column, b.mul(index, width))
            return kind(whole, at, rows, _columns_of_block(whole, at, column))

        if tiles == 1:
            block_at(point, column_index).emit()
        elif whole.tiles.packs_lhs:
            at = with_loop(point, column, b.mul(column_index, tiles * width))
            left = b.sub(whole.sizes[column], at[column])
            WideBlock(whole, at, rows, b.minimum(left, tiles * width)).emit()
        else:
            first = b.mul(column_index, tiles)
            _emit_by_chunks(whole, point, first, b.minimum(b.add(first, tiles), blocks), block_at)

    # Rows in tile registers are so fast that all of them take the columns that are in the second-level cache.
    column_blocks = b.ceildiv(blocks, tiles)
    order = [column_blocks, row_blocks] if t.is_of_tiles else [row_blocks, column_blocks]
    b.nest([*uppers_of(whole.nest, outer), outer_blocks, *order], block, whole.tiles.grain)


def _emit_by_chunks(
    whole: TiledContraction,
    point: list[Index],
    first: Index,
    last: Index,
    block_at: Callable[[list[Index], Index], ContractionBlock],
) -> None:
    """Emits some blocks of columns, all of them for one chunk of the reduction after the other."""
    b = whole.b
    if whole.starts_at_zero and whole.may_be_empty:
        b.plain_loop(first, last, 1, lambda index: block_at(point, index).clear_if_empty())

    def chunk(progress: Progress) -> None:
        def one_block(index: Index) -> None:
            block = block_at(progress.point, index)
            block.emit_chunk(replace(progress, point=block.point), None)

        b.plain_loop(first, last, 1, one_block)

    whole.outer_reductions(0, Progress(point, None, None), chunk)


def _columns_of_block(whole: TiledContraction, point: list[Index], column: int) -> Index:
    """Returns the columns of a block that exist, those of joined rows together."""
    b, t, size = whole.b, whole.t, whole.sizes[whole.k.column]
    if t.joined_rows == 1 and isinstance(size, int) and size % t.width == 0:
        return t.width
    left = b.sub(whole.sizes[column], point[column])
    if t.joined_rows > 1:
        left = b.mul(left, size)
    most = t.width if t.joined_rows == 1 else b.mul(t.joined_rows, size)
    return b.minimum(left, most)
