"""Nests that follow one another (softmax, norms) inside common loops over their leading dims: a row stays in cache.

    linalg.generic %s[d0] += %x[d0, d1];  linalg.generic %y[d0, d1] = %x[d0, d1] / %s[d0]    with joins = 1

becomes

    scf.parallel %i { scf.for %j { %s[%i] += ... }; scf.for %j { %y[%i, %j] = ... } }
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialects.relax.schedule import Scalars, Vectors
from ...emit.emitter import Index
from .builder import LoopBuilder
from .loop_nest import LoopNest
from .scalar_nest import emit_scalar
from .vector_nest import emit_vector


def emit_rows(b: LoopBuilder, nests: Sequence[LoopNest], schedules: Sequence[Scalars | Vectors], shared: int) -> None:
    """Emits nests inside common loops over their first `shared`, of which the first schedule says how many are parallel."""
    leader = schedules[0]
    sizes = nests[0].uppers[:shared]
    inner = [_inside(schedule) for schedule in schedules]

    def row(outer: Sequence[Index]) -> None:
        b.nest(sizes[leader.parallel :], lambda rest: each([*outer, *rest]))

    def each(fixed: list[Index]) -> None:
        for nest, schedule in zip(nests, inner, strict=True):
            if isinstance(schedule, Scalars):
                emit_scalar(b, nest, schedule, fixed)
            else:
                emit_vector(b, nest, schedule, fixed)

    b.nest(sizes[: leader.parallel], row, leader.grain)


def _inside(schedule: Scalars | Vectors) -> Scalars | Vectors:
    """Returns the schedule of what is inside the common loops, without those."""
    if isinstance(schedule, Scalars):
        return Scalars(schedule.loops)
    return Vectors(schedule.loops, schedule.along, schedule.lanes, schedule.unroll, rows=schedule.rows)
