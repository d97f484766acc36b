"""Lets what is inserted into a slice be computed there: concatenation and padding without a copy of the parts.

`insert_slice(generic(outs = empty), dest)` becomes `insert_slice(generic(outs = extract_slice(dest)), dest)`. The analysis
then finds that the value is in its place already, or, where the old content of the slice is still needed, copies as before.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.dialects.linalg import ops as linalg
from xdsl.ir import Operation, SSAValue

from ...dialects.walks import ops_inside
from ...passes.fusion.stacked_sums import SHORTEST_RUN


def write_into_slices(function: func.FuncOp) -> None:
    """Rewrites the insertions of a function whose source is computed for them alone."""
    for op in ops_inside(function):
        if isinstance(op, tensor.InsertSliceOp):
            _write_into(op)


def _write_into(op: tensor.InsertSliceOp) -> None:
    chain = _producers(op)
    if not chain or not _long_rows(op):
        return
    block = op.parent
    assert block is not None
    dest = op.dest
    if isinstance(dest.owner, tensor.EmptyOp) and not _used_once(dest):
        dest = tensor.EmptyOp(list(dest.owner.dynamic_sizes), dest.type)
        block.insert_op_before(dest, op)
        op.operands[1] = dest.tensor
    for producer in _with_their_sources(chain):
        producer.detach()
        block.insert_op_before(producer, op)
    part = tensor.ExtractSliceOp.build(
        operands=[op.dest, list(op.offsets), list(op.sizes), list(op.strides)],
        result_types=[op.source.type],
        properties={
            "static_offsets": op.static_offsets,
            "static_sizes": op.static_sizes,
            "static_strides": op.static_strides,
        },
    )
    first = chain[0]
    block.insert_op_before(part, first)
    first.operands[len(first.operands) - 1] = part.result


def _with_their_sources(chain: Sequence[Operation]) -> list[Operation]:
    """Returns ops of a block with those whose results they alone read, in order: a contraction stays next to what runs on its tiles."""
    ops, pending = set[Operation](), [*chain]
    while pending:
        op = pending.pop()
        ops.add(op)
        pending += [
            value.owner
            for value in op.operands
            if isinstance(value.owner, linalg.GenericOp | linalg.FillOp | tensor.InsertSliceOp)
            and value.owner.parent is op.parent
            and len(value.owner.results) == 1
            and _used_once(value)
        ]
    block = chain[0].parent
    assert block is not None
    return [op for op in block.ops if op in ops]


def _producers(op: tensor.InsertSliceOp) -> list[Operation]:
    """Returns the ops that compute the source, from a new tensor on; the result of each is read by the next alone."""
    chain: list[Operation] = []
    value: SSAValue = op.source
    while not isinstance(value.owner, tensor.EmptyOp):
        owner = value.owner
        if not isinstance(owner, linalg.GenericOp | linalg.FillOp) or owner.parent is not op.parent:
            return []
        if len(owner.results) != 1 or not _used_once(value):
            return []
        chain.append(owner)
        value = owner.operands[len(owner.operands) - 1]
    return chain[::-1]


def _used_once(value: SSAValue) -> bool:
    first = value.first_use
    return first is not None and len(list(value.uses)) == 1


def _long_rows(op: tensor.InsertSliceOp) -> bool:
    """Returns whether the contiguous runs that an insertion writes are long, or of unknown length."""
    assert isinstance(op.dest.type, TensorType)
    run = 1
    sizes = op.static_sizes.get_values()
    for size, whole, stride in zip(
        reversed(sizes), reversed(op.dest.type.get_shape()), reversed(op.static_strides.get_values()), strict=True
    ):
        if stride != 1:
            return False
        if size == DYNAMIC_INDEX:
            return True
        run *= size
        if size != whole:
            break
    return run >= SHORTEST_RUN or run == _elements(op)


def _elements(op: tensor.InsertSliceOp) -> int:
    assert isinstance(op.source.type, TensorType)
    count = 1
    for size in op.source.type.get_shape():
        count *= size
    return count
