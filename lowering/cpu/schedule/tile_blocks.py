"""Decides the blocks of a tiled contraction: the rows that take panels in turn, what is copied, what an iteration of a kernel does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import cast

from ....dialects.relax import schedule as schedules
from ....dialects.relax.schedule import Packing, TileInstruction
from ....targets.cpu import TILE_ROWS, CpuTarget
from .contraction import Contraction
from .dot_product import lies_in_groups, reads_blocks, widens_lhs
from .grain import (
    ACCESS,
    ENOUGH_ITERATIONS,
    FEW_THREADS,
    THREAD_WORK,
    UNKNOWN_SIZE,
    grain_of,
    iterations_of,
    size_or_guess,
    unevenness,
    work_inside,
)
from .nest import Size
from .panel_parts import distance_of_parts, pipelined_problem
from .register_tiles import register_tiles
from .streams import bytes_of
from .tiles import (
    Tiling,
    bits_of,
    copies_rows,
    divides_steps,
    fills_beside,
    lines_of_group,
    other_rows_of,
    rows_of,
    steps_of_panel,
    widens_blocks,
)

UNROLL = 2
"""The steps of a kernel's iteration, where they divide all steps: it has less to count. Four are 1 % faster at best, and compile longer."""

FETCHING_UNROLL = 4
"""The same where an iteration fetches: of 21 tiles that share a panel each then fetches a part, where with two steps the first 8 fetch all,
at a rate that leaves too few of the first-level cache's buffers to the loads. 5 % faster for weights of 180 MB."""

COLUMN_TILES = 8
"""The tiles whose columns are taken chunk by chunk of the reduction, so that the rows' part of a chunk comes from the second-level cache
for all but the first. 4 and 16 are 1 % slower."""

COPIED_TILES = 4
"""The same where rows of A are converted, once for all of these tiles' columns."""

UNKNOWN_TILES = 8
"""The tiles that share a panel where only run time knows the rows: what few of them fetch is not too little then."""

FEW_CACHES = 2
"""The second-level caches that hold so little of a B in blocks that its panels are fetched on all targets: 6 to 13 % faster on a Zen 3 for
products of hundreds of rows; 6 % slower where B is 1.2 times such a cache."""

MOST_AHEAD = 256
"""The steps of a tile beside which it takes no time to wait for the lines of its result."""

L2_ROWS_PART = 4
"""The rows of A that take panels in turn may fill this fraction (1 / 4) of the second-level cache, as panels pass by."""

ROW_BLOCK = 96
"""Fewest rows that use a panel: filling it must not cost more than a few hundredths of using it."""

TILE_ROW_BLOCK = 512
"""The same for rows in tile registers, which use a panel several times as fast."""

FILL_ROWS = 3
"""What it takes to fill a panel, in rows that use it."""

LEAST_GAIN = 0.96
"""What threads that share rows must take of the time at most of those that share columns."""

COPIED_COLUMNS = 128
"""The fewest columns for which rows of A are copied for tile registers: they are loaded again for each 32."""

PIPELINED_STEPS = 8
"""The fewest steps of tiles beside which an epilogue runs: beside fewer, each with many rows of it, products wait for it in turn."""


