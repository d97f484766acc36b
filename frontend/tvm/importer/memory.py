"""Import of explicit memory: allocations, kills, and kernels that are called with the tensors for their results."""

# TVM declares few of its types.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import tvm
from xdsl.dialects.builtin import DictionaryAttr, SymbolRefAttr
from xdsl.ir import SSAValue

from ....dialects.relax.ops.core import CallPackedOp
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
from ..types import element_of
from ..vocabulary import CALLEE, OP
from .context import Importer, Results, Value
from .sizes import add_free_sizes


def _int(value: Any) -> int | None:
    """Returns a literal, `None` for 0, the default."""
    if not isinstance(value, tvm.tirx.IntImm):
        raise Unsupported(f"argument {value} is not a literal")
    return int(value.value) or None


def _scope(value: Any) -> str | None:
    return None if value.value == GLOBAL else str(value.value)


def _builtin_alloc_tensor(importer: Importer, call: Any, ty: Any) -> Value:
    shape, dtype, device, scope = call.args
    return importer.builder.op(
        BuiltinAllocTensorOp,
        importer.value(shape),
        dtype=element_of(dtype.value),
        runtime_device_index=_int(device),
        storage_scope=_scope(scope),
    )


def _alloc_storage(importer: Importer, call: Any, ty: Any) -> Value:
    size, device, scope, dtype = call.args
    return importer.builder.op(
        AllocStorageOp,
        importer.value(size),
        dtype=element_of(dtype.value),
        virtual_device_index=_int(device),
        storage_scope=_scope(scope),
    )


def _alloc_tensor(importer: Importer, call: Any, ty: Any) -> Value:
    storage, offset, shape, dtype, device = call.args
    return importer.builder.op(
        AllocTensorOp,
        importer.value(storage),
        importer.value(shape),
        offset=_int(offset),
        dtype=element_of(dtype.value),
        runtime_device_index=_int(device),
    )


def _kill(op_type: type[KillTensorOp | KillStorageOp]) -> Callable[[Importer, Any, Any], Value]:
    def handler(importer: Importer, call: Any, ty: Any) -> Value:
        importer.builder.op(op_type, importer.value(call.args[0]))
        return Results(())

    return handler


def import_kernel_call(importer: Importer, call: Any, ty: Any) -> Value:
    """Imports a call of a kernel that is given the tensors for its results: those allocations at the end that nothing has used yet.

    Without such it is a call of the packed function of its name.
    """
    operands = [importer.value(arg) for arg in call.args]
    count = 0
    while count < len(operands) and _is_fresh(operands[-1 - count]):
        count += 1
    if count == 0:
        several = isinstance(ty, tvm.ir.TupleType) and len(ty.fields) != 1
        results = importer.builder.results(
            CallPackedOp,
            *operands,
            result_types=importer.result_types(ty) if several else [importer.scope.type(ty)],
            attributes={OP: DictionaryAttr({CALLEE: SymbolRefAttr(call.op.name_hint)})},
            callee=call.op.name_hint,
        )
        return Results(results) if several else results[0]
    inputs, outputs = operands[:-count], operands[-count:]
    types = [value.type for value in outputs]
    free = add_free_sizes(importer, inputs, types)
    callee = importer.module.kernels.callee(call.op.name_hint, [value.type for value in inputs], types, free)
    number = None if count == 1 else count
    importer.builder.op(CallDPSOp, *inputs, *outputs, callee=callee, num_outputs=number)
    return Results(())


def _is_fresh(value: SSAValue) -> bool:
    return isinstance(value.owner, BuiltinAllocTensorOp | AllocTensorOp) and value.first_use is None


IMPORTS: Mapping[str, Callable[[Any, Any, Any], Any]] = {
    "relax.builtin.alloc_tensor": _builtin_alloc_tensor,
    "relax.memory.alloc_storage": _alloc_storage,
    "relax.memory.alloc_tensor": _alloc_tensor,
    "relax.memory.kill_tensor": _kill(KillTensorOp),
    "relax.memory.kill_storage": _kill(KillStorageOp),
}
