"""Which element-wise ops run on the tiles of a contraction while they are in cache.

contraction writes t[i, j];  u[i, j] = f(t[i, j], bias[j])    runs on each tile
u[j, i] = f(t[i, j])                                          does so where its vectors along j are not scattered
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import memref
from xdsl.ir.affine import AffineDimExpr

from .access import Access
from .dependence import Buffers, SizeClasses, may_join, never_meet
from .nest import Nest, is_vectorizable, reorder
from .payload_loads import has_loads


def aligned(group: Sequence[Nest], candidate: Nest, sizes: SizeClasses, buffers: Buffers) -> Nest | None:
    """Returns the candidate with the loops of the contraction that leads the group; None if it cannot join the group.

    It joins if each point of it needs the contraction's result at that point only, or if it writes another part of a buffer that the
    group writes.
    """
    if candidate.rank() != sum(group[0].parallel):
        return None
    # A fill, which reads nothing from memory, may be what the next contraction starts from.
    copied = candidate.outputs if any(access.is_memref for access in candidate.inputs) else ()
    order = next(
        (
            order
            for earlier in reversed(group)
            for output in earlier.outputs
            for access in (*candidate.inputs, *copied)
            if access.is_memref and (buffers.same(output.value, access.value) or _are_parts(output, access))
            for order in [_matching(output, access, candidate.rank())]
            if order is not None
        ),
        None,
    )
    if order is None:
        return None
    renamed = reorder(candidate, order)
    return renamed if joins_problem(group, renamed, sizes, buffers) is None else None


def joins_problem(group: Sequence[Nest], nest: Nest, sizes: SizeClasses, buffers: Buffers) -> str | None:
    """Returns why a nest cannot run on the tiles of the contraction that leads the group; None if it can.

    The nests number the loops of the contraction's output alike; their views are those of the program, not collapsed ones.
    """
    # From the nest alone to the group: each test relies on those before it.
    contraction = group[0]
    shared = sum(contraction.parallel)
    if not all(
        size is not None and size > 0 for size, p in zip(contraction.sizes, contraction.parallel, strict=True) if not p
    ):
        return "the reduction of the contraction may be empty"
    if not all(nest.parallel) or nest.rank() != shared or not is_vectorizable(nest) or has_loads(nest):
        return f"it is not an element-wise op with the {shared} parallel loops of the contraction"
    if any(sizes.of(contraction, d) != sizes.of(nest, d) for d in range(shared)):
        return "its loops are not known to have the sizes of the contraction's"
    if any(o.dims() != set(range(shared)) for o in nest.outputs):
        return "an output does not depend on all of its loops"
    if not all(may_join(earlier, nest, shared, buffers) or never_meet(earlier, nest, buffers) for earlier in group):
        return "a point of it may need more of an earlier op than that point"
    return None


def _are_parts(a: Access, b: Access) -> bool:
    """Returns whether two accesses are to slices of one buffer, as large and laid out alike."""
    x, y = a.value.owner, b.value.owner
    return (
        isinstance(x, memref.SubviewOp)
        and isinstance(y, memref.SubviewOp)
        and x.source is y.source
        and x.static_sizes == y.static_sizes
        and x.static_strides == y.static_strides
    )


def _matching(written: Access, read: Access, count: int) -> list[int] | None:
    """Returns the reader's loop for each of the writer's, where both index the buffer by plain loops and by all of them."""
    order: list[int | None] = [None] * count
    for x, y in zip(written.exprs, read.exprs, strict=True):
        if not isinstance(x, AffineDimExpr) or not isinstance(y, AffineDimExpr) or x.position >= count:
            return None
        order[x.position] = y.position
    known = [d for d in order if d is not None]
    return known if len(known) == count == len(set(known)) else None


def fits(column: int, nest: Nest) -> bool:
    """Returns whether a vector along a loop is contiguous, or a single element, in each operand."""
    return all(a.step(column) is not None for a in nest.accesses)
