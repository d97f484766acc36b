"""Loss functions: cross_entropy_with_logits, nll_loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, opt_prop_def

from ....symbolic.conditions import SizeContext
from ....symbolic.expressions import Dim
from ...attrs import tensor_type
from ...base import I64, STRING, TENSOR, TensorOp, dims, element, fail, require_same_element
from ...dtypes import FLOATS, INTEGERS
from ...element_rules import require_element
from ...fusion_pattern import FusionPattern
from ...rules.shape_rules import shape_text

REDUCTIONS = ("mean", "sum", "none")


@irdl_op_definition
class CrossEntropyWithLogitsOp(TensorOp):
    """`-sum(predictions * labels)`, over the size of the first dim where there is more than one; the result is a scalar tensor.

    f16 and bf16 are summed in f32 and rounded once.

    cross_entropy_with_logits_c1: the element types are equal and floating-point.
    cross_entropy_with_logits_c2: the operands have rank 1 or more.
    cross_entropy_with_logits_c3: the shapes are equal.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.nn.cross_entropy_with_logits"
    predictions = operand_def(TENSOR)
    labels = operand_def(TENSOR)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        element_type = require_element(
            require_same_element(f"{self.stem}_c1", *self.operands), FLOATS, f"{self.stem}_c1"
        )
        predictions, labels = dims(self.predictions), dims(self.labels)
        if predictions == () or labels == ():
            fail(f"{self.stem}_c2", "the operands must have rank 1 or more, got 0")
        if not context.compatible(predictions, labels):
            fail(f"{self.stem}_c3", f"shapes must be equal, got {shape_text(predictions)} and {shape_text(labels)}")
        return [tensor_type((), element_type)]


@irdl_op_definition
class NLLLossOp(TensorOp):
    """The negative log-likelihood loss `-predictions[n, targets[n, ...], ...] * weights[targets[n, ...]]`.

    Predictions are `[n, c, ...]` with targets `[n, ...]`, or `[c]` with a scalar target; weights are ones by default. Targets equal to
    `ignore_index` (-100 by default) give zero. `reduction` `mean` (the default) divides the sum by that of the weights which took part,
    `sum` adds up, `none` leaves one loss for each target. A target that is no class gives NaN (Relax does not define it).
    f16 and bf16 are computed in f32 and rounded once.

    nll_loss_c1: predictions and weights have equal, floating-point element types.
    nll_loss_c2: targets are integers.
    nll_loss_c3: predictions have rank 1 or more, targets the same without the dim of the classes.
    nll_loss_c4: the shapes of predictions and targets agree.
    nll_loss_c5: weights have rank 1 and one element for each class.
    nll_loss_c6: `reduction` is `mean`, `sum` or `none`.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.nn.nll_loss"
    predictions = operand_def(TENSOR)
    targets = operand_def(TENSOR)
    weights = opt_operand_def(TENSOR)
    reduction = opt_prop_def(STRING)
    ignore_index = opt_prop_def(I64)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        floats = [self.predictions, *([] if self.weights is None else [self.weights])]
        element_type = require_element(require_same_element("nll_loss_c1", *floats), FLOATS, "nll_loss_c1")
        require_element(element(self.targets), INTEGERS, "nll_loss_c2")
        reduction = self.prop("reduction", "mean")
        if reduction not in REDUCTIONS:
            fail("nll_loss_c6", f"reduction must be one of {', '.join(REDUCTIONS)}, got {reduction!r}")
        predictions, targets = dims(self.predictions), dims(self.targets)
        self._check_shapes(context, predictions, targets)
        if reduction != "none":
            return [tensor_type((), element_type)]
        if targets is None and predictions is not None:
            targets = (*predictions[:1], *predictions[2:]) if len(predictions) > 1 else ()
        return [tensor_type(targets, element_type)]

    def _check_shapes(
        self, context: SizeContext, predictions: Sequence[Dim] | None, targets: Sequence[Dim] | None
    ) -> None:
        if predictions is None:
            return
        if not predictions:
            fail("nll_loss_c3", "predictions must have rank 1 or more, got 0")
        classes = predictions[1] if len(predictions) > 1 else predictions[0]
        expected = (*predictions[:1], *predictions[2:]) if len(predictions) > 1 else ()
        if targets is not None and len(targets) != len(expected):
            fail("nll_loss_c3", f"targets must have rank {len(expected)}, got {len(targets)}")
        if not context.compatible(expected, targets):
            fail("nll_loss_c4", f"targets must have shape {shape_text(expected)}, got {shape_text(targets)}")
        weights = None if self.weights is None else dims(self.weights)
        if not context.compatible((classes,), weights):
            fail("nll_loss_c5", f"weights must have shape {shape_text((classes,))}, got {shape_text(weights)}")
