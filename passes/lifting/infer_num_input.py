"""The pass `relax-infer-num-input`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from ...dialects.relax.function_signature import argument_attributes, update_signature
from ...dialects.relax.ops.core import DataflowOp
from ...dialects.relax.vocabulary.attributes import NUM_INPUT
from ...dialects.upstream.block_arguments import arrange_arguments
from ..analysis.subroutines import subroutines
from ..analysis.weight_values import weight_values
from ..rewriting.kernel_functions import is_kernel


def _passed_weights(call: func.CallOp, known_values: dict[func.FuncOp, set[SSAValue]]) -> set[int]:
    """Returns the positions of the operands that depend on parameters of the caller alone.

    There are none for a call in a branch or a loop: what is computed there is not lifted.
    """
    parent = call.parent_op()
    caller = parent.parent_op() if isinstance(parent, DataflowOp) else parent
    if not isinstance(caller, func.FuncOp) or NUM_INPUT.of(caller) is None:
        return set()
    if caller not in known_values:
        known_values[caller] = weight_values(caller)
    return {position for position, operand in enumerate(call.operands) if operand in known_values[caller]}


def _mark(function: func.FuncOp, calls: Sequence[func.CallOp], weights: set[int]) -> None:
    """Puts the weights behind the other arguments, and says where they begin."""
    args = function.body.block.args
    order = sorted(range(len(args)), key=weights.__contains__)
    attributes = argument_attributes(function)
    arrange_arguments(function.body.block, [args[position] for position in order])
    update_signature(function, [attributes[position] for position in order])
    NUM_INPUT.set(function, len(order) - len(weights))
    for call in calls:
        call.operands = [call.operands[position] for position in order]


class InferNumInputPass(ModulePass):
    """Says of the arguments of private functions which are model parameters: those that are weights in every call.

    ```mlir
    func.func @main(%x: ..., %w: ...) attributes {relax.num_input = 1 : i64} {
      %y = func.call @mlp(%w, %x)
    func.func private @mlp(%w: ..., %x: ...)
    ```
    becomes
    ```mlir
    func.func @main(%x: ..., %w: ...) attributes {relax.num_input = 1 : i64} {
      %y = func.call @mlp(%x, %w)
    func.func private @mlp(%x: ..., %w: ...) attributes {relax.num_input = 1 : i64}
    ```

    So passes that look at one function at a time know the weights of a subroutine, and `relax-lift-transform-params` lifts out of it,
    through its calls. A function that takes nothing but weights has no mark: its calls are lifted as they are. One that calls itself,
    that something else than a call mentions, or that is a kernel has none either.
    *Requires* `relax.num_input` on the functions that call. *Leaves* what functions compute.
    """

    name = "relax-infer-num-input"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        known_values: dict[func.FuncOp, set[SSAValue]] = {}
        # Callers come first: what they are given says what they pass on.
        for subroutine in reversed(subroutines(op)):
            function = subroutine.function
            if NUM_INPUT.of(function) is not None or is_kernel(function):
                continue
            weights = set.intersection(*(_passed_weights(call, known_values) for call in subroutine.calls))
            if 0 < len(weights) < len(function.body.block.args):
                _mark(function, subroutine.calls, weights)
