"""Quantized tensors: integers `q` that stand for `(q - zero_point) * scale`."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import f16, f32, i8
from xdsl.ir import Attribute
from xdsl.irdl import (
    SameVariadicOperandSize,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    var_operand_def,
)

from ....symbolic.conditions import SizeContext
from ....symbolic.expressions import Dim, add
from ...attrs import tensor_type
from ...base import (
    DTYPE,
    I64,
    STRING,
    TENSOR,
    TensorOp,
    dims,
    dtype_attr,
    element,
    fail,
    normalized_axis,
    require_same_element,
)
from ...dtypes import QUANTIZED
from ...element_rules import require_element
from ...fusion_pattern import FusionPattern
from ...layout_rule import LayoutRule
from ...rules.qnn_rules import (
    QnnOp,
    axis_size,
    is_single,
    quantization_axis,
    require_per_axis,
    require_quantized,
    require_scale,
    require_single,
    require_small_float,
    require_zero_point,
)
from ...rules.shape_rules import broadcast


class QuantizeLikeOp(TensorOp, ABC):
    """What quantization and dequantization share: a scale and a zero point for the tensor or for each index along `axis`."""

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.ELEM_WISE
    LAYOUT_RULE: ClassVar[LayoutRule] = LayoutRule.ELEMENTS
    axis = opt_prop_def(I64)
    out_dtype = opt_prop_def(DTYPE)

    def normalized_axis(self) -> int:
        """Returns the axis, counted from 0."""
        return quantization_axis(self.prop("axis", -1), self.operands[0], f"{self.stem}_c4")

    def check_parameters(self, context: SizeContext) -> None:
        data, scale, zero_point = self.operands
        constraint = f"{self.stem}_c3"
        if self.stem.startswith("qnn."):
            require_scale(constraint, "the scale", scale)
            require_zero_point(constraint, "the zero point", zero_point)
        else:
            require_small_float(constraint, "the scale", scale)
            require_element(element(zero_point), (*QUANTIZED, f32, f16), constraint)
        size = axis_size(self.prop("axis", -1), data, f"{self.stem}_c4")
        require_per_axis(context, constraint, "the scale", scale, size)
        require_per_axis(context, constraint, "the zero point", zero_point, size)


class QuantizeBase(QuantizeLikeOp, ABC):
    """Quantization."""

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        require_small_float(f"{self.stem}_c1", "the data", self.operands[0])
        target = require_element(dtype_attr(self.prop("out_dtype", i8)), QUANTIZED, f"{self.stem}_c2")
        self.check_parameters(context)
        return [tensor_type(dims(self.operands[0]), target)]


class DequantizeBase(QuantizeLikeOp, ABC):
    """Dequantization."""

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        require_element(element(self.operands[0]), QUANTIZED, f"{self.stem}_c1")
        target = require_element(dtype_attr(self.prop("out_dtype", f32)), (f32, f16), f"{self.stem}_c2")
        self.check_parameters(context)
        return [tensor_type(dims(self.operands[0]), target)]


@irdl_op_definition
class QuantizeOp(QuantizeBase):
    """`clip(round(data / scale) + zero_point)` in the range of `out_dtype` (default i8); halves are rounded to even.

    It is computed in f32; NaN becomes 0. Relax's float8 types are no element types of this dialect.

    quantize_c1: the data is f32, f16 or bf16.
    quantize_c2: `out_dtype` is i8, ui8, i16, ui16 or i32.
    quantize_c3: the scale is f32, f16 or bf16, the zero point one of the quantized types, f32 or f16; each is one number or has the
        size of the dim `axis`.
    quantize_c4: the axis (default -1) is in range.
    """

    name = "relax.quantize"
    data = operand_def(TENSOR)
    scale = operand_def(TENSOR)
    zero_point = operand_def(TENSOR)


@irdl_op_definition
class DequantizeOp(DequantizeBase):
    """`(data - zero_point) * scale`, in f32; the difference is taken in i32, and an f16 result is clipped to the finite numbers.

    dequantize_c1: the data is i8, ui8, i16, ui16 or i32.
    dequantize_c2: `out_dtype` (default f32) is f32 or f16.
    dequantize_c3: the scale is f32, f16 or bf16, the zero point one of the quantized types, f32 or f16 (converted to i32); each is one
        number or has the size of the dim `axis`.
    dequantize_c4: the axis (default -1) is in range.
    """

    name = "relax.dequantize"
    data = operand_def(TENSOR)
    scale = operand_def(TENSOR)
    zero_point = operand_def(TENSOR)


@irdl_op_definition
class QnnQuantizeOp(QuantizeBase):
    """`clip(round(data / output_scale) + output_zero_point)` in the range of `out_dtype` (default i8), as `relax.quantize`.

    quantize_c1: the data is f32, f16 or bf16.
    quantize_c2: `out_dtype` is i8, ui8, i16, ui16 or i32.
    quantize_c3: the scale is f32, the zero point i32; each is one number or has the size of the dim `axis`.
    quantize_c4: the axis (default -1) is in range.
    """

    name = "relax.qnn.quantize"
    data = operand_def(TENSOR)
    output_scale = operand_def(TENSOR)
    output_zero_point = operand_def(TENSOR)


@irdl_op_definition
class QnnDequantizeOp(DequantizeBase):
    """`(data - input_zero_point) * input_scale`, as `relax.dequantize`.

    dequantize_c1: the data is i8, ui8, i16, ui16 or i32.
    dequantize_c2: `out_dtype` (default f32) is f32 or f16.
    dequantize_c3: the scale is f32, the zero point i32; each is one number or has the size of the dim `axis`.
    dequantize_c4: the axis (default -1) is in range.
    """

    name = "relax.qnn.dequantize"
    data = operand_def(TENSOR)
    input_scale = operand_def(TENSOR)
    input_zero_point = operand_def(TENSOR)


@irdl_op_definition
class RequantizeOp(QnnOp):
    """The number of another scale and zero point that stands nearest: `(data - input_zero_point) * M + output_zero_point`, clipped.

    The multiplier `M` is `input_scale / output_scale` in f64. With `compute_dtype` i64 (the default) it is the fixed-point number
    `m * 2^(e - 31)`, `2^30 <= m < 2^31`, and the product is exact but for one rounding: "UPWARD" (the default) takes halves up,
    "TONEAREST" away from zero. With f32 the multiplier is rounded to f32 and so is each step; "TONEAREST" then takes halves to even.
    The difference and the sum are taken in i32 and wrap around, the product in i64.

    requantize_c1: the data is i8, ui8, i16, ui16 or i32.
    requantize_c2: `out_dtype` (default i8) is one of these.
    requantize_c3: `input_scale` is f32, `input_zero_point` i32; each is one number or has the size of the dim `axis`.
    requantize_c4: the axis (default -1) is in range.
    requantize_c5: `output_scale` is one f32, `output_zero_point` one i32.
    requantize_c6: `rounding` is "UPWARD" or "TONEAREST", `compute_dtype` i64 or f32.
    """

    name = "relax.qnn.requantize"
    LAYOUT_RULE: ClassVar[LayoutRule] = LayoutRule.ELEMENTS
    data = operand_def(TENSOR)
    input_scale = operand_def(TENSOR)
    input_zero_point = operand_def(TENSOR)
    output_scale = operand_def(TENSOR)
    output_zero_point = operand_def(TENSOR)
    axis = opt_prop_def(I64)
    rounding = opt_prop_def(STRING)
    compute_dtype = opt_prop_def(DTYPE)
    out_dtype = opt_prop_def(DTYPE)

    def normalized_axis(self) -> int:
        """Returns the axis, counted from 0."""
        return quantization_axis(self.prop("axis", -1), self.data, "qnn.requantize_c4")

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        require_quantized("qnn.requantize_c1", self.data)
        target = require_element(dtype_attr(self.prop("out_dtype", i8)), QUANTIZED, "qnn.requantize_c2")
        size = axis_size(self.prop("axis", -1), self.data, "qnn.requantize_c4")
        self.check_per_axis(context, "qnn.requantize_c3", size, "input_scale", "input_zero_point")
        self.check_single("qnn.requantize_c5", "output_scale", "output_zero_point")
        self.check_arithmetic("qnn.requantize_c6")
        return [tensor_type(dims(self.data), target)]


class QnnBinaryOp(QnnOp, ABC):
    """An element-wise op of two quantized tensors, which broadcast.

    <op>_c1: the operands have the same element type, i8, ui8, i16, ui16 or i32.
    <op>_c2: the shapes broadcast.
    <op>_c3: the operands' scales are f32, zero points i32; each is one number or has the size of the dim `lhs_axis`, `rhs_axis`.
    <op>_c4: `lhs_axis` and `rhs_axis` (default -1) are in range.
    <op>_c5: `output_scale` is one f32, `output_zero_point` one i32.
    <op>_c6: `rounding` is "UPWARD" or "TONEAREST", `compute_dtype` i64 or f32, as in `relax.qnn.requantize`.
    """

    ACCEPTED: ClassVar[tuple[Attribute, ...]] = QUANTIZED
    lhs = operand_def(TENSOR)
    rhs = operand_def(TENSOR)
    lhs_scale = operand_def(TENSOR)
    lhs_zero_point = operand_def(TENSOR)
    rhs_scale = operand_def(TENSOR)
    rhs_zero_point = operand_def(TENSOR)
    output_scale = operand_def(TENSOR)
    output_zero_point = operand_def(TENSOR)
    lhs_axis = opt_prop_def(I64)
    rhs_axis = opt_prop_def(I64)
    rounding = opt_prop_def(STRING)
    compute_dtype = opt_prop_def(DTYPE)

    def normalized_axis(self, side: str) -> int:
        """Returns the axis of the operand "lhs" or "rhs", counted from 0."""
        return quantization_axis(self.prop(f"{side}_axis", -1), getattr(self, side), f"{self.stem}_c4")

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        element_type = require_same_element(f"{self.stem}_c1", self.lhs, self.rhs)
        require_element(element_type, QUANTIZED, f"{self.stem}_c1")
        for side in ("lhs", "rhs"):
            size = axis_size(self.prop(f"{side}_axis", -1), getattr(self, side), f"{self.stem}_c4")
            self.check_per_axis(context, f"{self.stem}_c3", size, f"{side}_scale", f"{side}_zero_point")
        self.check_single(f"{self.stem}_c5", "output_scale", "output_zero_point")
        self.check_arithmetic(f"{self.stem}_c6")
        return [tensor_type(broadcast(context, dims(self.lhs), dims(self.rhs), f"{self.stem}_c2"), element_type)]


@irdl_op_definition
class QnnAddOp(QnnBinaryOp):
    """The sum: the operands are requantized to the output's scale and zero point, in i32; `a + b - output_zero_point` is clipped."""

    name = "relax.qnn.add"


