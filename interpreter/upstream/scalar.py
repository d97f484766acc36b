"""Interpreter rules of `arith` and `math`, element by element: on scalars, on tensors, and on whole iteration spaces.

A value is a Python int (`index`), a numpy scalar or an array. Signless integers are signed numpy integers, `i1` is `bool`; the
ops say themselves whether they mean signed or unsigned. f16 and bf16 are computed in f32 and rounded after each op.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    TensorType,
    VectorType,
)
from xdsl.ir import Attribute, Operation

from ...dialects.relax.dense import dense_to_numpy
from ...dialects.relax.dtypes import numpy_dtype
from ..blockwise import erf
from ..rule import InterpreterError, widened

Array: TypeAlias = np.ndarray[Any, Any]
Function: TypeAlias = Callable[..., Any]


def element(type_: Attribute) -> Attribute:
    """Returns the element type of a tensor, or the type itself."""
    return type_.element_type if isinstance(type_, TensorType | VectorType) else type_


def as_type(value: Any, type_: Attribute) -> Any:
    """Returns a value as the type asks: an int for a scalar `index`, else numpy data of its dtype."""
    if isinstance(type_, IndexType) and np.ndim(value) == 0:
        return int(value)
    array = np.asarray(value)
    dtype = numpy_dtype(element(type_))
    if array.dtype != dtype:
        array = (array & 1 != 0) if dtype == np.bool_ else array.astype(dtype)
    return array if array.ndim else array[()]


def signed(value: Any) -> Array:
    """Returns integers as signed ones; a set `i1` is -1."""
    array = np.asarray(value)
    return -array.astype(np.int8) if array.dtype == np.bool_ else array


def unsigned(value: Any) -> Array:
    """Returns the bits of integers as unsigned ones."""
    array = np.asarray(value)
    if array.dtype.kind == "u":
        return array
    return array.astype(np.uint8) if array.dtype == np.bool_ else array.view(f"u{array.dtype.itemsize}")


def _truncated(a: Array, b: Array) -> Array:
    """Returns the quotient rounded to zero."""
    quotient = a // b
    return quotient + ((a % b != 0) & ((a < 0) != (b < 0)))


def _shift(function: Function) -> Function:
    """Returns a shift; a shift by the width or more leaves nothing (in MLIR the result is poison)."""

    def shifted(a: Array, b: Array) -> Array:
        width = a.dtype.itemsize * 8
        amount = unsigned(b).astype(a.dtype)
        return np.where(amount < width, function(a, np.minimum(amount, a.dtype.type(width - 1))), a.dtype.type(0))

    return shifted


_SIGNED: Mapping[str, Function] = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "divsi": _truncated,
    "floordivsi": lambda a, b: a // b,
    "ceildivsi": lambda a, b: -(-a // b),
    "remsi": np.fmod,
    "maxsi": np.maximum,
    "minsi": np.minimum,
    "shrsi": _shift(np.right_shift),
}
_UNSIGNED: Mapping[str, Function] = {
    "divui": lambda a, b: a // b,
    "ceildivui": lambda a, b: a // b + (a % b != 0),
    "remui": lambda a, b: a % b,
    "maxui": np.maximum,
    "minui": np.minimum,
    "shrui": _shift(np.right_shift),
    "shli": _shift(np.left_shift),
}
_BITWISE: Mapping[str, Function] = {"andi": np.bitwise_and, "ori": np.bitwise_or, "xori": np.bitwise_xor}
_FLOAT: Mapping[str, Function] = {
    "arith.addf": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
    "arith.divf": np.divide,
    "arith.negf": np.negative,
    "arith.remf": np.fmod,
    "arith.maximumf": np.maximum,
    "arith.minimumf": np.minimum,
    "arith.maxnumf": np.fmax,
    "arith.minnumf": np.fmin,
    "math.absf": np.abs,
    "math.acos": np.arccos,
    "math.acosh": np.arccosh,
    "math.asin": np.arcsin,
    "math.asinh": np.arcsinh,
    "math.atan": np.arctan,
    "math.atan2": np.arctan2,
    "math.atanh": np.arctanh,
    "math.cbrt": np.cbrt,
    "math.ceil": np.ceil,
    "math.copysign": np.copysign,
    "math.cos": np.cos,
    "math.cosh": np.cosh,
    "math.erf": erf,
    "math.exp": np.exp,
    "math.exp2": np.exp2,
    "math.expm1": np.expm1,
    "math.floor": np.floor,
    "math.fma": lambda a, b, c: (a.astype(np.float64) * b + c).astype(a.dtype),
    "math.log": np.log,
    "math.log10": np.log10,
    "math.log1p": np.log1p,
    "math.log2": np.log2,
    "math.powf": np.power,
    "math.round": lambda x: np.copysign(np.trunc(np.abs(x) + np.where(np.abs(x) < 2**52, 0.5, 0.0)), x),
    "math.roundeven": np.rint,
    "math.rsqrt": lambda x: 1 / np.sqrt(x),
    "math.sin": np.sin,
    "math.sinh": np.sinh,
    "math.sqrt": np.sqrt,
    "math.tan": np.tan,
    "math.tanh": np.tanh,
    "math.trunc": np.trunc,
}

_ORDER: Sequence[Function] = (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal)
_FLOAT_ORDER: Sequence[Function] = (np.equal, np.greater, np.greater_equal, np.less, np.less_equal, np.not_equal)


def compare_integers(predicate: int, a: Any, b: Any) -> Any:
    """Returns `arith.cmpi`: eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge."""
    convert = signed if predicate < 6 else unsigned
    return _ORDER[predicate if predicate < 6 else predicate - 4](convert(a), convert(b))


def compare_floats(predicate: int, a: Any, b: Any) -> Any:
    """Returns `arith.cmpf`: false, the six ordered ones, ord, the six unordered ones, uno, true."""
    unordered = np.isnan(a) | np.isnan(b)
    if predicate in (0, 15):
        return np.full(unordered.shape, predicate == 15)
    if predicate in (7, 14):
        return ~unordered if predicate == 7 else unordered
    ordered = _FLOAT_ORDER[(predicate - 1) % 7](a, b)
    return ordered | unordered if predicate > 7 else ordered & ~unordered


def constant(op: Operation) -> Any:
    """Returns the value of an `arith.constant`."""
    value = op.properties["value"]
    if isinstance(value, DenseIntOrFPElementsAttr | DenseResourceAttr):
        return dense_to_numpy(value)
    assert isinstance(value, IntegerAttr | FloatAttr)
    return as_type(value.value.data, op.results[0].type)


def _extended(op: Operation, args: Sequence[Any]) -> list[Any]:
    """Returns the low and the high half of a product, or a sum and its carry."""
    if op.name == "arith.addui_extended":
        a, b = (unsigned(x) for x in args)
        low = a + b
        return [low, low < a]
    convert = signed if op.name == "arith.mulsi_extended" else unsigned
    a, b = (convert(x).astype(object) for x in args)
    width = np.asarray(args[0]).dtype.itemsize * 8
    product = a * b
    return [_wrapped(product, width), _wrapped(product >> width, width)]


def _wrapped(value: Any, width: int) -> Array:
    half = 1 << (width - 1)
    return ((np.asarray(value, object) + half) % (2 * half) - half).astype(f"i{width // 8}")


def _to_integer(op: Operation, value: Any) -> Array:
    """Returns a float rounded to zero; what does not fit becomes the nearest that does, NaN becomes 0."""
    dtype = numpy_dtype(element(op.results[0].type))
    if dtype == np.bool_:
        return np.asarray(value) != 0
    target = np.iinfo(f"u{dtype.itemsize}" if op.name == "arith.fptoui" else dtype)
    wide = np.nan_to_num(np.trunc(np.asarray(value).astype(np.float64)))
    inside = np.where((wide >= float(target.min)) & (wide < float(target.max)), wide, 0.0).astype(target.dtype)
    inside = np.where(wide >= float(target.max), target.dtype.type(target.max), inside)
    return np.where(wide < float(target.min), target.dtype.type(target.min), inside)


def _bits(op: Operation, value: Any) -> Array:
    """Returns the number of leading or trailing zeros, or of set bits."""
    array = unsigned(value)
    width = array.dtype.itemsize * 8
    bits = (array[..., None] >> np.arange(width, dtype=array.dtype)) & array.dtype.type(1)
    if op.name == "math.ctpop":
        return bits.sum(-1)
    bits = bits if op.name == "math.cttz" else bits[..., ::-1]
    return np.where(bits.any(-1), bits.argmax(-1), width)


def _power(op: Operation, args: Sequence[Any]) -> Any:
    base, exponent = np.asarray(args[0]), np.asarray(args[1])
    if op.name == "math.fpowi":
        return np.power(widened(base), exponent)
    positive = np.power(base, np.maximum(exponent, 0))
    return np.where(exponent >= 0, positive, np.where(base == 1, 1, np.where(base == -1, 1 - 2 * (exponent & 1), 0)))


def _select(args: Sequence[Any]) -> Any:
    condition, on_true, on_false = args
    if np.ndim(condition) == 0:
        return on_true if condition else on_false
    return np.where(condition, on_true, on_false)


def _bitcast(op: Operation, value: Any) -> Any:
    return np.asarray(value).view(numpy_dtype(element(op.results[0].type)))


_CONVERSIONS: Mapping[str, Function] = {
    "arith.index_cast": lambda op, x: signed(x),
    "arith.index_castui": lambda op, x: unsigned(x),
    "arith.extsi": lambda op, x: signed(x),
    "arith.extui": lambda op, x: unsigned(x),
    "arith.trunci": lambda op, x: x,
    "arith.extf": lambda op, x: x,
    "arith.truncf": lambda op, x: x,
    "arith.sitofp": lambda op, x: signed(x),
    "arith.uitofp": lambda op, x: unsigned(x),
    "arith.fptosi": _to_integer,
    "arith.fptoui": _to_integer,
    "arith.bitcast": _bitcast,
    "math.absi": lambda op, x: np.abs(signed(x)),
    "math.ctlz": _bits,
    "math.cttz": _bits,
    "math.ctpop": _bits,
}


def evaluate_scalar(op: Operation, args: Sequence[Any]) -> list[Any] | None:
    """Returns the results of an `arith` or `math` op, or None for an op that is none of those known."""
    _require_same_shape(op, args)
    values = _evaluate(op, args)
    if values is None:
        return None
    return [as_type(value, result.type) for value, result in zip(values, op.results, strict=True)]


def _require_same_shape(op: Operation, args: Sequence[Any]) -> None:
    """Raises `InterpreterError` for tensors of different sizes, of which numpy would repeat some."""
    shapes = [
        np.shape(value)
        for value, operand in zip(args, op.operands, strict=True)
        if isinstance(operand.type, TensorType)
    ]
    for position, shape in enumerate(shapes):
        if shape != shapes[0] and op.name.startswith(("arith.", "math.")):
            raise InterpreterError(
                f"{op.name}: operands 0 and {position} have sizes {list(shapes[0])} and {list(shape)}"
            )


def _evaluate(op: Operation, args: Sequence[Any]) -> list[Any] | None:
    # Integers without a sign are read as the op reads them: `maxsi` and `maxui` take the same operands.
    name = op.name
    function = _FLOAT.get(name)
    if function is not None:
        return [function(*(widened(np.asarray(x)) for x in args))]
    if name in _CONVERSIONS:
        return [_CONVERSIONS[name](op, args[0])]
    if isinstance(op, arith.ConstantOp):
        return [constant(op)]
    if isinstance(op, arith.CmpiOp):
        return [compare_integers(op.predicate.value.data, *args)]
    if isinstance(op, arith.CmpfOp):
        return [compare_floats(op.predicate.value.data, *(widened(np.asarray(x)) for x in args))]
    if isinstance(op, arith.SelectOp):
        return [_select(args)]
    if name in ("arith.addui_extended", "arith.mulsi_extended", "arith.mului_extended"):
        return _extended(op, args)
    if name in ("math.ipowi", "math.fpowi"):
        return [_power(op, args)]
    short = name.removeprefix("arith.")
    for table, convert in ((_SIGNED, signed), (_UNSIGNED, unsigned), (_BITWISE, np.asarray)):
        if short in table:
            return [table[short](*(convert(x) for x in args))]
    return None
