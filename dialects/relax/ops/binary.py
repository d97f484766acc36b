"""Element-wise ops of two tensors with broadcasting, and `where`."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def

from ...symbolic.conditions import SizeContext
from ..attrs import tensor_type
from ..base import TENSOR, TensorOp, dims, element, require_same_element
from ..dtypes import ALL, BITS, FLOATS, INTEGERS, NUMERIC
from ..element_rules import require_element
from ..fusion_pattern import FusionPattern
from ..layout_rule import LayoutRule
from ..rules.shape_rules import broadcast


class BinaryOp(TensorOp, ABC):
    """An element-wise op of two tensors with numpy broadcasting; no operand is ever promoted.

    <op>_c1: the element types are equal, and one of those that the op takes.
    <op>_c2: the shapes broadcast.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.ELEM_WISE
    LAYOUT_RULE: ClassVar[LayoutRule] = LayoutRule.ELEMENTS
    ACCEPTED: ClassVar[tuple[Attribute, ...]] = NUMERIC
    lhs = operand_def(TENSOR)
    rhs = operand_def(TENSOR)

    def result_element(self, element: Attribute) -> Attribute:
        """Returns the element type of the result for that of the operands."""
        return element

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        element_type = require_element(
            require_same_element(f"{self.stem}_c1", self.lhs, self.rhs), self.ACCEPTED, f"{self.stem}_c1"
        )
        return [
            tensor_type(
                broadcast(context, dims(self.lhs), dims(self.rhs), f"{self.stem}_c2"), self.result_element(element_type)
            )
        ]


@irdl_op_definition
class AddOp(BinaryOp):
    """`lhs + rhs`; integers wrap around."""

    name = "relax.add"


@irdl_op_definition
class MultiplyOp(BinaryOp):
    """`lhs * rhs`; integers wrap around."""

    name = "relax.multiply"


@irdl_op_definition
class SubtractOp(BinaryOp):
    """`lhs - rhs`; integers wrap around."""

    name = "relax.subtract"


@irdl_op_definition
class DivideOp(BinaryOp):
    """`lhs / rhs`; the quotient of integers is truncated toward zero.

    An integer divided by 0 is 0; the least signed integer divided by -1 wraps around to itself.
    """

    name = "relax.divide"


@irdl_op_definition
class FloorDivideOp(BinaryOp):
    """`floor(lhs / rhs)` of the exact quotient, as Python, numpy and torch have it; a float divided by 0 is `lhs / rhs`.

    An integer divided by 0 is 0; the least signed integer divided by -1 wraps around to itself.
    """

    name = "relax.floor_divide"


@irdl_op_definition
class PowerOp(BinaryOp):
    """`lhs` to the power of `rhs`; floats as IEEE 754's pow, f16 and bf16 by way of f32.

    Integers wrap around; with a negative exponent the result is 1 for a base of 1, 1 or -1 for -1, and 0 for all others.
    """

    name = "relax.power"


@irdl_op_definition
class ModOp(BinaryOp):
    """The remainder of the division that truncates; it has the sign of `lhs`.

    An integer modulo 0 is 0, a float is NaN. The remainder of floats is exact, as that of C's `fmod`.
    """

    name = "relax.mod"


@irdl_op_definition
class FloorModOp(BinaryOp):
    """The remainder of the division that floors; it has the sign of `rhs`, also where it is 0, and is else like `relax.mod`.

    Where the signs differ it is the sum of the exact remainder and `rhs`, rounded once.
    """

    name = "relax.floor_mod"


@irdl_op_definition
class MaximumOp(BinaryOp):
    """The larger element; NaN if either is NaN."""

    name = "relax.maximum"


@irdl_op_definition
class MinimumOp(BinaryOp):
    """The smaller element; NaN if either is NaN."""

    name = "relax.minimum"


@irdl_op_definition
class LogAddExpOp(BinaryOp):
    """`log(exp(lhs) + exp(rhs))` without overflow; f16 and bf16 are computed in f32 and rounded once."""

    ACCEPTED: ClassVar[tuple[Attribute, ...]] = FLOATS
    name = "relax.log_add_exp"