@irdl_op_definition
class QnnSubtractOp(QnnBinaryOp):
    """The difference of the operands, requantized as in `relax.qnn.add`; `a - b + output_zero_point` is clipped."""

    name = "relax.qnn.subtract"


@irdl_op_definition
class QnnMulOp(QnnBinaryOp):
    """The product `(lhs - lhs_zero_point) * (rhs - rhs_zero_point)`, requantized from the scale `lhs_scale * rhs_scale` (in f32).

    mul_c1: the operands have the same element type, i8, ui8, i16, ui16 or i32.
    mul_c2: the shapes broadcast.
    mul_c3: the operands' scales are f32, zero points i32; each is one number or has the size of the dim `lhs_axis`, `rhs_axis`.
    mul_c4: `lhs_axis` and `rhs_axis` (default -1) are in range.
    mul_c5: `output_scale` is one f32, `output_zero_point` one i32.
    mul_c6: `rounding` is "UPWARD" or "TONEAREST", `compute_dtype` i64 or f32, as in `relax.qnn.requantize`.
    mul_c7: where both operands have a scale for each index, their axes are the same dim of the result.
    """

    name = "relax.qnn.mul"

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        types = super().infer(context)
        if not is_single(self.lhs_scale) and not is_single(self.rhs_scale):
            ends = [self.normalized_axis(side) - len(dims(getattr(self, side)) or ()) for side in ("lhs", "rhs")]
            if ends[0] != ends[1]:
                fail(
                    "qnn.mul_c7",
                    f"lhs_axis and rhs_axis must be the same dim of the result, got {ends[0]} and {ends[1]}",
                )
        return types

    def result_axis(self) -> int:
        """Returns the axis of the result that the product of the scales goes along, counted from the end."""
        side = "rhs" if is_single(self.lhs_scale) else "lhs"
        return self.normalized_axis(side) - len(dims(getattr(self, side)) or ())


