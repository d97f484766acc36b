"""Decides the register tile of a contraction and the panel of its right operand."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import cast

from xdsl.dialects.builtin import AnyFloat, IntegerType
from xdsl.ir import Attribute

from ....dialects.relax import schedule as schedules
from ....dialects.relax.schedule import Instruction, Packing
from ....records import record
from ....targets.cpu import TILE_ROWS, CpuTarget
from .access import strides_of
from .contraction import Contraction
from .dot_product import DotProduct, dot_product_of, pick_dot_product, reads_blocks
from .grain import iterations_of
from .nest import Size
from .register_tiles import RegisterTiles, register_tiles, registers_needed

MOST_STEPS = 1024
"""The steps of a panel where the caches allow as many."""

L2_PART = 8
"""The panel may fill this fraction (1 / 8) of the second-level cache: the rest is for A, for C and for the next panel."""

L1_PART = 2
"""The rows of A that a tile reads may fill this fraction (1 / 2) of the first-level cache, as B streams through it."""

EVEN_STEPS = 8
"""Panels of equal steps have a multiple of this."""

FEW_MORE_STEPS = 4
"""The fraction (1 / 4) of the steps of a panel by which the only panel of a reduction may exceed them, where it is not copied."""

FEWEST_STEPS = 64
"""The steps of a panel at least: a tile's sums are read and written once for each panel."""

LOOP_CYCLES = 0.3
"""What counting costs a step, as measured: steps are unrolled, so that it is little."""


@record(frozen=False)
class Tiling:
    """The register tile, the panel of B and the loops over the reductions. Loops are positions in the contraction's nest."""

    lanes: int
    rows: int
    vectors: int
    row: int | None
    """The loop over the rows of tiles; None where no loop belongs to A and C alone."""
    joined_rows: int
    """How many rows of the second-last column loop lie in one panel, one after the other; 1 for plain columns."""
    outer: list[int]
    """Reductions that are loops around panels."""
    chunked: int
    chunk: int
    """The reduction of which `chunk` steps make a panel."""
    whole: list[int]
    """Reductions that lie in a panel as a whole, in order."""
    group: int
    """Steps that lie together in a panel."""
    dot: DotProduct | None
    """What the instruction multiplies that takes a group; None if there is none."""
    pitch: int = 0
    """The rows from an iteration of another loop over rows to the next in A, if tiles have rows of both; 0 if they do not."""
    gathers: bool = False
    """Whether the steps of a panel lie in several places of A, from where they are copied side by side."""

    @property
    def width(self) -> int:
        """The columns of a tile, and of a panel."""
        return self.lanes * self.vectors

    @property
    def is_of_tiles(self) -> bool:
        """Whether the sums are in tile registers."""
        return self.dot is not None and self.dot.is_of_tiles

    @property
    def unit(self) -> int:
        """The steps that kernels take at once of rows that are gathered: a row of a tile."""
        return TILE_ROWS * self.group if self.gathers else 1

    @property
    def innermost(self) -> int:
        """The innermost reduction."""
        return self.whole[-1] if self.whole else self.chunked


def tiling_of(contraction: Contraction, schedule: schedules.Contraction) -> Tiling:
    """Returns the tiling that a schedule with tiles asks for; reductions are in the order of the nest, those of a panel last."""
    k, tiles = contraction, schedule.tiles
    assert tiles is not None
    start = len(k.reduced) - tiles.panel
    outer, chunked, whole = k.reduced[:start], k.reduced[start], k.reduced[start + 1 :]
    dot = dot_product_of(k, tiles.instruction or schedule.instruction)
    rows, columns = tiles.shape
    return Tiling(
        lanes=schedule.lanes,
        rows=rows,
        vectors=columns // schedule.lanes,
        row=schedule.row,
        joined_rows=tiles.joined,
        outer=outer,
        chunked=chunked,
        chunk=tiles.steps,
        whole=whole,
        group=group_of(k, schedule),
        dot=dot,
        pitch=tiles.pitch,
        gathers=tiles.instruction is not None and not lie_together(k, [chunked, *whole]),
    )


def group_of(contraction: Contraction, schedule: schedules.Contraction) -> int:
    """Returns the steps that a schedule with tiles multiplies at once, or that lie together."""
    assert schedule.tiles is not None
    dot = dot_product_of(contraction, schedule.tiles.instruction or schedule.instruction)
    return contraction.packed_group if dot is None else dot.group


