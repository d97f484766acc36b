"""Quantization and dequantization as one element-wise `linalg.generic` each; the other quantized ops are legalized before.

    %y = relax.quantize %x, %scale, %zero_point : ... -> tensor<4x8xi8>

becomes

    linalg.generic ins(%x, %scale, %zero_point) outs(%e) { divide, round to even, add, clamp to -128 .. 127, arith.fptosi }

Where scale and zero point are known, %x is clamped to what becomes -128 .. 127, and a sum rounds, of which the last bits are the integer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import f32, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from ....dialects.relax.attrs import dims_of, element_type_of
from ....dialects.relax.base import dims
from ....dialects.relax.base import element as relax_element
from ....dialects.relax.ops.qnn import elementwise as qnn
from ....dialects.relax.rules.qnn_rules import is_single, limits
from ....passes.folding.fold_constant import constant_value
from ...emit import scalar
from ...emit.op_builder import OpBuilder
from ..builder import LinalgBuilder, signless
from ..rule import Rules
from .unary import convert

GREATEST_F16 = 65504.0


def _maps(op: qnn.QuantizeLikeOp) -> list[AffineMap]:
    """Returns how the data, the scale and the zero point are read."""
    rank = len(dims(op.operands[0]) or ())
    axis = op.normalized_axis()
    maps = [AffineMap.identity(rank)]
    for parameter in op.operands[1:]:
        along = AffineExpr.constant(0) if is_single(parameter) else AffineExpr.dimension(axis)
        maps.append(AffineMap(rank, 0, (along,) * len(dims(parameter) or ())))
    return maps


def _elements(op: qnn.QuantizeLikeOp) -> tuple[list[Attribute], Attribute]:
    return [relax_element(operand) for operand in op.operands], element_type_of(op.results[0].type)


def _bounded(s: OpBuilder, x: SSAValue, low: float, high: float) -> SSAValue:
    return scalar.minimum(s, scalar.maximum(s, x, s.constant(low, f32)), s.constant(high, f32))


@dataclass(frozen=True)
class _Known:
    """A quantization by a known scale and zero point: the numbers of the data between which it is not constant, and what becomes 0."""

    scale: float
    zero_point: int
    least: float
    greatest: float
    zero: float


MOST_STEPS = 1 << 22
"""Below, a number plus `ROUNDER` is rounded to an integer."""


def _known(op: qnn.QuantizeBase, target: Attribute) -> _Known | None:
    """Returns the constants of a quantization by one scale and zero point; None where they are not known or not usual."""
    values = [constant_value(operand) for operand in op.operands[1:]]
    if any(value is None or np.size(value) != 1 for value in values):
        return None
    scale, zero_point = (np.float32(np.asarray(value).reshape(())) for value in values)
    low, high = limits(target)
    if not 0 < scale < np.inf or not abs(zero_point) < MOST_STEPS or zero_point != np.rint(zero_point):
        return None
    steps = np.array([low - int(zero_point), high - int(zero_point), -int(zero_point)], np.float32)
    with np.errstate(all="ignore"):
        numbers = steps * scale
        is_usual = np.all(np.abs(steps) < MOST_STEPS) and np.array_equal(np.rint(numbers / scale), steps)
    return _Known(float(scale), int(zero_point), *map(float, numbers)) if is_usual else None


def _by_constants(s: OpBuilder, x: SSAValue, known: _Known, target: Attribute) -> SSAValue:
    """Returns f32 quantized; a NaN becomes 0."""
    if limits(target)[0] != 0:
        x = scalar.select(s, scalar.compare(s, "eq", x, x), x, s.constant(known.zero, f32))
    # A NaN becomes the least number, which is 0 here.
    x = s.insert(arith.MaxnumfOp(x, s.constant(known.least, f32)))
    x = s.insert(arith.MinnumfOp(x, s.constant(known.greatest, f32)))
    quotient = x if known.scale == 1 else scalar.div(s, x, s.constant(known.scale, f32))
    rounded = scalar.add(s, quotient, s.constant(scalar.ROUNDER, f32))
    bits = s.insert(arith.BitcastOp(rounded, i32))
    zero = int(np.float32(scalar.ROUNDER).view(np.int32)) - known.zero_point
    return convert(s, scalar.sub(s, bits, s.constant(zero, i32)), i32, target)


def _quantize(op: qnn.QuantizeBase, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    sources, target = _elements(op)
    known = _known(op, target)

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        if known is not None:
            return _by_constants(s, convert(s, args[0], sources[0], f32), known, target)
        data, scale, zero_point = (convert(s, arg, source, f32) for arg, source in zip(args[:3], sources, strict=True))
        rounded = s.insert(math.RoundEvenOp(scalar.div(s, data, scale)))
        low, high = map(float, limits(target))
        return convert(s, _bounded(s, scalar.add(s, rounded, zero_point), low, high), f32, target)

    return [b.elementwise(operands, b.sizes(dims_of(op.results[0].type)), signless(target), body, _maps(op))]


def _dequantize(op: qnn.DequantizeBase, operands: Sequence[SSAValue], b: LinalgBuilder) -> list[SSAValue]:
    sources, target = _elements(op)

    def body(s: OpBuilder, args: Sequence[SSAValue]) -> SSAValue:
        data, zero_point = (convert(s, args[at], sources[at], i32) for at in (0, 2))
        difference = s.insert(arith.SIToFPOp(scalar.sub(s, data, zero_point), f32))
        result = scalar.mul(s, difference, convert(s, args[1], sources[1], f32))
        return result if target == f32 else convert(s, _bounded(s, result, -GREATEST_F16, GREATEST_F16), f32, target)

    return [b.elementwise(operands, b.sizes(dims_of(op.results[0].type)), signless(target), body, _maps(op))]


RULES: Rules = {
    qnn.QuantizeOp: _quantize,
    qnn.DequantizeOp: _dequantize,
    qnn.QnnQuantizeOp: _quantize,
    qnn.QnnDequantizeOp: _dequantize,
}
