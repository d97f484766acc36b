"""Remarks on memory: where a buffer lies, and with which others it shares its place."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import BlockArgument, Operation, SSAValue

from ...dialects.relax.vocabulary.attributes import RESULT, UPDATED
from ...dialects.walks import ops_inside
from ...passes.analysis.remarks import Topic, named_op, remark
from ..sizes.op_sizes import VIEWS
from .arena import Item
from .order import ExecutionOrder

MOST_NAMED = 8
"""So many ops are named at most with which memory is shared."""


def remark_on_arena(function: str, items: Sequence[Item], order: ExecutionOrder) -> None:
    """Records for each planned item its place in the workspace, and the items that lie there at other times.

    Items of calls that stand for one op, such as those for some images at a time, have one text.
    """
    writers = {item: _writer(item, order) for item in items}
    shared = {item: [other for other in items if other is not item and _overlap(item, other)] for item in items}
    alike: dict[Hashable, list[Item]] = {}
    for item in items:
        alike.setdefault(_kind(item, writers[item]), []).append(item)
    for group in alike.values():
        names = dict.fromkeys(_named(other, writers[other]) for item in group for other in shared[item])
        text = f"{named_op(writers[group[0]])}: {_place(group, function)}, shared with {_listed([*names])}"
        for item in group:
            others = [writers[other].location for other in shared[item]]
            remark(Topic.MEMORY, function, writers[item].location, text, others=others, detail=item)


def remark_on_stack(function: str, allocations: Iterable[memref.AllocOp], order: ExecutionOrder) -> None:
    """Records the buffers that are small enough for the stack."""
    for op in allocations:
        writer = _first_user(op.memref, order) or op
        remark(
            Topic.MEMORY,
            function,
            writer.location,
            f"{named_op(writer)}: its result is on the stack, shared with nothing",
        )


def remark_on_results(function: func.FuncOp) -> None:
    """Records what writes the results of a function, or over an argument that is lent to one."""
    for call in ops_inside(function):
        if not isinstance(call, func.CallOp):
            continue
        for operand in call.operands:
            root = _root(operand)
            if not isinstance(root, BlockArgument) or root.owner is not function.body.block:
                continue
            name = f"'{root.name_hint}'" if root.name_hint else f"number {root.index}"
            if RESULT.is_on_argument(function, root.index):
                text = "it writes a result of the function, into the memory of the caller"
            elif UPDATED.is_on_argument(function, root.index):
                text = f"its memory is that of argument {name}, which is donated"
            else:
                continue
            remark(Topic.MEMORY, function.sym_name.data, call.location, f"{named_op(call)}: {text}")


def _kind(item: Item, writer: Operation) -> Hashable:
    """Returns what items have in common that are described together: all of them are of known sizes, of calls of one function."""
    is_known = item.offset.constant is not None and item.size.constant is not None
    if not is_known or not isinstance(writer, func.CallOp):
        return item
    return isinstance(item.op, func.CallOp), named_op(writer), item.size.constant


def _place(group: Sequence[Item], function: str) -> str:
    """Returns where items that are described together lie."""
    first, count = group[0], len(group)
    what = "workspace" if isinstance(first.op, func.CallOp) else "result"
    where = f"of the workspace of @{function}"
    if count == 1:
        return f"its {what} takes {_bytes(first)} at offset {first.offset} {where}"
    offsets = sorted(offset for item in group if (offset := item.offset.constant) is not None)
    return f"its {count} {what}s take {_bytes(first)} each, at offsets {offsets[0]} to {offsets[-1]} {where}"


def _listed(names: Sequence[str]) -> str:
    """Returns names as a list that ends with how many more there are."""
    more = len(names) - MOST_NAMED
    return ", ".join([*names[:MOST_NAMED], *([f"{more} more"] if more > 0 else [])]) or "nothing"


def _overlap(first: Item, second: Item) -> bool:
    """Returns whether two items have memory in common; those of symbolic size do where they start at one place."""
    ends = [(item.offset.constant, item.size.constant) for item in (first, second)]
    (start, size), (other_start, other_size) = ends
    if first.device != second.device:
        return False
    if None in (start, size, other_start, other_size):
        return first.offset == second.offset
    assert start is not None and size is not None and other_start is not None and other_size is not None
    return start < other_start + other_size and other_start < start + size


def _bytes(item: Item) -> str:
    size = item.size.constant
    return "bytes that depend on sizes" if size is None else f"{size} bytes"


def _named(item: Item, writer: Operation) -> str:
    return f"the workspace of {named_op(writer)}" if isinstance(item.op, func.CallOp) else named_op(writer)


def _writer(item: Item, order: ExecutionOrder) -> Operation:
    """Returns the op that the memory is for: a call, or the first op that uses the buffer."""
    if isinstance(item.op, func.CallOp):
        return item.op
    return _first_user(item.op.results[0], order) or item.op


def _first_user(value: SSAValue, order: ExecutionOrder) -> Operation | None:
    """Returns the first op that uses a buffer, or a view of it."""
    users: list[Operation] = []
    pending = [value]
    while pending:
        for use in pending.pop().uses:
            views = [result for result in use.operation.results if isinstance(result.type, MemRefType)]
            if views and isinstance(use.operation, VIEWS):
                pending += views
            elif not isinstance(use.operation, memref.DimOp):
                users.append(use.operation)
    return min(users, key=lambda op: order.start.get(op, 0), default=None)


def _root(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, VIEWS):
        value = value.owner.operands[0]
    return value
