"""The pass `relax-kill-after-last-use`."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType, TupleType, UnrankedTensorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ...dialects.relax.attrs import ObjectType
from ...dialects.relax.base import RelaxOp
from ...dialects.relax.ops.core import ConstantOp, DataflowOp, KillObjectOp, TupleGetItemOp, TupleOp
from ...dialects.relax.ops.memory import KillStorageOp, KillTensorOp, is_storage
from ...dialects.walks import inner_blocks, ops_inside
from ..cleanup.canonicalize_bindings import canonicalize
from ..rewriting.kernel_functions import graph_functions

ORDER: tuple[type[RelaxOp], ...] = (KillTensorOp, KillStorageOp, KillObjectOp)
"""The order in which values that end at the same op are killed."""


def kill_of(value: SSAValue) -> type[RelaxOp] | None:
    """Returns the op that ends the life of a value, `None` if it has none to end."""
    if isinstance(value.owner, ConstantOp):
        return None
    if isinstance(value.type, TensorType | UnrankedTensorType):
        return KillTensorOp
    if isinstance(value.type, ObjectType):
        return KillStorageOp if is_storage(value) else KillObjectOp
    # A tuple that is made for one reader is a list of arguments, no object.
    is_object = isinstance(value.type, TupleType) and not (isinstance(value.owner, TupleOp) and value.has_one_use())
    return KillObjectOp if is_object else None


def last_use(value: SSAValue, block: Block, position: Mapping[Operation, int]) -> Operation | None:
    """Returns the last op of a block that uses a value: itself, inside of its regions, or as a field of a tuple."""
    last: Operation | None = None
    for use in value.uses:
        user = block.find_ancestor_op_in_block(use.operation)
        if isinstance(user, TupleOp):
            user = last_use(user.result, block, position) or user
        if user is not None and (last is None or position[user] > position[last]):
            last = user
    return last


def drop_unused_tuples(function: func.FuncOp) -> None:
    """Erases tuples that nothing reads, which would keep their fields alive."""
    for op in reversed(ops_inside(function)):
        if isinstance(op, TupleOp | TupleGetItemOp) and op.result.first_use is None:
            Rewriter.erase_op(op)


def kill_values(block: Block) -> None:
    """Inserts the kills of the values of a block, and of the blocks inside."""
    # A value dies in its own block, behind the op of that block in which its last use stands.
    position = {op: index for index, op in enumerate(block.ops)}
    ends: dict[Operation, list[RelaxOp]] = {}
    for op in block.ops:
        if not isinstance(op, DataflowOp):
            for inner in inner_blocks(op):
                kill_values(inner)
        for value in op.results:
            kill, last = kill_of(value), last_use(value, block, position)
            killed = any(isinstance(use.operation, ORDER) for use in value.uses)
            if kill is not None and last is not None and last is not block.last_op and not killed:
                ends.setdefault(last, []).append(kill.build_from(value))
    for op, kills in ends.items():
        kills.sort(key=lambda kill: ORDER.index(type(kill)))
        block.insert_ops_after(kills, op)


class KillAfterLastUsePass(ModulePass):
    """Ends the life of each value after the last op that uses it.

    ```mlir
    relax.call_dps %x, %y {callee = @exp} : ...
    relax.call_dps %y, %z {callee = @exp} : ...
    ```
    becomes
    ```mlir
    relax.call_dps %x, %y {callee = @exp} : ...
    relax.call_dps %y, %z {callee = @exp} : ...
    relax.memory.kill_tensor %y : ...
    ```

    A storage is killed after the last tensor was placed in it, a tuple or an object by `relax.vm.kill_object`, unless a tuple is made for
    one reader alone; fields live as long as their tuples; after one op first come
    tensors, then storages, then objects, each in the order of definition. Arguments, results, constants, shapes, scalars, values that are
    never used, and what is killed already, are left alone, and so is the inside of dataflow blocks.

    Where we differ from Relax: values are also killed after a branch, and those that only branches read are.

    *Requires* nothing; runs `relax-canonicalize-bindings` first, and drops tuples that nothing reads. *Leaves* what is killed already.
    """

    name = "relax-kill-after-last-use"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in graph_functions(op):
            canonicalize(function)
            drop_unused_tuples(function)
            kill_values(function.body.block)
