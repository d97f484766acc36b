"""Scans along an axis: cumsum, cumprod."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def

from ...symbolic.conditions import SizeContext
from ...symbolic.expressions import product
from ..attrs import tensor_type
from ..base import BOOL, DTYPE, I64, TENSOR, TensorOp, dims, dtype_attr, element, fail, normalized_axis
from ..dtypes import ALL
from ..element_rules import require_element
from ..fusion_pattern import FusionPattern


class ScanOp(TensorOp, ABC):
    """Combines each element with all before it along `axis`, or in the flattened tensor without it.

    The elements are converted to `dtype` first (the operand's type by default), as `relax.astype` does; integers wrap around in it, f16
    and bf16 accumulate in f32 and are rounded for the result. With `exclusive` an element of the result does not include the one at
    its own place, so the first one is 0 for a sum and 1 for a product. In `i1`, which without `dtype` that of an `i1` operand is as in
    Relax, a sum is whether an element so far holds and a product whether all do, as numpy has it; torch counts, as with `dtype = i64`.

    <op>_c1: the element type is one that tensors have.
    <op>_c2: `axis` is one of the operand's; negative ones count from the end.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    data = operand_def(TENSOR)
    axis = opt_prop_def(I64)
    dtype = opt_prop_def(DTYPE)
    exclusive = opt_prop_def(BOOL)

    def normalized_axis(self, rank: int) -> int | None:
        """Returns the axis counted from 0, `None` for the flattened tensor."""
        axis, constraint = self.prop("axis"), f"{self.stem}_c2"
        if axis is None:
            return None
        if rank == 0:
            fail(constraint, "a scalar tensor has no axis")
        return normalized_axis(axis, rank, constraint)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        constraint = f"{self.stem}_c1"
        element_type = require_element(element(self.data), ALL, constraint)
        target = require_element(element_type if self.dtype is None else dtype_attr(self.dtype), ALL, constraint)
        shape = dims(self.data)
        if self.axis is None:
            return [tensor_type([None if shape is None else product(shape)], target)]
        if shape is not None:
            self.normalized_axis(len(shape))
        return [tensor_type(shape, target)]


@irdl_op_definition
class CumsumOp(ScanOp):
    """The running sum."""

    name = "relax.cumsum"


@irdl_op_definition
class CumprodOp(ScanOp):
    """The running product."""

    name = "relax.cumprod"
