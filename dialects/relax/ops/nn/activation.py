"""Activation functions of neural networks."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def

from ....symbolic.conditions import SizeContext
from ...attrs import tensor_type
from ...base import F64, I64, TENSOR, TensorOp, dims, element, fail, normalized_axis, require_same_element
from ...dtypes import FLOATS, NUMERIC
from ...element_rules import require_element
from ...fusion_pattern import FusionPattern
from ...layout_rule import LayoutRule


class ActivationOp(TensorOp, ABC):
    """An element-wise activation; f16 and bf16 are computed in f32 and rounded once.

    <op>_c1: the element type is one of those that the op takes: a floating-point one (`relu`: a number).
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.ELEM_WISE
    LAYOUT_RULE: ClassVar[LayoutRule] = LayoutRule.ELEMENTS
    ACCEPTED: ClassVar[tuple[Attribute, ...]] = FLOATS
    x = operand_def(TENSOR)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        require_element(element(self.x), self.ACCEPTED, f"{self.stem}_c1")
        return [tensor_type(dims(self.x), element(self.x))]


@irdl_op_definition
class ReluOp(ActivationOp):
    """`max(x, 0)`; NaN stays NaN."""

    ACCEPTED: ClassVar[tuple[Attribute, ...]] = NUMERIC
    name = "relax.nn.relu"


@irdl_op_definition
class LeakyReluOp(ActivationOp):
    """`x` where `x > 0`, else `alpha * x`; the default of `alpha` is 0.01."""

    name = "relax.nn.leakyrelu"
    alpha = opt_prop_def(F64)


@irdl_op_definition
class PReluOp(TensorOp):
    """`x` where `x > 0`, else `alpha * x` with one slope for each index of `axis` (1 by default), or one slope for all.

    A slope tensor of one element for all indices is our extension. A 1-D `x` has its only axis as default.

    prelu_c1: the element types are equal and floating-point.
    prelu_c2: `axis` is one of the operand's.
    prelu_c3: `alpha` has rank 1, and as many elements as `axis`, or one.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.ELEM_WISE
    LAYOUT_RULE: ClassVar[LayoutRule] = LayoutRule.ELEMENTS
    name = "relax.nn.prelu"
    x = operand_def(TENSOR)
    alpha = operand_def(TENSOR)
    axis = opt_prop_def(I64)

    def channel_axis(self, rank: int) -> int:
        """Returns the axis of the slopes, counted from 0."""
        return normalized_axis(self.prop("axis", 1 if rank > 1 else 0), rank, "prelu_c2")

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        element_type = require_element(require_same_element("prelu_c1", self.x, self.alpha), FLOATS, "prelu_c1")
        shape, slopes = dims(self.x), dims(self.alpha)
        if slopes is not None and len(slopes) != 1:
            fail("prelu_c3", f"alpha must have rank 1, got {len(slopes)}")
        if shape is not None:
            axis = self.channel_axis(len(shape))
            if slopes is not None and slopes[0] != 1 and context.differ(shape[axis], slopes[0]):
                fail("prelu_c3", f"alpha must have {shape[axis]} elements or 1, got {slopes[0]}")
        return [tensor_type(shape, element_type)]


@irdl_op_definition
class GeluOp(ActivationOp):
    """`x * (1 + erf(x / sqrt(2))) / 2`."""

    name = "relax.nn.gelu"


@irdl_op_definition
class GeluTanhOp(ActivationOp):
    """`x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2`."""

    name = "relax.nn.gelu_tanh"


@irdl_op_definition
class SiluOp(ActivationOp):
    """`x * sigmoid(x)`."""

    name = "relax.nn.silu"


@irdl_op_definition
class SeluOp(ActivationOp):
    """`scale * x` where `x > 0`, else `scale * alpha * (exp(x) - 1)`, with the two constants of the self-normalizing networks."""

    name = "relax.nn.selu"


@irdl_op_definition
class SoftplusOp(ActivationOp):
    """`log(1 + exp(beta * x)) / beta`, and `x` itself where `beta * x > threshold`; the defaults are 1 and 20.

    softplus_c2: `beta` is not zero.
    """

    name = "relax.nn.softplus"
    beta = opt_prop_def(F64)
    threshold = opt_prop_def(F64)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        if self.prop("beta", 1.0) == 0:
            fail("softplus_c2", "beta must not be zero, got 0")
        return super().infer(context)
