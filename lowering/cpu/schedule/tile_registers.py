"""Decides how a contraction uses tile registers: the rows that are multiplied together, and the columns that they take in turn.

| right operand | columns | steps |
|---|---|---|
| in blocks already | several blocks, whose steps fit in the second-level cache | those of the rows that fit in the first-level cache |
| the same, more than that cache holds, for few rows | as few as rows are copied for | all, so that blocks are read as streams |
| copied to panels | up to 512, fewer where threads would find nothing to share | those of a panel on the stack |

Steps of several panels, such as the rows of a window with few channels, are copied side by side where fewer tiles have them then.
"""

from __future__ import annotations

from math import prod

from ....dialects.relax.schedule import MOST_PANEL, MOST_TILE_COLUMNS, MOST_TILE_ROWS
from ....targets.cpu import TILE_ROW_BYTES, TILE_ROWS, CpuTarget
from .contraction import Contraction
from .dot_product import pick_tile_product
from .grain import UNKNOWN_ITERATIONS, iterations_of, size_or_guess
from .nest import Size
from .tile_blocks import COPIED_COLUMNS, TILE_ROW_BLOCK
from .tiles import Tiling, joined_loop, joined_rows_of, may_join_rows, panel_loops, pick_row, rows_of

L1_SHARE = 2 / 3
"""The share of the first-level cache that rows of A take while all columns of a block pass by; the tiles of B come from the second."""

L2_SHARE = 1 / 2
"""The share of the second-level cache that the columns take which rows of A take in turn, so that the next rows find them there."""

BLOCK_COLUMNS = 64
"""Columns of a panel, of which there are several side by side: the 16 groups of steps that a tile takes are a page."""

PANEL_COLUMNS = 512
"""The most columns that are copied together: their rows lie apart in B, and short parts of rows come slowly from memory."""

FEWEST_BLOCKS = 2
"""The blocks of columns and rows that threads find at least, where there are columns for them."""

STREAM_ROWS = 2 * MOST_TILE_ROWS
"""The most rows for which what counts is how columns come from memory, or from the third-level cache."""

COPIES_SHARE = 1 / 4
"""The share of the second-level cache that copies of these rows take at most, with all steps."""

FEW_ROWS_COLUMNS = 256
"""The columns of a block where no further rows take them: telling the registers their shapes costs as much as multiplying a few tiles."""

JOINED_TILES = 3 / 4
"""The tiles that rows of two loops together have at most, for each that they have apart: joined, sums take longer ways."""


