"""Which class of kernels takes which computation: the one place where kinds of computations are told apart.

| class | takes | emitted by (in `cpu/loops`) |
|---|---|---|
| contraction, skinny | contractions with few rows whose other matrix lies along the columns or the reduction | skinny_gemm |
| winograd | convolutions by F(2x2, 3x3) or F(4x4, 3x3), whose kernel is transformed, and of bytes | winograd_nest, integer_nest |
| convolution | convolutions whose kernel lies in blocks of channels | convolution_nest |
| contraction, tile registers | others of bf16 and 8 bits whose rows lie along the reduction, at targets with such registers | tile_rows |
| contraction, tiles | other contractions, packed or not, and convolutions | contraction_nest |
| transposed | element-wise ops that read along another loop than they write | transposed_nest |
| interleaved | element-wise ops that have a few elements side by side in one operand, apart in another | interleaved_nest |
| vectors | other element-wise ops and reductions, gathers of rows, lookups of bytes | vector_nest |
| scalars | everything else: payloads with scattered loads or regions, scattered writes | scalar_nest |

`grouping` decides which ops share loops: element-wise ops after a contraction run on its tiles (`epilogue`, `init`), row operations
are joined.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TypeAlias

from ....dialects.relax import schedule as schedules
from ....records import record
from ....targets.cpu import CpuTarget
from .contraction import Contraction, recognize
from .convolution import Convolution, recognize_convolution
from .convolution_tiles import pick_convolution
from .dot_product import lies_in_groups
from .grain import parallel_loops, size_or_guess, work_inside, work_of_point
from .integer_winograd import (
    IntegerWinogradConvolution,
    fits_integer_winograd,
    pick_integer_winograd,
    recognize_integer_winograd,
)
from .interleave import interleaved_loops, pick_interleaved
from .nest import Nest
from .skinny import most_skinny_rows, pick_skinny
from .streams import pick_ahead, pick_stored, pick_written_out
from .tile_blocks import pick_tiles
from .tile_registers import pick_tiling_in_registers
from .tiles import lanes_of, pick_row, pick_tiling, vector_instruction
from .vectorize import pick_transposed, pick_vectors, transposed_loop, vector_loop, with_vectors_together
from .winograd import WinogradConvolution, recognize_winograd
from .winograd_blocks import pick_winograd

MIN_WORK = 1 << 13
"""Multiplications below which a contraction is a reduction like others."""

MIN_COLUMNS = 4
"""Columns below which a contraction is not tiled."""

SCALAR = 8
"""The work of a point of scalar loops, in lanes of a vector."""


@record
class Enough:
    """A contraction with enough work, and the numbers of rows for which it is skinny: always, or where the program finds them."""

    contraction: Contraction
    always_skinny: int
    """The number of rows, if that is small; 0 otherwise."""
    maybe_skinny: int
    """The most rows for which B is read in place at run time, if the number of rows is not known; 0 for never."""


LeadingNest: TypeAlias = Enough | Convolution | WinogradConvolution | IntegerWinogradConvolution
"""A nest that ops of an epilogue may follow."""


def as_contraction(nest: Nest, target: CpuTarget) -> LeadingNest | None:
    """Returns the contraction or convolution that a merged nest is, if it has enough work for one; None for others."""
    winograd = recognize_winograd(nest)
    if winograd is not None:
        return winograd
    integer = recognize_integer_winograd(nest)
    if integer is not None:
        return integer if fits_integer_winograd(integer, target) else None
    convolution = recognize_convolution(nest)
    if convolution is not None:
        return convolution
    # The fewer rows, the less a panel is used: with few the contraction is skinny, with one that cannot be it is a reduction, and
    # for a number that is known at run time only there is code for both.
    k = recognize(nest)
    if k is None or prod(map(size_or_guess, nest.sizes)) < MIN_WORK or k.packed_block % lanes_of(k, target):
        return None
    row = pick_row(k)
    rows = 1 if row is None else nest.sizes[row]
    if rows is not None and 0 < rows <= most_skinny_rows(k, target, at_run_time=False):
        return Enough(k, rows, 0)
    column = nest.sizes[k.column]
    if not k.packed_block and ((rows is not None and rows < 2) or (column is not None and column < MIN_COLUMNS)):
        return None
    return Enough(k, 0, most_skinny_rows(k, target, at_run_time=True) if rows is None else 0)


def column_of(enough: LeadingNest) -> int:
    """Returns the loop along which the vectors of an epilogue lie: that along which the result is contiguous."""
    match enough:
        case Convolution():
            return enough.pixel
        case WinogradConvolution():
            return enough.column
        case IntegerWinogradConvolution():
            return enough.channel
        case _:
            return enough.contraction.column


def schedule_contraction(
    enough: LeadingNest,
    target: CpuTarget,
    in_parallel: bool,
    threads: int,
    *,
    on_stack: bool = True,
    inside: float = 1.0,
) -> schedules.Contraction | schedules.Convolution | schedules.Winograd:
    """Returns the schedule of a contraction; its reductions are in the order of the code, those inside a panel last.

    Sums may lie `on_stack` where the epilogue alone needs them. A share `inside` of the products of a convolution is not with padding that
    it can leave out.
    """
    if isinstance(enough, WinogradConvolution):
        return pick_winograd(enough, target, in_parallel, threads)
    if isinstance(enough, IntegerWinogradConvolution):
        return pick_integer_winograd(enough, target, in_parallel, threads)
    if isinstance(enough, Convolution):
        return pick_convolution(enough, target, in_parallel, threads, inside)
    k = enough.contraction
    vectors = pick_tiling(k, target)
    in_tiles = None if enough.always_skinny else pick_tiling_in_registers(k, target, on_stack=on_stack)
    t = in_tiles or vectors
    order = [d for d in range(k.nest.rank()) if k.nest.parallel[d]] + [*t.outer, t.chunked, *t.whole]
    reads_groups = not enough.always_skinny or lies_in_groups(k, t.innermost)
    rows = (enough.always_skinny,) if enough.always_skinny else range(1, enough.maybe_skinny + 1)
    return schedules.Contraction(
        loops=tuple(k.nest.loops[d] for d in order),
        lanes=t.lanes,
        row=None if t.row is None else order.index(t.row),
        instruction=vector_instruction(vectors) if reads_groups and (rows or in_tiles is None) else None,
        tiles=None if enough.always_skinny else pick_tiles(k, t, target, in_parallel, threads),
        skinny=pick_skinny(k, vectors, rows, target, in_parallel, threads) if rows else None,
    )


def schedule_alone(nest: Nest, target: CpuTarget, in_parallel: bool) -> schedules.Schedule:
    """Returns the schedule of a merged nest that is no contraction and has its loops to itself."""
    along = vector_loop(nest)
    if along is None:
        return _scalars(nest, in_parallel)
    interleaved = interleaved_loops(nest, target)
    if interleaved is not None:
        return pick_interleaved(nest, *interleaved, target, in_parallel)
    other = transposed_loop(nest, along, target.lanes)
    if other is not None:
        return pick_transposed(nest, along, other, target, in_parallel)
    return with_vectors_together(pick_vectors(nest, along, target, in_parallel), nest, target)


def schedule_rows(nests: list[Nest], shared: int, target: CpuTarget, in_parallel: bool) -> list[schedules.Schedule]:
    """Returns the schedules of merged nests inside common loops over their first `shared`, the first leading."""
    work = sum(work_of_point(nest) * work_inside(nest.sizes[shared:]) for nest in nests)
    parallel, grain = (0, 0) if in_parallel else parallel_loops(nests[0].sizes[:shared], work)
    members: list[schedules.Scalars | schedules.Vectors] = []
    for k, nest in enumerate(nests):
        joins, along = shared if k else 0, vector_loop(nest, shared)
        if along is None:
            members.append(schedules.Scalars(_parallel_first(nest), joins))
        else:
            members.append(pick_vectors(nest, along, target, in_parallel, joins, shared))
    written_out = pick_written_out(nests, members, shared)
    if written_out:
        stored = pick_stored(nests, shared, target)
        ahead = pick_ahead(nests, stored, target)
        members = [
            replace(member, written_out=written_out, ahead=ahead, stored=stored)
            if isinstance(member, schedules.Vectors)
            else member
            for member in members
        ]
    else:
        members = [
            with_vectors_together(member, nest, target) if isinstance(member, schedules.Vectors) else member
            for member, nest in zip(members, nests, strict=True)
        ]
    return [replace(members[0], parallel=parallel, grain=grain), *members[1:]]


def _scalars(nest: Nest, in_parallel: bool) -> schedules.Scalars:
    work = SCALAR * work_of_point(nest) * work_inside([nest.sizes[d] for d in nest.reduced])
    sizes = [size for size, is_parallel in zip(nest.sizes, nest.parallel, strict=True) if is_parallel]
    parallel, grain = (0, 0) if in_parallel else parallel_loops(sizes, work)
    return schedules.Scalars(_parallel_first(nest), parallel=parallel, grain=grain)


def plain_scalars(nest: Nest) -> schedules.Scalars:
    """Returns the schedule that any computation can have: scalar loops on one thread."""
    return schedules.Scalars(_parallel_first(nest))


def _parallel_first(nest: Nest) -> schedules.Loops:
    order = [d for d in range(nest.rank()) if nest.parallel[d]] + nest.reduced
    return tuple(nest.loops[d] for d in order)
