"""Whether the schedule of an op that has its loops to itself is possible: each check returns the reason why it is not, or None."""

from __future__ import annotations

from itertools import pairwise
from math import prod

from ....dialects.relax import schedule as schedules
from ....targets.cpu import DOT_PRODUCTS, TILE_PRODUCTS, TILE_ROWS
from .contraction import Contraction, recognize
from .dot_product import dot_product_of, lies_in_groups, reads_blocks, widens_lhs
from .interleave import interleaved_problem
from .nest import Nest, is_vectorizable
from .paired_products import PAIRED_PANEL, PAIRED_STEPS, most_rows
from .panel_parts import distance_of_parts, pipelined_problem
from .payload_loads import loads_are_vectors, lookups
from .skinny import lies_along_columns, may_be_skinny
from .tiles import (
    Tiling,
    copies_rows,
    divides_steps,
    fills_beside,
    group_of,
    joined_loop,
    joined_rows_of,
    lie_together,
    may_join_rows,
    rows_of,
    tiling_of,
    widens_blocks,
)
from .vectorize import can_be_searched, can_be_vectors, moves_whole_blocks, reduction_problem, transposed_problem
from .windows import is_window


def order_problem(nest: Nest) -> str | None:
    """Returns the reason why the loops of a nest cannot be in their order."""
    if any(later and not earlier for earlier, later in pairwise(nest.parallel)):
        return "loops: a parallel loop is inside a reduction"
    return None


def scalars_problem(nest: Nest, schedule: schedules.Scalars) -> str | None:
    """Returns the reason why a nest cannot be scalar loops."""
    return _parallel_problem(schedule.parallel, sum(nest.parallel))


def vectors_problem(nest: Nest, schedule: schedules.Vectors, shared: int) -> str | None:
    """Returns the reason why a nest cannot be vectors, its first `shared` loops being those of a group."""
    # From the loop of the vectors to what shares it: each test relies on those before it.
    along = schedule.along
    if not shared <= along < nest.rank():
        return f"along = {along}, want the position of a loop, from {shared} to {nest.rank() - 1}"
    if not is_vectorizable(nest):
        return "the payload is not element by element"
    problem = reduction_problem(nest)
    if problem is not None:
        return problem
    if not can_be_vectors(nest, along):
        reason = "an output does not depend on it" if nest.parallel[along] else "an input is scattered along it"
        reason = reason if loads_are_vectors(nest, along) else "a load of the payload is scattered along it"
        return f"along = {along}: {reason}"
    if schedule.lookup is not None and not lookups(nest):
        return f"lookup = {schedule.lookup}, but the payload reads no table of 256 bytes at the place of a byte"
    if schedule.searched and not can_be_searched(nest, along, schedule.searched * schedule.lanes):
        return f"searched = {schedule.searched}, which is for a float and its place along a reduction of at least so many vectors"
    if schedule.written_out and not shared:
        return f"written_out = {schedule.written_out}, which is for rows of ops that share loops"
    outer = sum(nest.parallel) - int(nest.parallel[along])
    if schedule.chunk and (outer or not nest.parallel[along]):
        return f"chunk = {schedule.chunk}, which is for vectors along the only parallel loop"
    steps = nest.sizes[-1]
    if schedule.streams > 1 and (
        along == nest.rank() - 1 or nest.parallel[-1] or not steps or steps < schedule.streams
    ):
        wanted = "a last loop that is a reduction of so many known steps at least, not of lanes"
        return f"streams = {schedule.streams}, want {wanted}, got {_steps_text(nest)}"
    if schedule.streams > 1 and schedule.rows:
        return (
            f"streams = {schedule.streams} with rows = {schedule.rows}, whose steps are written out, want one of them"
        )
    if schedule.rows:
        if schedule.chunk or not is_window(nest, along):
            return f"rows = {schedule.rows}, which is for a few steps of reductions whose sizes are known, read by whole vectors"
        if schedule.rows > 1 and along - 1 < shared:
            return f"rows = {schedule.rows}, but no loop of the op's own is before along = {along}"
    return _parallel_problem(schedule.parallel, outer)


def _steps_text(nest: Nest) -> str:
    kind = "a parallel loop" if nest.parallel[-1] else "a reduction"
    return f"{kind} of {'an unknown number of' if nest.sizes[-1] is None else nest.sizes[-1]} steps"


def transposed_schedule_problem(nest: Nest, schedule: schedules.Transposed) -> str | None:
    """Returns the reason why blocks of the last two loops of a nest cannot be transposed."""
    if nest.rank() < 2:
        return f"it has {nest.rank()} loops, want 2 or more"
    if not is_vectorizable(nest):
        return "the payload is not element by element"
    along, rows = nest.rank() - 1, nest.rank() - 2
    problem = transposed_problem(nest, along, rows, schedule.lanes)
    if problem is None and schedule.blocks > 1 and not moves_whole_blocks(nest, along, rows, schedule.lanes):
        problem = (
            f"blocks = {schedule.blocks}, which is for elements that are only moved, in whole blocks of the last loop"
        )
    return problem or _parallel_problem(schedule.parallel, nest.rank() - 1)


