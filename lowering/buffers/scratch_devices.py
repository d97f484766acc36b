"""The device of a scratch buffer: that of what it is passed to, or copied from or to."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import func, memref
from xdsl.ir import BlockArgument, Operation, SSAValue

from ...dialects.relax.vocabulary.attributes import PRIMITIVE, RESULT, UPDATED, VDEVICE
from ...dialects.upstream.op_error import OpError
from .arena import Device
from .order import VIEWS


def device_of(function: func.FuncOp, buffer: SSAValue, functions: Mapping[str, func.FuncOp]) -> Device:
    """Returns the device of a buffer: in a kernel that of the result, else that of the arguments it is passed to or copied from.

    Raises `OpError` if these are on several devices.
    """
    if PRIMITIVE.is_on(function):
        indices = range(len(function.function_type.inputs))
        results = [i for i in indices if RESULT.is_on_argument(function, i) or UPDATED.is_on_argument(function, i)]
        return _argument_device(function, results[0]) if results else None
    devices: set[Device] = set()
    seen: set[SSAValue] = set()
    pending = [buffer]
    # Invariant: `seen` and `pending` are the buffer and the views of it met so far; `devices` has those of all uses of `seen`.
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        if isinstance(value, BlockArgument) and value.block is function.body.block:
            devices.add(_argument_device(function, value.index))
            continue
        if isinstance(value.owner, VIEWS):
            pending.append(value.owner.operands[0])
        for use in value.uses:
            user = use.operation
            if isinstance(user, func.CallOp):
                devices.add(_argument_device(functions[user.callee.string_value()], use.index))
            elif isinstance(user, VIEWS):
                pending.append(user.results[0])
            elif isinstance(user, memref.CopyOp):
                pending.append(user.operands[1 - use.index])
        if len(devices) > 1:
            assert isinstance(value.owner, Operation)
            names = " and on ".join(sorted(device or "cpu:0" for device in devices))
            raise OpError(value.owner, f"plan-arena: a buffer is used on {names}")
    return devices.pop() if devices else None


def _argument_device(function: func.FuncOp, position: int) -> Device:
    return VDEVICE.of_argument(function, position)
