"""Interpreter rules of quantized tensors: integers as numpy computes them, which wrap around."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import f32

from ...dialects.relax.attrs import element_type_of
from ...dialects.relax.ops.qnn import contraction as qnn_contraction
from ...dialects.relax.ops.qnn import elementwise as qnn
from ...dialects.relax.ops.qnn import unary as qnn_unary
from ...dialects.relax.rules.fixed_point import fixed_point, shifts
from ...dialects.relax.rules.qnn_lookup import FUNCTIONS, quantized_function
from ...dialects.relax.rules.qnn_rules import UPWARD, limits
from ..rule import Bindings, InterpreterError, Rules, result_dtype, widened
from .nn.conv import convolution
from .unary import converted

Array: TypeAlias = "np.ndarray[Any, Any]"
Parameters: TypeAlias = "tuple[Array, Array]"


def _along(parameter: Array, axis: int, rank: int) -> Array:
    """Returns a scale or zero point in the shape that broadcasts along an axis of a tensor; the axis counts from either end."""
    if parameter.size == 1:
        return parameter.reshape(())
    return parameter.reshape([-1 if dim == axis % rank else 1 for dim in range(rank)])


def _clipped(x: Array, dtype: np.dtype[Any]) -> Array:
    bounds = np.iinfo(dtype)
    return np.clip(x, bounds.min, bounds.max).astype(dtype)


def _number(parameter: Array) -> Any:
    return parameter.reshape(-1)[0]


def _quantize(op: qnn.QuantizeBase, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    data, scale, zero_point = (widened(np.asarray(arg)) for arg in args)
    scale, zero_point = (_along(array, op.normalized_axis(), data.ndim) for array in (scale, zero_point))
    low, high = limits(element_type_of(op.results[0].type))
    scaled = np.round(data / scale) + zero_point.astype(np.float32)
    return [converted(np.clip(scaled, np.float32(low), np.float32(high)), result_dtype(op))]


def _dequantize(op: qnn.DequantizeBase, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    data, scale, zero_point = (widened(np.asarray(arg)) for arg in args)
    scale, zero_point = (_along(array, op.normalized_axis(), data.ndim) for array in (scale, zero_point))
    difference = data.astype(np.int32) - converted(zero_point, np.dtype(np.int32))
    result = difference.astype(np.float32) * scale
    if result_dtype(op) == np.float16:
        result = np.clip(result, np.float32(-65504), np.float32(65504))
    return [result.astype(result_dtype(op))]


def multiplied(t: Array, multipliers: Array, rounding: str) -> Array:
    """Returns i32 numbers times fixed-point multipliers, which broadcast, rounded to i32.

    A single multiplier that is a power of two is a shift in i32, which wraps around sooner, when halves are rounded up.
    """
    pairs = [fixed_point(float(multiplier)) for multiplier in multipliers.reshape(-1)]
    if multipliers.ndim == 0 and rounding == UPWARD and pairs[0][0] == 2**30:
        return _shifted(t, pairs[0][1] - 1)
    m, left, right = (
        np.array(values, np.int64).reshape(multipliers.shape)
        for values in zip(*((mantissa, *shifts(exponent)) for mantissa, exponent in pairs), strict=True)
    )
    wide = np.where(left > 63, 0, t.astype(np.int64) << np.minimum(left, 63)) * m
    half = np.left_shift(np.int64(1), right - 1)
    rounder = half if rounding == UPWARD else np.where(wide >= 0, half, half - 1)
    return ((wide + rounder) >> right).astype(np.int32)


def _shifted(t: Array, exponent: int) -> Array:
    if exponent > 31:
        return np.zeros_like(t)
    if exponent >= 0:
        return np.left_shift(t, np.int32(exponent))
    if exponent < -31:
        return np.zeros_like(t)
    return np.right_shift(t + np.int32(1 << (-exponent - 1)), np.int32(-exponent))


def requantized(
    q: Array,
    source: Parameters,
    target: Parameters,
    axis: int,
    op: Any,
    dtype: np.dtype[Any],
) -> Array:
    """Returns integers of one scale and zero point (per channel along `axis`) as those of another one, clipped to a dtype.

    Raises `InterpreterError` for a ratio of scales that has no fixed-point multiplier.
    """
    scale, zero_point = (_along(np.asarray(array), axis, q.ndim) for array in source)
    output_scale, output_zero_point = (_number(np.asarray(array)) for array in target)
    t = q.astype(np.int32) - zero_point
    multipliers = scale.astype(np.float64) / np.float64(output_scale)
    if op.compute_element == f32:
        scaled = t.astype(np.float32)
        if scale.ndim or scale != output_scale:
            scaled = scaled * multipliers.astype(np.float32)
        scaled = scaled + np.float32(output_zero_point)
        rounded = np.floor(scaled + np.float32(0.5)) if op.rounding_mode == UPWARD else np.round(scaled)
        return _clipped(converted(np.asarray(rounded), np.dtype(np.int32)), dtype)
    if scale.ndim or scale != output_scale:
        try:
            t = multiplied(np.asarray(t), np.asarray(multipliers), op.rounding_mode)
        except ValueError as error:
            raise InterpreterError(f"{op.name}: {error}") from None
    return _clipped(np.asarray(t + output_zero_point), dtype)


_I32 = np.dtype(np.int32)


def _requantize(op: qnn.RequantizeOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    data, scale, zero_point, output_scale, output_zero_point = args
    target = output_scale, output_zero_point
    return [requantized(data, (scale, zero_point), target, op.normalized_axis(), op, result_dtype(op))]


def _sum(op: qnn.QnnAddOp | qnn.QnnSubtractOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    lhs, rhs, *parameters, output_scale, output_zero_point = args
    target = output_scale, output_zero_point
    a = requantized(lhs, (parameters[0], parameters[1]), target, op.normalized_axis("lhs"), op, _I32)
    b = requantized(rhs, (parameters[2], parameters[3]), target, op.normalized_axis("rhs"), op, _I32)
    zero_point = _number(output_zero_point)
    result = a + b - zero_point if isinstance(op, qnn.QnnAddOp) else a - b + zero_point
    return [_clipped(np.asarray(result), result_dtype(op))]


def _mul(op: qnn.QnnMulOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    lhs, rhs, lhs_scale, lhs_zero_point, rhs_scale, rhs_zero_point, *target = args
    a = lhs.astype(np.int32) - _along(lhs_zero_point, op.normalized_axis("lhs"), lhs.ndim)
    b = rhs.astype(np.int32) - _along(rhs_zero_point, op.normalized_axis("rhs"), rhs.ndim)
    scale = lhs_scale.reshape(-1) * rhs_scale.reshape(-1)
    product = np.asarray(a * b)
    axis = op.result_axis()
    return [requantized(product, (scale, np.zeros((), np.int32)), (target[0], target[1]), axis, op, result_dtype(op))]


def _concatenate(op: qnn.QnnConcatenateOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    count = len(op.tensors)
    target = args[-2], args[-1]
    parts = [
        requantized(args[i], (args[count + i], args[2 * count + i]), target, 0, op, result_dtype(op))
        for i in range(count)
    ]
    return [np.concatenate(parts, axis=op.normalized_axis(parts[0].ndim))]


def _dense(op: qnn_contraction.QnnDenseOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    data, weight, input_zero_point, kernel_zero_point, _, _ = args
    a = data.astype(np.int32) - _number(input_zero_point)
    b = weight.astype(np.int32) - _along(kernel_zero_point, 0, 2)
    return [np.asarray(np.matmul(a, b.T))]


def _batch_matmul(op: qnn_contraction.QnnBatchMatmulOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    x, y, x_zero_point, y_zero_point, _, _ = args
    a = x.astype(np.int32) - _number(x_zero_point)
    b = y.astype(np.int32) - _number(y_zero_point)
    return [np.matmul(a, b.transpose(0, 2, 1))]


def _conv2d(op: qnn_contraction.QnnConv2DOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    data, weight, input_zero_point, kernel_zero_point, _, _ = args
    a = data.astype(np.int32) - _number(input_zero_point)
    b = weight.astype(np.int32) - _along(kernel_zero_point, op.kernel_positions()[0], 4)
    return [convolution(op, a, b)]


def _lookup(op: qnn_unary.QnnUnaryOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    scale, zero_point, output_scale, output_zero_point = (_number(arg) for arg in args[1:])
    function = FUNCTIONS[type(op)]
    return [quantized_function(function, args[0], scale, zero_point, output_scale, output_zero_point)]


def _leaky_relu(op: qnn_unary.QnnLeakyReluOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    x, scale, zero_point, output_scale, output_zero_point = args
    alpha = op.prop("alpha")
    q = requantized(x, (scale, zero_point), (output_scale, output_zero_point), 0, op, _I32)
    rest = multiplied(np.asarray(_number(output_zero_point)), np.asarray(abs(1.0 - alpha)), UPWARD)
    negative = multiplied(q, np.asarray(alpha), UPWARD) + (rest if alpha <= 1 else -rest)
    return [_clipped(np.where(x.astype(np.int32) < _number(zero_point), negative, q), result_dtype(op))]


def _softmax(op: qnn_unary.QnnSoftmaxOp, args: Sequence[Any], bindings: Bindings) -> list[Any]:
    x, scale, zero_point, output_scale, output_zero_point = args
    axis = op.prop("axis", -1)
    d = x.astype(np.int32) - _number(zero_point)
    d = d - d.max(axis=axis, keepdims=True, initial=np.iinfo(np.int32).min)
    unit = np.maximum(converted(np.asarray(np.round(np.float32(1) / _number(scale))), _I32), np.int32(1))
    p = d + (d >> 1) - (d >> 4)
    quotient = (-p) // unit
    remainder = p + quotient * unit
    shift = np.int32(8) - quotient
    powers = np.where(shift < 0, 0, ((remainder >> 1) + unit) << np.maximum(shift, 0)).astype(np.int32)
    sums = powers.sum(axis=axis, keepdims=True, dtype=np.int32)
    share = np.where(sums == 0, 0, np.trunc((1 << 30) / np.where(sums == 0, 1, sums)))
    output = (share.astype(np.int32) * powers) >> np.int32(23)
    source = np.array(1 / 128, np.float32), np.zeros((), np.int32)
    return [requantized(output, source, (output_scale, output_zero_point), 0, op, result_dtype(op))]


RULES: Rules = {
    qnn.QuantizeOp: _quantize,
    qnn.DequantizeOp: _dequantize,
    qnn.QnnQuantizeOp: _quantize,
    qnn.QnnDequantizeOp: _dequantize,
    qnn.RequantizeOp: _requantize,
    qnn.QnnAddOp: _sum,
    qnn.QnnSubtractOp: _sum,
    qnn.QnnMulOp: _mul,
    qnn.QnnConcatenateOp: _concatenate,
    qnn_contraction.QnnDenseOp: _dense,
    qnn_contraction.QnnBatchMatmulOp: _batch_matmul,
    qnn_contraction.QnnConv2DOp: _conv2d,
    **dict.fromkeys(FUNCTIONS, _lookup),
    qnn_unary.QnnLeakyReluOp: _leaky_relu,
    qnn_unary.QnnSoftmaxOp: _softmax,
}
