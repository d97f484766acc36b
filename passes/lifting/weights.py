"""What of a function depends on parameters alone."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from ...dialects.relax.ops.core import DataflowOp
from .computable_at_compile_time import computable_at_compile_time


class Weights:
    """The values of a function that depend on parameters alone."""

    def __init__(self, function: func.FuncOp, inputs: int):
        self._known: set[Operation | BlockArgument] = {*function.body.block.args[inputs:]}
        self._known |= set(computable_at_compile_time(function, with_parameters=True))

    def has(self, value: SSAValue) -> bool:
        """Returns whether a value, which may have left a dataflow block, is one of them."""
        while isinstance(value, OpResult) and isinstance(value.owner, DataflowOp):
            value = value.owner.output.values[value.index]
        return (value if isinstance(value, BlockArgument) else value.owner) in self._known


def name_as_packed(packed: SSAValue, weight: SSAValue) -> None:
    """Names the packed form of a weight after it, if that has a name."""
    if weight.name_hint is not None:
        packed.name_hint = f"{weight.name_hint}_packed"
