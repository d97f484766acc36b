"""Linear algebra: matmul, linear, einsum, outer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Attribute
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    var_operand_def,
)

from ...symbolic.conditions import SizeContext
from ...symbolic.expressions import Dim
from ..attrs import tensor_type
from ..base import DTYPE, STRING, TENSOR, TensorOp, dims, dtype_attr, element, fail, require_same_element
from ..dtypes import NUMERIC
from ..element_rules import require_element, require_factors
from ..fusion_pattern import FusionPattern
from ..rules.einsum_rules import Subscripts, label_dims, parse_subscripts
from ..rules.shape_rules import broadcast, broadcast_known, shape_text


@irdl_op_definition
class MatmulOp(TensorOp):
    """Matrix product with numpy's rules: 1-D operands are vectors, leading dims are broadcast batches.

    The products are accumulated in `out_dtype`, or, without it, in the operands' type (f32 for f16 and bf16, rounded once at the end).

    matmul_c1: the element types are equal and numeric, or i8 and ui8 with `out_dtype` i32.
    matmul_c2: the contraction dims are equal.
    matmul_c3: no operand is a scalar tensor.
    matmul_c4: the batch dims broadcast.
    matmul_c5: `out_dtype` is numeric.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OUT_ELEM_WISE_FUSABLE
    name = "relax.matmul"
    lhs = operand_def(TENSOR)
    rhs = operand_def(TENSOR)
    out_dtype = opt_prop_def(DTYPE)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        element_type = require_factors("matmul_c1", self.lhs, self.rhs, self.out_dtype)
        shape = matmul_shape(context, dims(self.lhs), dims(self.rhs))
        if self.out_dtype is not None:
            element_type = require_element(dtype_attr(self.out_dtype), NUMERIC, "matmul_c5")
        return [tensor_type(shape, element_type)]


def matmul_shape(context: SizeContext, lhs: Sequence[Dim] | None, rhs: Sequence[Dim] | None) -> tuple[Dim, ...] | None:
    """Returns the shape of numpy's matrix product."""
    if lhs is None or rhs is None:
        return None
    if not lhs or not rhs:
        fail("matmul_c3", f"operands must have rank 1 or more, got {len(lhs)} and {len(rhs)}")
    lhs_k, rhs_k = lhs[-1], rhs[-2] if len(rhs) > 1 else rhs[0]
    if context.differ(lhs_k, rhs_k):
        fail("matmul_c2", f"contraction dimensions differ: lhs has {lhs_k}, rhs has {rhs_k}")
    batch = broadcast_known(context, lhs[:-2], rhs[:-2], "matmul_c4")
    return (*batch, *lhs[-2:-1], *(rhs[-1:] if len(rhs) > 1 else ()))


@irdl_op_definition
class LinearOp(TensorOp):
    """`matmul(data, weight^T) + bias`, for a matrix or vector `weight`; the bias is added after the product is rounded to `out_dtype`.

    In Relax this is no op, but a function that builds permute_dims, matmul and add.

    linear_c1: data and weight have the same numeric element type; the bias has that of the result.
    linear_c2: the contraction dims, the last ones, are equal.
    linear_c3: the weight has one or two dims, the data at least one.
    linear_c4: the bias broadcasts with the product.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OUT_ELEM_WISE_FUSABLE
    name = "relax.linear"
    data = operand_def(TENSOR)
    weight = operand_def(TENSOR)
    bias = opt_operand_def(TENSOR)
    out_dtype = opt_prop_def(DTYPE)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        element_type = require_element(require_same_element("linear_c1", self.data, self.weight), NUMERIC, "linear_c1")
        if self.out_dtype is not None:
            element_type = require_element(dtype_attr(self.out_dtype), NUMERIC, "linear_c1")
        shape = linear_shape(context, dims(self.data), dims(self.weight))
        if self.bias is not None:
            if element(self.bias) != element_type:
                fail("linear_c1", f"the bias must have element type {element_type}, got {element(self.bias)}")
            shape = broadcast(context, shape, dims(self.bias), "linear_c4")
        return [tensor_type(shape, element_type)]


def linear_shape(
    context: SizeContext, data: Sequence[Dim] | None, weight: Sequence[Dim] | None
) -> tuple[Dim, ...] | None:
    """Returns the shape of `data * weight^T`."""
    if (data is not None and not data) or (weight is not None and len(weight) not in (1, 2)):
        fail("linear_c3", f"got data of shape {shape_text(data)} and weight of shape {shape_text(weight)}")
    if data is None or weight is None:
        return None
    if context.differ(data[-1], weight[-1]):
        fail("linear_c2", f"contraction dimensions differ: data has {data[-1]}, weight has {weight[-1]}")
    return (*data[:-1], *weight[:-1])


@irdl_op_definition
class EinsumOp(TensorOp):
    """Einstein's summation over operands whose dims are labeled by `subscripts`, as numpy has it: "bij,bjk->bik".

    A label twice in one operand takes its diagonal; "..." stands for further dims, which are broadcast; without "->" the result
    has the dims of the ellipsis, then the labels that stand once, sorted. Operands are contracted in order, two at a time, the
    sums being accumulated as in matmul and rounded once at the end.

    einsum_c1: there is at least one operand, and all have the same numeric element type.
    einsum_c2: the subscripts are well-formed; each label of the result is one of an operand, and stands once.
    einsum_c3: the subscripts name each operand and each of its dims.
    einsum_c4: the dims of one label are equal, or 1.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OUT_ELEM_WISE_FUSABLE
    name = "relax.einsum"
    tensors = var_operand_def(TENSOR)
    subscripts = prop_def(STRING)

    def parsed(self, shapes: Sequence[Sequence[Dim]]) -> Subscripts:
        """Returns the labels for operands of these shapes."""
        return parse_subscripts(self.subscripts.data, [len(shape) for shape in shapes])

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        if not self.tensors:
            fail("einsum_c1", "expected at least one operand")
        element_type = require_element(require_same_element("einsum_c1", *self.tensors), NUMERIC, "einsum_c1")
        shapes = [shape for tensor in self.tensors if (shape := dims(tensor)) is not None]
        if len(shapes) < len(self.tensors):
            return [tensor_type(None, element_type)]
        labels = self.parsed(shapes)
        sizes = label_dims(context, labels.operands, shapes)
        return [tensor_type([sizes[label] for label in labels.result], element_type)]


@irdl_op_definition
class OuterOp(TensorOp):
    """`result[i, j] = x1[i] * x2[j]`.

    outer_c1: the element types are equal and numeric.
    outer_c2: both operands are vectors.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OUT_ELEM_WISE_FUSABLE
    name = "relax.outer"
    x1 = operand_def(TENSOR)
    x2 = operand_def(TENSOR)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        element_type = require_element(require_same_element("outer_c1", self.x1, self.x2), NUMERIC, "outer_c1")
        shapes = dims(self.x1), dims(self.x2)
        if any(shape is not None and len(shape) != 1 for shape in shapes):
            fail("outer_c2", f"operands must be vectors, got {shape_text(shapes[0])} and {shape_text(shapes[1])}")
        return [tensor_type([None if shape is None else shape[0] for shape in shapes], element_type)]
