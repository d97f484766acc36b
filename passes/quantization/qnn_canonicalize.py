"""Replaces quantized ops, but for products, by core ops: a rule for each op."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import f16, f32, f64, i32
from xdsl.ir import Attribute, SSAValue

from ...dialects.relax.attrs import element_type_of
from ...dialects.relax.base import RelaxOp, element
from ...dialects.relax.ops.binary import (
    AddOp,
    DivideOp,
    LeftShiftOp,
    LessOp,
    MaximumOp,
    MultiplyOp,
    RightShiftOp,
    SubtractOp,
    WhereOp,
)
from ...dialects.relax.ops.manipulate import ConcatOp
from ...dialects.relax.ops.qnn.elementwise import (
    QnnAddOp,
    QnnConcatenateOp,
    QnnDequantizeOp,
    QnnMulOp,
    QnnQuantizeOp,
    QnnSubtractOp,
    RequantizeOp,
)
from ...dialects.relax.ops.qnn.unary import (
    QnnAbsOp,
    QnnErfOp,
    QnnExpOp,
    QnnHardSwishOp,
    QnnLeakyReluOp,
    QnnLogOp,
    QnnRsqrtOp,
    QnnSigmoidOp,
    QnnSoftmaxOp,
    QnnSqrtOp,
    QnnTanhOp,
    QnnUnaryOp,
)
from ...dialects.relax.ops.reduction import MaxOp, SumOp
from ...dialects.relax.ops.unary import (
    AbsOp,
    ClipOp,
    ErfOp,
    ExpOp,
    LogOp,
    NegativeOp,
    RoundOp,
    SqrtOp,
    TanhOp,
)
from ...dialects.relax.rules.qnn_rules import QnnOp, limits
from .qnn_arithmetic import (
    Parameter,
    Quantization,
    QuantizedEmitter,
    Requantization,
    Rules,
    is_zero,
    numbers_of,
    rank_of,
    require_ranks,
    same_number,
)

Array: TypeAlias = "np.ndarray[Any, Any]"
GREATEST_F16 = 65504.0


def requantization(op: QnnOp) -> Requantization:
    """Returns how the op requantizes."""
    return Requantization(op.rounding_mode, op.compute_element)


def canonicalize_quantize(op: QnnQuantizeOp, emit: QuantizedEmitter) -> SSAValue:
    """Returns `cast(clip(round(x / s) + float(zp), qmin, qmax))`."""
    rank = rank_of(op.data)
    return quantized(
        emit,
        emit.cast(op.data, f32),
        emit.parameter(op.output_scale, op.normalized_axis(), rank, f32),
        None
        if is_zero(op.output_zero_point)
        else emit.parameter(op.output_zero_point, op.normalized_axis(), rank, f32),
        element_type_of(op.result.type),
    )


def quantized(
    emit: QuantizedEmitter, x: SSAValue, scale: SSAValue, zero_point: SSAValue | None, target: Attribute
) -> SSAValue:
    """Returns f32 numbers quantized; scale and zero point are f32 and broadcast, no zero point is 0."""
    low, high = limits(target)
    rounded = emit.op(RoundOp, emit.op(DivideOp, x, scale))
    shifted = rounded if zero_point is None else emit.op(AddOp, rounded, zero_point)
    return emit.cast(emit.op(ClipOp, shifted, min=float(low), max=float(high)), target)


def canonicalize_dequantize(op: QnnDequantizeOp, emit: QuantizedEmitter) -> SSAValue:
    """Returns `float32(c32(q) - zp) * s`, for f16 clipped and cast."""
    difference = emit.cast(emit.difference(op.data, op.input_zero_point, op.normalized_axis()), f32)
    scale = emit.parameter(op.input_scale, op.normalized_axis(), rank_of(op.data), f32)
    result = emit.op(MultiplyOp, difference, scale)
    if element_type_of(op.result.type) == f16:
        return emit.cast(emit.op(ClipOp, result, min=-GREATEST_F16, max=GREATEST_F16), f16)
    return result


def canonicalize_requantize(op: RequantizeOp, emit: QuantizedEmitter) -> SSAValue:
    """Returns the difference times the ratio of the scales, plus the zero point, clipped."""
    require_ranks(op.data)
    source = Quantization(op.input_scale, op.input_zero_point, op.normalized_axis())
    target = Quantization(op.output_scale, op.output_zero_point)
    return emit.requantize(op.data, source, target, requantization(op), element_type_of(op.result.type))


def _to_output(
    emit: QuantizedEmitter, q: SSAValue, source: Quantization, target: Quantization, how: Requantization
) -> SSAValue:
    """Requantizes to i32; what has the output's scale and zero point already is only cast."""
    if same_number(source.scale, target.scale) and same_number(source.zero_point, target.zero_point):
        return emit.cast(q, i32)
    require_ranks(q)
    return emit.requantize(q, source, target, how, i32)


