"""Decides how a skinny GEMM reads its right operand in place."""

from __future__ import annotations

from collections.abc import Sequence

from ....dialects.relax import schedule as schedules
from ....targets.cpu import CpuTarget
from .contraction import Contraction
from .grain import ACCESS, grain_of, work_inside
from .nest import Size
from .register_tiles import RegisterTiles, register_tiles
from .tiles import Tiling

F32_BYTES = 4

SHARE_OF_CACHE = 32
"""The part of the second-level cache that rows of C take at most."""

DOT_COLUMNS = 16
"""Columns of a block of dot products. They share nothing, so that no cache bounds it: it is small for threads to share the columns."""

DOT_AHEAD = 16
"""Columns between those of dot products and those that are fetched: the rows of B begin too often for a processor to foresee them.

Measured on a Zen 4: 240 products of 960 elements 22 us instead of 42, 4096 of 11008 6.6 ms instead of 7.2 to 8.5.
"""


def may_be_skinny(k: Contraction) -> bool:
    """Returns whether B can be read in place: one loop of each kind, and B contiguous along the columns, or along the
    reduction as A is.
    """
    if k.packed_block or len(k.rows) > 1 or len(k.columns) > 1 or len(k.reduced) > 1:
        return False
    (reduced,) = k.reduced
    return lies_along_columns(k) or (k.b.step(reduced) == 1 and k.a.step(reduced) == 1)


def lies_along_columns(k: Contraction) -> bool:
    """Returns whether B is contiguous along the columns; else it is along the reduction."""
    return k.b.step(k.column) == 1


def most_skinny_rows(k: Contraction, target: CpuTarget, *, at_run_time: bool) -> int:
    """Returns the most rows for which B is read in place; 0 where its layout forbids it."""
    if not may_be_skinny(k):
        return 0
    limits = register_tiles(target)
    return min(limits.skinny_rows, limits.skinny_rows_at_run_time) if at_run_time else limits.skinny_rows


def pick_skinny(
    k: Contraction, t: Tiling, rows: Sequence[int], target: CpuTarget, in_parallel: bool, threads: int
) -> schedules.Skinny:
    """Returns the part of the schedule for contractions with one of these numbers of rows.

    The parallel loop is over batches and blocks of columns. `threads` is how many share it; 0 if that is not known.
    """
    along_columns = lies_along_columns(k)
    limits = register_tiles(target)
    block = (
        _columns_of_thread(k.nest.sizes[k.column], max(rows), target, limits, threads) if along_columns else DOT_COLUMNS
    )
    sums = [count if t.dot is None else t.dot.rows_of_sums(count) for count in rows]
    sizes = k.nest.sizes
    column = sizes[k.column]
    blocks = None if column is None else -(-column // block)
    width = block if column is None else min(block, column)
    work = width * work_inside([sizes[d] for d in k.reduced]) * (ACCESS + max(rows) // 2)
    return schedules.Skinny(
        rows=tuple(rows),
        unroll=tuple(_unroll(count, along_columns, target.vector_registers, limits) for count in sums),
        columns=block,
        width=t.width,
        fetched=0 if along_columns or not target.fetches_streams else DOT_AHEAD,
        grain=0 if in_parallel else grain_of([*(sizes[d] for d in k.batch), blocks], work),
    )


def columns_of_block(target: CpuTarget, limits: RegisterTiles) -> int:
    """Returns the columns of a block: a page of f32, and few enough for the rows of C to stay in the first-level cache."""
    return min(target.page_size, target.l1d.size // limits.skinny_rows) // F32_BYTES


def _columns_of_thread(columns: Size, rows: int, target: CpuTarget, limits: RegisterTiles, threads: int) -> int:
    """Returns the columns of a block: the share of a thread, so that B is read in long streams, as long as the rows of C stay in cache.

    Where the number of threads is not known, that of `columns_of_block`.
    """
    least = columns_of_block(target, limits)
    most = max(1, target.l2.size // SHARE_OF_CACHE // rows // F32_BYTES // least) * least
    if threads == 1:
        return most
    if threads == 0 or columns is None:
        return least
    share = -(-columns // threads)
    return min(max(-(-share // least) * least, least), most)


def _unroll(rows: int, along_columns: bool, registers: int, limits: RegisterTiles) -> int:
    """Returns how many steps, or columns, go together.

    Along the columns the elements of A stay in registers, with a vector of each row of C and one of B; with more rows than
    that allows they come from the first-level cache, and what counts are the long streams of B. For dot products there is a
    sum for each row and column.
    """
    if along_columns:
        return next((g for g in (8, 4) if rows * g + rows + 1 <= registers), limits.skinny_unroll)
    return next((g for g in (8, 4, 3, 2) if rows * g + min(rows, g) + 1 <= registers), 1)
