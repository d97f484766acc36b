"""Interpreter rules of explicit memory: storages are bytes, tensors in them are views, so that a wrong plan gives wrong results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...dialects.relax.ops import memory
from ...dialects.relax.ops.core import KillObjectOp
from ...records import record
from ..rule import Bindings, InterpreterError, Rules, result_dtype

KILLS = (memory.KillTensorOp, memory.KillStorageOp, KillObjectOp)
"""The ops after which their operand must not be used."""


@record
class Killed:
    """What a value is after its end."""

    by: str


def require_alive(name: str, operands: Sequence[Any]) -> None:
    """Raises `InterpreterError` if an op uses a value after its end."""
    for index, value in enumerate(operands):
        if isinstance(value, Killed):
            raise InterpreterError(f"{name} uses operand {index} after {value.by}")


def write_results(name: str, outputs: Sequence[Any], results: Sequence[Any]) -> None:
    """Writes the results of a kernel into the tensors that it was given for them."""
    for index, (output, result) in enumerate(zip(outputs, results, strict=True)):
        if output.shape != np.shape(result):
            raise InterpreterError(f"{name} output {index}: expected shape {np.shape(result)}, got {output.shape}")
        output[...] = result


def _undefined(count: int) -> np.ndarray[Any, Any]:
    # NaN in every float type, so that reading what nobody wrote shows.
    return np.full(count, 0xFF, np.uint8)


def _alloc_storage(op: memory.AllocStorageOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    return [_undefined(args[0][0])]


def _builtin_alloc_tensor(op: memory.BuiltinAllocTensorOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    dtype = result_dtype(op)
    return [_undefined(int(np.prod(args[0], dtype=np.int64)) * dtype.itemsize).view(dtype).reshape(args[0])]


def _alloc_tensor(op: memory.AllocTensorOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    storage, shape = args
    dtype, offset = result_dtype(op), op.prop("offset", 0)
    end = offset + int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    if end > storage.size:
        raise InterpreterError(f"{op.name}: the tensor ends at byte {end}, the storage has {storage.size} bytes")
    piece = storage[offset:end]
    piece[...] = 0xFF
    return [piece.view(dtype).reshape(shape)]


RULES: Rules = {
    memory.BuiltinAllocTensorOp: _builtin_alloc_tensor,
    memory.AllocStorageOp: _alloc_storage,
    memory.AllocTensorOp: _alloc_tensor,
    memory.KillTensorOp: lambda op, args, bindings: [],
    memory.KillStorageOp: lambda op, args, bindings: [],
}
