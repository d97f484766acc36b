"""How much memory the intermediate tensors of a function take: each in memory of its own, and planned at the graph level."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import PassPipeline

from ..dialects.relax.base import shape_value
from ..dialects.relax.function_signature import functions, return_op
from ..dialects.relax.ops.core import TupleOp
from ..dialects.relax.ops.manipulate import ReshapeOp
from ..dialects.relax.ops.memory import AllocStorageOp, BuiltinAllocTensorOp, tensor_bytes
from ..dialects.symbolic.expressions import Dim, evaluate, symbols
from ..lowering.pipeline import Settings
from ..records import record
from .compiler import available_passes, relax_context


@record
class ActivationMemory:
    """Bytes of the intermediate tensors of one call; results, arguments and the scratch of kernels are not counted."""

    tensors: int
    unplanned: int
    storages: int
    planned: int


def activation_memory(module: ModuleOp, name: str, sizes: Mapping[str, int], settings: Settings) -> ActivationMemory:
    """Returns the memory of a function of a module at the relax stage, as it is after the stage `graph`.

    `sizes` are those of the symbols of its signature. Tensors whose size depends on data are not counted.
    """
    module = module.clone()
    ctx, known = relax_context(), available_passes()

    def run(spec: str) -> None:
        PassPipeline.parse_spec(known, spec).apply(ctx, module)

    for stage in ("optimize", "graph"):
        for spec in settings.passes_of(stage):
            run(spec)
    run("relax-convert-to-destination-style")
    tensors = _own_tensors(module, name, sizes)
    run("relax-static-plan-memory")
    storages = [_value(op.bytes, sizes) for op in _function(module, name).walk() if isinstance(op, AllocStorageOp)]
    left = _own_tensors(module, name, sizes)
    return ActivationMemory(len(tensors), sum(tensors), len(storages) + len(left), sum(storages) + sum(left))


def _function(module: ModuleOp, name: str) -> func.FuncOp:
    return next(function for function in functions(module) if function.sym_name.data == name)


def _value(size: Dim, sizes: Mapping[str, int]) -> int:
    known = size is not None and all(symbol in sizes for symbol in symbols(size))
    return evaluate(size, sizes) if size is not None and known else 0


def _own_tensors(module: ModuleOp, name: str, sizes: Mapping[str, int]) -> list[int]:
    """Returns the bytes of each tensor in memory of its own that is not returned."""
    function = _function(module, name)
    pending, returned = list(return_op(function).operands), set[SSAValue]()
    while pending:
        value = pending.pop()
        returned.add(value)
        if isinstance(value.owner, TupleOp | ReshapeOp):
            pending += value.owner.operands
    return [
        _value(tensor_bytes(shape_value(op.shape), op.dtype), sizes)
        for op in function.walk()
        if isinstance(op, BuiltinAllocTensorOp) and op.result not in returned
    ]
