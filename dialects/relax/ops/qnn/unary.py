"""Functions of one quantized tensor: tables, leaky_relu, softmax."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import i8
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def

from ....symbolic.conditions import SizeContext
from ...attrs import tensor_type
from ...base import DTYPE, F64, I64, STRING, TENSOR, dims, fail, normalized_axis
from ...dtypes import QUANTIZED
from ...rules.qnn_rules import QnnOp, require_quantized


class QnnUnaryOp(QnnOp, ABC):
    """A function of the numbers that the elements stand for, `(x - zero_point) * scale`; the result has the type of x.

    What a function of 8-bit elements gives is looked up in a table: it is computed in f64 of the number in f32, rounded to f32, and
    quantized as `relax.qnn.quantize` does.

    <op>_c1: the element type is i8, ui8, i16, ui16 or i32.
    <op>_c2: each scale is one f32, each zero point one i32.
    """

    ACCEPTED: ClassVar[tuple[Attribute, ...]] = QUANTIZED
    x = operand_def(TENSOR)
    scale = operand_def(TENSOR)
    zero_point = operand_def(TENSOR)
    output_scale = operand_def(TENSOR)
    output_zero_point = operand_def(TENSOR)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        (element_type,) = require_quantized(f"{self.stem}_c1", self.x, accepted=self.ACCEPTED)
        self.check_single(f"{self.stem}_c2", "scale", "zero_point", "output_scale", "output_zero_point")
        return [tensor_type(dims(self.x), element_type)]


@irdl_op_definition
class QnnTanhOp(QnnUnaryOp):
    """The hyperbolic tangent."""

    name = "relax.qnn.tanh"


@irdl_op_definition
class QnnSigmoidOp(QnnUnaryOp):
    """`1 / (1 + exp(-x))`."""

    name = "relax.qnn.sigmoid"


@irdl_op_definition
class QnnExpOp(QnnUnaryOp):
    """The exponential function."""

    name = "relax.qnn.exp"


@irdl_op_definition
class QnnLogOp(QnnUnaryOp):
    """The natural logarithm: the least element of the type at 0, the element 0 (for NaN) below."""

    name = "relax.qnn.log"


@irdl_op_definition
class QnnSqrtOp(QnnUnaryOp):
    """The square root; below 0 it is the element 0 (for NaN)."""

    name = "relax.qnn.sqrt"


@irdl_op_definition
class QnnRsqrtOp(QnnUnaryOp):
    """`1 / sqrt(x)`: the greatest element of the type at 0, the element 0 (for NaN) below."""

    name = "relax.qnn.rsqrt"


@irdl_op_definition
class QnnErfOp(QnnUnaryOp):
    """The error function."""

    name = "relax.qnn.erf"


@irdl_op_definition
class QnnAbsOp(QnnUnaryOp):
    """The absolute value."""

    name = "relax.qnn.abs"


@irdl_op_definition
class QnnHardSwishOp(QnnUnaryOp):
    """`x * min(max(x + 3, 0), 6) / 6`."""

    name = "relax.qnn.hardswish"


@irdl_op_definition
class QnnLeakyReluOp(QnnUnaryOp):
    """`alpha * x` where x stands for a negative number, x elsewhere; in fixed point as `relax.qnn.requantize` UPWARD.

    x is requantized to the output's scale and zero point; where it was below its zero point the result is
    `alpha * q + (1 - alpha) * output_zero_point`, each product rounded. (Relay leaves the other elements as they were, even if the output
    has another scale.)

    leaky_relu_c1: the element type is i8, ui8, i16, ui16 or i32.
    leaky_relu_c2: each scale is one f32, each zero point one i32.
    leaky_relu_c3: `rounding` is "UPWARD" or "TONEAREST", `compute_dtype` i64 or f32, for the requantization.
    leaky_relu_c4: `alpha` is finite and not negative.
    """

    name = "relax.qnn.leaky_relu"
    alpha = prop_def(F64)
    rounding = opt_prop_def(STRING)
    compute_dtype = opt_prop_def(DTYPE)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        types = super().infer(context)
        self.check_arithmetic("qnn.leaky_relu_c3")
        alpha = self.prop("alpha")
        if not 0 <= alpha < float("inf"):
            fail("qnn.leaky_relu_c4", f"alpha must be finite and not negative, got {alpha}")
        return types


@irdl_op_definition
class QnnSoftmaxOp(QnnUnaryOp):
    """Softmax along `axis` in integers: powers of two by shifts (the algorithm of I-ViT, arXiv 2207.01405), good to about 1/128.

    With `s = max(round(1 / scale), 1)`, `d = x - max(x)` and `p = d + (d >> 1) - (d >> 4)`, `p = -s * q + r` (truncated quotient), the
    power is `(r >> 1) + s` shifted left by `8 - q` (0 for `q > 8`). It is divided by the sum of the powers in i32 (`2^30 / sum` is
    truncated), and the result, of scale 1/128, is requantized.

    softmax_c1: the element type is i8.
    softmax_c2: each scale is one f32, each zero point one i32.
    softmax_c3: the axis (default -1) is in range.
    """

    name = "relax.qnn.softmax"
    ACCEPTED: ClassVar[tuple[Attribute, ...]] = (i8,)
    axis = opt_prop_def(I64)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        types = super().infer(context)
        shape = dims(self.x)
        if shape is not None:
            normalized_axis(self.prop("axis", -1), len(shape), "qnn.softmax_c3")
        return types
