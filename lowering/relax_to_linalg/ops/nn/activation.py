"""Activations as one `linalg.generic` each; f16 and bf16 are computed in f32.

    %y = relax.nn.silu %x : (tensor<4xf16>) -> tensor<4xf16>

becomes

    linalg.generic ins(%x) outs(%e) { arith.extf, arith.negf, math.exp, arith.addf 1, arith.divf, arith.truncf }
"""

from __future__ import annotations

import math as numbers
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from xdsl.dialects import arith, math
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from .....dialects.relax.attrs import dims_of
from .....dialects.relax.base import element as relax_element
from .....dialects.relax.dtypes import is_unsigned
from .....dialects.relax.ops.nn import activation as nn_activation
from ....emit import scalar
from ....emit.op_builder import OpBuilder
from ....emit.tensor_builder import element, projection, tensor_shape
from ...builder import LinalgBuilder
from ...rule import Rule, Rules

Scalar: TypeAlias = Callable[[OpBuilder, SSAValue, Any], SSAValue]

SELU_ALPHA = 1.6732632423543772
SELU_SCALE = 1.0507009873554805


def _activation(function: Scalar) -> Rule:
    """Makes a rule of a function of the builder, the widened scalar and the op."""

    def lower(op: nn_activation.ActivationOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
        (x,) = operands

        def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
            return scalar.cast(s, function(s, scalar.widen(s, args[0]), op), args[0].type)

        return [b.elementwise([x], b.sizes(dims_of(op.result.type)), element(x), body)]

    return lower


def relu(b: OpBuilder, x: SSAValue, op: Any) -> SSAValue:
    """Returns `max(x, 0)`."""
    return scalar.maximum(b, x, b.constant(0, x.type), is_unsigned(relax_element(op.x)))


def _positive_or(b: OpBuilder, x: SSAValue, otherwise: SSAValue) -> SSAValue:
    return scalar.select(b, scalar.compare(b, "gt", x, b.constant(0.0, x.type)), x, otherwise)


def leaky_relu(b: OpBuilder, x: SSAValue, op: Any) -> SSAValue:
    """Returns `x` where it is positive, else `alpha * x`."""
    return _positive_or(b, x, scalar.mul(b, x, b.constant(op.prop("alpha", 0.01), x.type)))


def gelu(b: OpBuilder, x: SSAValue, op: Any) -> SSAValue:
    """Returns `x * (0.5 + 0.5 * erf(x * sqrt(0.5)))`."""
    half = b.constant(0.5, x.type)
    erf = b.insert(math.ErfOp(scalar.mul(b, x, b.constant(numbers.sqrt(0.5), x.type))))
    return scalar.mul(b, x, scalar.add(b, half, scalar.mul(b, half, erf)))


def gelu_tanh(b: OpBuilder, x: SSAValue, op: Any) -> SSAValue:
    """Returns `0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))`."""
    cube = scalar.mul(b, scalar.mul(b, scalar.mul(b, b.constant(0.044715, x.type), x), x), x)
    argument = scalar.mul(b, b.constant(numbers.sqrt(2 / numbers.pi), x.type), scalar.add(b, x, cube))
    factor = scalar.add(b, b.constant(1.0, x.type), b.insert(math.TanhOp(argument)))
    return scalar.mul(b, scalar.mul(b, b.constant(0.5, x.type), x), factor)


def silu(b: OpBuilder, x: SSAValue, op: Any) -> SSAValue:
    """Returns `x / (1 + exp(-x))`."""
    exponential = b.insert(math.ExpOp(b.insert(arith.NegfOp(x))))
    return scalar.div(b, x, scalar.add(b, b.constant(1.0, x.type), exponential))


def selu(b: OpBuilder, x: SSAValue, op: Any) -> SSAValue:
    """Returns `scale * x` where it is positive, else `scale * alpha * (exp(x) - 1)`."""
    negative = b.insert(math.ExpM1Op(scalar.minimum(b, x, b.constant(0.0, x.type))))
    kept = _positive_or(b, x, scalar.mul(b, b.constant(SELU_ALPHA, x.type), negative))
    return scalar.mul(b, b.constant(SELU_SCALE, x.type), kept)


def softplus(b: OpBuilder, x: SSAValue, op: Any) -> SSAValue:
    """Returns `log(1 + exp(beta * x)) / beta`, or `x` above the threshold."""
    beta, threshold = (b.constant(op.prop(*default), x.type) for default in (("beta", 1.0), ("threshold", 20.0)))
    scaled = scalar.mul(b, x, beta)
    smooth = scalar.div(b, b.insert(math.Log1pOp(b.insert(math.ExpOp(scaled)))), beta)
    return scalar.select(b, scalar.compare(b, "gt", scaled, threshold), x, smooth)


def _prelu(op: nn_activation.PReluOp, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    x, alpha = operands
    sizes = b.sizes(dims_of(op.result.type))
    rank = len(sizes)
    axis = op.channel_axis(rank)
    one_slope = tensor_shape(alpha)[0] == 1 and sizes[axis] != 1
    slopes = AffineMap(rank, 0, (AffineExpr.constant(0),)) if one_slope else projection(rank, [axis])

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        wide, slope = (scalar.widen(s, arg) for arg in args[:2])
        return scalar.cast(s, _positive_or(s, wide, scalar.mul(s, slope, wide)), args[0].type)

    return [b.elementwise([x, alpha], sizes, element(x), body, maps=[AffineMap.identity(rank), slopes])]


RULES: Rules = {
    nn_activation.ReluOp: _activation(relu),
    nn_activation.LeakyReluOp: _activation(leaky_relu),
    nn_activation.PReluOp: _prelu,
    nn_activation.GeluOp: _activation(gelu),
    nn_activation.GeluTanhOp: _activation(gelu_tanh),
    nn_activation.SiluOp: _activation(silu),
    nn_activation.SeluOp: _activation(selu),
    nn_activation.SoftplusOp: _activation(softplus),
}
