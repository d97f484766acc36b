"""The pass `relax-eliminate-common-subexpr`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ...dialects.relax.function_signature import functions
from ...dialects.relax.ops.core import ConstantOp, DataflowOp, MatchCastOp, ShapeOp, TupleGetItemOp, TupleOp
from ..analysis.effects import has_effects, pure_functions
from ..analysis.structure import op_key
from ..analysis.walks import inner_blocks
from ..options import PassWithOptions
from ..rewriting.dataflow_blocks import keep_outputs, merge_outputs

LEAVES = (arith.ConstantOp, ConstantOp, ShapeOp, TupleOp)
"""Ops that Relax writes where they are read: calls on equal ones are equal."""
NO_CALLS = (*LEAVES, TupleGetItemOp, MatchCastOp)
"""Ops that are no calls in Relax."""

Values = Sequence[SSAValue]


def _key(op: Operation, operands: Values, call_only: bool) -> Hashable:
    """Returns what is equal for ops that compute the same."""
    return op_key(op, tuple(_leaf_key(operand) if call_only else operand for operand in operands))


def _leaf_key(value: SSAValue) -> Hashable:
    owner = value.owner
    return op_key(owner, tuple(map(_leaf_key, owner.operands))) if isinstance(owner, LEAVES) else value


def _eliminate(block: Block, outer: dict[Hashable, Values], pure: set[str], call_only: bool) -> None:
    # `earlier` holds the results that dominate the op at hand; what is computed inside of a region is not seen outside of it, unless it
    # leaves a dataflow block.
    earlier = dict(outer)
    for op in list(block.ops):
        if op.next_op is None:
            continue
        if op.regions:
            for inner in inner_blocks(op):
                _eliminate(inner, earlier, pure, call_only)
            if isinstance(op, DataflowOp):
                _see_outputs(op, earlier, pure, call_only)
            continue
        if not _is_candidate(op, pure, call_only):
            continue
        first = earlier.setdefault(_key(op, op.operands, call_only), op.results)
        if first[0] is not op.results[0]:
            for old, new in zip(op.results, first, strict=True):
                old.replace_all_uses_with(new)
            Rewriter.erase_op(op)


def _is_candidate(op: Operation, pure: set[str], call_only: bool) -> bool:
    return bool(op.results) and not has_effects(op, pure) and not (call_only and isinstance(op, NO_CALLS))


def _see_outputs(dataflow: DataflowOp, earlier: dict[Hashable, Values], pure: set[str], call_only: bool) -> None:
    """Merges equal outputs of a block, and records the computations that can be read behind it."""
    block = keep_outputs(dataflow, merge_outputs(dataflow))
    kept = block.parent_op()
    outside = dict(zip(kept.output.values, kept.outputs, strict=True)) if isinstance(kept, DataflowOp) else {}
    for op in block.ops:
        if op.regions or not _is_candidate(op, pure, call_only) or not all(result in outside for result in op.results):
            continue
        operands = tuple(outside.get(operand, operand) for operand in op.operands)
        inside = [operand for operand in operands if operand.owner.parent is block]
        if all(call_only and isinstance(operand.owner, LEAVES) and not operand.owner.operands for operand in inside):
            earlier.setdefault(_key(op, operands, call_only), [outside[result] for result in op.results])


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

    A block sees what was computed before it in the blocks around it, and what leaves a dataflow block before it; an output that leaves a
    dataflow block twice leaves it once. Besides xDSL's `cse` it knows pure packed calls, casts, calls of
    functions without effects, and outputs of dataflow blocks. *Requires* nothing. *Leaves* ops with effects.
    """

    name = "relax-eliminate-common-subexpr"

    call_only: bool = field(default=False)
    """Only what Relax writes as a call is compared: ops and calls of functions, not constants, shapes, tuples and casts."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pure = pure_functions(op)
        for function in functions(op):
            _eliminate(function.body.block, {}, pure, self.call_only)