class CompareOp(BinaryOp, ABC):
    """A comparison, whose result is an `i1`; all but `not_equal` are false with a NaN."""

    ACCEPTED: ClassVar[tuple[Attribute, ...]] = ALL

    def result_element(self, element: Attribute) -> Attribute:
        return i1


@irdl_op_definition
class EqualOp(CompareOp):
    """`lhs == rhs`."""

    name = "relax.equal"


@irdl_op_definition
class NotEqualOp(CompareOp):
    """`lhs != rhs`, true with a NaN."""

    name = "relax.not_equal"


@irdl_op_definition
class LessOp(CompareOp):
    """`lhs < rhs`."""

    name = "relax.less"


@irdl_op_definition
class LessEqualOp(CompareOp):
    """`lhs <= rhs`."""

    name = "relax.less_equal"


@irdl_op_definition
class GreaterOp(CompareOp):
    """`lhs > rhs`."""

    name = "relax.greater"


@irdl_op_definition
class GreaterEqualOp(CompareOp):
    """`lhs >= rhs`."""

    name = "relax.greater_equal"


class LogicalOp(BinaryOp, ABC):
    """A connective of two `i1`; other types are compared with zero first, by `relax.not_equal` or `relax.astype`."""

    ACCEPTED: ClassVar[tuple[Attribute, ...]] = (i1,)


@irdl_op_definition
class LogicalAndOp(LogicalOp):
    """Whether both hold."""

    name = "relax.logical_and"


@irdl_op_definition
class LogicalOrOp(LogicalOp):
    """Whether one or both hold."""

    name = "relax.logical_or"


@irdl_op_definition
class LogicalXorOp(LogicalOp):
    """Whether exactly one holds."""

    name = "relax.logical_xor"


class BitwiseOp(BinaryOp, ABC):
    """An op on the bits of integers or `i1`."""

    ACCEPTED: ClassVar[tuple[Attribute, ...]] = BITS


@irdl_op_definition
class BitwiseAndOp(BitwiseOp):
    """The bits that are set in both."""

    name = "relax.bitwise_and"


@irdl_op_definition
class BitwiseOrOp(BitwiseOp):
    """The bits that are set in one or both."""

    name = "relax.bitwise_or"


@irdl_op_definition
class BitwiseXorOp(BitwiseOp):
    """The bits that are set in exactly one."""

    name = "relax.bitwise_xor"


class ShiftOp(BinaryOp, ABC):
    """A shift by `rhs` bits; a count that is negative or not less than the width shifts everything out."""

    ACCEPTED: ClassVar[tuple[Attribute, ...]] = INTEGERS


@irdl_op_definition
class LeftShiftOp(ShiftOp):
    """`lhs << rhs`, filled with zeros."""

    name = "relax.left_shift"


@irdl_op_definition
class RightShiftOp(ShiftOp):
    """`lhs >> rhs`, filled with the sign of a signed integer, with zeros for an unsigned one."""

    name = "relax.right_shift"


@irdl_op_definition
class WhereOp(TensorOp):
    """`x1` where the condition holds, else `x2`, all three broadcast.

    where_c1: the condition's element type is `i1`.
    where_c2: the element types of `x1` and `x2` are equal.
    where_c3: the shapes broadcast.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.ELEM_WISE
    LAYOUT_RULE: ClassVar[LayoutRule] = LayoutRule.ELEMENTS
    name = "relax.where"
    condition = operand_def(TENSOR)
    x1 = operand_def(TENSOR)
    x2 = operand_def(TENSOR)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        require_element(element(self.condition), (i1,), "where_c1")
        element_type = require_same_element("where_c2", self.x1, self.x2)
        values = broadcast(context, dims(self.x1), dims(self.x2), "where_c3")
        return [tensor_type(broadcast(context, dims(self.condition), values, "where_c3"), element_type)]
