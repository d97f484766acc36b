"""What of a function depends on parameters alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from ...dialects.relax.function_signature import functions
from ...dialects.relax.ops.core import DataflowOp
from ...dialects.relax.vocabulary.attributes import NUM_INPUT
from ...dialects.walks import ops_inside
from ..analysis.remarks import Topic, is_recording, remark
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


def weights_of_functions(
    module: ModuleOp, pass_name: str, candidates: Callable[[Operation], bool]
) -> Iterator[tuple[func.FuncOp, Weights]]:
    """Yields the functions that say which of their arguments are parameters; a pass that looks at them alone says so of the others' ops."""
    for function in functions(module):
        count = NUM_INPUT.of(function)
        if count is not None:
            yield function, Weights(function, count)
        elif is_recording():
            name = function.sym_name.data
            for op in filter(candidates, ops_inside(function)):
                text = f"{op.name} is left by {pass_name}: @{name} has no {NUM_INPUT}, so that no argument is a weight"
                remark(Topic.REWRITE, name, op.location, text)


def name_as_packed(packed: SSAValue, weight: SSAValue) -> None:
    """Names the packed form of a weight after it, if that has a name."""
    if weight.name_hint is not None:
        packed.name_hint = f"{weight.name_hint}_packed"
