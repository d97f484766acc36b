"""Softmax, log-softmax and dropout."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def, traits_def
from xdsl.traits import Pure

from ....symbolic.conditions import SizeContext
from ...attrs import tensor_type
from ...base import F64, I64, TENSOR, RelaxOp, TensorOp, dims, element, fail, normalized_axis
from ...dtypes import FLOATS
from ...element_rules import require_element
from ...fusion_pattern import FusionPattern


class SoftmaxLikeOp(TensorOp, ABC):
    """Normalizes along `axis` (the last one by default); f16 and bf16 are computed in f32 and rounded once.

    A row that holds NaN, `+inf`, or nothing but `-inf` becomes NaN.

    <op>_c1: the element type is floating-point.
    <op>_c2: `axis` is one of the operand's.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OUT_ELEM_WISE_FUSABLE
    x = operand_def(TENSOR)
    axis = opt_prop_def(I64)

    def normalized(self, rank: int) -> int:
        """Returns the axis, counted from 0."""
        return normalized_axis(self.prop("axis", -1), rank, f"{self.stem}_c2")

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        element_type = require_element(element(self.x), FLOATS, f"{self.stem}_c1")
        shape = dims(self.x)
        if shape is not None:
            self.normalized(len(shape))
        return [tensor_type(shape, element_type)]


@irdl_op_definition
class SoftmaxOp(SoftmaxLikeOp):
    """`exp(x - max(x)) / sum(exp(x - max(x)))` along `axis`."""

    name = "relax.nn.softmax"


@irdl_op_definition
class LogSoftmaxOp(SoftmaxLikeOp):
    """`x - max(x) - log(sum(exp(x - max(x))))` along `axis`."""

    name = "relax.nn.log_softmax"


@irdl_op_definition
class DropoutOp(RelaxOp):
    """The identity, and a mask of ones: dropout does nothing at inference, which is all that the op stands for here, as in Relax.

    dropout_c1: the element type is floating-point.
    dropout_c2: `rate` (0.5 by default) is in [0, 1).
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.ELEM_WISE
    name = "relax.nn.dropout"
    x = operand_def(TENSOR)
    rate = opt_prop_def(F64)
    output = result_def(TENSOR)
    mask = result_def(TENSOR)
    traits = traits_def(Pure())

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        element_type = require_element(element(self.x), FLOATS, "dropout_c1")
        rate = self.prop("rate", 0.5)
        if not 0 <= rate < 1:
            fail("dropout_c2", f"rate must be in [0, 1), got {rate}")
        result = tensor_type(dims(self.x), element_type)
        return [result, result]
