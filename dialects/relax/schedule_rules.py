"""What a schedule must satisfy whatever op it is for; `lowering/cpu/schedule/check.py` has what its op must be."""

from __future__ import annotations

from .schedule import (
    MOST_ACCUMULATORS,
    MOST_LANES,
    MOST_PANEL,
    MOST_SKINNY,
    MOST_STREAMS,
    MOST_TILE_COLUMNS,
    MOST_TILE_ROWS,
    MOST_UNROLL,
    Contraction,
    Convolution,
    Epilogue,
    Init,
    Interleaved,
    Padding,
    Scalars,
    Schedule,
    Skinny,
    Tiles,
    Transposed,
    Vectors,
    Winograd,
    word_of,
)


def problem_of(schedule: Schedule) -> str | None:
    """Returns what is wrong with a schedule by itself, without its op; None if nothing is."""
    # One rule for each class; it looks at the fields alone.
    word = word_of(schedule)
    match schedule:
        case Contraction():
            problem = _contraction_problem(schedule)
        case Convolution():
            problem = _lanes_problem(schedule.lanes) or _convolution_problem(schedule)
        case Winograd():
            problem = _lanes_problem(schedule.lanes) or _winograd_problem(schedule)
        case Vectors():
            problem = _lanes_problem(schedule.lanes) or _grain_problem(schedule) or _vectors_problem(schedule)
        case Transposed():
            problem = _lanes_problem(schedule.lanes) or _grain_problem(schedule)
            problem = problem or _power_problem("blocks", schedule.blocks, 1, MOST_LANES // schedule.lanes)
        case Interleaved():
            problem = _lanes_problem(schedule.lanes) or _grain_problem(schedule)
            if schedule.chunk < 1 or schedule.chunk % schedule.lanes:
                problem = problem or f"chunk = {schedule.chunk}, want a multiple of {schedule.lanes} lanes"
        case Scalars():
            problem = _grain_problem(schedule)
        case Epilogue() | Init() | Padding():
            problem = None
    return None if problem is None else f"schedule {word}: {problem}"


def _grain_problem(schedule: Scalars | Vectors | Transposed | Interleaved) -> str | None:
    """Returns what is wrong with a grain or a shared loop, if anything.

    A parallel loop and its grain need each other; a member of a group is inside loops of the op that it joins.
    """
    divided = schedule.chunk if isinstance(schedule, Vectors) else 0
    if divided and schedule.parallel:
        return f"chunk = {divided} and parallel = {schedule.parallel}, want one of them"
    if bool(schedule.grain) != bool(schedule.parallel or divided):
        return f"grain = {schedule.grain} with parallel = {schedule.parallel}, want both or none"
    joins = 0 if isinstance(schedule, Transposed | Interleaved) else schedule.joins
    if joins and schedule.grain:
        return f"grain = {schedule.grain} with joins = {joins}, want it on the first op of the group"
    return None


def _vectors_problem(schedule: Vectors) -> str | None:
    # Each field by itself, then what needs another one.
    problem = _power_problem("unroll", schedule.unroll, 1, MOST_UNROLL)
    if not 1 <= schedule.streams <= MOST_STREAMS:
        problem = problem or f"streams = {schedule.streams}, want 1 to {MOST_STREAMS}"
    for name, value in (("rows", schedule.rows), ("written_out", schedule.written_out)):
        if value > MOST_UNROLL:
            problem = problem or f"{name} = {value}, want at most {MOST_UNROLL}"
    if schedule.searched:
        problem = problem or _power_problem("searched", schedule.searched, 2, MOST_UNROLL)
    if schedule.stored != "cached" and not schedule.written_out:
        problem = problem or f"stored = {schedule.stored} with written_out = 0, want it for rows that are written out"
    return problem


def _lanes_problem(lanes: int) -> str | None:
    return _power_problem("lanes", lanes, 2, MOST_LANES)


def _power_problem(name: str, value: int, least: int, most: int) -> str | None:
    is_power = least <= value <= most and not value & (value - 1)
    return None if is_power else f"{name} = {value}, want a power of 2 from {least} to {most}"


def _contraction_problem(schedule: Contraction) -> str | None:
    tiles, skinny = schedule.tiles, schedule.skinny
    if tiles is None and skinny is None:
        return "neither tiles nor skinny, want one of them or both"
    problem = _lanes_problem(schedule.lanes)
    if tiles is not None:
        problem = problem or _tiles_problem(tiles, schedule.lanes)
    if skinny is not None:
        problem = problem or _skinny_problem(skinny, schedule.lanes, ranges=tiles is not None)
    return problem


def _shape_problem(schedule: Convolution | Winograd, rows_of: str, columns_of: str) -> str | None:
    """Returns what is wrong with a register tile, whose rows and columns are of these."""
    rows, columns = schedule.shape
    if rows < 1 or columns < 1 or columns % schedule.lanes:
        return f"shape = [{rows}, {columns}], want {rows_of} and a multiple of {schedule.lanes} {columns_of}"
    vectors = rows * (columns // schedule.lanes)
    if vectors > MOST_ACCUMULATORS:
        return f"shape = [{rows}, {columns}] is {vectors} vectors of {schedule.lanes} lanes, want at most {MOST_ACCUMULATORS}"
    return None


def _convolution_problem(schedule: Convolution) -> str | None:
    # From the tile to what several share: each test relies on those before it.
    problem = _shape_problem(schedule, "pixels", "channels")
    if problem is not None:
        return problem
    if schedule.joined < 1:
        return f"joined = {schedule.joined}, want 1 or more"
    if schedule.chunk < 0 or (schedule.chunk and schedule.staged):
        return f"chunk = {schedule.chunk} with staged = {schedule.staged}, want one of them"
    if schedule.rows < 0 or (schedule.rows and not schedule.chunk) or schedule.rows % schedule.joined:
        return f"rows = {schedule.rows} with chunk = {schedule.chunk}, want a multiple of the {schedule.joined} joined rows, and a chunk"
    return _staged_problem(schedule) or _span_problem(schedule)


def _winograd_problem(schedule: Winograd) -> str | None:
    problem = _shape_problem(schedule, "tiles", "channels")
    if problem is not None:
        return problem
    if schedule.fetched > MOST_UNROLL:
        return f"fetched = {schedule.fetched}, want at most {MOST_UNROLL} lines"
    if min(schedule.block) < 1 or schedule.channels < 1:
        return f"block = {list(schedule.block)} with channels = {schedule.channels}, want 1 or more of each"
    if schedule.shares < 0 or (schedule.shares and schedule.staged):
        return f"shares = {schedule.shares} with staged = {schedule.staged}, want one of them"
    return None


def _staged_problem(schedule: Convolution) -> str | None:
    pixels, channels = schedule.shape
    if schedule.staged < 0 or schedule.staged % pixels or (schedule.staged and schedule.joined > 1):
        return f"staged = {schedule.staged}, want whole tiles of {pixels} pixels of one row, or 0"
    if schedule.staged * channels > MOST_PANEL:
        return f"staged = {schedule.staged} of {channels} channels, want at most {MOST_PANEL} elements on the stack"
    return None


def _span_problem(schedule: Convolution) -> str | None:
    pixels, span = schedule.shape[0], schedule.span
    if span < 0 or span % pixels or (span and (schedule.joined > 1 or schedule.staged or schedule.chunk)):
        return f"span = {span}, want whole tiles of {pixels} pixels of one row, neither staged nor in chunks, or 0"
    return None


def _tiles_problem(tiles: Tiles, lanes: int) -> str | None:
    # Whole vectors first: the number of vectors of a tile is counted from them.
    rows, columns = tiles.shape
    if rows < 1 or columns < 1 or columns % lanes:
        return f"tiles: shape = [{rows}, {columns}], want rows and a multiple of {lanes} columns"
    vectors = rows * (columns // lanes)
    if tiles.instruction is not None:
        if rows > MOST_TILE_ROWS or columns > MOST_TILE_COLUMNS:
            most = f"{MOST_TILE_ROWS} rows and {MOST_TILE_COLUMNS} columns"
            return f"tiles: shape = [{rows}, {columns}], want at most {most} in tile registers"
    elif vectors > MOST_ACCUMULATORS:
        return f"tiles: shape = [{rows}, {columns}] is {vectors} vectors of {lanes} lanes, want at most {MOST_ACCUMULATORS}"
    if tiles.packs_rhs and tiles.steps * columns > MOST_PANEL:
        return f"tiles: steps = {tiles.steps} of {columns} columns, want at most {MOST_PANEL} elements on the stack"
    for name in ("steps", "panel", "panels", "joined"):
        if getattr(tiles, name) < 1:
            return f"tiles: {name} = {getattr(tiles, name)}, want 1 or more"
    problem = _power_problem("tiles: unroll", tiles.unroll, 1, MOST_UNROLL)
    if problem is not None:
        return problem
    if tiles.pitch and (tiles.instruction is None or tiles.sums != "stack" or tiles.row_block):
        return f"tiles: pitch = {tiles.pitch}, which is for tile registers, sums = stack and all rows at once"
    if tiles.instruction is not None and (tiles.unroll > 1 or tiles.fetched):
        return f"tiles: unroll = {tiles.unroll} and fetched = {tiles.fetched}, which are for vector registers"
    if tiles.fetched > MOST_UNROLL or (tiles.fetched and tiles.packs_rhs and tiles.panels > 1):
        return f"tiles: fetched = {tiles.fetched} with panels = {tiles.panels}, want at most {MOST_UNROLL} lines, one copied panel"
    if not 0 <= tiles.ahead <= MOST_UNROLL:
        return f"tiles: ahead = {tiles.ahead}, want 0 to {MOST_UNROLL} rows"
    if tiles.ahead and (tiles.instruction is not None or tiles.joined > 1):
        other = f"joined = {tiles.joined}" if tiles.joined > 1 else f"instruction = {tiles.instruction}"
        return f"tiles: ahead = {tiles.ahead} with {other}, which is for vector registers and plain columns"
    may_be_wide = tiles.packs_lhs == tiles.packs_rhs and tiles.instruction is None and tiles.joined == tiles.panels == 1
    if tiles.column_block and not may_be_wide:
        return f"tiles: column_block = {tiles.column_block}, which is for vector registers, pack = none or both, joined = panels = 1"
    if tiles.column_block and tiles.fetched and tiles.packs_rhs:
        return f"tiles: column_block = {tiles.column_block} with fetched = {tiles.fetched} and pack = {tiles.pack}, want fetched = 0"
    if tiles.packs_rhs and tiles.steps * tiles.column_block > MOST_PANEL:
        return f"tiles: steps = {tiles.steps} of column_block = {tiles.column_block}, want at most {MOST_PANEL} elements on the stack"
    if tiles.column_block % columns:
        return f"tiles: column_block = {tiles.column_block}, want a multiple of the {columns} columns of a tile"
    if tiles.row_block % rows:
        return f"tiles: row_block = {tiles.row_block}, want a multiple of the {rows} rows of a tile"
    return None


def _skinny_problem(skinny: Skinny, lanes: int, *, ranges: bool) -> str | None:
    """Returns what is wrong with the kernels of a skinny GEMM.

    With `ranges` they are chosen at run time, so that there must be a kernel for each number of rows from 1 on.
    """
    # The first rule that does not hold is told, in the words of the attribute.
    if not skinny.rows or len(skinny.rows) != len(skinny.unroll):
        return f"skinny: {len(skinny.rows)} rows and {len(skinny.unroll)} unroll, want as many of both"
    if min(skinny.rows) < 1 or min(skinny.unroll) < 1:
        return "skinny: rows or unroll is 0, want 1 or more"
    if ranges and skinny.rows != tuple(range(1, len(skinny.rows) + 1)):
        return f"skinny: rows = {list(skinny.rows)} beside tiles, want each number from 1 on"
    for name in ("columns", "width"):
        value = getattr(skinny, name)
        if value < 1 or value % lanes:
            return f"skinny: {name} = {value}, want a multiple of {lanes} lanes"
    if skinny.fetched < 0:
        return f"skinny: fetched = {skinny.fetched}, want 0 or more columns"
    for rows, unroll in zip(skinny.rows, skinny.unroll, strict=True):
        vectors = rows * unroll * (skinny.width // lanes)
        if vectors > MOST_SKINNY:
            return f"skinny: rows = {rows}, unroll = {unroll}, width = {skinny.width} is {vectors} vectors, want at most {MOST_SKINNY}"
    return None