def interleaved_schedule_problem(nest: Nest, schedule: schedules.Interleaved) -> str | None:
    """Returns the reason why vectors of a nest cannot be interleaved over the last loop."""
    if nest.rank() < 2:
        return f"it has {nest.rank()} loops, want 2 or more"
    problem = interleaved_problem(nest, nest.rank() - 2, nest.rank() - 1, schedule.lanes)
    return problem or _parallel_problem(schedule.parallel, nest.rank() - 1)


def _parallel_problem(parallel: int, most: int) -> str | None:
    return None if parallel <= most else f"parallel = {parallel}, want at most {most}"


# ---- contractions ----


def contraction_problem(nest: Nest, schedule: schedules.Contraction) -> str | None:
    """Returns the reason why a nest cannot be a contraction with these tiles or skinny kernels."""
    # From the general to the special: each test relies on those before it.
    k = recognize(nest)
    if k is None:
        return "the payload and the maps are not those of a contraction"
    if (schedule.row is None) != (not k.rows) or (schedule.row is not None and schedule.row not in k.rows):
        row = "no row" if schedule.row is None else f"row = {schedule.row}"
        return f"{row}, want {_choices(k.rows)}"
    if schedule.tiles is not None and schedule.tiles.panel > len(k.reduced):
        return f"tiles: panel = {schedule.tiles.panel}, but there are {len(k.reduced)} reductions"
    if schedule.instruction is not None:
        lanes = DOT_PRODUCTS[schedule.instruction].lanes
        if schedule.lanes not in lanes:
            return f"instruction = {schedule.instruction} with lanes = {schedule.lanes}, want one of {list(lanes)}"
        dot = dot_product_of(k, schedule.instruction)
        if dot is None:
            row = DOT_PRODUCTS[schedule.instruction]
            factors = " and ".join(dict.fromkeys(row.factors))
            types = f"{k.a.type.element_type} and {k.b.type.element_type} in {k.acc_type}"
            wanted = f"multiplies neighbors of {factors} and adds them to {row.accumulator}"
            if row.pairs:
                wanted += f", for bytes in i16 and bytes in blocks, in multiples of {PAIRED_STEPS} steps of known rows"
            return f"instruction = {schedule.instruction}, which {wanted}, but the op has {types}"
        if (
            schedule.tiles is not None
            and schedule.tiles.instruction is None
            and not schedule.tiles.packs_lhs
            and (widens_lhs(k, dot) or not lies_in_groups(k, nest.rank() - 1))
        ):
            reason = "has narrower elements" if widens_lhs(k, dot) else "has steps that are no neighbors"
            return f"instruction = {schedule.instruction}, but the left operand, which is not packed, {reason}"
        problem = _pairs_problem(k, schedule) if dot.pairs else None
        if problem is not None:
            return problem
    if schedule.tiles is not None and schedule.tiles.instruction is not None:
        problem = _tile_registers_problem(k, schedule, schedule.tiles)
        if problem is not None:
            return problem
    problem = None if schedule.skinny is None else _skinny_problem(k, schedule, schedule.skinny)
    if schedule.tiles is not None:
        problem = problem or _sums_problem(k, schedule, schedule.tiles) or _tiles_problem(k, schedule, schedule.tiles)
    return problem


def _sums_problem(k: Contraction, schedule: schedules.Contraction, tiles: schedules.Tiles) -> str | None:
    """Returns the reason why sums in vector registers cannot go to the stack."""
    if tiles.instruction is not None or tiles.sums == "output":
        return None
    if tiles.sums == "pipelined":
        return f"tiles: sums = {tiles.sums} without instruction, want output or stack"
    if tiles.joined > 1:
        return f"tiles: sums = {tiles.sums} with joined = {tiles.joined}, want 1"
    # A kernel that takes all parts of a B in blocks itself has all steps as one that has a single panel.
    parts = not tiles.packs_lhs and distance_of_parts(k, tiling_of(k, schedule)) is not None
    if tiles.panels == 1 and not parts and not _takes_all_steps(k, tiles):
        return f"tiles: sums = {tiles.sums}, but a panel does not have all steps"
    return None


def _takes_all_steps(k: Contraction, tiles: schedules.Tiles) -> bool:
    """Returns whether the only panel has all steps."""
    chunked = k.nest.sizes[k.reduced[0]]
    return tiles.panel == len(k.reduced) and chunked is not None and 0 < chunked <= tiles.steps


