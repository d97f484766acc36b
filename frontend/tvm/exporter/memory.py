"""Export of explicit memory: allocations, kills, and kernels that are called with the tensors for their results."""

# TVM declares few of its types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import tvm
from tvm import relax
from xdsl.ir import Operation, SSAValue

from ....dialects.relax.attrs import ShapeType
from ....dialects.relax.ops.memory import (
    GLOBAL,
    AllocStorageOp,
    AllocTensorOp,
    BuiltinAllocTensorOp,
    CallDPSOp,
    KillStorageOp,
    KillTensorOp,
)
from ..diagnostics import Unsupported
from ..types import dtype_of
from ..vocabulary import FREE_SIZES, TIR
from .context import Exporter


def _export(exporter: Exporter, op: Operation) -> None:
    exporter.bind(op, _call(exporter, op))


def _call(exporter: Exporter, op: Operation) -> Any:
    """Returns the call of Relax that stands for an op of memory, or for a kernel that writes its results."""
    if isinstance(op, CallDPSOp):
        callee = exporter.module.functions[op.callee.string_value()]
        if TIR not in callee.attributes:
            raise Unsupported(f"@{op.callee.string_value()} is no kernel of TVM")
        inputs = op.inputs[:-1] if FREE_SIZES in callee.attributes else op.inputs
        args = [exporter.expression(value) for value in (*inputs, *op.outputs)]
        return tvm.ir.Call(exporter.module.variable(callee), args)
    args = [_literal_shape(exporter, value) for value in op.operands]
    match op:
        case BuiltinAllocTensorOp():
            device, scope = op.prop("runtime_device_index", 0), op.prop("storage_scope", GLOBAL)
            return relax.op.builtin.alloc_tensor(args[0], dtype_of(op.dtype), device, scope)
        case AllocStorageOp():
            device, scope = op.prop("virtual_device_index", 0), op.prop("storage_scope", GLOBAL)
            return relax.op.memory.alloc_storage(args[0], device, scope, dtype_of(op.dtype))
        case AllocTensorOp():
            device = op.prop("runtime_device_index", 0)
            return relax.op.memory.alloc_tensor(*_placed(args, op), dtype_of(op.dtype), device)
        case KillTensorOp():
            return relax.op.memory.kill_tensor(args[0])
        case KillStorageOp():
            return relax.op.memory.kill_storage(args[0])
        case _:
            raise Unsupported("Relax has no such op")


def _literal_shape(exporter: Exporter, value: SSAValue) -> Any:
    """Returns an operand; Relax wants a shape of known sizes written out, where ours may have a name."""
    if isinstance(value.type, ShapeType) and (sizes := exporter.scope.shape(value.type.data)) is not None:
        return relax.ShapeExpr(sizes)
    return exporter.expression(value)


def _placed(args: list[Any], op: AllocTensorOp) -> tuple[Any, int, Any]:
    storage, shape = args
    return storage, op.prop("offset", 0), shape


EXPORTS: Mapping[str, Callable[[Any, Operation], None]] = {
    definition.name: _export
    for definition in (BuiltinAllocTensorOp, AllocStorageOp, AllocTensorOp, KillTensorOp, KillStorageOp, CallDPSOp)
}
