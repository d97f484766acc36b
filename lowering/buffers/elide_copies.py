"""The pass `elide-copies`: ops with several results write where these are copied to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, ModuleOp
from xdsl.dialects.linalg import ops as linalg
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineMap

from ...dialects.walks import ops_inside
from ...kinds import kind_test
from ...passes.fusion.stacked_sums import SHORTEST_RUN
from ...passes.options import PassWithOptions
from ...records import record
from .apart import apart, computes
from .view_types import strides_and_offset

_is_generic = kind_test(linalg.GenericOp)
_is_linalg = kind_test(linalg.GenericOp, linalg.FillOp)


class ElideCopiesPass(PassWithOptions):
    """Lets an op with several results write them where each is copied to, in place of a buffer of its own.

    ```mlir
    %own = memref.alloc() : memref<1x64xf32>
    linalg.generic ... outs(%sums, %own : ...) { ... }
    %part = memref.subview %y[%i, 0] [1, 64] [1, 1] : ...
    linalg.generic ... ins(%own : memref<1x64xf32>) outs(%part : ...) { yield the input }
    ```
    becomes
    ```mlir
    %part = memref.subview %y[%i, 0] [1, 64] [1, 1] : ...
    linalg.generic ... outs(%sums, %part : ...) { ... }
    ```

    Before: bufferized functions. After: the same. Nothing between the op and the copy, nor the op itself, may touch the memory of the copy.
    Parts with short rows stay copied, as bufferization has chosen for ops with one result, whose destinations it knows.
    """

    name = "elide-copies"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in list(filter(_is_generic, ops_inside(op))):
            copy = _copy(inner)
            if copy is not None:
                _elide(copy)


@record
class _Copy:
    """A copy of what an op writes, for it alone, into a buffer of its own."""

    op: linalg.GenericOp
    alloc: memref.AllocOp
    writer: linalg.GenericOp
    target: SSAValue
    views: Sequence[Operation]
    """The views behind the writer that lead to the target, in order."""


def _copy(op: linalg.GenericOp) -> _Copy | None:
    """Returns what an op copies, if that can be written where it goes at once; None else."""
    # From the op alone to what is around it.
    if not _copies_all(op):
        return None
    source, target = op.inputs[0], op.outputs[0]
    alloc = source.owner
    users = [use.operation for use in source.uses]
    if not isinstance(alloc, memref.AllocOp) or alloc.attributes or len(users) != 2 or not _has_long_rows(target):
        return None
    writer = users[0] if users[1] is op else users[1]
    if not isinstance(writer, linalg.GenericOp) or writer.parent is not op.parent or len(writer.outputs) < 2:
        return None
    place = next((k for k, value in enumerate(writer.outputs) if value is source), None)
    if place is None or writer.body.block.args[len(writer.inputs) + place].first_use is not None:
        return None
    between = _between(writer, op)
    if between is None:
        return None
    touched = (value for each in (writer, *between) if _is_linalg(each) for value in _memory(each))
    if not all(value is source or apart(value, target) for value in touched):
        return None
    return _Copy(op, alloc, writer, target, _views(target, between))


def _copies_all(op: linalg.GenericOp) -> bool:
    """Returns whether an op copies one buffer into another of the same shape, element by element."""
    if len(op.inputs) != 1 or len(op.outputs) != 1 or any(t != IteratorTypeAttr.parallel() for t in op.iterator_types):
        return False
    block, maps = op.body.block, [attr.data for attr in op.indexing_maps]
    last = block.last_op
    yields = block.first_op is last and isinstance(last, linalg.YieldOp) and last.operands[0] is block.args[0]
    return yields and maps == [AffineMap.identity(maps[0].num_dims)] * 2 and _form(op.inputs[0]) == _form(op.outputs[0])


def _form(value: SSAValue) -> tuple[Sequence[int], Attribute, Attribute] | None:
    """Returns the shape, element type and memory space of a buffer; None for a scalar."""
    type_ = value.type
    return (type_.get_shape(), type_.element_type, type_.memory_space) if isinstance(type_, MemRefType) else None


def _has_long_rows(target: SSAValue) -> bool:
    """Returns whether the rows of a buffer are contiguous, and long or of unknown length."""
    type_ = target.type
    assert isinstance(type_, MemRefType)
    shape, (strides, _) = type_.get_shape(), strides_and_offset(type_)
    return bool(shape) and strides[-1] == 1 and (shape[-1] == DYNAMIC_INDEX or shape[-1] >= SHORTEST_RUN)


def _between(writer: Operation, op: Operation) -> list[Operation] | None:
    """Returns the ops behind a writer and before another op of its block; None where one may touch memory that it does not name."""
    ops: list[Operation] = []
    each = writer.next_op
    while each is not op:
        if each is None or not (_is_linalg(each) or isinstance(each, memref.AllocOp) or computes(each)):
            return None
        ops.append(each)
        each = each.next_op
    return ops


def _memory(op: Operation) -> Iterator[SSAValue]:
    """Yields the buffers that an op takes, also those that its body reads."""
    for each in (op, *ops_inside(op)):
        yield from (value for value in each.operands if isinstance(value.type, MemRefType))


def _views(target: SSAValue, between: Sequence[Operation]) -> list[Operation]:
    """Returns the ops among some that compute a buffer, in order."""
    wanted = {target}
    views: list[Operation] = []
    for op in reversed(between):
        if not wanted.isdisjoint(op.results):
            views.append(op)
            wanted |= {*op.operands}
    return views[::-1]


def _elide(copy: _Copy) -> None:
    """Lets the writer of a copy write to its target."""
    block = copy.writer.parent
    assert block is not None
    for view in copy.views:
        view.detach()
        block.insert_op_before(view, copy.writer)
    source = copy.alloc.memref
    copy.op.detach()
    copy.op.erase()
    for use in list(source.uses):
        use.operation.operands[use.index] = copy.target
    copy.alloc.detach()
    copy.alloc.erase()
