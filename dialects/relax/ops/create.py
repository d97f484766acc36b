"""Creation of tensors: zeros, ones, full, arange, eye, tril, triu, hamming_window."""

from __future__ import annotations

import math
from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import f32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
)

from ...symbolic.conditions import SizeContext
from ...symbolic.expressions import Dim, apply, sub
from ..attrs import tensor_type
from ..base import BOOL, DTYPE, F64, I64, SHAPE, TENSOR, TensorOp, dims, dtype_attr, element, fail, shape_value
from ..dtypes import ALL, FLOATS, NUMERIC
from ..element_rules import require_element
from ..fusion_pattern import FusionPattern
from ..rules.shape_rules import shape_text


class FillOp(TensorOp, ABC):
    """A tensor of a given shape with one value everywhere.

    <op>_c1: `dtype` is an element type of the dialect.
    <op>_c2: no size is a negative number.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.ELEM_WISE
    shape = operand_def(SHAPE)
    dtype = prop_def(DTYPE)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        element_type = require_element(dtype_attr(self.dtype), ALL, f"{self.stem}_c1")
        return [tensor_type(_sizes(context, self.shape, f"{self.stem}_c2"), element_type)]


def _sizes(context: SizeContext, shape: SSAValue, constraint: str) -> tuple[Dim, ...]:
    """Returns the dims of a shape operand, none of them negative."""
    sizes = shape_value(shape)
    if any(context.is_below(dim, 0) for dim in sizes):
        fail(constraint, f"sizes must not be negative, got {shape_text(sizes)}")
    return sizes


@irdl_op_definition
class ZerosOp(FillOp):
    """Zeros."""

    name = "relax.zeros"


@irdl_op_definition
class OnesOp(FillOp):
    """Ones."""

    name = "relax.ones"


class FillLikeOp(TensorOp, ABC):
    """A tensor of the operand's shape with one value everywhere, of the operand's element type or of `dtype`.

    <op>_c1: `dtype` is an element type of the dialect.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.ELEM_WISE
    x = operand_def(TENSOR)
    dtype = opt_prop_def(DTYPE)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        element_type = element(self.x) if self.dtype is None else dtype_attr(self.dtype)
        return [tensor_type(dims(self.x), require_element(element_type, ALL, f"{self.stem}_c1"))]


@irdl_op_definition
class ZerosLikeOp(FillLikeOp):
    """Zeros in the shape of the operand."""

    name = "relax.zeros_like"


@irdl_op_definition
class OnesLikeOp(FillLikeOp):
    """Ones in the shape of the operand."""

    name = "relax.ones_like"


def _require_scalar(value: SSAValue, constraint: str) -> None:
    shape = dims(value)
    if shape is not None and shape != ():
        fail(constraint, f"fill_value must be a scalar tensor, got shape {shape_text(shape)}")


@irdl_op_definition
class FullOp(TensorOp):
    """A tensor of a given shape with the value of a scalar tensor everywhere, converted to `dtype` (default: its own type).

    full_c1: `dtype` is an element type of the dialect.
    full_c2: no size is a negative number.
    full_c3: `fill_value` is a scalar tensor.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.ELEM_WISE
    name = "relax.full"
    shape = operand_def(SHAPE)
    fill_value = operand_def(TENSOR)
    dtype = opt_prop_def(DTYPE)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        _require_scalar(self.fill_value, "full_c3")
        element_type = element(self.fill_value) if self.dtype is None else dtype_attr(self.dtype)
        return [tensor_type(_sizes(context, self.shape, "full_c2"), require_element(element_type, ALL, "full_c1"))]


@irdl_op_definition
class FullLikeOp(TensorOp):
    """A tensor of the shape of `x` with the value of a scalar tensor everywhere, converted to `dtype` (default: that of `x`).

    full_like_c1: `dtype` is an element type of the dialect.
    full_like_c2: `fill_value` is a scalar tensor.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.ELEM_WISE
    name = "relax.full_like"
    x = operand_def(TENSOR)
    fill_value = operand_def(TENSOR)
    dtype = opt_prop_def(DTYPE)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        _require_scalar(self.fill_value, "full_like_c2")
        element_type = element(self.x) if self.dtype is None else dtype_attr(self.dtype)
        return [tensor_type(dims(self.x), require_element(element_type, ALL, "full_like_c1"))]


