"""Sorting along an axis: sort, argsort, topk.

The order is stable in both directions: equal elements keep their places. NaN is larger than every number, and equal to NaN;
`-0.0` and `0.0` are equal.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import i32
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def, traits_def, var_result_def
from xdsl.traits import Pure

from ...symbolic.conditions import SizeContext
from ...symbolic.expressions import Dim
from ..attrs import tensor_type
from ..base import BOOL, DTYPE, I64, STRING, TENSOR, RelaxOp, dims, dtype_attr, element, fail, normalized_axis
from ..dtypes import INTEGERS, numpy_dtype
from ..element_rules import require_element
from ..fusion_pattern import FusionPattern
from ..rules.slice_rules import minimum

RET_TYPES = ("both", "values", "indices")


class SortingOp(RelaxOp, ABC):
    """An op that sorts along `axis` (default last).

    <op>_c1: the axis is in range; a scalar tensor has one element and no axis.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    x = operand_def(TENSOR)
    axis = opt_prop_def(I64)
    traits = traits_def(Pure())

    def normalized_axis(self, rank: int) -> int:
        """Returns the axis, counted from 0."""
        if rank == 0:
            fail(f"{self.stem}_c1", "a scalar tensor has no axis")
        return normalized_axis(self.prop("axis", -1), rank, f"{self.stem}_c1")

    def index_type(self) -> Attribute:
        """Returns the element type of the indices."""
        given = self.properties.get("dtype")
        return require_element(i32 if given is None else dtype_attr(given), INTEGERS, f"{self.stem}_c2")

    def checked_index_type(self, context: SizeContext, constraint: str) -> Attribute:
        """Returns the element type of the indices, which holds all of the axis; else the constraint is violated."""
        index, shape = self.index_type(), self.shape()
        size = None if shape is None else shape[self.normalized_axis(len(shape))]
        largest = int(np.iinfo(numpy_dtype(index)).max)
        # 64 bits hold every size, and 2^63 is no number of type `index` to compare with.
        if largest.bit_length() < 63 and context.is_below(largest + 1, size):
            fail(constraint, f"{index} must hold the indices of a dim of size {size}, it holds {largest} at most")
        return index

    def shape(self) -> tuple[Dim, ...] | None:
        """Returns the dims of the operand; the axis is in range."""
        shape = dims(self.x)
        if shape is not None:
            self.normalized_axis(len(shape))
        return shape


@irdl_op_definition
class SortOp(SortingOp):
    """Sorts the elements along `axis`, ascending, or `descending`.

    sort_c1: the axis is in range; a scalar tensor has none.
    """

    name = "relax.sort"
    descending = opt_prop_def(BOOL)
    result = result_def(TENSOR)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        return [tensor_type(self.shape(), element(self.x))]


@irdl_op_definition
class ArgsortOp(SortingOp):
    """Finds the indices that sort the elements along `axis`; `dtype` is theirs (default i32).

    argsort_c1: the axis is in range; a scalar tensor has none.
    argsort_c2: `dtype` is an integer type.
    argsort_c3: `dtype` holds the indices of the axis.
    """

    name = "relax.argsort"
    descending = opt_prop_def(BOOL)
    dtype = opt_prop_def(DTYPE)
    result = result_def(TENSOR)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        return [tensor_type(self.shape(), self.checked_index_type(context, "argsort_c3"))]


@irdl_op_definition
class TopKOp(SortingOp):
    """Finds the first `k` (default 1) elements along `axis` in descending order, in ascending order with `largest = false`.

    `ret_type` is "both" (the default: values, then indices, two results), "values" or "indices". A `k` less than 1, or larger than the
    dim, stands for all elements. `dtype` is that of the indices (default i32).

    topk_c1: the axis is in range; a scalar tensor has none.
    topk_c2: `dtype` is an integer type.
    topk_c3: `ret_type` is one of the three.
    topk_c4: `dtype` holds the indices of the axis.
    """

    name = "relax.topk"
    k = opt_prop_def(I64)
    ret_type = opt_prop_def(STRING)
    largest = opt_prop_def(BOOL)
    dtype = opt_prop_def(DTYPE)
    outputs = var_result_def(TENSOR)

    def count(self, size: Dim) -> Dim:
        """Returns how many elements are found along a dim of that size."""
        k = self.prop("k", 1)
        return size if k < 1 else minimum(size, k)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        shape = self.shape()
        if shape is not None:
            axis = self.normalized_axis(len(shape))
            shape = (*shape[:axis], self.count(shape[axis]), *shape[axis + 1 :])
        ret_type = self.prop("ret_type", "both")
        if ret_type not in RET_TYPES:
            fail("topk_c3", f"ret_type must be one of {', '.join(RET_TYPES)}, got {ret_type}")
        values, indices = (
            tensor_type(shape, element(self.x)),
            tensor_type(shape, self.checked_index_type(context, "topk_c4")),
        )
        return {"both": [values, indices], "values": [values], "indices": [indices]}[ret_type]
