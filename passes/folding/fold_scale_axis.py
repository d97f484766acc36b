"""The pass `relax-fold-scale-axis`."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from ...dialects.relax.base import RelaxOp
from ...dialects.relax.ops.binary import MultiplyOp
from ...dialects.walks import ops_inside
from ..analysis.weight_values import Weights, weight_values
from ..options import PassWithOptions
from ..rewriting.kernel_functions import graph_functions
from .backward_fold_scale_axis import BackwardFoldScaleAxisPass
from .fold_constant import FoldConstantPass
from .forward_fold_scale_axis import ForwardFoldScaleAxisPass
from .scale_message import ACTIVATIONS, SUMS, is_contraction


@dataclass(frozen=True)
class FoldScaleAxisPass(PassWithOptions):
    """Folds products by weights into convolutions and matrix products: backward, then forward, then constants.

    ```mlir
    %y = relax.nn.conv2d %x, %w : ...
    %z = relax.multiply %y, %s : ...
    ```
    becomes, where `%w` and `%s` are constants,
    ```mlir
    %u = relax.constant {value = dense<...>} : () -> ...
    %z = relax.nn.conv2d %x, %u : ...
    ```

    It is `relax-backward-fold-scale-axis,relax-forward-fold-scale-axis,relax-fold-constant`. What depends on parameters stays as
    arithmetic on weights for `relax-lift-transform-params`.

    *Requires* `relax-simplify-inference` to have made products of batch_norm. *Leaves* no product after, or before, what it was folded
    into.
    """

    name = "relax-fold-scale-axis"

    weights: Weights = field(default="arguments")
    """What counts as a weight: `arguments`, `parameters` or `constants`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if any(_may_fold(function, self.weights) for function in graph_functions(op)):
            BackwardFoldScaleAxisPass(self.weights).apply(ctx, op)
            ForwardFoldScaleAxisPass(self.weights).apply(ctx, op)
        FoldConstantPass().apply(ctx, op)


def _may_fold(function: func.FuncOp, weights: Weights) -> bool:
    """Returns whether a product with a weight stands next to an op that either of the passes carries scales over."""
    products = [op for op in ops_inside(function) if isinstance(op, MultiplyOp)]
    known = weight_values(function, weights) if products else set[SSAValue]()
    return any(
        scale in known and (_takes_scales(value.owner) or any(_takes_scales(use.operation) for use in op.result.uses))
        for op in products
        for value, scale in ((op.lhs, op.rhs), (op.rhs, op.lhs))
    )


def _takes_scales(op: Operation | Block) -> bool:
    return isinstance(op, RelaxOp) and (is_contraction(op) or isinstance(op, (*ACTIVATIONS, *SUMS)))
