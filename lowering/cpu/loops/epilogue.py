"""Element-wise ops after a contraction, run on each tile of the output while it is in cache."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir.affine import AffineDimExpr

from .access import Access
from .builder import Index, LoopBuilder
from .contraction import Contraction, Tiling
from .dependence import Buffers, SizeClasses, may_join
from .iteration import Nest, reorder, with_dim
from .payload import is_vectorisable
from .vector_nest import VectorEmitter, VectorPlan


def follow(group: Sequence[Nest], candidate: Nest, sizes: SizeClasses, buffers: Buffers) -> Nest | None:
    """The candidate with the dims of the contraction that leads the group, if each point of it needs the contraction's
    result at that point only."""
    contraction = group[0]
    shared = sum(contraction.parallel)
    if not all(candidate.parallel) or candidate.rank() != shared or not is_vectorisable(candidate):
        return None
    order = next(
        (
            found
            for earlier in reversed(group)
            for output in earlier.outputs
            for access in candidate.inputs
            if access.is_memref and buffers.same(output.value, access.value)
            for found in [_matching(output, access, shared)]
            if found is not None
        ),
        None,
    )
    if order is None:
        return None
    renamed = reorder(candidate, order)
    if any(sizes.of(contraction, d) != sizes.of(renamed, d) for d in range(shared)):
        return None
    if any(o.dims() != set(range(shared)) for o in renamed.outputs):
        return None
    return renamed if all(may_join(other, renamed, shared, buffers) for other in group) else None


def _matching(written: Access, read: Access, count: int) -> list[int] | None:
    """The reader's dim for each of the writer's, where both index the buffer by plain dims and by all of them."""
    order: list[int | None] = [None] * count
    for x, y in zip(written.exprs, read.exprs, strict=True):
        if not isinstance(x, AffineDimExpr) or not isinstance(y, AffineDimExpr) or x.position >= count:
            return None
        order[x.position] = y.position
    found = [d for d in order if d is not None]
    return found if len(found) == count == len(set(found)) else None


def fits(contraction: Contraction, nest: Nest) -> bool:
    """Whether vectors of the contraction's columns are vectors, or one element, of each operand."""
    return all(a.step(contraction.column) is not None for a in nest.accesses)


def emit_epilogue(
    b: LoopBuilder,
    contraction: Contraction,
    tiling: Tiling,
    nests: Sequence[Nest],
    point: Sequence[Index],
    rows: Index,
    columns: Index,
) -> None:
    """Runs the nests on a tile: `rows` rows from the point on, and `columns` columns, of which a tile's width counts."""
    k, t = contraction, tiling
    emitters = [VectorEmitter(b, nest, VectorPlan(k.column, []), nest.rank(), t.lanes) for nest in nests]
    shared = nests[0].rank()

    def vector(at: list[Index], left: Index) -> None:
        if isinstance(left, int) and left <= 0:
            return
        mask = None if isinstance(left, int) and left >= t.lanes else b.mask(left, t.lanes)
        for emitter in emitters:
            emitter.at_point(at, mask)

    def row(index: Index) -> None:
        at = list(point[:shared])
        if k.tile_row is not None:
            at[k.row] = b.add(point[k.row], index)
        if t.joined_rows == 1:
            start = at[k.column]
            for v in range(t.vectors):
                vector(with_dim(at, k.column, b.add(start, v * t.lanes)), b.sub(columns, v * t.lanes))
            return
        second = k.columns[-2]
        size = k.nest.sizes[k.column]
        assert isinstance(size, int)
        first = at[second]

        def short_row(q: Index) -> None:
            here = with_dim(at, second, b.add(first, q))
            for start in range(0, size, t.lanes):
                vector(with_dim(here, k.column, start), size - start)

        b.plain_loop(0, b.floordiv(columns, size), 1, short_row)

    b.plain_loop(0, rows, 1, row)
