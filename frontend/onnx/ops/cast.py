"""Conversions between element types, those included that are kept in wider ones."""

from __future__ import annotations

from dataclasses import dataclass

import ml_dtypes
import numpy as np
from onnx import TensorProto
from xdsl.dialects.builtin import f32, i8, i32
from xdsl.ir import SSAValue

from ....dialects.relax.dtypes import numpy_dtype, ui8
from ...model.problems import Unsupported
from ..node import Node
from ..table import Table, converters
from ..types import SMALL_FLOATS, SMALL_INTEGERS, kind_name, storage
from ..values import Tensor

TABLE: Table = {}
op = converters(TABLE)


@dataclass(frozen=True)
class SmallFloat:
    """A float of 4 or 8 bits."""

    dtype: type
    mantissa: int
    """The bits of the mantissa."""
    least_exponent: int
    """The exponent of the least normal number."""
    greatest: int
    """The code of the greatest finite number."""
    overflow: int
    """The code of what is greater, where that is not replaced by the greatest finite number."""
    nan: int
    sign: int
    """The bit of the sign."""
    has_negative_zero: bool = True


FORMATS: dict[int, SmallFloat] = {
    TensorProto.FLOAT8E4M3FN: SmallFloat(ml_dtypes.float8_e4m3fn, 3, -6, 0x7E, 0x7F, 0x7F, 0x80),
    TensorProto.FLOAT8E4M3FNUZ: SmallFloat(ml_dtypes.float8_e4m3fnuz, 3, -7, 0x7F, 0x80, 0x80, 0x80, False),
    TensorProto.FLOAT8E5M2: SmallFloat(ml_dtypes.float8_e5m2, 2, -14, 0x7B, 0x7C, 0x7E, 0x80),
    TensorProto.FLOAT8E5M2FNUZ: SmallFloat(ml_dtypes.float8_e5m2fnuz, 2, -15, 0x7F, 0x80, 0x80, 0x80, False),
    TensorProto.FLOAT4E2M1: SmallFloat(ml_dtypes.float4_e2m1fn, 1, 0, 0x7, 0x7, 0x8, 0x8),
}

DTYPES = {**{kind: item.dtype for kind, item in FORMATS.items()}, TensorProto.FLOAT8E8M0: ml_dtypes.float8_e8m0fnu}


@op("Cast")
def _cast(node: Node) -> Tensor:
    kind = node.attr("to", 0)
    return converted(node, node.tensor(0), kind, bool(node.attr("saturate", 1)), node.attr("round_mode", "up"))


@op("CastLike")
def _cast_like(node: Node) -> Tensor:
    kind = node.kind(1)
    return converted(node, node.tensor(0), kind, bool(node.attr("saturate", 1)), node.attr("round_mode", "up"))


def converted(node: Node, tensor: Tensor, kind: int, saturates: bool = True, rounding: str = "up") -> Tensor:
    """Returns a tensor with elements of another type of ONNX."""
    target = storage(kind)
    if tensor.kind == kind:
        return tensor
    value = widened(node, tensor)
    if kind in SMALL_FLOATS:
        value = encoded(node, value, kind, saturates, rounding)
    elif kind in SMALL_INTEGERS:
        # Floats are truncated to signed integers first, or negative ones would become 0.
        value = _low_bits(node, node.cast(node.cast(value, i8), target), *SMALL_INTEGERS[kind])
    else:
        value = node.cast(value, target)
    return Tensor(value=value, kind=kind)


def widened(node: Node, tensor: Tensor) -> SSAValue:
    """Returns a tensor in elements of the dialect that have its values: f32 for floats of 8 and 4 bits."""
    value = node.importer.materialized(tensor)
    if tensor.kind not in SMALL_FLOATS:
        return value
    codes = np.arange(16 if tensor.kind == TensorProto.FLOAT4E2M1 else 256, dtype=np.uint8)
    table = codes.view(DTYPES[tensor.kind]).astype(np.float32)
    return node.g.take(node.g.constant(table, f32), node.g.astype(value, dtype=i32), axis=0)


def _low_bits(node: Node, value: SSAValue, bits: int, is_signed: bool) -> SSAValue:
    """Returns integers of 8 bits with the low bits alone, the sign extended."""
    g = node.g
    if not is_signed:
        return g.bitwise_and(value, g.constant((1 << bits) - 1, ui8))
    places = g.constant(8 - bits, i8)
    return g.right_shift(g.left_shift(value, places), places)


