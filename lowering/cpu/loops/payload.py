"""Copies a payload to the loops stage, for one point or for the lanes of a vector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IndexType, IntegerType, VectorType, i64
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ....dialects.relax.schedule import LookupInstruction
from ....dialects.upstream.arith_ops import ExtSIOp, ExtUIOp, TruncIOp, lanewise
from ...emit.constructors import vector_type
from ...emit.emitter import Index
from ..schedule.nest import Nest
from ..schedule.payload_loads import counting_indices, lookups, places_of
from .builder import LoopBuilder
from .look_up import look_up

_SCALAR_ONLY = frozenset(("arith.constant",))
_INDEX_CASTS = frozenset(("arith.index_cast", "arith.index_castui"))


def emit_payload(
    builder: LoopBuilder,
    nest: Nest,
    arguments: Mapping[SSAValue, SSAValue],
    dims: Sequence[Index],
    vector_dim: int | None = None,
    lanes: int = 1,
    mask: SSAValue | None = None,
    lookup: LookupInstruction | None = None,
    wanted: Sequence[SSAValue] | None = None,
) -> list[SSAValue]:
    """Returns the values that the payload yields at the point `dims`, or the `wanted` ones of its values.

    `arguments` maps the body's arguments that are used, and the memory of tables that are in registers already. With a vector dim the
    point is that of the first lane, and a value is a vector where its lanes may differ, a scalar where they are equal. Loads touch the
    lanes of the mask alone, but for lookups in tables, which hold all bytes.
    """
    # Invariant: `first` has the counting indices so far as scalars of the first lane, `mapping` all values but those that loads alone use.
    # The order of cases is from what loads alone use, which is not emitted, to what is copied.
    mapping: dict[SSAValue, SSAValue] = dict(arguments)
    first: dict[SSAValue, SSAValue] = {}
    counting = set[SSAValue]() if vector_dim is None else counting_indices(nest, vector_dim)
    looked_up = {} if vector_dim is None else lookups(nest)
    places = places_of(looked_up)
    for op in nest.payload:
        for result in counting.intersection(op.results):
            first[result] = _first_lane(builder, nest, op, dims, first, mapping)
        if op in places or (op.results and all(value in first and _is_for_first_lanes(value) for value in op.results)):
            continue
        if op.name in _INDEX_CASTS and op.operands[0] in first:
            mapping[op.results[0]] = _counting_lanes(builder, first[op.operands[0]], op.results[0].type, lanes)
            continue
        if isinstance(op, memref.LoadOp):
            byte = looked_up.get(op)
            mapping[op.res] = (
                _load(builder, op, mapping, first, lanes, mask)
                if byte is None
                else look_up(builder, op.memref, mapping.get(op.memref), mapping.get(byte, byte), lookup)
            )
            continue
        if isinstance(op, linalg.IndexOp):
            mapping[op.results[0]] = _index(builder, nest, op, dims, vector_dim, lanes)
            continue
        if op.regions:
            _clone_with_index(builder, nest, op, dims, mapping)
            continue
        for old, value in zip(op.results, _copy(builder, op, mapping, lanes), strict=True):
            mapping[old] = value
    return [mapping.get(v, v) for v in (nest.yielded if wanted is None else wanted)]


def _copy(builder: LoopBuilder, op: Operation, mapping: Mapping[SSAValue, SSAValue], lanes: int) -> Sequence[SSAValue]:
    """Returns the results of a copy of an op: vectors if one of its operands is, of which the others then are lanes."""
    operands = [mapping.get(o, o) for o in op.operands]
    if any(isinstance(o.type, VectorType) for o in operands):
        operands = [_spread(builder, o, lanes) for o in operands]
        results: list[Attribute] = [vector_type(_lane_type(r.type), lanes) for r in op.results]
        if op.name in _INDEX_CASTS:
            return [_cast_lanes(builder, op, operands[0], results[0])]
    else:
        results = [r.type for r in op.results]
        if op.name in _SCALAR_ONLY:
            return [_constant(builder, op)]
    new = lanewise(type(op)).create(
        operands=operands, result_types=results, properties=dict(op.properties), attributes=dict(op.attributes)
    )
    builder.append(new)
    return new.results


def _first_lane(
    builder: LoopBuilder,
    nest: Nest,
    op: Operation,
    dims: Sequence[Index],
    first: Mapping[SSAValue, SSAValue],
    mapping: Mapping[SSAValue, SSAValue],
) -> SSAValue:
    """Returns the value in the first lane of an index that grows by one from lane to lane."""
    if isinstance(op, linalg.IndexOp):
        return _index(builder, nest, op, dims, None, 1)
    lhs, rhs = (first.get(value, mapping.get(value, value)) for value in op.operands)
    return builder.insert(arith.AddiOp(lhs, rhs))


def _is_for_first_lanes(index: SSAValue) -> bool:
    """Returns whether an index is used as the last one of loads, and by casts, alone: those want that of the first lane."""
    return all(
        use.operation.name in _INDEX_CASTS
        or (isinstance(use.operation, memref.LoadOp) and use.index == len(use.operation.operands) - 1)
        for use in index.uses
    )


def _counting_lanes(builder: LoopBuilder, first: SSAValue, type_: Attribute, lanes: int) -> SSAValue:
    """Returns integers that grow by one from lane to lane; one integer of a single lane."""
    start = builder.insert(arith.IndexCastOp(first, type_))
    if lanes == 1:
        return start
    steps = builder.dense(range(lanes), vector_type(type_, lanes))
    return builder.insert(arith.AddiOp(builder.splat(start, lanes), steps))


def _load(
    builder: LoopBuilder,
    op: memref.LoadOp,
    mapping: Mapping[SSAValue, SSAValue],
    first: Mapping[SSAValue, SSAValue],
    lanes: int,
    mask: SSAValue | None,
) -> SSAValue:
    """Returns what a load reads: a vector of neighbors where its last index grows from lane to lane, else one element."""
    indices = [first.get(index, mapping.get(index, index)) for index in op.indices]
    if op.indices and op.indices[-1] in first:
        return builder.vector_load(op.memref, indices, lanes, mask)
    return builder.load(op.memref, indices)


def _lane_type(type_: Attribute) -> Attribute:
    """Indices that differ from lane to lane are 64-bit integers."""
    return i64 if isinstance(type_, IndexType) else type_


def _spread(builder: LoopBuilder, value: SSAValue, lanes: int) -> SSAValue:
    if isinstance(value.type, IndexType):
        value = builder.insert(arith.IndexCastOp(value, i64))
    return builder.splat(value, lanes)


def _cast_lanes(builder: LoopBuilder, op: Operation, source: SSAValue, target: Attribute) -> SSAValue:
    """Returns a conversion between indices and integers, lane by lane."""
    have, want = (cast(IntegerType, cast(VectorType, t).element_type).width.data for t in (source.type, target))
    if have == want:
        return source
    if have > want:
        return builder.insert(TruncIOp(source, cast(IntegerType, target)))
    extend = ExtUIOp if op.name == "arith.index_castui" else ExtSIOp
    return builder.insert(extend(source, cast(IntegerType, target)))


def _constant(builder: LoopBuilder, op: Operation) -> SSAValue:
    """Returns a constant of the function, so that each is made once."""
    key = ("payload", op.properties["value"], op.results[0].type)
    existing = builder.constants.get(key)
    if existing is None:
        existing = builder.head(key, op.clone())
    return existing


def _index(
    builder: LoopBuilder, nest: Nest, op: linalg.IndexOp, dims: Sequence[Index], vector_dim: int | None, lanes: int
) -> SSAValue:
    dim = nest.index_dims[op.dim.value.data]
    if dim is None:
        return builder.as_index(0)
    base = builder.as_index(dims[dim])
    if dim != vector_dim:
        return base
    steps = builder.dense(range(lanes), vector_type(i64, lanes))
    return builder.insert(arith.AddiOp(_spread(builder, base, lanes), steps))


def _clone_with_index(
    builder: LoopBuilder, nest: Nest, op: Operation, dims: Sequence[Index], mapping: dict[SSAValue, SSAValue]
) -> None:
    """Copies an operation with regions; `linalg.index` inside it becomes the loop's index."""
    new = op.clone(mapping)
    builder.append(new)
    for inner in list(new.walk()):
        if isinstance(inner, linalg.IndexOp):
            dim = nest.index_dims[inner.dim.value.data]
            inner.results[0].replace_all_uses_with(builder.as_index(0 if dim is None else dims[dim]))
            block = inner.parent
            assert isinstance(block, Block)
            block.erase_op(inner)
    for old, value in zip(op.results, new.results, strict=True):
        mapping[old] = value
