"""The pass `relax-convert-to-dataflow`."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from ...dialects.relax.ops.core import DataflowOp
from ...dialects.walks import inner_blocks
from ..analysis.effects import PureFunctions, has_effects
from ..options import PassWithOptions, within
from ..rewriting.dataflow_blocks import inline_dataflow, insert_dataflow
from ..rewriting.kernel_functions import graph_functions


def _runs(block: Block, pure: Container[str]) -> list[list[Operation]]:
    """Returns the longest sequences of ops that may stand in a dataflow block, dataflow blocks among them."""
    runs: list[list[Operation]] = [[]]
    for op in block.ops:
        fits = isinstance(op, DataflowOp) or (not op.regions and op.next_op is not None and not has_effects(op, pure))
        if fits:
            runs[-1].append(op)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _wrap(block: Block, run: Sequence[Operation]) -> None:
    """Puts ops that follow each other into one dataflow block."""
    before = run[-1].next_op
    assert before is not None
    start = run[0].prev_op
    for op in run:
        if isinstance(op, DataflowOp):
            inline_dataflow(op)
    # The run is what lies between `start` and `before`, also where blocks in it have been inlined.
    first = block.first_op if start is None else start.next_op
    inner = Block()
    while first is not before:
        assert first is not None
        following = first.next_op
        first.detach()
        inner.add_op(first)
        first = following
    insert_dataflow(inner, before)


def _size(op: Operation) -> int:
    """Returns how many ops there are that graph passes look at: in linalg of other front ends there is none."""
    if isinstance(op, DataflowOp):
        return sum(map(_size, op.body.block.ops)) - 1
    return int(isinstance(op, func.CallOp) or op.dialect_name() == "relax")


def _convert(block: Block, min_size: int, pure: Container[str]) -> None:
    for op in block.ops:
        if not isinstance(op, DataflowOp):
            for inner in inner_blocks(op):
                _convert(inner, min_size, pure)
    for run in _runs(block, pure):
        single = len(run) == 1 and isinstance(run[0], DataflowOp)
        if not single and sum(map(_size, run)) >= min_size:
            _wrap(block, run)


@dataclass(frozen=True)
class ConvertToDataflowPass(PassWithOptions):
    """Puts ops without effects that follow each other into dataflow blocks, and joins neighboring blocks.

    ```mlir
    %y = relax.add %x, %x : ...
    %z = relax.nn.relu %y : ...
    return %z
    ```
    becomes
    ```mlir
    %r = relax.dataflow {
      %y = relax.add %x, %x : ...
      %z = relax.nn.relu %y : ...
      relax.output %z : ...
    }
    return %r
    ```

    Calls with effects, branches, and other ops with regions stay between the blocks; inside of branches the same is done.
    Kernels stay as they are. *Requires* nothing. *Leaves* the order of ops.
    """

    name = "relax-convert-to-dataflow"

    min_size: int = within(2, 1)
    """The smallest number of relax ops and calls that make a block."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pure = PureFunctions(op)
        for function in graph_functions(op):
            _convert(function.body.block, self.min_size, pure)
