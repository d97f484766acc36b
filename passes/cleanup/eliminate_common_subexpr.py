"""The pass `relax-eliminate-common-subexpr`."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.rewriter import Rewriter

from ...dialects.relax.function_signature import functions
from ...dialects.relax.ops.core import DataflowOp
from ..analysis.effects import has_effects, pure_functions
from ..analysis.structure import op_key
from ..analysis.walks import inner_blocks
from ..options import PassWithOptions

CALLS = (func.CallOp,)


def _eliminate(block: Block, outer: dict[Hashable, Operation], pure: set[str], call_only: bool) -> None:
    # `earlier` holds the ops that dominate the one at hand; what is found inside of a region is not seen outside of it.
    earlier = dict(outer)
    for op in list(block.ops):
        if op.next_op is None:
            continue
        if op.regions:
            for inner in inner_blocks(op):
                _eliminate(inner, earlier, pure, call_only)
            if isinstance(op, DataflowOp):
                _merge_outputs(op, earlier)
            continue
        if not op.results or has_effects(op, pure) or (call_only and not isinstance(op, CALLS)):
            continue
        first = earlier.setdefault(op_key(op, tuple(op.operands)), op)
        if first is not op:
            for old, new in zip(op.results, first.results, strict=True):
                old.replace_all_uses_with(new)
            Rewriter.erase_op(op)


def _merge_outputs(op: DataflowOp, earlier: dict[Hashable, Operation]) -> None:
    """Makes readers of an output that appears twice, or that was computed outside, read the first."""
    first: dict[object, object] = {}
    for result, value in zip(op.outputs, op.output.values, strict=True):
        inside = isinstance(value.owner, Operation) and value.owner.parent is op.body.block
        if not inside:
            result.replace_all_uses_with(value)
        elif value in first:
            result.replace_all_uses_with(first[value])  # pyright: ignore[reportArgumentType]
        else:
            first[value] = result


@dataclass(frozen=True)
class EliminateCommonSubexprPass(PassWithOptions):
    """Replaces a computation by an equal earlier one.

    ```mlir
    %a = relax.permute_dims %w : ...
    %b = relax.permute_dims %w : ...
    %c = relax.add %a, %b : ...
    ```
    becomes
    ```mlir
    %a = relax.permute_dims %w : ...
    %c = relax.add %a, %a : ...
    ```

    A block sees what was computed before it in the blocks around it. Besides xDSL's `cse` it knows pure packed calls, casts, calls of
    functions without effects, and outputs of dataflow blocks. *Requires* nothing. *Leaves* ops with effects.
    """

    name = "relax-eliminate-common-subexpr"

    call_only: bool = field(default=False)
    """Only calls of functions are compared."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pure = pure_functions(op)
        for function in functions(op):
            _eliminate(function.body.block, {}, pure, self.call_only)
