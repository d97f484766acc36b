"""Fewer loops for the same computation: those of one iteration go, and neighbors merge that lie one after the other everywhere.

[[0], [1], [2]] on memref<4x1x8xf32>    becomes    [[0, 2]] on its view memref<32xf32>
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import prod

from xdsl.dialects.builtin import MemRefType, NoneAttr
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from .access import ZERO, Access, is_collapsible, strides_of
from .nest import Nest, Size, arrange


def merge(nest: Nest) -> Nest:
    """Returns the same computation, arranged, with fewer loops; see `merge_together`."""
    return merge_together([arrange(nest)], 0)[0][0]


def merge_together(nests: Sequence[Nest], shared: int) -> tuple[list[Nest], int]:
    """Returns the same computations without loops of one iteration, and with neighbors merged that lie one after the other in
    every operand.

    The first `shared` loops of all nests are the same loops and stay so; their new number is returned as well.
    """
    nests = with_shared_sizes(nests, shared)
    accesses = [[_zero_units(a, nest.sizes) for a in nest.accesses] for nest in nests]
    indexed = [_indexed_loops(nest) for nest in nests]
    together = list(zip(nests, accesses, indexed, strict=True))
    common = _groups(range(shared), together)
    results = [
        _merged(nest, operands, [*common, *_groups(range(shared, nest.rank()), [(nest, operands, used)])])
        for nest, operands, used in together
    ]
    return results, len(common)


def _groups(loops: Iterable[int], nests: Sequence[tuple[Nest, Sequence[Access], set[int | None]]]) -> list[list[int]]:
    """Returns the groups of neighboring loops that can be merged in all nests; loops of one iteration are left out."""
    groups: list[list[int]] = []
    for d in loops:
        if nests[0][0].sizes[d] == 1:
            continue
        if groups and all(_mergeable(groups[-1][-1], d, *nest) for nest in nests):
            groups[-1].append(d)
        else:
            groups.append([d])
    return groups


def with_shared_sizes(nests: Sequence[Nest], shared: int) -> list[Nest]:
    """Returns the nests with one size for each of the first `shared` loops, which are the same in all: the number, where a nest has it."""
    nests = [replace(nest, sizes=list(nest.sizes)) for nest in nests]
    for d in range(shared):
        size = next((n.sizes[d] for n in nests if n.sizes[d] is not None), None)
        for nest in nests:
            nest.sizes[d] = size
    return nests


def merge_as_told(nest: Nest, lengths: Sequence[int]) -> Nest | None:
    """Returns the same computation with runs of these lengths of neighboring loops merged; None where a run does not make one loop."""
    accesses = [_zero_units(a, nest.sizes) for a in nest.accesses]
    indexed = _indexed_loops(nest)
    groups: list[range] = []
    for length in lengths:
        start = groups[-1].stop if groups else 0
        group = range(start, start + length)
        if not all(_mergeable(loop, loop + 1, nest, accesses, indexed) for loop in group[:-1]):
            return None
        groups.append(group)
    return _merged(nest, accesses, groups)


def _merged(nest: Nest, accesses: Sequence[Access], groups: Sequence[Sequence[int]]) -> Nest:
    new_index = {loop: k for k, group in enumerate(groups) for loop in group}
    first = {group[0] for group in groups}
    renamed = [_collapsed(a, groups, first, new_index, nest.rank()) for a in accesses]
    count = len(nest.inputs)
    return replace(
        nest,
        loops=[tuple(d for loop in group for d in nest.loops[loop]) for group in groups],
        sizes=[_product([nest.sizes[loop] for loop in group]) for group in groups],
        parallel=[nest.parallel[group[0]] for group in groups],
        inputs=renamed[:count],
        outputs=renamed[count:],
        index_dims=[None if d is None else new_index.get(d) for d in nest.index_dims],
    )


def _product(sizes: Sequence[Size]) -> Size:
    known = [size for size in sizes if size is not None]
    return prod(known) if len(known) == len(sizes) or 0 in known else None


def _indexed_loops(nest: Nest) -> set[int | None]:
    return {nest.index_dims[op.dim.value.data] for op in nest.body.walk() if isinstance(op, linalg.IndexOp)}


def _zero_units(access: Access, sizes: Sequence[Size]) -> Access:
    """Loops of one iteration are 0, and so is the index of a memref dim of size 1."""
    if not access.is_memref:
        return access
    dims = [ZERO if sizes[d] == 1 else AffineDimExpr(d) for d in range(len(sizes))]
    shape = access.type.get_shape()
    exprs = tuple(
        ZERO if size == 1 else expr.replace_dims_and_symbols(dims, ())
        for expr, size in zip(access.exprs, shape, strict=True)
    )
    return replace(access, exprs=exprs)


def _unit(access: Access, axis: int) -> bool:
    return access.type.get_shape()[axis] == 1


def _next_axis(access: Access, axis: int) -> int:
    """Returns the next axis of a memref that is not of size 1."""
    axis += 1
    while axis < len(access.exprs) and _unit(access, axis):
        axis += 1
    return axis


def _mergeable(a: int, b: int, nest: Nest, accesses: Sequence[Access], indexed: set[int | None]) -> bool:
    """Returns whether loop b inside loop a makes one loop: each operand has both, as neighbors that lie one after the
    other, or none.
    """
    if nest.parallel[a] != nest.parallel[b] or a in indexed or b in indexed:
        return False
    for access in accesses:
        used = access.dims()
        if a not in used and b not in used:
            continue
        axes_a = [p for p, e in enumerate(access.exprs) if a in e.used_dims()]
        axes_b = [p for p, e in enumerate(access.exprs) if b in e.used_dims()]
        if len(axes_a) != 1 or len(axes_b) != 1:
            return False
        (p,), (q,) = axes_a, axes_b
        if access.exprs[p] != AffineDimExpr(a) or access.exprs[q] != AffineDimExpr(b):
            return False
        if q != _next_axis(access, p) or not _contiguous(access.type, p, q):
            return False
        # The loop must cover the inner dim of the memref, or the two do not make one.
        if access.type.get_shape()[q] >= 0 and access.type.get_shape()[q] != nest.sizes[b]:
            return False
    return True


def _contiguous(type_: MemRefType, p: int, q: int) -> bool:
    if isinstance(type_.layout, NoneAttr):
        return True
    strides, shape = strides_of(type_), type_.get_shape()
    outer, inner, size = strides[p], strides[q], shape[q]
    return outer is not None and inner is not None and size >= 0 and outer == inner * size


def _collapsed(
    access: Access, groups: Sequence[Sequence[int]], first: set[int], new_index: dict[int, int], rank: int
) -> Access:
    """Returns the memref with merged dims collapsed and unit dims absorbed, indexed by the new loops."""
    if not access.is_memref:
        return access
    inner = {d for group in groups for d in group if d not in first}
    new_dims: list[AffineExpr] = [AffineDimExpr(new_index[d]) if d in new_index else ZERO for d in range(rank)]
    merged: list[list[int]] = []
    exprs: list[AffineExpr] = []
    pending: list[int] = []
    for axis, expr in enumerate(access.exprs):
        if _unit(access, axis):
            if merged:
                merged[-1].append(axis)
            else:
                pending.append(axis)
        elif isinstance(expr, AffineDimExpr) and expr.position in inner:
            merged[-1].append(axis)
        else:
            merged.append([*pending, axis])
            pending = []
            exprs.append(expr.replace_dims_and_symbols(new_dims, ()))
    if len(merged) == len(access.exprs) or not is_collapsible(access.type):
        return Access(access.value, tuple(e.replace_dims_and_symbols(new_dims, ()) for e in access.exprs))
    return Access(access.value, tuple(exprs), tuple(map(tuple, merged)))