def _pitch_problem(k: Contraction, row: int | None, pitch: int) -> str | None:
    """Returns the reason why rows of two loops cannot make tiles together."""
    if row is None or joined_loop(k, row, pitch) is None:
        return f"tiles: pitch = {pitch}, but no iterations of another loop over rows lie so many rows apart"
    if joined_rows_of(k, row, pitch) is None:
        rows, run, most = k.nest.sizes[row], rows_of(k, row, pitch), schedules.MOST_JOINED_ROWS
        return f"tiles: pitch = {pitch} with {rows} rows and {run} from the first to the last, want known numbers, at most {most}"
    return None


def _tile_registers_problem(k: Contraction, schedule: schedules.Contraction, tiles: schedules.Tiles) -> str | None:
    """Returns the reason why the sums cannot be in tile registers."""
    # From the instruction to how the operands lie: each test relies on those before it.
    assert tiles.instruction is not None
    if schedule.lanes != TILE_ROWS:
        return f"tiles: instruction = {tiles.instruction} with lanes = {schedule.lanes}, want {TILE_ROWS}"
    if dot_product_of(k, tiles.instruction) is None:
        row = TILE_PRODUCTS[tiles.instruction]
        factors = " and ".join(dict.fromkeys(row.factors))
        return f"tiles: instruction = {tiles.instruction}, which multiplies {factors} and adds groups of {row.group} to {row.accumulator}"
    if k.packed_block % TILE_ROWS:
        where = f"blocks of {k.packed_block} columns, want whole tiles of {TILE_ROWS}"
        return f"tiles: instruction = {tiles.instruction}, but the right operand lies in {where}"
    if tiles.joined > 1:
        return f"tiles: instruction = {tiles.instruction} with joined = {tiles.joined}, want 1"
    if tiles.pitch:
        problem = _pitch_problem(k, schedule.row, tiles.pitch)
        if problem is not None:
            return problem
    if tiles.sums != "output" and tiles.packs_rhs and tiles.panels == 1 and not _takes_all_steps(k, tiles):
        return f"tiles: sums = {tiles.sums}, but a panel does not have all steps"
    if not lies_in_groups(k, k.nest.rank() - 1):
        return f"tiles: instruction = {tiles.instruction}, but the steps are no neighbors in the left operand"
    if tiles.sums == "pipelined":
        problem = pipelined_problem(k, tiling_of(k, schedule), packs_lhs=tiles.packs_lhs, panels=tiles.panels)
        return None if problem is None else f"tiles: sums = {tiles.sums}, but {problem}"
    return None


def _pairs_problem(k: Contraction, schedule: schedules.Contraction) -> str | None:
    """Returns the reason why tiles cannot multiply sums of bytes."""
    tiles = schedule.tiles
    if tiles is None or schedule.skinny is not None:
        return f"instruction = {schedule.instruction}, want tiles alone"
    rows, columns = tiles.shape
    vectors = columns // schedule.lanes
    widest = max(n for n in range(1, vectors + 1) if most_rows(n) > 0)
    if vectors > widest:
        wanted = f"at most {widest * schedule.lanes} columns"
        return f"tiles: shape = [{rows}, {columns}] with instruction = {schedule.instruction}, want {wanted}"
    most = most_rows(vectors)
    if rows > most:
        return f"tiles: shape = [{rows}, {columns}] with instruction = {schedule.instruction}, want at most {most} rows"
    steps = k.nest.sizes[k.reduced[0]] or 0
    if tiles.steps % PAIRED_STEPS or tiles.steps < min(steps, PAIRED_PANEL):
        wanted = f"a multiple of {PAIRED_STEPS}, {PAIRED_PANEL} or more"
        return f"tiles: steps = {tiles.steps} with instruction = {schedule.instruction}, want {wanted}"
    return None


def _choices(loops: list[int]) -> str:
    return (
        " or ".join(map(str, loops)) if loops else "none, as no loop belongs to the left operand and the result alone"
    )


def _skinny_problem(k: Contraction, schedule: schedules.Contraction, skinny: schedules.Skinny) -> str | None:
    # From the operand to what goes together, then the rows.
    if not may_be_skinny(k):
        return "skinny: the right operand cannot be read in place"
    rows = 1 if schedule.row is None else k.nest.sizes[schedule.row]
    group = 1 if schedule.instruction is None else DOT_PRODUCTS[schedule.instruction].group
    if lies_along_columns(k) and skinny.fetched:
        return f"skinny: fetched = {skinny.fetched}, but the right operand is not contiguous along the reduction"
    if lies_along_columns(k) and any(unroll % group for unroll in skinny.unroll):
        return f"skinny: unroll = {list(skinny.unroll)} with instruction = {schedule.instruction}, want multiples of {group}"
    if schedule.tiles is None and rows is None:
        return "skinny without tiles, but the number of rows is known at run time only"
    if schedule.tiles is None and rows not in skinny.rows:
        return f"skinny: rows = {list(skinny.rows)}, but there are {rows}"
    return None


