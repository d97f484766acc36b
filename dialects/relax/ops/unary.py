"""Element-wise ops of one tensor, `clip`, `astype`."""

from __future__ import annotations

import math
from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def

from ...symbolic.conditions import SizeContext
from ..attrs import tensor_type
from ..base import DTYPE, F64, I64, TENSOR, TensorOp, dims, dtype_attr, element, fail
from ..dtypes import ALL, BITS, FLOATS, NUMERIC, is_float, numpy_dtype
from ..element_rules import require_element
from ..fusion_pattern import FusionPattern
from ..layout_rule import LayoutRule


class UnaryOp(TensorOp, ABC):
    """An element-wise op of one tensor; f16 and bf16 are computed in f32 and rounded once.

    <op>_c1: the element type is one of those that the op takes.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.ELEM_WISE
    LAYOUT_RULE: ClassVar[LayoutRule] = LayoutRule.ELEMENTS
    ACCEPTED: ClassVar[tuple[Attribute, ...]] = FLOATS
    x = operand_def(TENSOR)

    def result_element(self, element: Attribute) -> Attribute:
        """Returns the element type of the result for that of the operand."""
        return element

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        element_type = require_element(element(self.x), self.ACCEPTED, f"{self.stem}_c1")
        return [tensor_type(dims(self.x), self.result_element(element_type))]


class NumericUnaryOp(UnaryOp, ABC):
    """An element-wise op of floats and integers."""

    ACCEPTED: ClassVar[tuple[Attribute, ...]] = NUMERIC


class CheckOp(UnaryOp, ABC):
    """An element-wise question, whose answer is an `i1`; an integer is always finite."""

    ACCEPTED: ClassVar[tuple[Attribute, ...]] = NUMERIC

    def result_element(self, element: Attribute) -> Attribute:
        return i1


@irdl_op_definition
class AbsOp(NumericUnaryOp):
    """The absolute value; that of the least signed integer is itself."""

    name = "relax.abs"


@irdl_op_definition
class AcosOp(UnaryOp):
    """The arc cosine in radians, NaN outside of [-1, 1]."""

    name = "relax.acos"


@irdl_op_definition
class AcoshOp(UnaryOp):
    """The inverse hyperbolic cosine, NaN below 1."""

    name = "relax.acosh"


@irdl_op_definition
class AsinOp(UnaryOp):
    """The arc sine in radians, NaN outside of [-1, 1]."""

    name = "relax.asin"


@irdl_op_definition
class AsinhOp(UnaryOp):
    """The inverse hyperbolic sine."""

    name = "relax.asinh"


@irdl_op_definition
class AtanOp(UnaryOp):
    """The arc tangent in radians."""

    name = "relax.atan"


@irdl_op_definition
class AtanhOp(UnaryOp):
    """The inverse hyperbolic tangent, infinite at -1 and 1, NaN outside."""

    name = "relax.atanh"


@irdl_op_definition
class BitwiseNotOp(UnaryOp):
    """The complement of all bits of an integer or `i1`."""

    ACCEPTED: ClassVar[tuple[Attribute, ...]] = BITS
    name = "relax.bitwise_not"


@irdl_op_definition
class CeilOp(NumericUnaryOp):
    """The least integer that is not less; the identity on integers."""

    name = "relax.ceil"


@irdl_op_definition
class ClipOp(UnaryOp):
    """`minimum(maximum(x, min), max)`, so `max` where `min > max`; NaN stays NaN.

    The bounds are numbers. For an integer tensor they are first brought into the range of its type, for a float one rounded to it.

    clip_c1: the element type is numeric.
    clip_c2: the bounds are not NaN; those of an integer tensor are integers.
    """

    ACCEPTED: ClassVar[tuple[Attribute, ...]] = NUMERIC
    name = "relax.clip"
    min = prop_def(I64 | F64)
    max = prop_def(I64 | F64)

    def bounds(self) -> tuple[float, float]:
        """Returns the least and the greatest value."""
        return self.prop("min"), self.prop("max")

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        types = super().infer(context)
        for name, bound in zip(("min", "max"), self.bounds(), strict=True):
            if math.isnan(bound):
                fail("clip_c2", f"{name} must not be NaN, got {bound}")
            if isinstance(bound, float) and not is_float(element(self.x)):
                fail("clip_c2", f"{name} must be an integer for element type {element(self.x)}, got {bound}")
        return types


@irdl_op_definition
class CosOp(UnaryOp):
    """The cosine of an angle in radians."""

    name = "relax.cos"


@irdl_op_definition
class CoshOp(UnaryOp):
    """The hyperbolic cosine."""

    name = "relax.cosh"


@irdl_op_definition
class ErfOp(UnaryOp):
    """The Gauss error function."""

    name = "relax.erf"


@irdl_op_definition
class ExpOp(UnaryOp):
    """The natural exponential."""

    name = "relax.exp"


@irdl_op_definition
class FloorOp(NumericUnaryOp):
    """The greatest integer that is not greater; the identity on integers."""

    name = "relax.floor"


@irdl_op_definition
class IsFiniteOp(CheckOp):
    """Whether an element is neither infinite nor NaN."""

    name = "relax.isfinite"


@irdl_op_definition
class IsInfOp(CheckOp):
    """Whether an element is positive or negative infinity."""

    name = "relax.isinf"


@irdl_op_definition
class IsNanOp(CheckOp):
    """Whether an element is NaN."""

    name = "relax.isnan"


@irdl_op_definition
class LogOp(UnaryOp):
    """The natural logarithm: `-inf` at 0, NaN below."""

    name = "relax.log"


@irdl_op_definition
class LogicalNotOp(UnaryOp):
    """The negation of an `i1`."""

    ACCEPTED: ClassVar[tuple[Attribute, ...]] = (i1,)
    name = "relax.logical_not"


@irdl_op_definition
class NegativeOp(NumericUnaryOp):
    """`-x`; integers, also unsigned ones, wrap around."""

    name = "relax.negative"


@irdl_op_definition
class RoundOp(NumericUnaryOp):
    """The nearest integer, the even one of two; the identity on integers."""

    name = "relax.round"


@irdl_op_definition
class RsqrtOp(UnaryOp):
    """`1 / sqrt(x)`: infinite at 0, NaN below."""

    name = "relax.rsqrt"


@irdl_op_definition
class SigmoidOp(UnaryOp):
    """`1 / (1 + exp(-x))`."""

    name = "relax.sigmoid"


@irdl_op_definition
class SignOp(NumericUnaryOp):
    """-1, 0 or 1 by the sign of the element; 0 for NaN."""

    name = "relax.sign"


@irdl_op_definition
class SinOp(UnaryOp):
    """The sine of an angle in radians."""

    name = "relax.sin"


@irdl_op_definition
class SinhOp(UnaryOp):
    """The hyperbolic sine."""

    name = "relax.sinh"


@irdl_op_definition
class SqrtOp(UnaryOp):
    """The square root, NaN below 0."""

    name = "relax.sqrt"


@irdl_op_definition
class SquareOp(NumericUnaryOp):
    """`x * x`; integers wrap around."""

    name = "relax.square"


@irdl_op_definition
class TanOp(UnaryOp):
    """The tangent of an angle in radians."""

    name = "relax.tan"


@irdl_op_definition
class TanhOp(UnaryOp):
    """The hyperbolic tangent."""

    name = "relax.tanh"


@irdl_op_definition
class AsTypeOp(TensorOp):
    """Converts the elements to another type.

    Float to integer truncates toward zero and saturates, NaN becomes 0. Integers wrap around, or are extended by their own sign.
    To `i1`: whether the element is not zero (so NaN is true). f64 and integers become f16 or bf16 by way of f32.

    astype_c1: `dtype` is an element type of the dialect.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.ELEM_WISE
    LAYOUT_RULE: ClassVar[LayoutRule] = LayoutRule.ELEMENTS
    name = "relax.astype"
    x = operand_def(TENSOR)
    dtype = prop_def(DTYPE)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        return [tensor_type(dims(self.x), require_element(dtype_attr(self.dtype), ALL, "astype_c1"))]


@irdl_op_definition
class BitcastOp(TensorOp):
    """Reads the bits of the elements as another type of the same width.

    bitcast_c1: `dtype` is a numeric element type, as that of the operand is.
    bitcast_c2: both have the same number of bits.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.ELEM_WISE
    name = "relax.bitcast"
    x = operand_def(TENSOR)
    dtype = prop_def(DTYPE)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        source = require_element(element(self.x), NUMERIC, "bitcast_c1")
        target = require_element(dtype_attr(self.dtype), NUMERIC, "bitcast_c1")
        widths = [numpy_dtype(item).itemsize * 8 for item in (source, target)]
        if widths[0] != widths[1]:
            fail(
                "bitcast_c2", f"the elements must have as many bits: {source} has {widths[0]}, {target} has {widths[1]}"
            )
        return [tensor_type(dims(self.x), target)]
