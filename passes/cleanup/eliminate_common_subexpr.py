"""The pass `relax-eliminate-common-subexpr`."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ...dialects.relax.function_signature import functions
from ...dialects.relax.ops.core import ConstantOp, DataflowOp, MatchCastOp, ShapeOp, TupleGetItemOp, TupleOp
from ...dialects.walks import inner_blocks
from ..analysis.attribute_table import attribute_numbers
from ..analysis.effects import PureFunctions, has_effects
from ..analysis.remarks import Topic, function_of, is_recording, named_op, remark
from ..analysis.structure import op_key
from ..options import PassWithOptions
from ..rewriting.dataflow_blocks import keep_outputs, merge_outputs

LEAVES = (arith.ConstantOp, ConstantOp, ShapeOp, TupleOp)
"""Ops that Relax writes where they are read: calls on equal ones are equal."""
NO_CALLS = (*LEAVES, TupleGetItemOp, MatchCastOp)
"""Ops that are no calls in Relax."""

Values = Sequence[SSAValue]


class _Elimination:
    """One run over a module."""

    def __init__(self, module: ModuleOp, call_only: bool):
        self._pure = PureFunctions(module)
        self._call_only = call_only
        self._number_of = attribute_numbers()

    def eliminate(self, block: Block, outer: Mapping[Hashable, Values]) -> None:
        """Replaces what a block computes again."""
        # `earlier` holds the results that dominate the op at hand; what is computed inside of a region is not seen outside of it, unless
        # it leaves a dataflow block.
        earlier = dict(outer)
        for op in list(block.ops):
            if op.next_op is None:
                continue
            if op.regions:
                for inner in inner_blocks(op):
                    self.eliminate(inner, earlier)
                if isinstance(op, DataflowOp):
                    self._see_outputs(op, earlier)
                continue
            if not self._is_candidate(op):
                continue
            first = earlier.setdefault(self._key(op, op.operands), op.results)
            if first[0] is not op.results[0]:
                _remark_on_equal(op, first[0])
                for old, new in zip(op.results, first, strict=True):
                    old.replace_all_uses_with(new)
                Rewriter.erase_op(op)

    def _key(self, op: Operation, operands: Values) -> Hashable:
        """Returns what is equal for ops that compute the same."""
        keys = tuple(map(self._leaf_key, operands)) if self._call_only else tuple(operands)
        return op_key(op, keys, key_of=self._number_of)

    def _leaf_key(self, value: SSAValue) -> Hashable:
        owner = value.owner
        return self._key(owner, owner.operands) if isinstance(owner, LEAVES) else value

    def _is_candidate(self, op: Operation) -> bool:
        is_compared = not (self._call_only and isinstance(op, NO_CALLS))
        return bool(op.results) and is_compared and not has_effects(op, self._pure)

    def _see_outputs(self, dataflow: DataflowOp, earlier: dict[Hashable, Values]) -> None:
        """Merges equal outputs of a block, and records the computations that can be read behind it."""
        block = keep_outputs(dataflow, merge_outputs(dataflow))
        kept = block.parent_op()
        outside = dict(zip(kept.output.values, kept.outputs, strict=True)) if isinstance(kept, DataflowOp) else {}
        for op in block.ops:
            if op.regions or not self._is_candidate(op) or not all(result in outside for result in op.results):
                continue
            operands = tuple(outside.get(operand, operand) for operand in op.operands)
            inside = [operand for operand in operands if operand.owner.parent is block]
            if all(
                self._call_only and isinstance(operand.owner, LEAVES) and not operand.owner.operands
                for operand in inside
            ):
                earlier.setdefault(self._key(op, operands), [outside[result] for result in op.results])


def _remark_on_equal(op: Operation, earlier: SSAValue) -> None:
    if is_recording() and isinstance(earlier.owner, Operation):
        text = f"{named_op(op)} computes what {named_op(earlier.owner)} has computed, which stands for it"
        remark(Topic.REWRITE, function_of(op), op.location, text)


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
        elimination = _Elimination(op, self.call_only)
        for function in functions(op):
            elimination.eliminate(function.body.block, {})