def _panels_at_once(k: Contraction, tiles: schedules.Tiles) -> int:
    """Returns how many panels there are before the first tile if it takes all of them; 0 where that is not known, or too many."""
    start = len(k.reduced) - tiles.panel
    sizes = [k.nest.sizes[d] for d in k.reduced]
    known = [size for size in sizes if size is not None]
    if not tiles.packs_rhs or len(known) < len(sizes) or known[start] > tiles.steps or 0 in known:
        return 0
    return prod(known[:start]) if prod(known) * tiles.shape[1] <= schedules.MOST_PANEL else 0


def _has_all_steps(k: Contraction, tiles: schedules.Tiles) -> bool:
    """Returns whether one panel has all steps, of which the number is known."""
    sizes = [k.nest.sizes[d] or 0 for d in k.reduced]
    is_one_panel = tiles.panel == len(sizes) and sizes[0] <= tiles.steps
    return is_one_panel and 0 < prod(sizes) * tiles.shape[1] <= schedules.MOST_PANEL


def _fetches_panels(k: Contraction, t: Tiling, tiles: schedules.Tiles) -> bool:
    """Returns whether tiles can fetch what the next panel is made of."""
    return copies_rows(k, t) or (tiles.pack == "rhs" and widens_blocks(k, t))


def _tiles_problem(k: Contraction, schedule: schedules.Contraction, tiles: schedules.Tiles) -> str | None:
    """Returns what is wrong with the tiles, if anything.

    The loops of a panel have even steps, and a tile is as wide as what a panel joins.
    """
    # From the width of a tile to what lies in a panel: each test relies on those before it.
    nest = k.nest
    in_blocks = reads_blocks(k, dot_product_of(k, tiles.instruction or schedule.instruction))
    if tiles.packs_rhs == in_blocks:
        where = "lies in blocks already" if in_blocks else "does not lie in blocks of columns"
        where = "is widened on the way to panels" if k.packed_block and not in_blocks else where
        return f"tiles: pack = {tiles.pack}, but the right operand {where}"
    width = tiles.shape[1]
    if tiles.outer_rows and len(k.rows) < 2:
        return f"tiles: outer_rows = {tiles.outer_rows}, but there are {len(k.rows)} loops over rows, want 2 or more"
    if k.packed_block and k.packed_block % width and (tiles.instruction is None or width % k.packed_block):
        return f"tiles: {width} columns do not divide the blocks of {k.packed_block} columns of the right operand"
    if tiles.ahead and not k.rows:
        return f"tiles: ahead = {tiles.ahead}, but there are no loops over rows"
    panel = k.reduced[len(k.reduced) - tiles.panel :]
    may_gather = tiles.instruction is not None and tiles.pack == "both" and _has_all_steps(k, tiles)
    if not may_gather and not lie_together(k, panel):
        return f"tiles: panel = {tiles.panel}: these reductions do not follow one another in the left operand"
    if tiles.panels > 1 and tiles.panels != _panels_at_once(k, tiles):
        return f"tiles: panels = {tiles.panels}, want 1 or the iterations of the loops around panels, of known size, each a whole panel"
    if tiles.filled == "beside" and not fills_beside(
        k, tiling_of(k, schedule), tiles.pack, tiles.row_block, tiles.column_block
    ):
        return "tiles: filled = beside, but blocks do not begin with a whole tile, or panels are not copied from rows that have all steps"
    if tiles.unroll > 1 and not divides_steps(k, tiling_of(k, schedule), tiles.unroll * group_of(k, schedule)):
        return f"tiles: unroll = {tiles.unroll}, which does not divide the steps of all panels"
    if tiles.fetched and tiles.packs_rhs and not _fetches_panels(k, tiling_of(k, schedule), tiles):
        return f"tiles: fetched = {tiles.fetched}, but panels are not copied from rows that have all steps, or widened from blocks"
    if k.grouped not in (None, panel[-1]):
        return f"loops: groups of the steps of loop {k.grouped} lie together in the right operand, want it last"
    if tiles.panel == 1 and tiles.steps % k.packed_group:
        return f"tiles: steps = {tiles.steps}, want a multiple of the {k.packed_group} steps that lie together in the right operand"
    if tiles.joined > 1:
        if not may_join_rows(k):
            return f"tiles: joined = {tiles.joined}, but the columns of the output do not follow one another"
        size = nest.sizes[k.column] or 0
        if tiles.joined * size > width:
            return f"tiles: joined = {tiles.joined} rows of {size} columns, but a tile has {width}"
    return None