def canonicalize_sum(op: QnnAddOp | QnnSubtractOp, emit: QuantizedEmitter) -> SSAValue:
    """Returns the operands requantized to the output's scale and zero point, their sum or difference, clipped."""
    require_ranks(op.lhs, op.rhs)
    how, target = requantization(op), Quantization(op.output_scale, op.output_zero_point)
    a = _to_output(emit, op.lhs, Quantization(op.lhs_scale, op.lhs_zero_point, op.normalized_axis("lhs")), target, how)
    b = _to_output(emit, op.rhs, Quantization(op.rhs_scale, op.rhs_zero_point, op.normalized_axis("rhs")), target, how)
    subtracts = isinstance(op, QnnSubtractOp)
    result = emit.op(SubtractOp if subtracts else AddOp, a, b)
    result = emit.plus(result, op.output_zero_point, minus=not subtracts)
    return emit.narrow(result, element_type_of(op.result.type))


def canonicalize_mul(op: QnnMulOp, emit: QuantizedEmitter) -> SSAValue:
    """Returns the product of the differences, requantized from the product of the scales."""
    ranks = rank_of(op.lhs), rank_of(op.rhs)
    a = emit.difference(op.lhs, op.lhs_zero_point, op.normalized_axis("lhs"))
    b = emit.difference(op.rhs, op.rhs_zero_point, op.normalized_axis("rhs"))
    scales = numbers_of(op.lhs_scale), numbers_of(op.rhs_scale)
    if scales[0] is not None and scales[1] is not None:
        scale: Parameter = np.asarray(scales[0] * scales[1])
    else:
        scale = emit.op(MultiplyOp, op.lhs_scale, op.rhs_scale)
    source = Quantization(scale, np.asarray(0, np.int32), op.result_axis() + max(ranks))
    target = Quantization(op.output_scale, op.output_zero_point)
    product = emit.op(MultiplyOp, a, b)
    return emit.requantize(product, source, target, requantization(op), element_type_of(op.result.type))


def canonicalize_concatenate(op: QnnConcatenateOp, emit: QuantizedEmitter) -> SSAValue:
    """Returns the tensors requantized to the output's scale and zero point, joined."""
    how, target = requantization(op), Quantization(op.output_scale, op.output_zero_point)
    parts: list[SSAValue] = []
    for q, scale, zero_point in zip(op.tensors, op.input_scales, op.input_zero_points, strict=True):
        require_ranks(q)
        same = same_number(scale, target.scale) and same_number(zero_point, target.zero_point)
        source = Quantization(scale, zero_point)
        parts.append(q if same else emit.requantize(q, source, target, how, element(q)))
    return emit.op(ConcatOp, *parts, axis=op.prop("axis", 0))


def canonicalize_leaky_relu(op: QnnLeakyReluOp, emit: QuantizedEmitter) -> SSAValue:
    """Returns the requantized elements, and `alpha * q + (1 - alpha) * zp` where they stand for negative numbers."""
    rank, alpha = rank_of(op.x), op.prop("alpha")
    source, target = Quantization(op.scale, op.zero_point), Quantization(op.output_scale, op.output_zero_point)
    q = _to_output(emit, op.x, source, target, requantization(op))
    up = Requantization().rounding
    negative = emit.multiplied(q, np.asarray(alpha), 0, up)
    if not is_zero(op.output_zero_point):
        zero_point = emit.parameter(op.output_zero_point, 0, rank, i32)
        rest = emit.multiplied(zero_point, np.asarray(abs(1.0 - alpha)), 0, up)
        negative = emit.op(AddOp if alpha <= 1 else SubtractOp, negative, rest)
    below = emit.op(LessOp, emit.cast(op.x, i32), emit.parameter(op.zero_point, 0, rank, i32))
    return emit.narrow(emit.op(WhereOp, below, negative, q), element_type_of(op.result.type))


