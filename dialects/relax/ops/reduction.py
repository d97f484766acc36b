"""Reductions over axes: sum, prod, mean, max, min, variance, std, argmax, argmin."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def

from ...symbolic.conditions import SizeContext
from ...symbolic.expressions import Dim
from ..attrs import tensor_type
from ..base import BOOL, I64, INTS, TENSOR, TensorOp, dims, element, fail, normalized_axes, normalized_axis
from ..dtypes import ALL, FLOATS, NUMERIC
from ..element_rules import require_element
from ..fusion_pattern import FusionPattern
from ..layout_rule import LayoutRule


def reduced(shape: Sequence[Dim], axes: Sequence[int], keepdims: bool) -> tuple[Dim, ...]:
    """Returns a shape without the given axes, or with 1 in their place."""
    if keepdims:
        return tuple(1 if axis in axes else dim for axis, dim in enumerate(shape))
    return tuple(dim for axis, dim in enumerate(shape) if axis not in axes)


class ReductionOp(TensorOp, ABC):
    """A reduction over the axes in `axis`, all of them without it; with `keepdims` they stay with size 1.

    f16 and bf16 are accumulated in f32 and rounded once. The order of accumulation follows from the shape and the machine alone, so
    results are the same from run to run; a sum of n elements has at most n - 1 roundings of the accumulator on the way of each.

    <op>_c1: the element type is one of those that the op takes.
    <op>_c2: `axis` lists axes of the operand without repetition; negative ones count from the end.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.COMM_REDUCE
    LAYOUT_RULE: ClassVar[LayoutRule] = LayoutRule.REDUCTION
    ACCEPTED: ClassVar[tuple[Attribute, ...]] = NUMERIC
    x = operand_def(TENSOR)
    axis = opt_prop_def(INTS)
    keepdims = opt_prop_def(BOOL)

    def axes(self, rank: int) -> tuple[int, ...]:
        """Returns the reduced axes, counted from 0, in the order given."""
        return normalized_axes(self.prop("axis"), rank, f"{self.stem}_c2")

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        element_type = require_element(element(self.x), self.ACCEPTED, f"{self.stem}_c1")
        shape, keepdims = dims(self.x), self.prop("keepdims", False)
        if shape is not None:
            return [tensor_type(reduced(shape, self.axes(len(shape)), keepdims), element_type)]
        return [tensor_type(() if self.prop("axis") is None and not keepdims else None, element_type)]


class FloatReductionOp(ReductionOp, ABC):
    """A reduction of floats only; Relax divides integers as integers, we want them converted first."""

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OUT_ELEM_WISE_FUSABLE
    ACCEPTED: ClassVar[tuple[Attribute, ...]] = FLOATS


@irdl_op_definition
class SumOp(ReductionOp):
    """The sum, 0 of nothing; integers wrap around in their own type."""

    name = "relax.sum"


@irdl_op_definition
class ProdOp(ReductionOp):
    """The product, 1 of nothing; integers wrap around in their own type."""

    name = "relax.prod"


@irdl_op_definition
class MeanOp(FloatReductionOp):
    """The sum divided by the number of elements; NaN of nothing."""

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.COMM_REDUCE
    name = "relax.mean"


@irdl_op_definition
class MaxOp(ReductionOp):
    """The largest element, NaN if there is one; of nothing `-inf`, or the least integer. Of `i1` it is whether some element holds."""

    ACCEPTED: ClassVar[tuple[Attribute, ...]] = ALL
    name = "relax.max"


@irdl_op_definition
class MinOp(ReductionOp):
    """The smallest element, NaN if there is one; of nothing `inf`, or the greatest integer. Of `i1` it is whether all elements hold."""

    ACCEPTED: ClassVar[tuple[Attribute, ...]] = ALL
    name = "relax.min"


@irdl_op_definition
class VarianceOp(FloatReductionOp):
    """The mean of the squared deviations from the mean, computed in two passes; NaN of nothing."""

    name = "relax.variance"


@irdl_op_definition
class StdOp(FloatReductionOp):
    """The square root of the variance."""

    name = "relax.std"


class ArgReductionOp(TensorOp, ABC):
    """The place of an extreme element along `axis`, or in the flattened tensor without it, as i64; the first one of equals.

    A NaN is more extreme than every number; of nothing the place is 0. With `keepdims` the reduced dims stay with size 1. Relax may yield
    i32, we do not.

    <op>_c1: the element type is numeric.
    <op>_c2: `axis` is one of the operand's; negative ones count from the end.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.COMM_REDUCE
    x = operand_def(TENSOR)
    axis = opt_prop_def(I64)
    keepdims = opt_prop_def(BOOL)

    def axes(self, rank: int) -> tuple[int, ...]:
        """Returns the reduced axes, counted from 0: one or all."""
        axis = self.prop("axis")
        if axis is None:
            return tuple(range(rank))
        return (normalized_axis(axis, rank, f"{self.stem}_c2"),) if rank else self._no_axis()

    def _no_axis(self) -> tuple[int, ...]:
        fail(f"{self.stem}_c2", "a scalar tensor has no axis")

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        require_element(element(self.x), NUMERIC, f"{self.stem}_c1")
        shape, keepdims = dims(self.x), self.prop("keepdims", False)
        if shape is None:
            return [tensor_type(() if self.prop("axis") is None and not keepdims else None, i64)]
        return [tensor_type(reduced(shape, self.axes(len(shape)), keepdims), i64)]


@irdl_op_definition
class ArgMaxOp(ArgReductionOp):
    """The place of the largest element."""

    name = "relax.argmax"


@irdl_op_definition
class ArgMinOp(ArgReductionOp):
    """The place of the smallest element."""

    name = "relax.argmin"
