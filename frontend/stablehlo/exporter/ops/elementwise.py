"""Arithmetic, comparisons, logic and bits, element by element."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..emit import COMPARISONS, Emitter, element_of, shape_of
from ..rule import Rule, Rules, result_element

UNARY = {
    "abs": "abs",
    "acos": "chlo.acos",
    "acosh": "chlo.acosh",
    "asin": "chlo.asin",
    "asinh": "chlo.asinh",
    "atan": "chlo.atan",
    "atanh": "chlo.atanh",
    "bitwise_not": "not",
    "ceil": "ceil",
    "cos": "cosine",
    "cosh": "chlo.cosh",
    "erf": "chlo.erf",
    "exp": "exponential",
    "floor": "floor",
    "log": "log",
    "logical_not": "not",
    "negative": "negate",
    "round": "round_nearest_even",
    "rsqrt": "rsqrt",
    "sigmoid": "logistic",
    "sin": "sine",
    "sinh": "chlo.sinh",
    "sqrt": "sqrt",
    "tan": "tan",
    "tanh": "tanh",
}

BINARY = {
    "add": "add",
    "multiply": "multiply",
    "subtract": "subtract",
    "maximum": "maximum",
    "minimum": "minimum",
    "logical_and": "and",
    "logical_or": "or",
    "logical_xor": "xor",
    "bitwise_and": "and",
    "bitwise_or": "or",
    "bitwise_xor": "xor",
    "left_shift": "shift_left",
}

ON_INTEGERS_THEMSELVES = ("ceil", "floor", "round")


def limits_of(element: str) -> Any:
    """Returns the least and the greatest number of an integer type, by its name."""
    return np.iinfo(np.dtype(f"{'u' if element[0] == 'u' else ''}int{element.lstrip('ui')}"))


def is_float(value: Any) -> bool:
    """Returns whether the elements of a value of MLIR are floats."""
    return element_of(value).startswith(("f", "b"))


def wide(e: Emitter, x: Any) -> Any:
    """Returns floats of 16 bits as f32, others as they are."""
    return e.convert(x, "f32") if element_of(x) in ("f16", "bf16") else x


def _unary(name: str, target: str) -> Rule:
    def write(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
        x = operands[0]
        if name in ON_INTEGERS_THEMSELVES and not is_float(x):
            return x
        if name == "abs" and element_of(x).startswith("ui"):
            return x
        return e.unary(target, x)

    return write


def _binary(target: str) -> Rule:
    return lambda e, op, operands: e.binary(target, operands[0], operands[1])


def _comparison(name: str) -> Rule:
    return lambda e, op, operands: e.compare(name, operands[0], operands[1])


def _divide(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    lhs, rhs = operands
    quotient = e.binary("divide", lhs, rhs)
    return quotient if is_float(lhs) else e.select(e.compare("equal", rhs, 0), 0, quotient)


def _mod(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    lhs, rhs = operands
    rest = e.binary("remainder", lhs, rhs)
    return rest if is_float(lhs) else e.select(e.compare("equal", rhs, 0), 0, rest)


def _power(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    lhs, rhs = operands
    if is_float(lhs):
        return e.binary("power", lhs, rhs)
    # Squared and multiplied, bit by bit of the exponent: what StableHLO leaves open wraps around here.
    lhs, rhs = e.common(lhs, rhs)
    element = element_of(lhs)
    limits = limits_of(element)
    result, factor = e.constant(1, element, shape_of(lhs)), lhs
    for bit in range(limits.max.bit_length()):
        is_set = e.compare("not_equal", e.binary("and", rhs, 1 << bit), 0)
        result = e.select(is_set, e.binary("multiply", result, factor), result)
        factor = e.binary("multiply", factor, factor)
    if limits.min == 0:
        return result
    odd = e.compare("not_equal", e.binary("and", rhs, 1), 0)
    minus = e.select(e.compare("equal", lhs, -1), e.select(odd, e.constant(-1, element), 1), 0)
    return e.select(e.compare("less", rhs, 0), e.select(e.compare("equal", lhs, 1), 1, minus), result)


def _right_shift(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    is_unsigned = element_of(operands[0]).startswith("ui")
    return e.binary(f"shift_right_{'logical' if is_unsigned else 'arithmetic'}", *operands)


def _where(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    return e.select(*operands)


def _sign(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x = operands[0]
    positive, negative = e.compare("greater", x, 0), e.compare("less", x, 0)
    if element_of(x).startswith("ui"):
        return e.convert(positive, element_of(x))
    return e.binary("subtract", e.convert(positive, element_of(x)), e.convert(negative, element_of(x)))


def _square(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    return e.binary("multiply", operands[0], operands[0])


def _is_finite(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x = operands[0]
    if not is_float(x):
        return e.constant(True, "i1", shape_of(x))
    return e.op("is_finite", (x,), shape_of(x), "i1")


def _is_inf(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x = operands[0]
    if not is_float(x):
        return e.constant(False, "i1", shape_of(x))
    return e.compare("equal", e.unary("abs", x), math.inf)


def _is_nan(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x = operands[0]
    return e.compare("not_equal", x, x) if is_float(x) else e.constant(False, "i1", shape_of(x))


def _astype(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    return converted(e, operands[0], result_element(op))


def converted(e: Emitter, x: Any, element: str) -> Any:
    """Writes a conversion as `relax.astype` has it."""
    if is_float(x) and not element.startswith(("f", "b")) and element != "i1":
        # Relax saturates, and makes 0 of NaN; a conversion of StableHLO leaves both open.
        limits = limits_of(element)
        wide = e.convert(x, "f64")
        safe = e.select(e.compare("not_equal", wide, wide), 0.0, wide)
        above, below = (
            e.compare("greater_equal", safe, float(limits.max)),
            e.compare("less_equal", safe, float(limits.min)),
        )
        inside = e.convert(e.select(e.binary("or", above, below), 0.0, safe), element)
        high, low = e.constant(limits.max, element), e.constant(limits.min, element)
        return e.select(above, high, e.select(below, low, inside))
    return e.convert(x, element)


def _bitcast(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    element = result_element(op)
    x = operands[0]
    return x if element == element_of(x) else e.op("bitcast_convert", (x,), shape_of(x), element)


def _clip(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    x, (low, high) = operands[0], op.bounds()
    if not is_float(x):
        limits = limits_of(element_of(x))
        low, high = (int(min(max(bound, limits.min), limits.max)) for bound in (low, high))
    return e.binary("minimum", e.binary("maximum", x, low), high)


def _floored(e: Emitter, op: Any, operands: Sequence[Any]) -> tuple[Any, Any]:
    """Writes the floored quotient of floats, computed in f32 for 16 bits, and its remainder, as Python and numpy have them."""
    element = element_of(operands[0])
    lhs, rhs = e.common(*(wide(e, x) for x in operands))
    rest = e.binary("remainder", lhs, rhs)
    quotient = e.binary("divide", e.binary("subtract", lhs, rest), rhs)
    differs = e.compare("not_equal", e.compare("less", rest, 0.0), e.compare("less", rhs, 0.0))
    # A remainder of NaN is not equal to 0 either; then all results are NaN.
    other = e.binary("and", e.compare("not_equal", rest, 0.0), differs)
    rest = e.select(other, e.binary("add", rest, rhs), rest)
    quotient = e.select(other, e.binary("subtract", quotient, 1.0), quotient)
    floor = e.unary("floor", quotient)
    is_above = e.compare("greater", e.binary("subtract", quotient, floor), 0.5)
    floor = e.select(is_above, e.binary("add", floor, 1.0), floor)
    floor = e.select(e.compare("equal", rhs, 0.0), e.binary("divide", lhs, rhs), floor)
    zero = e.select(e.compare("less", rhs, 0.0), e.constant(-0.0, element_of(lhs)), 0.0)
    rest = e.select(e.compare("equal", rest, 0.0), zero, rest)
    return e.convert(floor, element), e.convert(rest, element)


def _floor_divide(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    lhs, rhs = operands
    if is_float(lhs):
        return _floored(e, op, operands)[0]
    quotient = _divide(e, op, operands)
    if element_of(lhs).startswith("ui"):
        return quotient
    rest = _mod(e, op, operands)
    differs = e.compare("not_equal", e.compare("less", rest, 0), e.compare("less", rhs, 0))
    is_lower = e.binary("and", e.compare("not_equal", rest, 0), differs)
    return e.select(is_lower, e.binary("subtract", quotient, 1), quotient)


def _floor_mod(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    lhs, rhs = operands
    if is_float(lhs):
        return _floored(e, op, operands)[1]
    rest = _mod(e, op, operands)
    if element_of(lhs).startswith("ui"):
        return rest
    differs = e.compare("not_equal", e.compare("less", rest, 0), e.compare("less", rhs, 0))
    return e.select(e.binary("and", e.compare("not_equal", rest, 0), differs), e.binary("add", rest, rhs), rest)


def _log_add_exp(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    lhs, rhs = e.common(*(wide(e, operand) for operand in operands))
    # Equal infinities have a difference of NaN, and are the sum themselves.
    distance = e.unary("negate", e.unary("abs", e.binary("subtract", lhs, rhs)))
    rest = e.unary("log_plus_one", e.unary("exponential", distance))
    unequal = e.binary("add", e.binary("maximum", lhs, rhs), rest)
    y = e.select(e.compare("equal", lhs, rhs), e.binary("add", lhs, math.log(2.0)), unequal)
    return e.convert(y, element_of(operands[0]))


RULES: Rules = {
    **{f"relax.{name}": _unary(name, target) for name, target in UNARY.items()},
    **{f"relax.{name}": _binary(target) for name, target in BINARY.items()},
    **{f"relax.{name}": _comparison(name) for name in COMPARISONS},
    "relax.astype": _astype,
    "relax.bitcast": _bitcast,
    "relax.clip": _clip,
    "relax.divide": _divide,
    "relax.floor_divide": _floor_divide,
    "relax.floor_mod": _floor_mod,
    "relax.isfinite": _is_finite,
    "relax.isinf": _is_inf,
    "relax.isnan": _is_nan,
    "relax.log_add_exp": _log_add_exp,
    "relax.mod": _mod,
    "relax.power": _power,
    "relax.right_shift": _right_shift,
    "relax.sign": _sign,
    "relax.square": _square,
    "relax.where": _where,
}