def canonicalize_softmax(op: QnnSoftmaxOp, emit: QuantizedEmitter) -> SSAValue:
    """Returns powers of two by shifts, divided by their sum, requantized from the scale 1/128."""
    rank, axis = rank_of(op.x), [op.prop("axis", -1)]
    i32_of = lambda value: emit.constant(np.asarray(value), i32)  # noqa: E731
    x = emit.difference(op.x, op.zero_point, 0)
    d = emit.op(SubtractOp, x, emit.op(MaxOp, x, axis=axis, keepdims=True))
    unit = _unit(op, emit, rank)
    doubled = emit.op(AddOp, d, emit.op(RightShiftOp, d, i32_of(1)))
    p = emit.op(SubtractOp, doubled, emit.op(RightShiftOp, d, i32_of(4)))
    minus = emit.op(NegativeOp, unit)
    quotient = emit.op(DivideOp, p, minus)
    remainder = emit.op(SubtractOp, p, emit.op(MultiplyOp, quotient, minus))
    base = emit.op(AddOp, emit.op(RightShiftOp, remainder, i32_of(1)), unit)
    powers = emit.op(LeftShiftOp, base, emit.op(SubtractOp, i32_of(8), quotient))
    sums = emit.op(SumOp, powers, axis=axis, keepdims=True)
    share = emit.op(DivideOp, i32_of(1 << 30), sums)
    output = emit.op(RightShiftOp, emit.op(MultiplyOp, share, powers), i32_of(23))
    source = Quantization(np.asarray(1 / 128, np.float32), np.asarray(0, np.int32))
    target = Quantization(op.output_scale, op.output_zero_point)
    return emit.requantize(output, source, target, Requantization(), element_type_of(op.result.type))


def _unit(op: QnnSoftmaxOp, emit: QuantizedEmitter, rank: int) -> SSAValue:
    scale = numbers_of(op.scale)
    if scale is not None:
        return emit.constant(np.asarray(max(int(np.round(np.float32(1) / scale)), 1)), i32)
    unit = emit.constant(np.asarray(1.0), f32)
    rounded = emit.op(RoundOp, emit.op(DivideOp, unit, emit.parameter(op.scale, 0, rank, f32)))
    return emit.op(MaximumOp, emit.cast(rounded, i32), emit.constant(np.asarray(1), i32))


def canonicalize_unary(op: QnnUnaryOp, emit: QuantizedEmitter) -> SSAValue:
    """Returns the function of the dequantized elements in f64, quantized.

    That is for elements of more than 8 bits, and for parameters that are not constants; other ops have become tables.
    """
    rank = rank_of(op.x)
    difference = emit.cast(emit.difference(op.x, op.zero_point, 0), f32)
    x = emit.op(MultiplyOp, difference, emit.parameter(op.scale, 0, rank, f32))
    y = emit.cast(_function(op, emit, emit.cast(x, f64)), f32)
    zero_point = None if is_zero(op.output_zero_point) else emit.parameter(op.output_zero_point, 0, rank, f32)
    scale = emit.parameter(op.output_scale, 0, rank, f32)
    return quantized(emit, y, scale, zero_point, element_type_of(op.result.type))


_FUNCTIONS: Mapping[type[QnnUnaryOp], type[RelaxOp]] = {
    QnnTanhOp: TanhOp,
    QnnExpOp: ExpOp,
    QnnLogOp: LogOp,
    QnnSqrtOp: SqrtOp,
    QnnErfOp: ErfOp,
    QnnAbsOp: AbsOp,
}


def _function(op: QnnUnaryOp, emit: QuantizedEmitter, x: SSAValue) -> SSAValue:
    """Returns the function of f64 numbers that an op computes."""

    def number(value: float) -> SSAValue:
        return emit.constant(np.asarray(value), f64)

    match op:
        case QnnSigmoidOp():
            power = emit.op(ExpOp, emit.op(NegativeOp, x))
            return emit.op(DivideOp, number(1.0), emit.op(AddOp, number(1.0), power))
        case QnnRsqrtOp():
            return emit.op(DivideOp, number(1.0), emit.op(SqrtOp, x))
        case QnnHardSwishOp():
            gate = emit.op(ClipOp, emit.op(AddOp, x, number(3.0)), min=0.0, max=6.0)
            return emit.op(DivideOp, emit.op(MultiplyOp, x, gate), number(6.0))
        case _:
            return emit.op(_FUNCTIONS[type(op)], x)


RULES: Rules = {
    QnnQuantizeOp: canonicalize_quantize,
    QnnDequantizeOp: canonicalize_dequantize,
    RequantizeOp: canonicalize_requantize,
    QnnAddOp: canonicalize_sum,
    QnnSubtractOp: canonicalize_sum,
    QnnMulOp: canonicalize_mul,
    QnnConcatenateOp: canonicalize_concatenate,
    QnnLeakyReluOp: canonicalize_leaky_relu,
    QnnSoftmaxOp: canonicalize_softmax,
    **dict.fromkeys((*_FUNCTIONS, QnnSigmoidOp, QnnRsqrtOp, QnnHardSwishOp), canonicalize_unary),
}
