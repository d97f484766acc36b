"""Emits the arithmetic of quantized numbers in core ops: what the rules for single ops share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import f32, f64, i32, i64
from xdsl.ir import Attribute, SSAValue

from ...dialects.relax.base import RelaxOp, dims, element
from ...dialects.relax.ops.binary import (
    AddOp,
    DivideOp,
    GreaterEqualOp,
    LeftShiftOp,
    MultiplyOp,
    RightShiftOp,
    SubtractOp,
    WhereOp,
)
from ...dialects.relax.ops.manipulate import SqueezeOp
from ...dialects.relax.ops.qnn.elementwise import QuantizeOp
from ...dialects.relax.ops.unary import ClipOp, FloorOp, RoundOp
from ...dialects.relax.rules.fixed_point import fixed_point, shifts
from ...dialects.relax.rules.qnn_rules import UPWARD, is_single, limits
from ...records import record
from ..folding.fold_constant import constant_value
from ..rewriting.emitter import Emitter

Array: TypeAlias = "np.ndarray[Any, Any]"
Parameter: TypeAlias = "SSAValue | Array"
"""A scale or a zero point: a value of the program, or numbers that are known."""


Rule: TypeAlias = "Callable[[Any, QuantizedEmitter], SSAValue | None]"
"""Returns the value that replaces an op, `None` to decline. Raises `LegalizationError` if the op has no form in core ops."""

Rules: TypeAlias = Mapping[type[RelaxOp], Rule]


class LegalizationError(Exception):
    """An op that has no form in core ops, and why."""


@record
class Quantization:
    """A scale and a zero point, which go along the dim `axis` (counted from 0) unless they are single numbers."""

    scale: Parameter
    zero_point: Parameter
    axis: int = 0


@record
class Requantization:
    """How a requantization computes: "UPWARD" or "TONEAREST", in i64 or f32."""

    rounding: str = UPWARD
    compute: Attribute = i64


def numbers_of(parameter: Parameter) -> Array | None:
    """Returns the numbers of a parameter, of rank 0 if there is only one; `None` if they are not known at compile time."""
    value = parameter if isinstance(parameter, np.ndarray) else constant_value(parameter)
    if value is None:
        return None
    array = np.asarray(value)
    return array.reshape(()) if array.size == 1 else array


def is_zero(parameter: Parameter) -> bool:
    """Returns whether a parameter is known to be 0."""
    array = numbers_of(parameter)
    return array is not None and not np.any(array)


def same_number(lhs: Parameter, rhs: Parameter) -> bool:
    """Returns whether two parameters are known to be the same single number."""
    if lhs is rhs and isinstance(lhs, SSAValue):
        return is_single(lhs)
    arrays = numbers_of(lhs), numbers_of(rhs)
    return all(array is not None and array.ndim == 0 for array in arrays) and bool(arrays[0] == arrays[1])


def rank_of(value: SSAValue) -> int:
    """Returns the rank of a tensor. Raises `LegalizationError` if it is not known."""
    shape = dims(value)
    if shape is None:
        raise LegalizationError(f"the rank of its operand must be known, got {value.type}")
    return len(shape)


def require_ranks(*values: SSAValue) -> None:
    """Raises `LegalizationError` if the rank of a tensor is not known."""
    for value in values:
        rank_of(value)


class QuantizedEmitter(Emitter):
    """Inserts the core ops that quantized ops stand for."""

    def number(self, value: int, like: SSAValue) -> SSAValue:
        """Builds a scalar tensor of the element type of another tensor."""
        return self.constant(np.asarray(value), element(like))

    def parameter(self, parameter: Parameter, axis: int, rank: int, element_type: Attribute) -> SSAValue:
        """Returns a parameter as a tensor that broadcasts along an axis of a tensor of some rank."""
        array = numbers_of(parameter)
        if array is not None:
            return self.constant(broadcasting(array, axis, rank), element_type)
        assert isinstance(parameter, SSAValue)
        value = parameter
        if is_single(value):
            value = self.op(SqueezeOp, value, axis=[0]) if dims(value) else value
        else:
            value = self.along(value, axis, rank)
        return self.cast(value, element_type)

    def difference(self, q: SSAValue, zero_point: Parameter, axis: int, wide: Attribute = i32) -> SSAValue:
        """Returns `q - zero_point` in a wide type."""
        x = self.cast(q, wide)
        return x if is_zero(zero_point) else self.op(SubtractOp, x, self.parameter(zero_point, axis, rank_of(q), wide))

    def plus(self, x: SSAValue, zero_point: Parameter, *, minus: bool = False) -> SSAValue:
        """Returns `x + zero_point`, or `x - zero_point`, for one zero point."""
        if is_zero(zero_point):
            return x
        return self.op(SubtractOp if minus else AddOp, x, self.parameter(zero_point, 0, rank_of(x), element(x)))

    def narrow(self, x: SSAValue, target: Attribute) -> SSAValue:
        """Returns i32 numbers clipped to an integer type."""
        if target == i32:
            return x
        low, high = limits(target)
        return self.cast(self.op(ClipOp, x, min=low, max=high), target)

    def requantize(
        self,
        q: SSAValue,
        source: Quantization,
        target: Quantization,
        how: Requantization,
        result: Attribute,
    ) -> SSAValue:
        """Returns integers of one quantization as those of another one, clipped to the type `result`."""
        t = self.difference(q, source.zero_point, source.axis)
        equal = same_number(source.scale, target.scale)
        if how.compute == f32:
            x = self.cast(t, f32)
            if not equal:
                x = self.op(MultiplyOp, x, self._ratio(source, target, rank_of(q)))
            x = self.plus(x, target.zero_point)
            if how.rounding != UPWARD and result != i32:
                unit, zero = self.constant(np.asarray(1.0), f32), self.constant(np.asarray(0), i32)
                return self.op(QuantizeOp, x, unit, zero, out_dtype=result)
            return self.narrow(self._rounded(x, how.rounding), result)
        if not equal:
            scales = numbers_of(source.scale), numbers_of(target.scale)
            if scales[0] is None or scales[1] is None:
                raise LegalizationError(
                    "its scales must be constants for compute_dtype i64; bind them (relax-bind-params) or compute in f32"
                )
            ratio = scales[0].astype(np.float64) / scales[1].astype(np.float64)
            t = self.multiplied(t, ratio, source.axis, how.rounding)
        return self.narrow(self.plus(t, target.zero_point), result)

    def _ratio(self, source: Quantization, target: Quantization, rank: int) -> SSAValue:
        scales = numbers_of(source.scale), numbers_of(target.scale)
        if scales[0] is not None and scales[1] is not None:
            ratio = (scales[0].astype(np.float64) / scales[1].astype(np.float64)).astype(np.float32)
            return self.constant(broadcasting(ratio, source.axis, rank), f32)
        lhs = self.parameter(source.scale, source.axis, rank, f64)
        return self.cast(self.op(DivideOp, lhs, self.parameter(target.scale, 0, rank, f64)), f32)

    def _rounded(self, x: SSAValue, rounding: str) -> SSAValue:
        if rounding == UPWARD:
            return self.cast(self.op(FloorOp, self.op(AddOp, x, self.constant(np.asarray(0.5), f32))), i32)
        return self.cast(self.op(RoundOp, x), i32)

    def multiplied(self, t: SSAValue, multipliers: Array, axis: int, rounding: str) -> SSAValue:
        """Returns i32 numbers times fixed-point multipliers (one, or one for each index along an axis), rounded to i32.

        A single multiplier that is a power of two is a shift in i32 when halves are rounded up.
        """
        try:
            pairs = [fixed_point(float(multiplier)) for multiplier in multipliers.reshape(-1)]
        except ValueError as error:
            raise LegalizationError(str(error)) from None
        if multipliers.ndim == 0 and rounding == UPWARD and pairs[0][0] == 2**30:
            return self._shifted(t, pairs[0][1] - 1)

        def numbers(values: list[int]) -> SSAValue:
            array = np.array(values, np.int64).reshape(multipliers.shape)
            if array.ndim and np.all(array == array[0]):
                array = array[0]
            return self.constant(broadcasting(np.asarray(array), axis, rank_of(t)), i64)

        # A multiplier is `mantissa * 2^left / 2^right`, with `right` > 0 so that there is a bit to round by.
        left, right = ([shifts(exponent)[side] for _, exponent in pairs] for side in (0, 1))
        x = self.cast(t, i64)
        if any(left):
            x = self.op(LeftShiftOp, x, numbers(left))
        x = self.op(MultiplyOp, x, numbers([mantissa for mantissa, _ in pairs]))
        rounder = numbers([1 << (shift - 1) for shift in right])
        if rounding != UPWARD:
            below = numbers([(1 << (shift - 1)) - 1 for shift in right])
            rounder = self.op(WhereOp, self.op(GreaterEqualOp, x, self.number(0, x)), rounder, below)
        return self.cast(self.op(RightShiftOp, self.op(AddOp, x, rounder), numbers(right)), i32)

    def _shifted(self, t: SSAValue, exponent: int) -> SSAValue:
        if exponent == 0:
            return t
        if exponent > 0:
            return self.op(LeftShiftOp, t, self.number(exponent, t))
        if exponent < -31:
            return self.op(MultiplyOp, t, self.number(0, t))
        # 2^31 wraps around, as the sum does.
        half = np.array(1 << (-exponent - 1)).astype(np.int64).astype(np.int32)
        return self.op(RightShiftOp, self.op(AddOp, t, self.constant(half, i32)), self.number(-exponent, t))


def broadcasting(array: Array, axis: int, rank: int) -> Array:
    """Returns a vector with dims of size 1 behind it, so that it broadcasts along an axis of a tensor of some rank."""
    return array if array.ndim == 0 else array.reshape(-1, *([1] * (rank - 1 - axis)))
