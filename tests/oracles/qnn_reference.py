"""Quantized arithmetic in Python's own integers and fractions, number by number: the oracle of the qnn ops."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

HALF = Fraction(1, 2)


def wrap(value: int, bits: int = 32) -> int:
    """The signed number that the low bits of an integer are."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def clip(value: Any, dtype: str) -> int:
    """The nearest number of an integer dtype; NaN is 0."""
    limits = np.iinfo(dtype)
    if isinstance(value, float | np.floating):
        if math.isnan(value):
            return 0
        if math.isinf(value):
            return limits.max if value > 0 else limits.min
    return int(min(max(value, limits.min), limits.max))


def fixed_point(multiplier: float) -> tuple[int, int]:
    """`(m, e)`, found by halving and doubling a fraction."""
    if multiplier == 0:
        return 0, 0
    exact, exponent = Fraction(multiplier), 0
    while exact >= 1:
        exact, exponent = exact / 2, exponent + 1
    while exact < HALF:
        exact, exponent = exact * 2, exponent - 1
    mantissa = math.floor(exact * 2**31 + HALF)
    return (mantissa // 2, exponent + 1) if mantissa == 2**31 else (mantissa, exponent)


def multiply(t: int, multiplier: float, rounding: str, single: bool) -> int:
    """An i32 number times a multiplier in fixed point, rounded; one power of two for the whole tensor is a shift in i32."""
    mantissa, exponent = fixed_point(multiplier)
    if single and rounding == "UPWARD" and mantissa == 2**30:
        shift = exponent - 1
        return wrap(t * 2**shift) if shift >= 0 else wrap(t + 2 ** (-shift - 1)) // 2**-shift
    exact = Fraction(t * mantissa) * Fraction(2) ** (exponent - 31)
    if rounding == "UPWARD" or exact >= 0:
        return wrap(math.floor(exact + HALF))
    return wrap(-math.floor(-exact + HALF))


def requantize(
    q: int,
    source: tuple[float, int],
    target: tuple[float, int],
    rounding: str = "UPWARD",
    compute: str = "i64",
    single: bool = True,
) -> int:
    """A number of one quantization as that of another, before it is clipped."""
    t = wrap(q - source[1])
    ratio = float(source[0]) / float(target[0])
    if compute == "f32":
        scaled = np.float32(t) if single and source[0] == target[0] else np.float32(t) * np.float32(ratio)
        shifted = np.float32(scaled + np.float32(target[1]))
        rounded = math.floor(np.float32(shifted + np.float32(0.5))) if rounding == "UPWARD" else round(float(shifted))
        return clip(rounded, "int32")
    if not single or source[0] != target[0]:
        t = multiply(t, ratio, rounding, single)
    return wrap(t + target[1])


def quantize(x: Any, scale: Any, zero_point: int, dtype: str) -> int:
    """An f32 number quantized; Python's round takes halves to even."""
    with np.errstate(all="ignore"):
        scaled = np.float32(x) / np.float32(scale)
    if not math.isfinite(scaled):
        return clip(scaled, dtype)
    return clip(np.float32(round(float(scaled))) + np.float32(zero_point), dtype)


def dequantize(q: int, scale: Any, zero_point: int) -> Any:
    """The f32 number that a quantized one stands for."""
    return np.float32(wrap(q - zero_point)) * np.float32(scale)


def per_element(function: Callable[..., Any], *arrays: Any) -> Any:
    """Applies a function of Python numbers to arrays that broadcast."""
    spread = [array.astype(object) for array in np.broadcast_arrays(*arrays)]
    result = np.empty(spread[0].shape, object)
    for index in np.ndindex(*spread[0].shape):
        result[index] = function(*(array[index] for array in spread))
    return result


def along(parameter: Any, axis: int, rank: int) -> Any:
    """A vector so that it broadcasts along an axis."""
    parameter = np.asarray(parameter)
    return (
        parameter.reshape([-1 if place == axis else 1 for place in range(rank)])
        if parameter.size > 1
        else parameter.reshape(())
    )


def product(lhs: Any, rhs: Any) -> Any:
    """The matrix product of arrays of Python integers, wrapped to i32."""
    total = (lhs.astype(object)[..., :, None, :] * rhs.astype(object)[..., None, :, :]).sum(axis=-1)
    return per_element(wrap, total)


def convolve(
    data: Any,
    kernel: Any,
    strides: Sequence[int] = (1, 1),
    padding: Sequence[int] = (0, 0, 0, 0),
    dilation: Sequence[int] = (1, 1),
    groups: int = 1,
) -> Any:
    """The convolution of NCHW and OIHW arrays of Python integers, tap by tap; padding is 0."""
    top, left, bottom, right = padding
    data = np.pad(data.astype(object), [(0, 0), (0, 0), (top, bottom), (left, right)])
    outputs, inputs, height, width = kernel.shape
    rows = (data.shape[2] - dilation[0] * (height - 1) - 1) // strides[0] + 1
    columns = (data.shape[3] - dilation[1] * (width - 1) - 1) // strides[1] + 1
    result = np.zeros((data.shape[0], outputs, rows, columns), object)
    for output, i, h, w in itertools.product(range(outputs), range(inputs), range(height), range(width)):
        channel = output // (outputs // groups) * inputs + i
        taps = data[
            :,
            channel,
            h * dilation[0] : h * dilation[0] + (rows - 1) * strides[0] + 1 : strides[0],
            w * dilation[1] : w * dilation[1] + (columns - 1) * strides[1] + 1 : strides[1],
        ]
        result[:, output] += taps * int(kernel[output, i, h, w])
    return per_element(wrap, result)


def softmax(row: Sequence[int], scale: float, zero_point: int) -> list[int]:
    """Softmax of one row in multiples of 1/128, before it is requantized."""
    unit = max(round(float(np.float32(1) / np.float32(scale))), 1)
    numbers = [q - zero_point for q in row]
    powers = []
    for number in numbers:
        d = number - max(numbers)
        p = d + (d >> 1) - (d >> 4)
        quotient, rest = divmod(-p, unit)
        powers.append(((-rest >> 1) + unit) << (8 - quotient) if quotient <= 8 else 0)
    share = 2**30 // sum(powers)
    return [(share * power) >> 23 for power in powers]