def pick_tiles(
    contraction: Contraction, t: Tiling, target: CpuTarget, in_parallel: bool, threads: int
) -> schedules.Tiles:
    """Returns the part of the schedule that says how a contraction is tiled, with the blocks that threads take.

    The parallel loop is over batches, other columns, blocks of rows and blocks of columns. `threads` is how many share it; 0 if that is
    not known.
    """
    k, sizes = contraction, contraction.nest.sizes
    over, block, block_loop = (
        (k.columns[:-2], t.joined_rows, k.columns[-2]) if t.joined_rows > 1 else (k.columns[:-1], t.width, k.column)
    )
    outer = [sizes[d] for d in (*k.batch, *over)]
    blocks = _ceildiv(sizes[block_loop], block)
    rows = rows_of(k, t.row, t.pitch)
    column_tiles = _column_tiles(k, t, target, rows, blocks)
    if blocks is not None and not in_parallel and threads != 1:
        choices = range(column_tiles, max(1, column_tiles // 2) - 1, -1)
        column_tiles = _most_even(choices, blocks, iterations_of(outer), threads or FEW_THREADS)
    column_blocks = _ceildiv(blocks, column_tiles)
    others = [sizes[d] for d in other_rows_of(k, t.row, t.pitch)]
    outer_rows = 0 if in_parallel or threads == 1 else _outer_rows(k, t, rows, others, [*outer, column_blocks])
    outer = [*outer, _ceildiv(_product(others), outer_rows) if outer_rows else 1]
    row_block = (
        0
        if in_parallel or t.pitch
        else _row_block(contraction, t, target, rows, [*outer, column_blocks], threads, by_chunks=column_tiles > 1)
    )
    row_blocks = _ceildiv(rows, row_block) if row_block else 1
    panel = work_inside([column_tiles * t.width, *(sizes[d] for d in k.reduced)])
    points = panel * work_inside([row_block or rows, *([outer_rows] if outer_rows else others)])
    # Tile registers multiply several times as fast.
    work = (ACCESS * panel + points // 2) // (2 if t.is_of_tiles else 1)
    grain = 0 if in_parallel else grain_of([*outer, row_blocks, column_blocks], work)
    panels = _panels(k, t, target)
    lhs = packs_lhs(k, t)
    pack = packing(k, t, lhs)
    unroll = _unroll(k, t)
    # Several tiles' columns have their panels filled together, before the first tile.
    copies = column_tiles == 1 and copies_rows(k, t) and bytes_of(k.b) >= target.l2.size
    return schedules.Tiles(
        shape=(t.rows, t.width),
        pack=pack,
        steps=t.chunk,
        panel=1 + len(t.whole),
        panels=panels,
        filled="beside" if fills_beside(k, t, pack, row_block, column_tiles * t.width) else "before",
        joined=t.joined_rows,
        pitch=t.pitch,
        row_block=row_block,
        outer_rows=outer_rows,
        column_block=column_tiles * t.width if column_tiles > 1 else 0,
        grain=grain,
        instruction=cast(TileInstruction, t.dot.instruction) if t.dot is not None and t.is_of_tiles else None,
        sums=_sums(k, t, lhs, panels),
        unroll=unroll,
        fetched=_fetched(k, t, target, unroll, [row_block or rows, *([outer_rows] if outer_rows else others)], copies),
        ahead=_ahead(k, t, target),
    )


def _has_all_steps(k: Contraction, t: Tiling, lhs: bool, panels: int) -> bool:
    """Returns whether a tile has all steps before the next begins: of all panels, of the only one, or by one call of its kernel."""
    chunked = k.nest.sizes[t.chunked]
    if panels > 1 or (not t.outer and bool(chunked) and chunked <= t.chunk):
        return True
    return not t.is_of_tiles and not lhs and distance_of_parts(k, t) is not None


def _sums(k: Contraction, t: Tiling, lhs: bool, panels: int) -> schedules.Sums:
    """Returns where sums go that only the epilogue needs, if a tile has all steps before the next begins."""
    if not _has_all_steps(k, t, lhs, panels) and not (t.is_of_tiles and k.packed_block):
        return "output"
    if not t.is_of_tiles:
        return "stack" if t.joined_rows == 1 else "output"
    problem = pipelined_problem(k, t, packs_lhs=lhs, panels=panels)
    steps = _steps(k) // (TILE_ROWS * t.group)
    return "stack" if t.pitch or problem is not None or steps < PIPELINED_STEPS else "pipelined"


def _unroll(k: Contraction, t: Tiling) -> int:
    """Returns the steps of a kernel's iteration."""
    if t.is_of_tiles:
        return 1
    choices = (FETCHING_UNROLL, UNROLL) if k.packed_block else (UNROLL,)
    return next((n for n in choices if divides_steps(k, t, n * t.group)), 1)


def _fetched(k: Contraction, t: Tiling, target: CpuTarget, unroll: int, rows: Sequence[Size], copies: bool) -> int:
    """Returns the lines that a kernel's iteration fetches, so that the tiles of so many rows, of the loop of tiles and of others, fetch a
    panel that lies in B, or what one is copied from that is worth it.
    """
    if widens_blocks(k, t):
        return _fetched_of_blocks(k, t, target, rows)
    # Where streams are not fetched, those of panels are while the ones before are multiplied: memory has little to do then.
    is_large = bytes_of(k.b) >= FEW_CACHES * target.l2.size
    streams = reads_blocks(k, t.dot) and (target.fetches_streams or is_large)
    if t.is_of_tiles or not (copies or streams):
        return 0
    lines = -(-unroll * t.group * t.width * bits_of(k.b.type.element_type) // 8 // schedules.FETCHED_BYTES)
    fetched = -(-lines // _tiles_of(t, rows))
    if not copies:
        return fetched
    # A part of the lines of a step, each as large.
    fetched = 1 << (fetched - 1).bit_length()
    return fetched if (lines // unroll) % fetched == 0 else 0


def _ahead(k: Contraction, t: Tiling, target: CpuTarget) -> int:
    """Returns how many rows ahead of a tile lines of the result are fetched to be written: those of the next one, where the second-level
    cache does not hold the result, and tiles are done after few steps.
    """
    in_vectors = not t.is_of_tiles and t.joined_rows == 1 and t.row is not None
    return t.rows if in_vectors and _steps(k) <= MOST_AHEAD and bytes_of(k.c) >= target.l2.size else 0


def _fetched_of_blocks(k: Contraction, t: Tiling, target: CpuTarget, rows: Sequence[Size]) -> int:
    """Returns the lines that each tile fetches of what the next panel is widened from, so that tiles of so many rows fetch all of it; 0 for
    few of them, which would wait for memory as well.

    Measured on a Zen 3: a layer of BERT is 2 % faster. Wider vectors use a panel up in half the time, which has not been measured.
    """
    if not target.has_few_registers or packs_lhs(k, t) or bytes_of(k.b) < target.l2.size:
        return 0
    steps = min(_steps(k), _steps_of_chunk(k, t))
    lines = -(-steps // k.packed_group) * lines_of_group(k, t)
    fetched = -(-lines // _tiles_of(t, rows))
    return fetched if fetched <= schedules.MOST_UNROLL else 0


def _tiles_of(t: Tiling, rows: Sequence[Size]) -> int:
    """Returns how many tiles share a panel: so many rows, of the loop of tiles and of others."""
    row, *others = rows
    return UNKNOWN_TILES if row is None else max(1, row // t.rows) * prod(size or 1 for size in others)


def _panels(contraction: Contraction, t: Tiling, target: CpuTarget) -> int:
    """Returns how many panels are filled at once: all, where they fit in what the cache has for one; else 1."""
    sizes = [contraction.nest.sizes[d] for d in (*t.outer, t.chunked, *t.whole)]
    chunked = contraction.nest.sizes[t.chunked]
    if reads_blocks(contraction, t.dot) or None in sizes or 0 in sizes or (chunked or 0) > t.chunk:
        return 1
    most = steps_of_panel(target, register_tiles(target)) * t.group
    if t.is_of_tiles:
        most = schedules.MOST_PANEL // t.width
    return 1 if work_inside(sizes) > most else work_inside(sizes[: len(t.outer)])


def packs_lhs(contraction: Contraction, t: Tiling) -> bool:
    """Returns whether the rows of A that a tile reads are copied: its elements are converted, or must be grouped, once for all columns.

    Rows for tile registers are copied where they are used several times, unless they turn out to begin at lines of the cache: a load of a
    tile whose rows are no whole lines takes six times as long.
    """
    if t.is_of_tiles:
        return t.gathers or (t.width >= COPIED_COLUMNS and not _is_window_of_lines(contraction, t))
    if t.dot is not None:
        return widens_lhs(contraction, t.dot) or not lies_in_groups(contraction, t.innermost)
    return bool(contraction.a_conversion.ops)


def _is_window_of_lines(k: Contraction, t: Tiling) -> bool:
    """Returns whether rows are parts of windows that lie whole lines of the cache apart: buffers inside of a program begin at a line."""
    step = None if t.row is None else k.a.static_step(t.row)
    return (
        bool(t.outer) and step is not None and step * bits_of(k.a.type.element_type) // 8 % schedules.FETCHED_BYTES == 0
    )


def packing(contraction: Contraction, t: Tiling, lhs: bool) -> Packing:
    """Returns how a schedule says what is copied."""
    if reads_blocks(contraction, t.dot):
        return "lhs" if lhs else "none"
    return "both" if lhs else "rhs"


def _ceildiv(size: Size, divisor: int) -> Size:
    return None if size is None else -(-size // divisor)


def _column_tiles(contraction: Contraction, t: Tiling, target: CpuTarget, rows: Size, blocks: Size) -> int:
    """Returns how many tiles' columns are taken chunk by chunk: some where the rows of A exceed the second-level cache with all steps, but
    not with those of a chunk, or where they are converted.
    """
    k = contraction
    if t.is_of_tiles or t.joined_rows > 1 or blocks is None:
        return 1
    if packs_lhs(k, t):
        return _converted_tiles(k, t, blocks)
    if not reads_blocks(k, t.dot) or distance_of_parts(k, t) is not None:
        # Windows share rows of A, and their sums stay in registers for all parts.
        return 1
    if rows is not None and rows <= _rows_in_cache(k, t, target, by_chunks=False):
        return 1
    if _steps(k) <= _steps_of_chunk(k, t):
        return 1
    return min(COLUMN_TILES, blocks)


def _most_even(choices: Iterable[int], tiles: int, others: int, threads: int) -> int:
    """Returns how many of all tiles an iteration of the parallel loop takes, the first of the choices with which threads share all
    iterations, in so many other ones, most evenly.
    """
    return min(choices, key=lambda n: -(-(others * -(-tiles // n)) // threads) * n)


def _converted_tiles(k: Contraction, t: Tiling, blocks: int) -> int:
    """Returns how many tiles' columns rows of A are converted for, as many as have their panels on the stack."""
    if not k.a_conversion.ops or reads_blocks(k, t.dot) or t.outer:
        return 1
    return max(1, min(COPIED_TILES, blocks, schedules.MOST_PANEL // (_steps_of_chunk(k, t) * t.width)))


def _steps(contraction: Contraction) -> int:
    """Returns the steps of the whole reduction."""
    return work_inside([contraction.nest.sizes[d] for d in contraction.reduced])


def _steps_of_chunk(contraction: Contraction, t: Tiling) -> int:
    """Returns the steps of a panel."""
    return t.chunk * work_inside([contraction.nest.sizes[d] for d in t.whole])


def _outer_rows(contraction: Contraction, t: Tiling, rows: Size, sizes: Sequence[Size], others: Sequence[Size]) -> int:
    """Returns the iterations of the other row loops, of these sizes, that one iteration of the parallel loop takes; 0 for all: there are
    none, or enough iterations of other loops to share.
    """
    iterations, count = iterations_of(others), _product(sizes)
    if not sizes or _is_little(contraction) or iterations >= ENOUGH_ITERATIONS:
        return 0
    # Registers are told their shapes for the rows of each iteration in any case.
    fewest = t.rows if t.is_of_tiles and contraction.packed_block else _fewest_rows(contraction, t)
    least = -(-fewest // max(size_or_guess(rows), 1))
    if count is None:
        return least
    blocks = _even(min(ENOUGH_ITERATIONS // iterations, count // least), iterations)
    return -(-count // blocks) if blocks > 1 else 0


def _even(blocks: int, others: int) -> int:
    """Returns the power of two nearest to a number of blocks, which few threads share evenly, unless they share other iterations so."""
    if others % 2 == 0:
        return blocks
    below = 1 << max(blocks, 1).bit_length() - 1
    return 2 * below if 2 * blocks >= 3 * below else below


def _product(sizes: Sequence[Size]) -> Size:
    return None if None in sizes else prod(size or 0 for size in sizes)


def _fewest_rows(contraction: Contraction, t: Tiling) -> int:
    """Returns the fewest rows that use a panel which threads fill, each its own."""
    if t.is_of_tiles:
        # Blocks of rows follow one another with the same columns, so that rows cost what telling registers their shapes does.
        return 2 * t.rows if contraction.packed_block else TILE_ROW_BLOCK
    # Converting a panel takes twice as long as copying it.
    return 2 * ROW_BLOCK if contraction.b_conversion.ops and not reads_blocks(contraction, t.dot) else ROW_BLOCK


def _row_block(
    contraction: Contraction,
    t: Tiling,
    target: CpuTarget,
    rows: Size,
    others: Sequence[Size],
    threads: int,
    *,
    by_chunks: bool,
) -> int:
    """Returns the rows that one iteration of the parallel loop takes; 0 for all: the other loops have enough iterations to share, and
    the second-level cache has room for all rows.
    """
    iterations = iterations_of(others)
    most = _rows_in_cache(contraction, t, target, by_chunks=by_chunks)
    if rows == 1 or _is_little(contraction) or (iterations >= ENOUGH_ITERATIONS and size_or_guess(rows) <= most):
        return 0
    tiles = -(-_fewest_rows(contraction, t) // t.rows)
    if rows is None:
        return min(tiles, most // t.rows) * t.rows
    all_tiles = -(-rows // t.rows)
    # Even blocks: a panel that a few rows are left for comes from memory for them alone.
    shares = min(ENOUGH_ITERATIONS // iterations, all_tiles // tiles)
    if threads != 1 and shares <= 1 and _pays_to_share_rows(contraction, t, rows, others, threads or FEW_THREADS):
        shares = 2
    blocks = max(-(-rows // most), _even(shares, iterations))
    if blocks <= 1:
        return 0
    size = -(-all_tiles // blocks)
    if threads != 1:
        # Many fewer would take a panel each time. The even size counts though its tiles are a little more than there is room for.
        choices = range(min(max(most // t.rows, size), size * 5 // 4), -(-size * 3 // 4) - 1, -1)
        size = _most_even(choices, all_tiles, iterations, threads or FEW_THREADS)
    return size * t.rows


def _pays_to_share_rows(k: Contraction, t: Tiling, rows: int, others: Sequence[Size], threads: int) -> bool:
    """Returns whether two threads should fill the same panels, each for half of the rows, as one would have more of the columns than the
    other: one panel, or panels of which the last has few columns.
    """
    if t.is_of_tiles or t.joined_rows > 1 or reads_blocks(k, t.dot):
        # These do not fill panels: rows are shared where one thread would have nothing to do, if they are worth it.
        return iterations_of(others) == 1 and -(-rows // t.rows) >= -(-_fewest_rows(k, t) // t.rows)
    fill = FILL_ROWS * (2 if k.b_conversion.ops else 1)
    half = -(-rows // (2 * t.rows)) * t.rows
    shared = 2 * half / rows * (1 + fill / half)
    return shared < LEAST_GAIN * _unevenness(k, t, others, threads) * (1 + fill / rows)


def _unevenness(k: Contraction, t: Tiling, others: Sequence[Size], threads: int) -> float:
    """Returns how many more vectors of columns a thread has at most than its share of all; the last of the other iterations are columns."""
    size, blocks = k.nest.sizes[k.column], others[-1]
    if size is None or not blocks:
        return 1.0
    vectors = -(-size // t.lanes)
    return unevenness(iterations_of(others[:-1]), blocks, vectors, -(-vectors // blocks), threads)


def _rows_in_cache(contraction: Contraction, t: Tiling, target: CpuTarget, *, by_chunks: bool) -> int:
    """Returns how many rows of A, with all steps or those of a chunk, the second-level cache has room for, with a panel; many where B is
    copied: it would be again.
    """
    steps = _steps_of_chunk(contraction, t) if by_chunks else _steps(contraction)
    size = steps * bits_of(contraction.a.type.element_type) // 8
    if t.is_of_tiles or not reads_blocks(contraction, t.dot) or not size:
        return UNKNOWN_SIZE
    return max(ROW_BLOCK, target.l2.size // L2_ROWS_PART // size)


def _is_little(contraction: Contraction) -> bool:
    """Returns whether the whole contraction is surely not worth two threads."""
    work = 1
    for size in contraction.nest.sizes:
        work *= size_or_guess(size)
    return work // 2 < 2 * THREAD_WORK
