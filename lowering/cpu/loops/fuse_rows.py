"""Nests that follow one another (softmax, norms) inside common loops over their leading dims: a row stays in cache."""

from __future__ import annotations

from collections.abc import Sequence

from .builder import Index, LoopBuilder
from .iteration import Nest
from .parallel import cost_of_point, inside, outer_loops
from .scalar_nest import emit_scalar
from .vector_nest import VectorPlan, emit_vector


def emit_rows(builder: LoopBuilder, nests: Sequence[Nest], plans: Sequence[VectorPlan | None], shared: int) -> None:
    """Emits normalised nests inside common loops over their first `shared` dims; without a plan in scalars."""
    sizes = nests[0].sizes[:shared]
    work = sum(cost_of_point(nest) * inside(nest.sizes[shared:]) for nest in nests)
    depth, share = (0, 0) if builder.in_parallel else outer_loops(sizes, work)

    def row(outer: Sequence[Index]) -> None:
        builder.nest(sizes[depth:], lambda rest: each([*outer, *rest]))

    def each(fixed: list[Index]) -> None:
        for nest, plan in zip(nests, plans, strict=True):
            if plan is None:
                emit_scalar(builder, nest, fixed)
            else:
                emit_vector(builder, nest, plan, fixed)

    builder.nest(sizes[:depth], row, share)