@irdl_op_definition
class QnnConcatenateOp(QnnOp):
    """Joins tensors along `axis`, each requantized to the output's scale and zero point first.

    The operands are the tensors, then a scale for each, a zero point for each, the output's scale and its zero point.

    concatenate_c1: there is a tensor, and all have the same element type, i8, ui8, i16, ui16 or i32.
    concatenate_c2: the tensors have the same rank, and the axis (default 0) is in range.
    concatenate_c3: all dims but that of the axis are equal.
    concatenate_c4: each scale is one f32, each zero point one i32.
    concatenate_c5: `rounding` is "UPWARD" or "TONEAREST", `compute_dtype` i64 or f32, as in `relax.qnn.requantize`.
    """

    name = "relax.qnn.concatenate"
    irdl_options = (SameVariadicOperandSize(),)
    tensors = var_operand_def(TENSOR)
    input_scales = var_operand_def(TENSOR)
    input_zero_points = var_operand_def(TENSOR)
    output_scale = operand_def(TENSOR)
    output_zero_point = operand_def(TENSOR)
    axis = opt_prop_def(I64)
    rounding = opt_prop_def(STRING)
    compute_dtype = opt_prop_def(DTYPE)

    def normalized_axis(self, rank: int) -> int:
        """Returns the axis, counted from 0."""
        return normalized_axis(self.prop("axis", 0), rank, "qnn.concatenate_c2")

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        if not self.tensors:
            fail("qnn.concatenate_c1", "expected at least one tensor")
        element_type = require_same_element("qnn.concatenate_c1", *self.tensors)
        require_element(element_type, QUANTIZED, "qnn.concatenate_c1")
        for index, (scale, zero_point) in enumerate(zip(self.input_scales, self.input_zero_points, strict=True)):
            require_scale("qnn.concatenate_c4", f"scale {index}", scale)
            require_zero_point("qnn.concatenate_c4", f"zero point {index}", zero_point)
            require_single("qnn.concatenate_c4", f"scale {index}", scale)
            require_single("qnn.concatenate_c4", f"zero point {index}", zero_point)
        self.check_single("qnn.concatenate_c4", "output_scale", "output_zero_point")
        self.check_arithmetic("qnn.concatenate_c5")
        return [tensor_type(self._shape(context), element_type)]

    def _shape(self, context: SizeContext) -> Sequence[Dim] | None:
        shapes = [shape for tensor in self.tensors if (shape := dims(tensor)) is not None]
        if not shapes:
            return None
        first = shapes[0]
        axis = self.normalized_axis(len(first))
        for shape in shapes[1:]:
            if len(shape) != len(first):
                fail("qnn.concatenate_c2", f"ranks must be equal, got {len(first)} and {len(shape)}")
            for dim, (size, other) in enumerate(zip(first, shape, strict=True)):
                if dim != axis and context.differ(size, other):
                    fail("qnn.concatenate_c3", f"dims {dim} must be equal, got {size} and {other}")
        whole = None if len(shapes) < len(self.tensors) else add(*(shape[axis] for shape in shapes))
        return [*first[:axis], whole, *first[axis + 1 :]]
