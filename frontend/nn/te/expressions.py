"""Scalar expressions of a kernel: indices, numbers, sizes, elements of tensors, and what is computed of them."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeAlias

import numpy as np

from ....builder.numbers import number_array
from ....builder.types import Size, element_type
from ....dialects.relax.dtypes import is_float, is_unsigned, numpy_dtype
from ..annotations import checked

INDEX = "int64"

Scalar: TypeAlias = "Expr | Size | float"
"""What stands for an expression."""


class Expr:
    """A scalar of a kernel, with a dtype; operators make further ones."""

    dtype: str

    def __add__(self, other: Scalar) -> Expr:
        return binary("add", self, other)

    def __radd__(self, other: Scalar) -> Expr:
        return binary("add", other, self)

    def __sub__(self, other: Scalar) -> Expr:
        return binary("sub", self, other)

    def __rsub__(self, other: Scalar) -> Expr:
        return binary("sub", other, self)

    def __mul__(self, other: Scalar) -> Expr:
        return binary("mul", self, other)

    def __rmul__(self, other: Scalar) -> Expr:
        return binary("mul", other, self)

    def __truediv__(self, other: Scalar) -> Expr:
        return _divided(self, other)

    def __rtruediv__(self, other: Scalar) -> Expr:
        return _divided(other, self)

    def __floordiv__(self, other: Scalar) -> Expr:
        return binary("floordiv", self, other)

    def __rfloordiv__(self, other: Scalar) -> Expr:
        return binary("floordiv", other, self)

    def __mod__(self, other: Scalar) -> Expr:
        return binary("floormod", self, other)

    def __rmod__(self, other: Scalar) -> Expr:
        return binary("floormod", other, self)

    def __neg__(self) -> Expr:
        return binary("sub", const(0, self.dtype), self)

    def __lt__(self, other: Scalar) -> Expr:
        return compare("lt", self, other)

    def __le__(self, other: Scalar) -> Expr:
        return compare("le", self, other)

    def __gt__(self, other: Scalar) -> Expr:
        return compare("gt", self, other)

    def __ge__(self, other: Scalar) -> Expr:
        return compare("ge", self, other)

    def __eq__(self, other: Scalar) -> Expr:  # pyright: ignore[reportIncompatibleMethodOverride]
        return Apply("eq", unified(self, other), "bool")

    def __ne__(self, other: Scalar) -> Expr:  # pyright: ignore[reportIncompatibleMethodOverride]
        return Apply("ne", unified(self, other), "bool")

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise TypeError(
            "an expression has no value yet: use te.if_then_else, te.all and te.any in place of if, and and or"
        )

    def astype(self, dtype: str) -> Expr:
        """Returns the value converted to another dtype."""
        return self if dtype == self.dtype else Apply("cast", (self,), numpy_dtype(element_type(dtype)).name)


@dataclass(frozen=True, eq=False)
class Axis(Expr):
    """An index that runs from `low` up to `low + extent`."""

    low: int
    extent: Any
    is_reduced: bool = False
    dtype: str = INDEX
    name: str = "k"

    @property
    def label(self) -> str:
        """What an error calls the index."""
        return f"the reduction index {self.name}" if self.is_reduced else self.name

    @property
    def var(self) -> Axis:
        """The index itself."""
        return self


@dataclass(frozen=True, eq=False)
class Constant(Expr):
    """A number."""

    value: Any
    dtype: str


@dataclass(frozen=True, eq=False)
class SizeValue(Expr):
    """A size, which symbols tell."""

    size: Size
    dtype: str = INDEX


@dataclass(frozen=True, eq=False)
class Load(Expr):
    """An element of a tensor; its place must be inside."""

    tensor: Any
    """A `te.Tensor`."""
    indices: tuple[Expr, ...]
    dtype: str


@dataclass(frozen=True, eq=False)
class Apply(Expr):
    """An operation on scalars."""

    op: str
    args: tuple[Expr, ...]
    dtype: str


@dataclass(frozen=True, eq=False)
class Reduction(Expr):
    """The sum, product, largest or smallest of the values of an expression over axes; the whole of a computation."""

    op: str
    body: Expr
    axes: tuple[Axis, ...]
    dtype: str


def const(value: float, dtype: str) -> Expr:
    """Returns a number of a dtype, a float of an integer dtype without its fraction; raises `TypeError` for what that does not hold."""
    element = element_type(dtype)
    try:
        whole = value if is_float(element) or dtype == "bool" or not isinstance(value, float) else int(value)
        return Constant(number_array(whole, element).item(), dtype)
    except (OverflowError, ValueError):
        raise TypeError(f"{dtype} does not hold the constant {value!r}") from None


def expression(value: Any, dtype: str = INDEX) -> Expr:
    """Returns the expression that a value stands for, a number in a dtype; raises `TypeError` for what is none."""
    match value:
        case Expr():
            return value
        case Size():
            return SizeValue(value)
        case bool() | np.bool_():
            return Constant(bool(value), "bool")
        case int() | np.integer():
            return const(int(value), dtype if dtype != "bool" else INDEX)
        case float() | np.floating():
            return const(float(value), dtype if _is_float(dtype) else "float32")
        case _:
            raise TypeError(f"expected an expression, a number or a size, got {type(value).__name__}")


def _is_float(dtype: str) -> bool:
    return "float" in dtype


def unified(lhs: Scalar, rhs: Scalar) -> tuple[Expr, Expr]:
    """Returns both in one dtype: that of the expression beside a number, a float beside an integer, else one that holds both."""
    known = next((value.dtype for value in (lhs, rhs) if isinstance(value, Expr)), INDEX)
    x, y = expression(lhs, known), expression(rhs, known)
    if x.dtype == y.dtype:
        return x, y
    dtype = _joined(x.dtype, y.dtype)
    return x.astype(dtype), y.astype(dtype)


def _joined(first: str, second: str) -> str:
    """Returns the dtype that holds the values of two: a float before an integer, then the wider one, and the next wider of both kinds."""
    if "bool" in (first, second):
        return second if first == "bool" else first
    if _is_float(first) != _is_float(second):
        return first if _is_float(first) else second
    widths = [np.dtype(numpy_dtype(element_type(dtype))).itemsize for dtype in (first, second)]
    kinds = [dtype.rstrip("0123456789") for dtype in (first, second)]
    if kinds[0] == kinds[1] or (
        not _is_float(first) and widths[0] != widths[1] and kinds[widths.index(builtins.max(widths))] == "int"
    ):
        return first if widths[0] > widths[1] else second
    if _is_float(first):
        return first if widths[0] > widths[1] else second if widths[1] > widths[0] else "float32"
    wide = 16 * builtins.max(width for width, kind in zip(widths, kinds, strict=True) if kind == "uint")
    if wide > 64:
        raise TypeError(f"no integer dtype holds the values of {first} and {second}: use astype")
    return f"int{wide}"


def binary(op: str, lhs: Scalar, rhs: Scalar) -> Expr:
    """Returns an operation on two values of one dtype, and of that dtype; booleans have only the larger and the smaller."""
    x, y = unified(lhs, rhs)
    if x.dtype == "bool" and op not in ("max", "min"):
        raise TypeError(f"{op} of two booleans: use te.any or te.all, or astype")
    return Apply(op, (x, y), x.dtype)


def compare(op: str, lhs: Scalar, rhs: Scalar) -> Expr:
    """Returns a comparison."""
    return Apply(op, unified(lhs, rhs), "bool")


def _divided(lhs: Scalar, rhs: Scalar) -> Expr:
    x, y = unified(lhs, rhs)
    if not _is_float(x.dtype):
        raise TypeError(f"a division of {x.dtype}: use // for integers, or astype")
    return Apply("div", (x, y), x.dtype)


def maximum(lhs: Scalar, rhs: Scalar) -> Expr:
    """Returns the larger of two values, NaN if one of them is."""
    return binary("max", lhs, rhs)


def minimum(lhs: Scalar, rhs: Scalar) -> Expr:
    """Returns the smaller of two values, NaN if one of them is."""
    return binary("min", lhs, rhs)


def power(lhs: Scalar, rhs: Scalar) -> Expr:
    """Returns a float to the power of another."""
    return _float_call("pow", lhs, rhs)


def if_then_else(condition: Expr, then: Scalar, otherwise: Scalar) -> Expr:
    """Returns one of two values; elements of the other are not read."""
    x, y = unified(then, otherwise)
    return Apply("select", (_condition(condition), x, y), x.dtype)


def all(*conditions: Expr) -> Expr:
    """Returns whether all conditions hold."""
    return reduce(lambda x, y: Apply("and", (x, y), "bool"), map(_condition, conditions))


def any(*conditions: Expr) -> Expr:
    """Returns whether one of the conditions holds."""
    return reduce(lambda x, y: Apply("or", (x, y), "bool"), map(_condition, conditions))


def _condition(value: Any) -> Expr:
    condition = expression(value)
    if condition.dtype != "bool":
        raise TypeError(f"expected a condition, such as x > 0, got a value of dtype {condition.dtype}")
    return condition


def _float_call(name: str, *args: Scalar) -> Expr:
    operands = unified(*args) if len(args) == 2 else (expression(args[0], "float32"),)
    if not _is_float(operands[0].dtype):
        raise TypeError(f"te.{name} takes a float, got {operands[0].dtype}: use astype")
    return Apply(name, operands, operands[0].dtype)


def exp(x: Scalar) -> Expr:
    """Returns the exponential."""
    return _float_call("exp", x)


def log(x: Scalar) -> Expr:
    """Returns the natural logarithm."""
    return _float_call("log", x)


def sqrt(x: Scalar) -> Expr:
    """Returns the square root."""
    return _float_call("sqrt", x)


def rsqrt(x: Scalar) -> Expr:
    """Returns 1 over the square root."""
    return _float_call("rsqrt", x)


def sin(x: Scalar) -> Expr:
    """Returns the sine."""
    return _float_call("sin", x)


def cos(x: Scalar) -> Expr:
    """Returns the cosine."""
    return _float_call("cos", x)


def tanh(x: Scalar) -> Expr:
    """Returns the hyperbolic tangent."""
    return _float_call("tanh", x)


def sigmoid(x: Scalar) -> Expr:
    """Returns `1 / (1 + exp(-x))`."""
    return _float_call("sigmoid", x)


def erf(x: Scalar) -> Expr:
    """Returns the error function."""
    return _float_call("erf", x)


def floor(x: Scalar) -> Expr:
    """Returns the largest integer that is no larger."""
    return _float_call("floor", x)


def ceil(x: Scalar) -> Expr:
    """Returns the smallest integer that is no smaller."""
    return _float_call("ceil", x)


def round(x: Scalar) -> Expr:
    """Returns the nearest integer, an even one of two."""
    return _float_call("nearbyint", x)


def abs(x: Scalar) -> Expr:
    """Returns the absolute value."""
    value = expression(x)
    return value if is_unsigned(element_type(value.dtype)) else Apply("abs", (value,), value.dtype)


def _reduction(op: str, body: Scalar, axis: Axis | Sequence[Axis]) -> Expr:
    axes = (axis,) if isinstance(axis, Axis) else tuple(axis)
    if not axes or not np.all([item.is_reduced for item in axes]):
        raise TypeError("expected te.reduce_axis, or a list of them, as the axis of a reduction")
    twice = [item.label for item in axes if [other is item for other in axes].count(True) > 1]
    if twice:
        raise TypeError(f"expected different axes of a reduction, got {twice[0]} twice")
    value = expression(body, "float32")
    if value.dtype == "bool" and op not in ("max", "min"):
        raise TypeError("a sum or product of booleans: use te.max for any, te.min for all, or astype to count")
    return Reduction(op, value, axes, value.dtype)


@checked
def sum(expr: Scalar, axis: Axis | Sequence[Axis]) -> Expr:
    """Returns the sum over axes; of f16 and bf16 it is computed in f32."""
    return _reduction("add", expr, axis)


@checked
def prod(expr: Scalar, axis: Axis | Sequence[Axis]) -> Expr:
    """Returns the product over axes; of f16 and bf16 it is computed in f32."""
    return _reduction("mul", expr, axis)


@checked
def max(expr: Scalar, axis: Axis | Sequence[Axis]) -> Expr:
    """Returns the largest value over axes, NaN if one is."""
    return _reduction("max", expr, axis)


@checked
def min(expr: Scalar, axis: Axis | Sequence[Axis]) -> Expr:
    """Returns the smallest value over axes, NaN if one is."""
    return _reduction("min", expr, axis)