def has_whole_groups(contraction: Contraction, t: Tiling) -> bool:
    """Returns whether A surely has elements behind the steps of every panel, so that their last group is read like others.

    B has zeros there, each panel all of its steps, and the elements are integers, whose products with zero are zero.
    """
    # From the kind of products to where the last one is: distances and sizes are known before they are summed.
    k, nest = contraction, contraction.nest
    if t.dot is None or t.is_of_tiles or k.packed_block or isinstance(k.acc_type, AnyFloat):
        return False
    size, shape, strides = nest.sizes[t.chunked], k.a.type.get_shape(), strides_of(k.a.type)
    if size is None or size > t.chunk or k.a.static_step(t.innermost) != 1:
        return False
    steps = size * prod(nest.sizes[d] or 0 for d in t.whole)
    extents = [(k.a.static_step(d), nest.sizes[d]) for d in range(nest.rank())]
    last = 0
    for step, count in extents:
        if step is None or step < 0 or not count:
            return False
        last += step * (count - 1)
    start = sum(e.eval([0] * nest.rank(), []) * (stride or 0) for e, stride in zip(k.a.exprs, strides, strict=True))
    end = sum((count - 1) * (stride or 0) for count, stride in zip(shape, strides, strict=True))
    return None not in strides and -1 not in shape and start + last + -steps % t.group <= end