def encoded(node: Node, value: SSAValue, kind: int, saturates: bool, rounding: str = "up") -> SSAValue:
    """Returns the codes of numbers in a small float type, rounded to nearest, ties to even."""
    if kind == TensorProto.FLOAT8E8M0:
        return _power_of_two(node, node.cast(value, f32), rounding)
    g, form = node.g, FORMATS[kind]
    value = node.cast(value, f32)
    magnitude = g.abs(value)
    # A number of the binade i above that of the least normal number has the code i * 2^mantissa + its rounded mantissa, which
    # counts the hidden one; so numbers below have the codes of their multiples of the least subnormal number.
    top = (form.greatest >> form.mantissa) - 1
    scale_shape = np.arange(top + 1, dtype=np.float64)
    starts = np.exp2(form.least_exponent + 1 + scale_shape[:-1]).astype(np.float32)
    scales = np.exp2(form.mantissa - form.least_exponent - scale_shape).astype(np.float32)
    reached = g.greater_equal(g.expand_dims(magnitude, axis=[-1]), g.constant(starts, f32))
    binade = g.sum(g.astype(reached, dtype=i32), axis=[-1])
    mantissa = g.round(g.multiply(magnitude, g.take(g.constant(scales, f32), binade, axis=0)))
    code = g.add(g.multiply(g.astype(binade, dtype=f32), g.constant(1 << form.mantissa, f32)), mantissa)
    beyond = g.constant(form.greatest if saturates else form.overflow, f32)
    is_beyond = g.greater(code, g.constant(form.greatest, f32))
    code = g.where(is_beyond, beyond, code)
    # The sign of a zero is that of its reciprocal.
    is_negative = g.less(g.divide(g.constant(1, f32), value), g.constant(0, f32))
    is_negative = g.logical_or(is_negative, g.less(value, g.constant(0, f32)))
    signed = g.add(code, g.constant(form.sign, f32))
    if not form.has_negative_zero:
        is_number = g.less(code, g.constant(form.sign, f32))
        is_negative = g.logical_and(is_negative, g.logical_and(is_number, g.greater(code, g.constant(0, f32))))
    code = g.where(is_negative, signed, code)
    code = g.where(g.isnan(value), g.constant(form.nan, f32), code)
    return g.astype(code, dtype=ui8)


def _power_of_two(node: Node, value: SSAValue, rounding: str) -> SSAValue:
    """Returns the exponents of numbers, which are rounded to powers of two; 255 stands for what is no positive number."""
    if rounding not in ("up", "down", "nearest"):
        raise Unsupported(f"expected the rounding mode up, down or nearest, got {rounding!r}")
    g = node.g
    exponents = np.arange(-127, 128, dtype=np.float64)
    powers = np.exp2(exponents).astype(np.float32)
    if rounding == "nearest":
        powers = np.exp2(exponents[:-1]).astype(np.float32) * np.float32(1.5)
        compare = "greater_equal"
    elif rounding == "up":
        powers, compare = powers[:-1], "greater"
    else:
        powers, compare = powers[1:], "greater_equal"
    magnitude = g.expand_dims(g.abs(value), axis=[-1])
    code = g.sum(g.astype(g.op(compare, magnitude, g.constant(powers, f32)), dtype=i32), axis=[-1])
    return g.astype(g.where(g.isfinite(value), code, g.constant(255, i32)), dtype=ui8)


@op("BitCast")
def _bit_cast(node: Node) -> Tensor:
    tensor, kind = node.tensor(0), node.attr("to", 0)
    if tensor.kind == kind:
        return tensor
    value, target = node.importer.materialized(tensor), storage(kind)
    bits = _bits(tensor.kind)
    if bits != _bits(kind) or kind == TensorProto.BOOL:
        raise Unsupported(f"the bits of {kind_name(tensor.kind)} cannot be read as {kind_name(kind)}")
    if tensor.kind == TensorProto.BOOL:
        value = node.cast(value, ui8)
    value = node.g.bitcast(value, dtype=target)
    if bits < 8:
        value = _low_bits(node, value, bits, SMALL_INTEGERS.get(kind, (bits, False))[1])
    return Tensor(value=value, kind=kind)


def _bits(kind: int) -> int:
    """Returns the bits of an element of a type of ONNX; a truth value has a byte."""
    if kind in SMALL_INTEGERS:
        return SMALL_INTEGERS[kind][0]
    return 4 if kind == TensorProto.FLOAT4E2M1 else numpy_dtype(storage(kind)).itemsize * 8
