"""Decides along which loop element-wise ops and reductions are vectors, and which of them are transposed in registers.

out[i, j] = f(in[i, j])       vectors along j
out[i] += in[i, j]            vectors along j: lanes are partial sums; along i where `in` is contiguous there
out[i, j] = f(in[j, i])       vectors along j, square blocks of `in` transposed
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from xdsl.dialects.builtin import AnyFloat, Float32Type, Float64Type, IntegerType

from ....dialects.relax.schedule import LookupInstruction, Transposed, Vectors
from ....targets.cpu import CpuTarget
from .access import Access, coefficient
from .combiners import ByPlace, combiners_of
from .grain import grain_of, parallel_loops, size_or_guess, work_inside, work_of_point
from .nest import Nest, Size, is_vectorizable
from .payload_loads import has_loads, loads_are_vectors, lookups, places_of
from .streams import is_stream, pick_fetched, pick_streams
from .windows import pick_window_rows

WIDE = 16
"""Vectors that a thread reads of each row where a cheap reduction walks down rows."""

WIDE_PAYLOAD = 4
"""Operations of a payload that is cheap."""

CHUNK = 256
"""Vectors that one iteration of a parallel loop over a single loop takes."""

SHORT = 16
"""Iterations of a loop that cost more the fewer they are. No number of lanes: all targets have vectors along the same loops."""

SCATTERED = 16
"""The cost of an access that is not contiguous along the vectors, where one that is costs 1: each lane is read on its own.

Lanes that are a few elements apart are picked from as many vectors, which costs as many loads and one shuffle less; so are lanes that
lie in a few phases.
"""

WORD = 32
"""The bits of the elements of which a target's vectors have their number of lanes."""

INTERLEAVED_BITS = 128
"""The bits of a vector inside of which an instruction interleaves two: longer vectors have several such parts."""

CHAINS = frozenset(f"math.{name}" for name in ("erf", "exp", "exp2", "expm1", "log", "tanh"))
"""Functions of one result after the other, for tens of cycles, in f32."""

TOGETHER = 4
"""The vectors of such functions that go together where the results of a vector take few registers: as fast as 2 or faster, measured on
Zen 3, whose instructions in flight are those of about 4 vectors."""

MOVED_TOGETHER = 4
"""The vectors of a row that go together where elements are only moved, or half as many: the loop of a short row costs as much as these."""

SHORT_ROW = 32
"""The vectors of a row that is short: of longer ones memory is what takes the time."""

SEARCHED = 16
"""The vectors of a block whose place is looked for only if it has the greatest value."""

LEAST_BLOCKS = 8
"""Blocks below which places go along with values."""

UNMOVED = 0.25
"""The cost of an access that the vectors share."""


def vector_loop(nest: Nest, first: int = 0) -> int | None:
    """Returns the loop that vectors lie along, not among the first; None where scalar loops are right.

    It is the loop along which the fewest accesses are scattered, the innermost of equals.
    """
    if not is_vectorizable(nest) or nest.rank() <= first or reduction_problem(nest) is not None:
        return None
    candidates = [d for d in range(first, nest.rank()) if can_be_vectors(nest, d)]
    best = min(reversed(candidates), key=lambda d: _scatter(nest, d), default=None)
    if best is None:
        return None
    size = nest.sizes[best]
    return None if size is not None and size < 2 else best


def reduction_problem(nest: Nest) -> str | None:
    """Returns why the reductions of a nest cannot have partial results; None if they can, or if there are none.

    Each output must combine its content with something new, and must not depend on the reductions.
    """
    reduced = set(nest.reduced)
    if reduced and combiners_of(nest) is None:
        return "the payload does not combine each output with something new"
    if any(output.dims() & reduced for output in nest.outputs):
        return "an output depends on a reduction"
    return None


def can_be_vectors(nest: Nest, loop: int) -> bool:
    """Returns whether the iterations of a loop can be lanes.

    Every output must move with a parallel loop, or its lanes would be written to one element; along a reduction the inputs must be
    contiguous, as the rest of a vector is masked.
    """
    if not loads_are_vectors(nest, loop):
        return False
    if nest.parallel[loop]:
        return all(loop in o.dims() for o in nest.outputs)
    return all(a.step(loop) is not None for a in nest.inputs)


