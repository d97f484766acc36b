"""Nests that follow one another (softmax, norms) inside common loops over their leading dims: a row stays in cache.

    linalg.generic %s[d0] += %x[d0, d1];  linalg.generic %y[d0, d1] = %x[d0, d1] / %s[d0]    with joins = 1

becomes

    scf.parallel %i { scf.for %j { %s[%i] += ... }; scf.for %j { %y[%i, %j] = ... } }

Rows of few vectors are written out, and what one nest writes and another one reads is not written at all where the latter replaces it.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr

from ....dialects.relax.schedule import Scalars, Vectors
from ...emit.emitter import Index
from ..schedule.padding import PaddedImage
from ..schedule.scratch import OwnParts
from .builder import LoopBuilder
from .loop_nest import LoopNest
from .padded_window import windows_of
from .scalar_nest import emit_scalar
from .scratch_on_stack import with_parts_on_stack
from .streams import Streams
from .vector_nest import emit_vector
from .window_epilogue import epilogue_of


def emit_rows(
    b: LoopBuilder,
    nests: Sequence[LoopNest],
    schedules: Sequence[Scalars | Vectors],
    shared: int,
    on_stack: Sequence[OwnParts] = (),
    padding: Sequence[tuple[int, int, PaddedImage]] = (),
) -> None:
    """Emits nests inside common loops over their first `shared`, of which the first schedule says how many are parallel.

    Of some buffers one part is on the stack, of each thread. Some nests do without the padding of an input.
    """
    images = windows_of(b, padding)
    leader = schedules[0]
    sizes = nests[0].uppers[:shared]
    inner = [_inside(schedule) for schedule in schedules]
    is_streamed = shared == 1 and any(
        isinstance(schedule, Vectors) and (schedule.ahead or schedule.stored == "past_caches") for schedule in schedules
    )
    streams = Streams(b, nests, schedules) if is_streamed else None

    def row(outer: Sequence[Index]) -> None:
        own = with_parts_on_stack(b, nests, on_stack)
        b.nest(sizes[leader.parallel :], lambda rest: each(own, [*outer, *rest]))

    def each(nests: Sequence[LoopNest], fixed: list[Index]) -> None:
        with b.one_row() as memory:
            if streams is not None:
                streams.fetch(fixed[0])
            all_nests(nests, fixed)
            if streams is not None:
                streams.store(memory)

    def all_nests(nests: Sequence[LoopNest], fixed: list[Index]) -> None:
        initial: SSAValue | None = None
        # The first nest that no epilogue has.
        following = 0
        for k, (nest, schedule) in enumerate(zip(nests, inner, strict=True)):
            if k < following:
                continue
            if k + 1 < len(nests) and _only_starts(nest, nests[k + 1], inner[k + 1]):
                initial = nest.inputs[0].value
                continue
            if isinstance(schedule, Scalars):
                emit_scalar(b, nest, schedule, fixed)
            else:
                epilogue = epilogue_of(b, nests[k:], inner[k:], len(fixed)) if schedule.rows else None
                if epilogue is not None:
                    following = k + 1 + len(epilogue.accesses)
                with b.writing_out(schedule.written_out):
                    emit_vector(b, nest, schedule, fixed, initial, images.get(k), epilogue)
            initial = None

    b.nest(sizes[: leader.parallel], row, leader.grain)
    if streams is not None:
        streams.finish()


def _only_starts(nest: LoopNest, following: LoopNest, schedule: Scalars | Vectors) -> bool:
    """Returns whether a nest fills what the one after it, by windows that are written out, adds to at every element."""
    if not isinstance(nest.op, linalg.FillOp) or not isinstance(schedule, Vectors) or not schedule.rows:
        return False
    output = following.outputs[0]
    each = [expr for expr, size in zip(output.exprs, output.type.get_shape(), strict=True) if size != 1]
    is_whole = all(isinstance(expr, AffineDimExpr) for expr in each) and len(set(each)) == len(each)
    return is_whole and nest.op.operands[-1] is following.op.operands[-1]


def _inside(schedule: Scalars | Vectors) -> Scalars | Vectors:
    """Returns the schedule of what is inside the common loops, without those."""
    if isinstance(schedule, Scalars):
        return Scalars(schedule.loops)
    return Vectors(
        schedule.loops,
        schedule.along,
        schedule.lanes,
        schedule.unroll,
        rows=schedule.rows,
        written_out=schedule.written_out,
        fetched=schedule.fetched,
        streams=schedule.streams,
        searched=schedule.searched,
    )
