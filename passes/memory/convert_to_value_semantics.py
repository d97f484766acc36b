"""The pass `relax-convert-to-value-semantics`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import PassFailedException

from ...dialects.relax.attrs import ObjectType
from ...dialects.relax.function_signature import functions
from ...dialects.relax.ops.core import CallDPSPackedOp, CallPackedOp, ShapeOp
from ...dialects.relax.ops.memory import (
    AllocStorageOp,
    AllocTensorOp,
    BuiltinAllocTensorOp,
    CallDPSOp,
    KillStorageOp,
    KillTensorOp,
)
from ...dialects.upstream.func_ops import CallOp
from ...dialects.walks import ops_inside
from ...kinds import kind_test

TENSORS = (BuiltinAllocTensorOp, AllocTensorOp)


def _writer(op: Operation, position: Mapping[Operation, int]) -> Operation:
    """Returns the op that writes an allocated tensor: the first that uses it, in its block."""
    value, block = op.results[0], op.parent
    assert block is not None
    users = {use.operation for use in value.uses}
    inside = [block.find_ancestor_op_in_block(user) for user in users]
    first = min((user for user in inside if user is not None), key=lambda user: position[user])
    if None in inside or first not in users or value not in _outputs(first):
        raise PassFailedException("the tensor must be written in the block where it is allocated, before it is read")
    if isinstance(first, CallDPSOp) and value in first.inputs:
        raise PassFailedException(f"{first.name} reads the tensor that it writes")
    if any(user is not first and isinstance(user, CallDPSOp) and value in user.outputs for user in users):
        raise PassFailedException("the tensor is written twice")
    return first


def _outputs(op: Operation) -> Sequence[SSAValue]:
    """Returns the operands that an op writes to."""
    if isinstance(op, CallDPSOp):
        return op.outputs
    return op.args if isinstance(op, CallPackedOp) and _returns_nothing(op) else ()


def _returns_nothing(op: Operation) -> bool:
    """Returns whether a call has no results, or an object that stands for none, as a call of TVM has."""
    return all(isinstance(result.type, ObjectType) and result.first_use is None for result in op.results)


def _require_allocated(op: CallDPSOp) -> None:
    for index, value in enumerate(op.outputs):
        if not isinstance(value.owner, TENSORS):
            raise PassFailedException(f"output {index} of @{op.callee.string_value()} is no tensor that was allocated")


def _to_value(op: Operation, written: Sequence[SSAValue]) -> None:
    """Replaces a call by one that returns what it wrote to these tensors."""
    types = [value.type for value in written]
    if isinstance(op, CallDPSOp):
        call: Operation = CallOp(op.callee, op.inputs, types)
    else:
        assert isinstance(op, CallPackedOp)
        inputs = op.args[: len(op.args) - len(written)]
        if tuple(op.args[len(inputs) :]) != tuple(written):
            raise PassFailedException("the tensors that a packed function writes must be its last operands")
        call = CallDPSPackedOp.build_from(*inputs, callee=op.callee, result_types=types)
    call.attributes.update(op.attributes)
    call.location = op.location
    assert op.parent is not None
    op.parent.insert_op_before(call, op)
    Rewriter.erase_op(op)
    for old, new in zip(written, call.results, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)


_is_kill = kind_test(KillTensorOp, KillStorageOp)
_makes_tensor = kind_test(*TENSORS)
_is_destination_call = kind_test(CallDPSOp)


def _convert(function: func.FuncOp) -> None:
    for op in ops_inside(function):
        # A kill says nothing about values.
        if _is_kill(op):
            Rewriter.erase_op(op)
    ops = ops_inside(function)
    position = {op: index for index, op in enumerate(ops)}
    allocations = [op for op in ops if _makes_tensor(op)]
    for op in ops:
        if _is_destination_call(op):
            _require_allocated(op)
    written: dict[Operation, list[SSAValue]] = {}
    for op in allocations:
        if op.result.first_use is not None:
            written.setdefault(_writer(op, position), []).append(op.result)
    for call, values in written.items():
        _to_value(call, sorted(values, key=list(call.operands).index))
    memory = [*allocations, *(op for op in ops if isinstance(op, AllocStorageOp))]
    shapes = {value.owner for op in memory for value in op.operands}
    for op in memory:
        Rewriter.erase_op(op)
    for op in ops:
        if op in shapes and isinstance(op, ShapeOp) and op.result.first_use is None:
            Rewriter.erase_op(op)


class ConvertToValueSemanticsPass(ModulePass):
    """Makes calls return their results again instead of writing them into allocated tensors; the plan of memory is dropped.

    ```mlir
    %y = relax.memory.alloc_tensor %storage, %shape {dtype = f32} : ...
    relax.call_dps %x, %y {callee = @add} : (tensor<4xf32>, tensor<4xf32>) -> ()
    ```
    becomes
    ```mlir
    %y = func.call @add(%x) : (tensor<4xf32>) -> tensor<4xf32>
    ```

    It is the first pass on the way to native code, which plans its buffers itself (`plan-arena`), kernels' scratch included. A packed
    call that writes to allocated tensors becomes a `relax.call_dps_packed`; storages, tensors and kills disappear.

    *Requires* that each allocated tensor is written once, by the first op that uses it, in the block where it is allocated.
    *Leaves* no allocation, no kill, and no call that writes to its operands.
    """

    name = "relax-convert-to-value-semantics"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            _convert(function)
