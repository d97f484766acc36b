"""Finds the bindings that need nothing but model parameters: an analysis, and the pass `relax-computable-at-compile-time` that shows it."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ...dialects.relax.function_signature import functions
from ...dialects.relax.vocabulary.attributes import COMPILE_TIME, NUM_INPUT
from ..options import PassWithOptions
from .lift_analysis import Analysis, own_view


def computable_at_compile_time(function: func.FuncOp, with_parameters: bool = False) -> list[Operation]:
    """Returns the ops in dataflow blocks that can be computed from the model parameters alone, in order.

    A function without `relax.num_input` has no parameters. `with_parameters` leaves out ops that need none, such as constants.
    """
    weights, view = own_view(function)
    analysis = Analysis(weights, unify=False, define_symbols=False)
    analysis.scan(view)
    return [op for op, binding in view.bindings.items() if binding.weights or not with_parameters]


@dataclass(frozen=True)
class ComputableAtCompileTimePass(PassWithOptions):
    """Marks the ops that can be computed from model parameters alone with `relax.compile_time`; changes nothing else.

    ```mlir
    %w_t = relax.permute_dims %w : ...
    %y = relax.matmul %x, %w_t : ...
    ```
    becomes
    ```mlir
    %w_t = relax.permute_dims %w {relax.compile_time} : ...
    %y = relax.matmul %x, %w_t : ...
    ```

    It is the analysis that `relax-lift-transform-params` lifts by. *Requires* `relax.num_input`; other functions have no
    parameters. *Leaves* everything but the marks as it is.
    """

    name = "relax-computable-at-compile-time"

    with_parameters: bool = field(default=False)
    """Leaves out ops that need no parameter at all."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            if NUM_INPUT.of(function) is not None:
                for binding_op in computable_at_compile_time(function, self.with_parameters):
                    COMPILE_TIME.set(binding_op)