def pick_tiling_in_registers(contraction: Contraction, target: CpuTarget, *, on_stack: bool) -> Tiling | None:
    """Returns the shape of tiles in tile registers; None where the target has no instruction for them, or the operands do not lie right.

    Rows of several loops are joined if sums may be `on_stack`, from where an epilogue reads those that are results.

    Invariant: the columns make whole blocks of a B that lies in blocks, or whole panels.
    """
    k, dot = contraction, pick_tile_product(contraction, target)
    if dot is None or may_join_rows(k) or k.packed_block % TILE_ROWS:
        return None
    row = pick_row(k)
    pitch = _pitch(k, row) if on_stack else 0
    rows = rows_of(k, row, pitch)
    held = _rows_of_tiles(rows)
    element_bytes = 4 // dot.group
    unit = TILE_ROW_BYTES // element_bytes
    in_l1 = int(target.l1d.size * L1_SHARE) // held // element_bytes
    if k.packed_block:
        width, most = _packed_columns(k, rows, target.l2.size // element_bytes, in_l1)
    else:
        width = _panel_columns(k)
        most = MOST_PANEL // width
    outer, chunked, chunk, whole = panel_loops(k, most // unit * unit)
    gathers = not k.packed_block and _gains_by_gathering(k, [chunked, *whole], unit, min(most, in_l1))
    if gathers:
        outer, chunked, chunk, whole = panel_loops(k, min(most, in_l1), gathers=True)
    if k.a.static_step(whole[-1] if whole else chunked) != 1:
        return None
    if not whole:
        chunk = max(chunk // unit * unit, unit)
    return Tiling(
        TILE_ROWS, held, width // TILE_ROWS, row, 1, outer, chunked, chunk, whole, dot.group, dot, pitch, gathers
    )


def _pitch(k: Contraction, row: int | None) -> int:
    """Returns the rows from an iteration of another loop over rows to the next, if fewer tiles have the rows of both, in few enough."""
    step = None if row is None else k.a.static_step(row)
    distances = [k.a.static_step(d) or 0 for d in k.rows if d != row] if step else []
    pitches = [distance // step for distance in distances if step and distance % step == 0]
    return next((pitch for pitch in pitches if _joins(k, row, pitch)), 0)


def _joins(k: Contraction, row: int | None, pitch: int) -> bool:
    """Returns whether fewer tiles have the rows of two loops together, with what is between them."""
    joined, run = None if row is None else joined_loop(k, row, pitch), joined_rows_of(k, row, pitch)
    if row is None or joined is None or run is None:
        return False
    apart = size_or_guess(k.nest.sizes[joined]) * -(-size_or_guess(k.nest.sizes[row]) // TILE_ROWS)
    return -(-run // TILE_ROWS) <= JOINED_TILES * apart


def _rows_of_tiles(rows: Size) -> int:
    """Returns the rows that are multiplied together: as many in all tiles, as far as possible."""
    if not rows:
        return 1 if rows == 0 else MOST_TILE_ROWS
    return -(-rows // -(-rows // MOST_TILE_ROWS))


def _gains_by_gathering(k: Contraction, panel: list[int], unit: int, most: int) -> bool:
    """Returns whether fewer tiles have all steps, at most so many, where these are copied side by side."""
    steps, inside = (prod(k.nest.sizes[d] or 0 for d in loops) for loops in (k.reduced, panel))
    together = -(-steps // unit)
    return 0 < together * unit <= most and together < steps // inside * -(-inside // unit)


def _is_stream(k: Contraction, rows: Size, elements: int) -> bool:
    """Returns whether rows in two tiles take turns with columns of which the second-level cache does not hold all, so many elements."""
    if rows is None or not MOST_TILE_ROWS < rows <= STREAM_ROWS:
        return False
    columns, steps = ([k.nest.sizes[d] for d in loops] for loops in (k.columns, k.reduced))
    if None in columns or None in steps:
        return False
    count = prod(size or 0 for size in steps)
    return count * prod(size or 0 for size in columns) > elements and count * MOST_TILE_ROWS <= elements * COPIES_SHARE


def _packed_columns(k: Contraction, rows: Size, elements: int, steps: int) -> tuple[int, int]:
    """Returns the columns of a block and the steps that rows take at most before they begin with the columns again, `steps` or all.

    The steps of the columns, all of them where these are known, fit in a second-level cache of so many elements.
    """
    columns = size_or_guess(k.nest.sizes[k.column])
    if _is_stream(k, rows, elements):
        return min(COPIED_COLUMNS, -(-columns // k.packed_block) * k.packed_block), MOST_PANEL
    width = min(int(elements * L2_SHARE) // prod(k.nest.sizes[d] or steps for d in k.reduced), MOST_TILE_COLUMNS)
    if rows is not None and rows <= MOST_TILE_ROWS:
        width = min(width, FEW_ROWS_COLUMNS)
    blocks = -(-columns // k.packed_block)
    together = max(1, min(width // k.packed_block, blocks))
    parts = max(-(-blocks // together), min(blocks, -(-FEWEST_BLOCKS // _row_blocks(k, 2 * MOST_TILE_ROWS))))
    return -(-blocks // parts) * k.packed_block, steps


def _row_blocks(k: Contraction, least: int) -> int:
    """Returns how many blocks of rows, each of at least so many, all loops over rows make; one at least."""
    sizes = [k.nest.sizes[d] for d in k.rows]
    return UNKNOWN_ITERATIONS if None in sizes else max(1, prod(size or 0 for size in sizes) // least)


def _panel_columns(k: Contraction) -> int:
    """Returns the columns that panels side by side have: whole panels, or a single narrow one."""
    sizes = k.nest.sizes
    columns = sizes[k.column]
    if columns is not None and columns <= BLOCK_COLUMNS:
        return -(-max(columns, 1) // TILE_ROWS) * TILE_ROWS
    others = [sizes[d] for d in (*k.batch, *k.columns[:-1])]
    shared = iterations_of(others) * _row_blocks(k, TILE_ROW_BLOCK)
    width = PANEL_COLUMNS
    while width > BLOCK_COLUMNS and -(-size_or_guess(columns) // width) * shared < FEWEST_BLOCKS:
        width //= 2
    whole = -(-size_or_guess(columns) // BLOCK_COLUMNS) * BLOCK_COLUMNS
    return min(width, whole)
