"""The pass `relax-fold-scale-axis`."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from ..analysis.weight_values import Weights
from ..options import PassWithOptions
from .backward_fold_scale_axis import BackwardFoldScaleAxisPass
from .fold_constant import FoldConstantPass
from .forward_fold_scale_axis import ForwardFoldScaleAxisPass


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
        BackwardFoldScaleAxisPass(self.weights).apply(ctx, op)
        ForwardFoldScaleAxisPass(self.weights).apply(ctx, op)
        FoldConstantPass().apply(ctx, op)
