"""Element-wise nests that transpose: inputs contiguous along another dim than the output are turned in square blocks."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from .builder import Index, LoopBuilder
from .iteration import Nest, with_dim
from .parallel import cost_of_point, inside, outer_loops
from .transpose import transpose_block
from .vector_nest import VectorEmitter, VectorPlan

MAX_PAYLOAD = 8
"""Operations of a payload that is repeated for each row of a block."""


def turned_dim(nest: Nest, plan: VectorPlan, lanes: int) -> int | None:
    """The dim along which the inputs lie that are scattered along the vector dim; None if that is not one dim."""
    if not all(nest.parallel) or len(nest.payload) > MAX_PAYLOAD or lanes & (lanes - 1):
        return None
    if any(o.step(plan.dim) != 1 for o in nest.outputs) or any(nest.reads_output(k) for k in range(len(nest.outputs))):
        return None
    scattered = [a for a in nest.inputs if a.step(plan.dim) is None]
    if not scattered or not _long_enough(nest.sizes[plan.dim], lanes):
        return None
    for dim in range(nest.rank()):
        if dim != plan.dim and _long_enough(nest.sizes[dim], lanes) and all(a.step(dim) == 1 for a in scattered):
            return dim
    return None


def _long_enough(size: Index, lanes: int) -> bool:
    return not isinstance(size, int) or size >= lanes


def emit_turned(b: LoopBuilder, nest: Nest, plan: VectorPlan, other: int) -> None:
    """Emits blocks of `lanes` rows (values of `other`), then the rows that are left."""
    lanes, size, rows = b.lanes, nest.sizes[plan.dim], nest.sizes[other]
    outer = [d for d in range(nest.rank()) if d not in (plan.dim, other)]
    emitter = VectorEmitter(b, nest, plan, nest.rank(), lanes)
    turned = [
        (arg, access)
        for arg, access in zip(nest.body.args, nest.inputs, strict=False)
        if access.step(plan.dim) is None and arg.uses
    ]
    exact = isinstance(size, int) and size % lanes == 0
    last = b.sub(size, 1)

    def tile(point: list[Index]) -> None:
        start = point[plan.dim]
        mask = None if exact else b.mask(b.sub(size, start), lanes)
        columns: dict[SSAValue, list[SSAValue]] = {}
        for arg, access in turned:
            vectors: list[SSAValue] = []
            for lane in range(lanes):
                place = b.add(start, lane)
                at = with_dim(point, plan.dim, place if exact else b.min(place, last))
                vectors.append(b.vector_load(access.value, [b.affine(e, at) for e in access.exprs], lanes))
            columns[arg] = transpose_block(b, vectors)
        for row in range(lanes):
            at = with_dim(point, other, b.add(point[other], row))
            emitter.at_point(at, mask, {arg: found[row] for arg, found in columns.items()})

    def blocks(indices: Sequence[Index]) -> None:
        dims: list[Index] = [0] * nest.rank()
        for d, index in zip(outer, indices, strict=False):
            dims[d] = index
        dims[other] = b.mul(indices[-1], lanes)
        b.plain_loop(0, size, lanes, lambda i: tile(with_dim(dims, plan.dim, i)))

    full = b.floordiv(rows, lanes)
    uppers = [*(nest.sizes[d] for d in outer), full]
    depth, share = (0, 0) if b.in_parallel else outer_loops(uppers, cost_of_point(nest) * lanes * inside([size]))
    b.nest(
        uppers[:depth],
        lambda first: b.nest(uppers[depth:], lambda rest: blocks([*first, *rest])),
        share,
    )
    done = b.mul(full, lanes)
    if done == rows:
        return
    single = VectorEmitter(b, nest, plan, 0)

    def rest_of_rows(indices: Sequence[Index]) -> None:
        dims: list[Index] = [0] * nest.rank()
        for d, index in zip(outer, indices, strict=True):
            dims[d] = index
        b.plain_loop(done, rows, 1, lambda i: single.row(with_dim(dims, other, i)))

    b.nest([nest.sizes[d] for d in outer], rest_of_rows)
