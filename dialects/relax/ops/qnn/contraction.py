"""Products of quantized tensors: dense, batch_matmul, conv2d."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import i32
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def

from ....symbolic.conditions import SizeContext
from ...attrs import tensor_type
from ...base import DTYPE, TENSOR, dims, dtype_attr, fail
from ...dtypes import FACTORS
from ...element_rules import require_element
from ...fusion_pattern import FusionPattern
from ...rules.qnn_rules import QnnOp, require_quantized
from ...rules.shape_rules import broadcast_known, shape_text
from ..nn.conv import ConvOp


@irdl_op_definition
class QnnDenseOp(QnnOp):
    """`sum((data - input_zero_point) * (weight - kernel_zero_point))` over the last dims, in i32, which wraps around.

    The scales do not enter; the result stands for multiples of `input_scale * kernel_scale`.

    dense_c1: the element types of data and weight are i8, ui8 or i16.
    dense_c2: the weight has two dims, the data at least one.
    dense_c3: the contraction dims, the last ones, are equal.
    dense_c4: `input_scale` is one f32, `input_zero_point` one i32.
    dense_c5: `kernel_scale` is f32, `kernel_zero_point` i32; each is one number or has the size of the first dim of the weight.
    dense_c6: `out_dtype` is i32.
    """

    name = "relax.qnn.dense"
    data = operand_def(TENSOR)
    weight = operand_def(TENSOR)
    input_zero_point = operand_def(TENSOR)
    kernel_zero_point = operand_def(TENSOR)
    input_scale = operand_def(TENSOR)
    kernel_scale = operand_def(TENSOR)
    out_dtype = opt_prop_def(DTYPE)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        require_quantized("qnn.dense_c1", self.data, self.weight, accepted=FACTORS)
        data, weight = dims(self.data), dims(self.weight)
        if (data is not None and not data) or (weight is not None and len(weight) != 2):
            fail("qnn.dense_c2", f"got data of shape {shape_text(data)} and weight of shape {shape_text(weight)}")
        if data is not None and weight is not None and context.differ(data[-1], weight[-1]):
            fail("qnn.dense_c3", f"contraction dimensions differ: data has {data[-1]}, weight has {weight[-1]}")
        self.check_single("qnn.dense_c4", "input_scale", "input_zero_point")
        units = None if weight is None else weight[0]
        self.check_per_axis(context, "qnn.dense_c5", units, "kernel_scale", "kernel_zero_point")
        require_element(dtype_attr(self.prop("out_dtype", i32)), (i32,), "qnn.dense_c6")
        return [tensor_type(None if data is None else (*data[:-1], units), i32)]


@irdl_op_definition
class QnnBatchMatmulOp(QnnOp):
    """`sum((x - x_zero_point) * (y - y_zero_point))` over the last dims of matrices `x[b, m, k]` and `y[b, n, k]`, in i32.

    batch_matmul_c1: the element types of x and y are i8, ui8 or i16.
    batch_matmul_c2: both operands have three dims.
    batch_matmul_c3: the contraction dims, the last ones, are equal.
    batch_matmul_c4: the numbers of matrices are equal, or one of them is 1.
    batch_matmul_c5: each scale is one f32, each zero point one i32.
    batch_matmul_c6: `out_dtype` is i32.
    """

    name = "relax.qnn.batch_matmul"
    x = operand_def(TENSOR)
    y = operand_def(TENSOR)
    x_zero_point = operand_def(TENSOR)
    y_zero_point = operand_def(TENSOR)
    x_scale = operand_def(TENSOR)
    y_scale = operand_def(TENSOR)
    out_dtype = opt_prop_def(DTYPE)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        require_quantized("qnn.batch_matmul_c1", self.x, self.y, accepted=FACTORS)
        shapes = [(None,) * 3 if (shape := dims(value)) is None else shape for value in (self.x, self.y)]
        for shape in shapes:
            if len(shape) != 3:
                fail("qnn.batch_matmul_c2", f"operands must have rank 3, got {shape_text(shape)}")
        (x_batch, m, x_k), (y_batch, n, y_k) = shapes
        if context.differ(x_k, y_k):
            fail("qnn.batch_matmul_c3", f"contraction dimensions differ: x has {x_k}, y has {y_k}")
        batch = broadcast_known(context, [x_batch], [y_batch], "qnn.batch_matmul_c4")
        self.check_single("qnn.batch_matmul_c5", "x_scale", "x_zero_point", "y_scale", "y_zero_point")
        require_element(dtype_attr(self.prop("out_dtype", i32)), (i32,), "qnn.batch_matmul_c6")
        return [tensor_type((*batch, m, n), i32)]


@irdl_op_definition
class QnnConv2DOp(QnnOp, ConvOp):
    """The convolution of `data - input_zero_point` with `weight - kernel_zero_point`, in i32; padding stands for 0.

    Attributes and layouts are those of `relax.nn.conv2d`, but for `out_dtype`, which is i32.

    conv2d_c1: the element types of data and weight are i8, ui8 or i16, and `out_dtype` is i32.
    conv2d_c2: each layout is a permutation of `NCHW`, or for the kernel `OIHW`.
    conv2d_c3: strides and dilation have 1 or 2 positive values, padding 1, 2 or 4 non-negative ones.
    conv2d_c4: data and kernel have rank 4.
    conv2d_c5: the data has `groups` times the input channels of the kernel.
    conv2d_c6: `groups` is positive and divides the number of output channels.
    conv2d_c7: the dilated kernel fits into the padded data.
    conv2d_c8: `input_scale` is one f32, `input_zero_point` one i32.
    conv2d_c9: `kernel_scale` is f32, `kernel_zero_point` i32; each is one number or one for each output channel.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.OPAQUE
    ACCEPTED: ClassVar[tuple[Attribute, ...]] = FACTORS
    name = "relax.qnn.conv2d"
    SPATIAL_RANK: ClassVar[int] = 2
    data = operand_def(TENSOR)
    weight = operand_def(TENSOR)
    input_zero_point = operand_def(TENSOR)
    kernel_zero_point = operand_def(TENSOR)
    input_scale = operand_def(TENSOR)
    kernel_scale = operand_def(TENSOR)

    def result_element(self) -> Attribute:
        require_quantized("qnn.conv2d_c1", self.data, self.weight, accepted=FACTORS)
        return require_element(dtype_attr(self.prop("out_dtype", i32)), (i32,), "qnn.conv2d_c1")

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        types = super().infer(context)
        self.check_single("qnn.conv2d_c8", "input_scale", "input_zero_point")
        kernel = dims(self.weight)
        outputs = None if kernel is None else kernel[self.kernel_positions()[0]]
        self.check_per_axis(context, "qnn.conv2d_c9", outputs, "kernel_scale", "kernel_zero_point")
        return types
