"""Fewer dims for the same computation: unit dims go, and neighbours merge that lie one after the other everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    i64,
)
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from .access import ZERO, Access, dims_in, strides_of
from .builder import Index, LoopBuilder
from .iteration import Nest, arrange


def normalise(nest: Nest, builder: LoopBuilder) -> Nest:
    """The same computation, arranged, with fewer dims; see `normalise_together`."""
    return normalise_together([arrange(nest)], 0, builder)[0][0]


def normalise_together(nests: Sequence[Nest], shared: int, builder: LoopBuilder) -> tuple[list[Nest], int]:
    """The same computations without unit dims, and with neighbours merged that lie one after the other in every operand.

    The first `shared` dims of all nests are the same loops and stay so; their new number is returned as well.
    """
    nests = [replace(nest, sizes=list(nest.sizes)) for nest in nests]
    for d in range(shared):
        size = next((n.sizes[d] for n in nests if isinstance(n.sizes[d], int)), nests[0].sizes[d])
        for nest in nests:
            nest.sizes[d] = size
    accesses = [[_zero_units(a, nest.sizes) for a in nest.accesses] for nest in nests]
    indexed = [_indexed_dims(nest) for nest in nests]
    every = range(len(nests))
    common: list[list[int]] = []
    for d in range(shared):
        if nests[0].sizes[d] == 1:
            continue
        if common and all(_mergeable(common[-1][-1], d, nests[n], accesses[n], indexed[n]) for n in every):
            common[-1].append(d)
        else:
            common.append([d])
    results: list[Nest] = []
    for nest, operands, used in zip(nests, accesses, indexed, strict=True):
        own: list[list[int]] = []
        for d in range(shared, nest.rank()):
            if nest.sizes[d] == 1:
                continue
            if own and _mergeable(own[-1][-1], d, nest, operands, used):
                own[-1].append(d)
            else:
                own.append([d])
        results.append(_merge(nest, operands, [*common, *own], builder))
    return results, len(common)


def _merge(nest: Nest, accesses: Sequence[Access], groups: Sequence[Sequence[int]], builder: LoopBuilder) -> Nest:
    place = {dim: k for k, group in enumerate(groups) for dim in group}
    first = {group[0] for group in groups}
    renamed = [_collapse(a, groups, first, place, builder, nest.rank()) for a in accesses]
    count = len(nest.inputs)
    return replace(
        nest,
        sizes=[builder.product([nest.sizes[d] for d in group]) for group in groups],
        parallel=[nest.parallel[group[0]] for group in groups],
        inputs=renamed[:count],
        outputs=renamed[count:],
        index_dims=[None if d is None else place.get(d) for d in nest.index_dims],
    )


def _indexed_dims(nest: Nest) -> set[int | None]:
    return {nest.index_dims[op.dim.value.data] for op in nest.body.walk() if isinstance(op, linalg.IndexOp)}


def _zero_units(access: Access, sizes: Sequence[Index]) -> Access:
    """Dims of one iteration are 0, and so is the index of a memref dim of size 1."""
    if not access.is_memref:
        return access
    dims = [ZERO if sizes[d] == 1 else AffineDimExpr(d) for d in range(len(sizes))]
    shape = access.type.get_shape()
    exprs = tuple(
        ZERO if size == 1 else expr.replace_dims_and_symbols(dims, ())
        for expr, size in zip(access.exprs, shape, strict=True)
    )
    return Access(access.value, exprs)


def _unit(access: Access, position: int) -> bool:
    return access.type.get_shape()[position] == 1


def _next_position(access: Access, position: int) -> int:
    """The next memref dim that is not of size 1."""
    position += 1
    while position < len(access.exprs) and _unit(access, position):
        position += 1
    return position


def _mergeable(a: int, b: int, nest: Nest, accesses: Sequence[Access], indexed: set[int | None]) -> bool:
    if nest.parallel[a] != nest.parallel[b] or a in indexed or b in indexed:
        return False
    for access in accesses:
        used = access.dims()
        if a not in used and b not in used:
            continue
        places_a = [p for p, e in enumerate(access.exprs) if a in dims_in(e)]
        places_b = [p for p, e in enumerate(access.exprs) if b in dims_in(e)]
        if len(places_a) != 1 or len(places_b) != 1:
            return False
        (p,), (q,) = places_a, places_b
        if access.exprs[p] != AffineDimExpr(a) or access.exprs[q] != AffineDimExpr(b):
            return False
        if q != _next_position(access, p) or not _contiguous(access.type, p, q):
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


def _collapse(
    access: Access, groups: Sequence[Sequence[int]], first: set[int], place: dict[int, int], b: LoopBuilder, rank: int
) -> Access:
    """The memref with merged dims collapsed and unit dims absorbed, indexed by the new dims."""
    if not access.is_memref:
        return access
    merged = {d for group in groups for d in group if d not in first}
    new_dims: list[AffineExpr] = [AffineDimExpr(place[d]) if d in place else ZERO for d in range(rank)]
    positions: list[list[int]] = []
    exprs: list[AffineExpr] = []
    pending: list[int] = []
    for p, expr in enumerate(access.exprs):
        if _unit(access, p):
            if positions:
                positions[-1].append(p)
            else:
                pending.append(p)
        elif isinstance(expr, AffineDimExpr) and expr.position in merged:
            positions[-1].append(p)
        else:
            positions.append([*pending, p])
            pending = []
            exprs.append(expr.replace_dims_and_symbols(new_dims, ()))
    if len(positions) == len(access.exprs) or not _collapsible(access.type):
        exprs = [e.replace_dims_and_symbols(new_dims, ()) for e in access.exprs]
        return Access(access.value, tuple(exprs))
    return Access(_collapse_shape(access, positions, b), tuple(exprs))


def _collapsible(type_: MemRefType) -> bool:
    return isinstance(type_.layout, NoneAttr | StridedLayoutAttr)


def _collapse_shape(access: Access, positions: Sequence[Sequence[int]], b: LoopBuilder) -> SSAValue:
    type_ = access.type
    shape, strides = type_.get_shape(), strides_of(type_)
    sizes: list[int] = []
    kept: list[int | None] = []
    for group in positions:
        total = 1
        for p in group:
            total = -1 if total < 0 or shape[p] < 0 else total * shape[p]
        sizes.append(total if total >= 0 else DYNAMIC_INDEX)
        kept.append(strides[[p for p in group if shape[p] != 1][-1]])
    layout = type_.layout
    if isinstance(layout, StridedLayoutAttr):
        layout = StridedLayoutAttr(kept, layout.offset)
    result = MemRefType(type_.element_type, sizes, layout, type_.memory_space)
    groups = ArrayAttr([ArrayAttr([IntegerAttr(p, i64) for p in group]) for group in positions])
    return b.insert(
        memref.CollapseShapeOp.build(
            operands=[access.value], properties={"reassociation": groups}, result_types=[result]
        )
    )