def divides_steps(contraction: Contraction, t: Tiling, unit: int) -> bool:
    """Returns whether the steps that kernels take of all panels are surely multiples of `unit`."""
    size, *inside = [contraction.nest.sizes[d] for d in (t.chunked, *t.whole)]
    steps = prod(count or 0 for count in inside)
    if size is None:
        return False
    if has_whole_groups(contraction, t):
        return -(-size * steps // t.group) * t.group % unit == 0
    return size * steps % unit == 0 and (size <= t.chunk or t.chunk * steps % unit == 0)


def vector_instruction(t: Tiling) -> Instruction | None:
    """Returns the instruction of a tiling in vector registers."""
    return None if t.dot is None else cast(Instruction, t.dot.instruction)


def pick_row(contraction: Contraction) -> int | None:
    """Returns the loop with the most rows; the innermost of equals; None if there are no rows.

    One of unknown size beside others is that over images, of which there may be one: its rows would make tiles of one row.
    """
    sizes = contraction.nest.sizes
    return max(contraction.rows, key=lambda d: (iterations_of([sizes[d]]), d), default=None)


def joined_loop(contraction: Contraction, row: int, pitch: int) -> int | None:
    """Returns the loop over other rows of which an iteration begins so many rows of a loop behind the one before in A; None for none."""
    step = contraction.a.static_step(row)
    if not step or not pitch:
        return None
    return next((d for d in contraction.rows if d != row and contraction.a.static_step(d) == pitch * step), None)


def rows_of(contraction: Contraction, row: int | None, pitch: int) -> Size:
    """Returns the rows that tiles are made of: those of a loop, or with a pitch all from the first to the last of two."""
    if row is None:
        return 1
    rows, joined = contraction.nest.sizes[row], joined_loop(contraction, row, pitch)
    others = 1 if joined is None else contraction.nest.sizes[joined]
    return None if rows is None or others is None else (others - 1) * pitch + rows


def joined_rows_of(contraction: Contraction, row: int | None, pitch: int) -> int | None:
    """Returns the rows from the first to the last of two loops with a pitch; None where their tiles cannot have rows of both."""
    joined = None if row is None else joined_loop(contraction, row, pitch)
    if row is None or joined is None:
        return None
    rows, run = contraction.nest.sizes[row], rows_of(contraction, row, pitch)
    if (
        not rows
        or not contraction.nest.sizes[joined]
        or run is None
        or pitch < rows
        or run > schedules.MOST_JOINED_ROWS
    ):
        return None
    return run


def other_rows_of(contraction: Contraction, row: int | None, pitch: int) -> list[int]:
    """Returns the loops over rows around those of tiles."""
    joined = None if row is None else joined_loop(contraction, row, pitch)
    return [d for d in contraction.rows if d not in (row, joined)]


def lanes_of(contraction: Contraction, target: CpuTarget) -> int:
    """Returns the sums in a vector."""
    return max(2, target.vector_bits // max(32, bits_of(contraction.acc_type)))


def pick_tiling(contraction: Contraction, target: CpuTarget) -> Tiling:
    """Returns the shape of tiles and panels.

    Invariant: the tile fits the registers of the target, rows of sums for zeros in A among them, and its width divides the blocks in
    which B lies already.
    """
    nest, limits = contraction.nest, register_tiles(target)
    lanes = lanes_of(contraction, target)
    column = nest.sizes[contraction.column]
    dot = pick_dot_product(contraction, target)
    extra = 0 if dot is None else dot.rows_of_sums(0)
    products = 0 if dot is None else dot.products
    widest = limits.vectors
    while registers_needed(limits.fewest_rows + extra, widest) > target.vector_registers and widest > 1:
        widest -= 1
    # The width of a panel must be known first: all joined rows lie in it.
    joined = _joined_rows(contraction, widest * lanes)
    extent = None if column is None else column * joined
    vectors = widest if extent is None else min(widest, -(-extent // lanes))
    if contraction.packed_block:
        while contraction.packed_block % (vectors * lanes):
            vectors -= 1
    row = pick_row(contraction)
    rows = 1 if row is None else _pick_rows(nest.sizes[row], vectors, target, limits, extra, products)
    group = contraction.packed_group if dot is None else dot.group
    outer, chunked, chunk, whole = panel_loops(contraction, steps_of_panel(target, limits) * group)
    chunk = _even_chunk(nest.sizes[chunked], chunk, group, copies=not reads_blocks(contraction, dot))
    return Tiling(lanes, rows, vectors, row, joined, outer, chunked, chunk, whole, group, dot)


def _even_chunk(size: Size, most: int, group: int, *, copies: bool) -> int:
    """Returns the steps of panels of at most so many, which are even, so that the last is not a short one.

    A few more are one panel where B lies in blocks: sums are then not read and written again.
    """
    if not copies and size is not None and most < size <= most + most // FEW_MORE_STEPS:
        most = -(-size // group) * group
    elif size is not None and size > most:
        panels = -(-size // most)
        most = min(most, -(-size // (panels * EVEN_STEPS)) * EVEN_STEPS)
    return most - most % group if most > group else most


def steps_of_panel(target: CpuTarget, limits: RegisterTiles) -> int:
    """Returns the steps of 32 bits that a panel has at most, a multiple of 8 and no less than `FEWEST_STEPS`."""
    row_of_panel = limits.vectors * target.vector_bits // 8
    column_of_rows = limits.most_rows * 4
    by_l2 = target.l2.size // L2_PART // row_of_panel
    by_l1 = target.l1d.size // L1_PART // column_of_rows
    return max(FEWEST_STEPS, min(MOST_STEPS, by_l2, by_l1) // 8 * 8)


def bits_of(type_: Attribute) -> int:
    """Returns the bits of an element; those of the widest for an index."""
    return type_.bitwidth if isinstance(type_, AnyFloat | IntegerType) else 64


def _joined_rows(contraction: Contraction, width: int) -> int:
    """Returns how many short rows of the output that follow one another share a panel (rows of pixels in convolutions)."""
    if not may_join_rows(contraction):
        return 1
    size, count = (contraction.nest.sizes[d] for d in (contraction.column, contraction.columns[-2]))
    most = max(1, width // (size or 1))
    return most if count is None else min(most, count)


def may_join_rows(contraction: Contraction) -> bool:
    """Returns whether rows of columns follow one another in the output, so that a panel may hold several."""
    if len(contraction.columns) < 2 or contraction.packed_block:
        return False
    size = contraction.nest.sizes[contraction.column]
    return size is not None and contraction.c.static_step(contraction.columns[-2]) == size


def cycles_of_step(rows: int, vectors: int, target: CpuTarget) -> float:
    """Returns the cycles of one step: the most that products, loads or the latency of a sum take, and its share of the loop."""
    products, loads = rows * vectors / target.products_per_cycle, (rows + vectors) / target.loads_per_cycle
    return max(products, loads, target.arithmetic_latency) + LOOP_CYCLES


def _pick_rows(size: Size, vectors: int, target: CpuTarget, limits: RegisterTiles, extra: int, products: int) -> int:
    """Returns the rows of a tile with which all rows take the fewest cycles, those that are left over included."""
    choices = range(1, limits.most_rows + 1)
    choices = [r for r in choices if registers_needed(r + extra, vectors) + products <= target.vector_registers]
    if size is None:
        return choices[-1]

    def cost(rows: int) -> float:
        tiles, rest = divmod(size, rows)
        return tiles * cycles_of_step(rows, vectors, target) + (
            cycles_of_step(rest, vectors, target) + 1 if rest else 0
        )

    return min(choices, key=lambda r: (cost(r), -r))


def panel_loops(
    contraction: Contraction, steps_of_panel: int, gathers: bool = False
) -> tuple[list[int], int, int, list[int]]:
    """Splits the reductions into loops around panels, the one that is cut into chunks, its chunk, and those inside.

    Invariant: the loops of a panel follow one another in A, unless it is gathered, and in a B that is read in place, so that their
    steps are even; the innermost is the one of which groups of steps lie together there.
    """
    nest, a = contraction.nest, contraction.a
    steps = {d: a.static_step(d) for d in contraction.reduced}
    order = list(contraction.reduced)
    if any(step is not None for step in steps.values()):
        # Distances that only run time knows are products with a size: longer than those that are numbers.
        order.sort(key=lambda d: (steps[d] is not None, -(steps[d] or 0)))
    order.sort(key=lambda d: d == contraction.grouped)
    whole: list[int] = []
    inside = 1
    chunked = order.pop()
    while order and (gathers or follows(contraction, order[-1], chunked)):
        size = nest.sizes[chunked]
        if size is None or inside * size > steps_of_panel:
            break
        whole.insert(0, chunked)
        inside *= size
        chunked = order.pop()
    return order, chunked, max(1, steps_of_panel // inside), whole


def copies_rows(contraction: Contraction, t: Tiling) -> bool:
    """Returns whether a panel has all steps and is copied from rows that are contiguous along the columns, one for each step."""
    k, size = contraction, contraction.nest.sizes[t.chunked]
    return (
        not (t.is_of_tiles or k.packed_block or t.outer or t.whole)
        and t.group == t.joined_rows == 1
        and k.b.step(k.column) == 1
        and size is not None
        and size <= t.chunk
    )


def widens_blocks(contraction: Contraction, t: Tiling) -> bool:
    """Returns whether panels are widened from B in blocks, of which each is filled and used up before the next."""
    return bool(contraction.packed_block) and t.dot is not None and t.dot.widens and not t.outer


def lines_of_group(contraction: Contraction, t: Tiling) -> int:
    """Returns the lines of a group of steps of a tile's columns in B in blocks."""
    bits = t.width * contraction.packed_group * bits_of(contraction.b.type.element_type)
    return -(-bits // (8 * schedules.FETCHED_BYTES))


def fills_beside(k: Contraction, t: Tiling, pack: Packing, row_block: int, column_block: int) -> bool:
    """Returns whether the first tile of each block can copy the rows of B that it multiplies to a panel."""
    # Invariant: a panel has all steps, each of which is a row of B as it is, and every block begins with a whole tile.
    if pack != "rhs" or column_block > t.width or not copies_rows(k, t) or k.b_conversion.ops or t.row is None:
        return False
    rows, columns = k.nest.sizes[t.row], k.nest.sizes[k.column] or 0
    if not rows or len(k.rows) > 1 or columns < t.width:
        return False
    block = row_block or rows
    return (rows % block or block) >= t.rows


def lie_together(contraction: Contraction, loops: Sequence[int]) -> bool:
    """Returns whether reductions could be one loop, as `follows` says of each two."""
    return all(follows(contraction, outer, inner) for outer, inner in pairwise(loops))


def follows(contraction: Contraction, outer: int, inner: int) -> bool:
    """Returns whether two reductions could be one loop in A, as far as distances in memory go, and in a B that lies in
    blocks.
    """
    size = contraction.nest.sizes[inner]
    in_a = [contraction.a.static_step(d) for d in (outer, inner)]
    if size is None or in_a[1] is None or in_a[0] != in_a[1] * size:
        return False
    if not contraction.packed_block:
        return True
    in_b = [contraction.step_of_b(d) for d in (outer, inner)]
    return in_b[0] == (in_b[1] or 0) * size