def can_be_masked(nest: Nest, loop: int) -> bool:
    """Returns whether a part of a vector along a loop can be accessed: no operand is scattered."""
    size = nest.sizes[loop]
    return all(
        a.step(loop) is not None or a.spread(loop) is not None or a.phases(loop, size) is not None for a in nest.inputs
    ) and all(o.step(loop) is not None for o in nest.outputs)


def _scatter(nest: Nest, loop: int) -> float:
    size = nest.sizes[loop]
    cost = sum(_access_cost(a, loop, size) for a in nest.inputs)
    cost += sum(2 * (SCATTERED if o.step(loop) is None else _access_cost(o, loop, size)) for o in nest.outputs)
    is_parallel = nest.parallel[loop]
    if size is not None and size < SHORT:
        # The lanes of a short reduction are summed often.
        cost += (1 if is_parallel else 2) * SHORT / max(size, 1)
    return cost if is_parallel else cost + 0.5


def _access_cost(access: Access, loop: int, size: Size) -> float:
    step, parts = access.step(loop), access.spread(loop) or access.phases(loop, size)
    if step is None:
        return SCATTERED if parts is None else 2 * parts - 1
    return 1 if step == 1 else UNMOVED


def pick_vectors(
    nest: Nest, along: int, target: CpuTarget, in_parallel: bool, joins: int = 0, shared: int | None = None
) -> Vectors:
    """Returns the schedule of a nest with vectors along a loop.

    Its loops are in the order of the code: parallel ones, with the vectors innermost, then reductions, with the vectors innermost.
    With `shared` the nest is inside so many loops of a group, which are divided among threads as a whole; the first nest of the group
    has `joins` 0, the others `shared`.
    """
    reduced = [d for d in nest.reduced if d != along]
    outer = [d for d in range(nest.rank()) if nest.parallel[d] and d != along]
    size = nest.sizes[along]
    lanes = _pick_lanes(size, target.lanes * narrowness(nest))
    # As many vectors of partial results as an addition takes cycles.
    sums = target.arithmetic_latency
    chunk = parallel = grain = 0
    rows = pick_window_rows(nest, along, shared or 0, target)
    if shared is None and not in_parallel:
        inside = [nest.sizes[d] for d in reduced]
        if not outer and nest.parallel[along] and not rows:
            chunk, grain = _pick_chunk(nest, along, reduced, lanes, sums)
        else:
            work = work_of_point(nest) * work_inside([size, *inside])
            sizes = [nest.sizes[d] for d in outer]
            if rows > 1:
                # Blocks of rows are what is shared.
                sizes[-1] = -(-size_or_guess(sizes[-1]) // rows)
                work *= rows
            parallel, grain = parallel_loops(sizes, work)
    if nest.parallel[along]:
        order = [*outer, along, *reduced]
        unroll = _vectors_at_once(nest, along, lanes, target) if reduced and not rows else 1
    else:
        order = [*outer, *reduced, along]
        unroll = _partial_results(nest, size, lanes, target)
    loops = tuple(nest.loops[d] for d in order)
    fetched = 0 if rows else pick_fetched(nest, along, unroll * lanes, target)
    streams = 1 if rows else pick_streams(nest, along, lanes, unroll, target)
    searched = 0
    if target.has_few_registers and can_be_searched(nest, along, SEARCHED * LEAST_BLOCKS * lanes):
        searched, unroll = SEARCHED, sums
    lookup = cast(LookupInstruction, target.lookup.name) if target.lookup is not None and lookups(nest) else None
    return Vectors(
        loops,
        order.index(along),
        lanes,
        unroll,
        joins,
        rows,
        chunk,
        parallel,
        grain,
        fetched=fetched,
        streams=streams,
        lookup=lookup,
        searched=searched,
    )


def _vectors_at_once(nest: Nest, along: int, lanes: int, target: CpuTarget) -> int:
    """Returns the vectors of results over all steps of the reductions: as many as an addition takes cycles, or the whole of the rows that
    make a stream, in which parts of rows would leave gaps; of shorter ones several parts go side by side.
    """
    sums, size = target.arithmetic_latency, nest.sizes[along]
    if not size or size % lanes or not any(is_stream(nest, access, along, size) for access in nest.inputs):
        return sums
    vectors = size // lanes
    is_whole = vectors & (vectors - 1) == 0 and vectors <= target.vector_registers // 2
    return (vectors if target.has_few_registers else max(sums, vectors)) if is_whole else sums


def with_vectors_together(schedule: Vectors, nest: Nest, target: CpuTarget) -> Vectors:
    """Returns the schedule of a nest whose rows are loops, with several vectors going together.

    They do where each waits for chains of results, and where the loop of a short row does nothing but to move them.
    """
    along = [tuple(loop) for loop in nest.loops].index(tuple(schedule.loops[schedule.along]))
    if nest.moves:
        return replace(schedule, unroll=_moved_together(schedule, nest, along))
    functions = sum(op.name in CHAINS for op in nest.payload)
    if not functions or not target.has_few_registers or not all(nest.parallel) or schedule.rows:
        return schedule
    contiguous = all(a.step(along) in (0, 1) for a in nest.accesses)
    if not contiguous or has_loads(nest) or schedule.lanes != target.lanes:
        return schedule
    return replace(schedule, unroll=TOGETHER if functions == 1 else TOGETHER // 2)


def _moved_together(schedule: Vectors, nest: Nest, along: int) -> int:
    """Returns the vectors of a row that go together where elements are only moved: as many as rows consist of without a rest."""
    size, lanes = nest.sizes[along], schedule.lanes
    contiguous = all(access.step(along) == 1 for access in nest.accesses)
    if nest.rank() == 1 or not size or size > SHORT_ROW * lanes or schedule.rows or not contiguous:
        return schedule.unroll
    return next((n for n in (MOVED_TOGETHER, MOVED_TOGETHER // 2) if size % (n * lanes) == 0), schedule.unroll)


def can_be_searched(nest: Nest, along: int, least: int) -> bool:
    """Returns whether a nest finds a float that processors compare, and its place, along a reduction of so many elements at least."""
    size = nest.sizes[along]
    if nest.parallel[along] or size is None or size < least:
        return False
    combiners = combiners_of(nest)
    return (
        combiners is not None
        and len(combiners) == 1
        and isinstance(combiners[0], ByPlace)
        and isinstance(combiners[0].value_type, Float32Type | Float64Type)
    )


def _partial_results(nest: Nest, size: Size, lanes: int, target: CpuTarget) -> int:
    """Returns the vectors of partial results of a reduction along the vectors: more for slow steps, where that pays for combining them.

    Those of all outputs have half of the registers.
    """
    sums = target.arithmetic_latency
    if size is not None and size < sums * lanes:
        return 1
    is_long = size is not None and size >= SHORT * sums * lanes
    results = sums * max(combiner.latencies for combiner in combiners_of(nest) or ()) if is_long else sums
    return results if results * len(nest.outputs) <= target.vector_registers // 2 else sums


def narrowness(nest: Nest) -> int:
    """Returns how many elements of a nest have the size of an f32: 4 where all it reads, computes and writes are bytes, 2 for halves."""
    types = [access.type.element_type if access.is_memref else access.value.type for access in nest.accesses]
    # What makes indices of bytes is not computed where vectors of them are looked up.
    places = places_of(lookups(nest))
    types += [result.type for op in nest.payload if op not in places for result in op.results]
    widths = [type_.bitwidth if isinstance(type_, IntegerType | AnyFloat) else WORD for type_ in types]
    # Booleans are bytes in memory, and bits of masks elsewhere.
    return 1 if min(widths) < 8 else max(1, WORD // max(widths))


def _pick_lanes(size: Size, most: int) -> int:
    """Returns the lanes of a vector: the most, or as many as a short loop has iterations, rounded up to a power of 2."""
    if size is None or size >= most:
        return most
    return max(2, 1 << (max(size, 1) - 1).bit_length())


def _pick_chunk(nest: Nest, along: int, reduced: Sequence[int], lanes: int, sums: int) -> tuple[int, int]:
    """Returns the iterations of the vector loop that one iteration of a parallel loop takes, and the grain; (0, 0) for no such loop.

    Over a reduction that walks down rows, wide chunks read more of each row.
    """
    size = nest.sizes[along]
    points = 1
    for d in reduced:
        points *= size_or_guess(nest.sizes[d])
    least = 1
    if reduced:
        cheap = len(nest.payload) <= WIDE_PAYLOAD and len(nest.outputs) == 1
        narrow = size is not None and size < WIDE * lanes
        masked = can_be_masked(nest, along)
        least = WIDE if cheap and not narrow and masked else sums
    chunk = max(least, CHUNK // max(points, 1)) * lanes
    work = work_of_point(nest) * chunk * work_inside([nest.sizes[d] for d in reduced])
    grain = grain_of([None if size is None else -(-size // chunk)], work)
    return (chunk, grain) if grain else (0, 0)


# ---- transposed ----


def transposed_loop(nest: Nest, along: int, lanes: int) -> int | None:
    """Returns the one loop along which all inputs are contiguous that are scattered along the vectors; None if there is none."""
    others = (d for d in range(nest.rank()) if d != along)
    return next((d for d in others if transposed_problem(nest, along, d, lanes) is None), None)


def transposed_problem(nest: Nest, along: int, other: int, lanes: int) -> str | None:
    """Returns why blocks of two loops cannot be transposed; None if they can."""
    # Outputs and sizes do not depend on which inputs are scattered, so they are looked at first.
    if not all(nest.parallel):
        return "a loop is a reduction"
    if has_loads(nest):
        return "the payload reads memory besides its operands"
    if any(o.step(along) != 1 for o in nest.outputs) or any(map(nest.reads_output, range(len(nest.outputs)))):
        return "an output is not contiguous along the last loop, or is read"
    for loop, least in ((along, lanes), (other, lanes // 2)):
        size = nest.sizes[loop]
        if size is not None and size < least:
            return f"a loop has {size} iterations, want at least {least} for {lanes} lanes"
    scattered = [a for a in nest.inputs if a.step(along) is None]
    if not scattered or any(a.step(other) != 1 for a in scattered):
        return "no input, or not each that is scattered along the last loop, is contiguous along the loop before"
    return None


def moves_whole_blocks(nest: Nest, along: int, other: int, lanes: int) -> bool:
    """Returns whether elements are only moved, in whole blocks along a loop, whose rows lie equally far apart."""
    size = nest.sizes[along]
    if not nest.moves or not size or size % lanes:
        return False
    moved = (nest.inputs[0], along), (nest.outputs[0], other)
    return all(coefficient(expr, loop) is not None for access, loop in moved for expr in access.exprs)


def pick_transposed(nest: Nest, along: int, other: int, target: CpuTarget, in_parallel: bool) -> Transposed:
    """Returns the schedule of a nest whose blocks are transposed; the two loops become the innermost, the vectors last."""
    lanes, blocks = target.lanes, 1
    if moves_whole_blocks(nest, along, other, lanes) and WORD * lanes // narrowness(nest) == INTERLEAVED_BITS:
        blocks = target.vector_bits // INTERLEAVED_BITS
    outer = [d for d in range(nest.rank()) if d not in (along, other)]
    rows, inside = nest.sizes[other], lanes * blocks
    if rows:
        inside = min(inside, rows)
    sizes = [*(nest.sizes[d] for d in outer), None if rows is None else rows // inside]
    work = work_of_point(nest) * inside * work_inside([nest.sizes[along]])
    parallel, grain = (0, 0) if in_parallel else parallel_loops(sizes, work)
    return Transposed(tuple(nest.loops[d] for d in (*outer, other, along)), lanes, parallel, grain, blocks)
