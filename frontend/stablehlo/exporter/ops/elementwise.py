"""Arithmetic, comparisons, logic, bits and activations, element by element."""

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
    "power": "power",
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


def is_float(value: Any) -> bool:
    """Returns whether the elements of a value of MLIR are floats."""
    return element_of(value).startswith(("f", "b"))


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
    x, element = operands[0], result_element(op)
    if is_float(x) and not element.startswith(("f", "b")) and element != "i1":
        # Relax saturates, and makes 0 of NaN; a conversion of StableHLO leaves both open.
        limits = np.iinfo(np.dtype(f"{'u' if element[0] == 'u' else ''}int{element.lstrip('ui')}"))
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
        element = element_of(x)
        limits = np.iinfo(np.dtype(f"{'u' if element[0] == 'u' else ''}int{element.lstrip('ui')}"))
        low, high = (int(min(max(bound, limits.min), limits.max)) for bound in (low, high))
    return e.binary("minimum", e.binary("maximum", x, low), high)


def _floor_divide(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    lhs, rhs = operands
    if is_float(lhs):
        return e.unary("floor", e.binary("divide", lhs, rhs))
    quotient = _divide(e, op, operands)
    if element_of(lhs).startswith("ui"):
        return quotient
    rest = _mod(e, op, operands)
    differs = e.compare("not_equal", e.compare("less", rest, 0), e.compare("less", rhs, 0))
    is_lower = e.binary("and", e.compare("not_equal", rest, 0), differs)
    return e.select(is_lower, e.binary("subtract", quotient, 1), quotient)


def _floor_mod(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    lhs, rhs = operands
    rest = _mod(e, op, operands)
    if element_of(lhs).startswith("ui"):
        return rest
    differs = e.compare("not_equal", e.compare("less", rest, 0), e.compare("less", rhs, 0))
    return e.select(e.binary("and", e.compare("not_equal", rest, 0), differs), e.binary("add", rest, rhs), rest)


# Activations, in f32 for floats of 16 bits, as the dialect has them


def wide(e: Emitter, x: Any) -> Any:
    """Returns floats of 16 bits as f32, others as they are."""
    return e.convert(x, "f32") if element_of(x) in ("f16", "bf16") else x


def _widened(write: Any) -> Rule:
    return lambda e, op, operands: e.convert(write(e, op, wide(e, operands[0])), element_of(operands[0]))


def _relu(e: Emitter, op: Any, operands: Sequence[Any]) -> Any:
    return e.binary("maximum", operands[0], 0)


def _leaky_relu(e: Emitter, op: Any, x: Any) -> Any:
    return e.select(e.compare("greater", x, 0), x, e.binary("multiply", x, float(op.prop("alpha", 0.01))))


def _gelu(e: Emitter, op: Any, x: Any) -> Any:
    half = e.binary("multiply", x, 0.5)
    return e.binary(
        "multiply", half, e.binary("add", e.unary("chlo.erf", e.binary("multiply", x, math.sqrt(0.5))), 1.0)
    )


def _gelu_tanh(e: Emitter, op: Any, x: Any) -> Any:
    cube = e.binary("multiply", x, e.binary("multiply", x, x))
    inner = e.binary("multiply", e.binary("add", x, e.binary("multiply", cube, 0.044715)), math.sqrt(2 / math.pi))
    return e.binary("multiply", e.binary("multiply", x, 0.5), e.binary("add", e.unary("tanh", inner), 1.0))


def _silu(e: Emitter, op: Any, x: Any) -> Any:
    return e.binary("multiply", x, e.unary("logistic", x))


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
    "relax.mod": _mod,
    "relax.nn.gelu": _widened(_gelu),
    "relax.nn.gelu_tanh": _widened(_gelu_tanh),
    "relax.nn.leakyrelu": _widened(_leaky_relu),
    "relax.nn.relu": _relu,
    "relax.nn.silu": _widened(_silu),
    "relax.right_shift": _right_shift,
    "relax.sign": _sign,
    "relax.square": _square,
    "relax.where": _where,
}
