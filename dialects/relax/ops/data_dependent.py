"""Ops whose result dims depend on the data: nonzero, unique. The dims are unknown until `relax.match_cast` names them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, traits_def, var_result_def
from xdsl.traits import Pure

from ...symbolic.conditions import SizeContext
from ...symbolic.expressions import product
from ..attrs import tensor_type
from ..base import BOOL, I64, TENSOR, RelaxOp, TensorOp, dims, element, fail, normalized_axis
from ..fusion_pattern import FusionPattern


@irdl_op_definition
class NonzeroOp(TensorOp):
    """Finds the indices of the elements that are not zero: a column of an i64 matrix for each, in row-major order.

    The matrix has a row for each dim, and one for a scalar tensor. NaN is not zero.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.nonzero"
    x = operand_def(TENSOR)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        shape = dims(self.x)
        return [tensor_type([None if shape is None else max(len(shape), 1), None], i64)]


@irdl_op_definition
class UniqueOp(RelaxOp):
    """Finds the distinct elements of the flattened tensor, or, with `axis`, the distinct slices along it.

    Results are, as far as asked for by `return_index`, `return_inverse` and `return_counts` (each default false): the distinct ones; the
    index of the first occurrence of each; for each element (or slice) of the operand the place of its equal among the distinct ones;
    how often each occurs. The latter three are vectors of i64. With `sorted` (the default) the distinct ones ascend, slices by their
    first difference; else they stand in the order of their first occurrence. All NaNs are equal, and larger than every number.

    unique_c1: the axis is in range.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    name = "relax.unique"
    x = operand_def(TENSOR)
    sorted = opt_prop_def(BOOL)
    return_index = opt_prop_def(BOOL)
    return_inverse = opt_prop_def(BOOL)
    return_counts = opt_prop_def(BOOL)
    axis = opt_prop_def(I64)
    outputs = var_result_def(TENSOR)
    traits = traits_def(Pure())

    def normalized_axis(self, rank: int) -> int | None:
        """Returns the axis counted from 0, `None` for the flattened tensor."""
        axis = self.prop("axis")
        if axis is None:
            return None
        if rank == 0:
            fail("unique_c1", "a scalar tensor has no axis")
        return normalized_axis(axis, rank, "unique_c1")

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        shape = dims(self.x)
        flat = self.prop("axis") is None
        axis = None if shape is None else self.normalized_axis(len(shape))
        if flat:
            distinct, length = tensor_type([None], element(self.x)), None if shape is None else product(shape)
        elif shape is None or axis is None:
            distinct, length = tensor_type(None, element(self.x)), None
        else:
            distinct = tensor_type((*shape[:axis], None, *shape[axis + 1 :]), element(self.x))
            length = shape[axis]
        results = [distinct]
        for name, size in (("return_index", None), ("return_inverse", length), ("return_counts", None)):
            if self.prop(name, False):
                results.append(tensor_type([size], i64))
        return results
