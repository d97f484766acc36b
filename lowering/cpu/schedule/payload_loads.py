"""Loads inside of payloads (gathers): along which loop their elements are neighbors in memory.

%row = clamp(%indices[d0]); memref.load %table[%row, d1]      along d1 one vector, along d0 a row for each lane
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue

from .access import strides_of
from .nest import Nest


def has_loads(nest: Nest) -> bool:
    """Returns whether the payload reads memory besides its operands."""
    return any(isinstance(op, memref.LoadOp) for op in nest.payload)


def loads_are_vectors(nest: Nest, loop: int) -> bool:
    """Returns whether each load of the payload is one element for all iterations of a loop, or their neighbors in memory."""
    if not has_loads(nest):
        return True
    pairs = zip(nest.body.args, nest.accesses, strict=True)
    varying: set[SSAValue] = {arg for arg, access in pairs if loop in access.dims()}
    counting = counting_indices(nest, loop)
    for op in nest.payload:
        if isinstance(op, linalg.IndexOp):
            varying.update(op.results if nest.index_dims[op.dim.value.data] == loop else ())
        elif not varying.isdisjoint(op.operands):
            varying.update(op.results)
            if isinstance(op, memref.LoadOp) and not _reads_neighbors(op, varying, counting):
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
