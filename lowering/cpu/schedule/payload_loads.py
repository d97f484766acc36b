"""Loads inside of payloads (gathers): along which loop their elements are neighbors in memory, and which look bytes up.

%row = clamp(%indices[d0]); memref.load %table[%row, d1]      along d1 one vector, along d0 a row for each lane
%at = index of a byte; memref.load %table[%at]                a lookup: any loop may be vectors, as the table holds all bytes
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import MemRefType, i8
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue

from .access import strides_of
from .nest import Nest

BYTES = 256
"""The entries of a table that holds one for each byte."""


def lookups(nest: Nest) -> dict[memref.LoadOp, SSAValue]:
    """Returns the loads of the payload from tables of 256 bytes, each with the byte that it looks up."""
    loads = [op for op in nest.payload if isinstance(op, memref.LoadOp)]
    return {load: byte for load in loads if (byte := _looked_up(load)) is not None}


def _looked_up(op: memref.LoadOp) -> SSAValue | None:
    """Returns the byte at whose place, read without a sign, a load reads a table; None for other loads."""
    type_ = cast(MemRefType, op.memref.type)
    if type_.element_type != i8 or type_.get_shape() != (BYTES,) or strides_of(type_)[-1] != 1:
        return None
    place = op.indices[0].owner
    wide = place.operands[0].owner if isinstance(place, arith.IndexCastOp) else None
    if not isinstance(wide, arith.ExtUIOp) or wide.input.type != i8:
        return None
    return wide.input


def places_of(loads: Iterable[memref.LoadOp]) -> set[Operation]:
    """Returns the ops that make indices of the bytes that loads look up, and of nothing else."""
    places: set[Operation] = set()
    readers: set[Operation] = set(loads)
    for position in (-1, 0):
        owners = {op.operands[position].owner for op in readers}
        readers = {op for op in owners if isinstance(op, Operation) and _is_read_by(op, readers)}
        places |= readers
    return places


def _is_read_by(op: Operation, readers: set[Operation]) -> bool:
    return all(use.operation in readers for use in op.results[0].uses)


def has_loads(nest: Nest) -> bool:
    """Returns whether the payload reads memory besides its operands."""
    return any(isinstance(op, memref.LoadOp) for op in nest.payload)


def loads_are_vectors(nest: Nest, loop: int) -> bool:
    """Returns whether each load of the payload is one element for all iterations of a loop, or their neighbors in memory."""
    if not has_loads(nest):
        return True
    pairs = zip(nest.body.args, nest.accesses, strict=True)
    tables = lookups(nest)
    varying: set[SSAValue] = {arg for arg, access in pairs if loop in access.dims()}
    counting = counting_indices(nest, loop)
    for op in nest.payload:
        if isinstance(op, linalg.IndexOp):
            varying.update(op.results if nest.index_dims[op.dim.value.data] == loop else ())
        elif not varying.isdisjoint(op.operands):
            varying.update(op.results)
            if isinstance(op, memref.LoadOp) and op not in tables and not _reads_neighbors(op, varying, counting):
                return False
    return True


def _reads_neighbors(op: memref.LoadOp, varying: set[SSAValue], counting: set[SSAValue]) -> bool:
    *outer, last = op.indices
    return last in counting and varying.isdisjoint(outer) and strides_of(cast(MemRefType, op.memref.type))[-1] == 1


def counting_indices(nest: Nest, loop: int) -> set[SSAValue]:
    """Returns the indices of the payload that grow by one with a loop: the loop's own, and sums of it and what other loops have."""
    counting: set[SSAValue] = set()
    for op in nest.payload:
        if isinstance(op, linalg.IndexOp) and nest.index_dims[op.dim.value.data] == loop:
            counting.update(op.results)
        elif isinstance(op, arith.AddiOp) and _is_offset(nest, op, loop, counting):
            counting.update(op.results)
    return counting


def _is_offset(nest: Nest, op: Operation, loop: int, counting: set[SSAValue]) -> bool:
    """Returns whether a sum adds an index of another loop, or a value from outside of the payload, to one that counts."""
    lhs, rhs = op.operands
    offset = rhs if lhs in counting else lhs
    if (lhs in counting) == (rhs in counting):
        return False
    owner = offset.owner
    if isinstance(owner, linalg.IndexOp):
        return nest.index_dims[owner.dim.value.data] != loop
    return isinstance(owner, arith.ConstantOp) or (offset not in nest.body.args and owner not in nest.payload)