@irdl_op_definition
class ArangeOp(TensorOp):
    """The numbers from `start`, in steps of `step`, as long as they are before `end`.

    The bounds are the attributes `start` (0), `end` and `step` (1), integers or floats, or, where symbols occur in them, a shape operand
    `[start, end, step]`: `relax.arange %r {dtype = i64} : (!relax.shape<[0, n, 1]>) -> tensor<?xi64, #relax.sym<n>>`. With integers the
    numbers are computed in i64, else in f64, and then converted to `dtype`, which is i64 for integers and else f32 by default.
    Relax counts wrongly for a negative step, we do not.

    arange_c1: there are either bounds as attributes, with `end`, or a shape operand of three entries.
    arange_c2: the step is a number other than 0; no bound is infinite or NaN.
    arange_c3: `dtype` is numeric.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.ELEM_WISE
    name = "relax.arange"
    bounds = opt_operand_def(SHAPE)
    start = opt_prop_def(I64 | F64)
    end = opt_prop_def(I64 | F64)
    step = opt_prop_def(I64 | F64)
    dtype = opt_prop_def(DTYPE)

    def limits(self) -> tuple[Dim | float, Dim | float, int | float]:
        """Returns start, end and step; a float among them makes all floats."""
        start, end, step = self._given()
        if not isinstance(step, int | float) or step == 0 or not math.isfinite(step):
            fail("arange_c2", f"step must be a number other than 0, got {step}")
        if any(isinstance(bound, float) and not math.isfinite(bound) for bound in (start, end)):
            fail("arange_c2", f"bounds must be finite, got {start} and {end}")
        numbers = [float(bound) for bound in (start, end, step) if isinstance(bound, int | float)]
        if len(numbers) == 3 and any(isinstance(bound, float) for bound in (start, end, step)):
            return numbers[0], numbers[1], numbers[2]
        return start, end, step

    def _given(self) -> Sequence[Dim | float]:
        """Returns the bounds as they are written; only a shape operand has symbols."""
        given: list[int | float | None] = [self.prop(name) for name in ("start", "end", "step")]
        if self.bounds is not None:
            sizes = shape_value(self.bounds)
            if given != [None] * 3 or len(sizes) != 3:
                fail("arange_c1", f"a shape operand must be [start, end, step] and alone, got {self.bounds.type}")
            return sizes
        start, end, step = given
        if end is None:
            fail("arange_c1", "end must be given, got neither an attribute nor a shape operand")
        return 0 if start is None else start, end, 1 if step is None else step

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        start, end, step = self.limits()
        default = f32 if isinstance(step, float) else i64
        element_type = require_element(default if self.dtype is None else dtype_attr(self.dtype), NUMERIC, "arange_c3")
        return [tensor_type([arange_length(start, end, step)], element_type)]


def arange_length(start: Dim | float, end: Dim | float, step: float) -> Dim:
    """Returns how many numbers there are from start, in steps, before end."""
    if isinstance(step, float):
        assert isinstance(start, float) and isinstance(end, float)
        return max(0, math.ceil((end - start) / step))
    assert not isinstance(start, float) and not isinstance(end, float)
    distance = sub(end, start) if step > 0 else sub(start, end)
    count = apply("floordiv", apply("+", distance, abs(step) - 1), abs(step))
    return apply("max", count, 0)


_FAR = 1 << 62
"""A diagonal that no matrix reaches; the sum of that and a row is an index."""


class DiagonalOp(TensorOp, ABC):
    """An op that knows the diagonal `k`: 0 is the main one (the default), positive ones are above it, negative ones below."""

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.ELEM_WISE
    k = opt_prop_def(I64)

    def diagonal(self) -> int:
        """Returns `k`, or what is as far from all elements, so that sums with their places fit into 64 bits."""
        return max(-_FAR, min(self.prop("k", 0), _FAR))


@irdl_op_definition
class EyeOp(DiagonalOp):
    """A matrix with ones on diagonal `k` and zeros elsewhere; the operand is its shape `[n, m]`, `dtype` is f32 by default.

    Relax takes `n` and `m` as scalars.

    eye_c1: `dtype` is an element type of the dialect.
    eye_c2: the shape has two entries, none of them a negative number.
    """

    name = "relax.eye"
    shape = operand_def(SHAPE)
    dtype = opt_prop_def(DTYPE)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        element_type = require_element(f32 if self.dtype is None else dtype_attr(self.dtype), ALL, "eye_c1")
        sizes = _sizes(context, self.shape, "eye_c2")
        if len(sizes) != 2:
            fail("eye_c2", f"the shape must have 2 entries, got {shape_text(sizes)}")
        return [tensor_type(sizes, element_type)]


@irdl_op_definition
class EyeLikeOp(DiagonalOp):
    """A matrix of the operand's shape with ones on diagonal `k` and zeros elsewhere, of the operand's element type or of `dtype`.

    eye_like_c1: `dtype` is an element type of the dialect.
    eye_like_c2: the operand is a matrix.
    """

    name = "relax.eye_like"
    x = operand_def(TENSOR)
    dtype = opt_prop_def(DTYPE)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        element_type = element(self.x) if self.dtype is None else dtype_attr(self.dtype)
        shape = dims(self.x)
        if shape is not None and len(shape) != 2:
            fail("eye_like_c2", f"the operand must have rank 2, got {len(shape)}")
        return [
            tensor_type((None, None) if shape is None else shape, require_element(element_type, ALL, "eye_like_c1"))
        ]


class TriangleOp(DiagonalOp, ABC):
    """A matrix, or each matrix of a batch, with zeros on one side of diagonal `k`.

    <op>_c1: the operand has rank 2 or more.
    """

    x = operand_def(TENSOR)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        shape = dims(self.x)
        if shape is not None and len(shape) < 2:
            fail(f"{self.stem}_c1", f"the operand must have rank 2 or more, got {len(shape)}")
        return [tensor_type(shape, element(self.x))]


@irdl_op_definition
class TrilOp(TriangleOp):
    """The lower triangle: zeros above diagonal `k`."""

    name = "relax.tril"


@irdl_op_definition
class TriuOp(TriangleOp):
    """The upper triangle: zeros below diagonal `k`."""

    name = "relax.triu"


@irdl_op_definition
class HammingWindowOp(TensorOp):
    """`alpha - beta * cos(2 * pi * i / (n - 1))` for i < n, with n in place of n - 1 if `periodic` (the default); 1 for n = 1.

    The operand is the shape `[n]`, where Relax takes a scalar; `alpha` is 0.54 by default, `beta` 0.46. Computed in f64.

    hamming_window_c1: `dtype` is a floating-point type.
    hamming_window_c2: the shape has one entry, which is not a number less than 1.
    """

    FUSION_PATTERN: ClassVar[FusionPattern] = FusionPattern.ELEM_WISE
    name = "relax.hamming_window"
    shape = operand_def(SHAPE)
    periodic = opt_prop_def(BOOL)
    alpha = opt_prop_def(F64)
    beta = opt_prop_def(F64)
    dtype = prop_def(DTYPE)

    def infer(self, context: SizeContext) -> Sequence[Attribute]:
        element_type = require_element(dtype_attr(self.dtype), FLOATS, "hamming_window_c1")
        sizes = shape_value(self.shape)
        if len(sizes) != 1 or (isinstance(sizes[0], int) and sizes[0] < 1):
            fail("hamming_window_c2", f"the shape must be one size of at least 1, got {shape_text(sizes)}")
        return [tensor_type(sizes, element_type)]
