"""Arithmetic, comparisons, logic and bits, element by element."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from xdsl.dialects.builtin import f64, i1
from xdsl.ir import SSAValue

from ....dialects.relax.dtypes import accumulator, is_float, is_unsigned
from ...model.problems import Unsupported
from ...model.value_types import element_of
from ..node import Converter, Node
from ..table import Table, converters, full_name

TABLE: Table = {}
op = converters(TABLE)

UNARY = {
    "abs": "abs",
    "acos": "acos",
    "acosh": "acosh",
    "asin": "asin",
    "asinh": "asinh",
    "atan": "atan",
    "atanh": "atanh",
    "ceil": "ceil",
    "cos": "cos",
    "cosh": "cosh",
    "erf": "erf",
    "exp": "exp",
    "floor": "floor",
    "log": "log",
    "neg": "negative",
    "round": "round",
    "rsqrt": "rsqrt",
    "sigmoid": "sigmoid",
    "sign": "sign",
    "sin": "sin",
    "sinh": "sinh",
    "sqrt": "sqrt",
    "square": "square",
    "tan": "tan",
    "tanh": "tanh",
}

IDENTITY_ON_INTEGERS = frozenset(("ceil", "floor", "round"))

BINARY = {"add": "add", "sub": "subtract", "mul": "multiply", "maximum": "maximum", "minimum": "minimum"}

ON_CONDITIONS = {"add": "logical_or", "mul": "logical_and", "maximum": "logical_or", "minimum": "logical_and"}
"""What arithmetic on conditions is."""

COMPARISONS = {
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
}

BITS = {"bitwise_and": "bitwise_and", "bitwise_or": "bitwise_or", "bitwise_xor": "bitwise_xor"}

LOGIC = {"logical_and": "logical_and", "logical_or": "logical_or", "logical_xor": "logical_xor"}

SHIFTS = {"bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift"}


def _unary(target: str) -> Converter:
    def convert(node: Node) -> SSAValue:
        x = node.x("self")
        if (target in IDENTITY_ON_INTEGERS and not is_float(element_of(x))) or element_of(x) == i1:
            return x
        return node.g.op(target, x)

    return convert


def _compared(target: str) -> Converter:
    def convert(node: Node) -> SSAValue:
        element = node.common("self", "other")
        return node.g.op(target, node.x("self", element), node.x("other", element))

    return convert


def _logical(target: str) -> Converter:
    return lambda node: node.g.op(target, truth(node, node.value("self")), truth(node, node.value("other")))


def _bits(target: str) -> Converter:
    return lambda node: node.g.op(target, node.x("self"), node.x("other"))


for _name, _target in UNARY.items():
    TABLE[full_name(_name)] = _unary(_target)
for _name, _target in COMPARISONS.items():
    TABLE[full_name(f"{_name}.Tensor")] = TABLE[full_name(f"{_name}.Scalar")] = _compared(_target)
for _name, _target in LOGIC.items():
    TABLE[full_name(_name)] = _logical(_target)
for _name, _target in BITS.items():
    for _overload in ("Tensor", "Scalar", "Scalar_Tensor"):
        TABLE[full_name(f"{_name}.{_overload}")] = _bits(_target)


def truth(node: Node, value: SSAValue) -> SSAValue:
    """Returns whether elements are not zero."""
    element = element_of(value)
    return value if element == i1 else node.g.not_equal(value, node.number(0, element))


@op("add.Tensor", "add.Scalar", "sub.Tensor", "sub.Scalar", "rsub.Scalar", "rsub.Tensor")
def _add(node: Node) -> SSAValue:
    """Converts a node: `self + alpha * other`, on conditions a disjunction."""
    g, alpha = node.g, node["alpha"]
    element = node.computing("self", "other")
    lhs, rhs = node.rounded("self", element), node.rounded("other", element)
    lhs, rhs = (rhs, lhs) if node.op == "rsub" else (lhs, rhs)
    if element == i1:
        return g.logical_or(lhs, rhs)
    if alpha != 1:
        rhs = g.multiply(rhs, node.operand(alpha, element))
    return g.op("add" if node.op == "add" else "subtract", lhs, rhs)


@op("mul.Tensor", "mul.Scalar", "maximum", "minimum", "fmax", "fmin")
def _binary(node: Node) -> SSAValue:
    """Converts a node; `fmax` and `fmin` leave out NaN."""
    g, element = node.g, node.computing("self", "other")
    lhs, rhs = node.x("self", element), node.x("other", element)
    name = {"fmax": "maximum", "fmin": "minimum"}.get(node.op, node.op)
    if element == i1:
        return g.op(ON_CONDITIONS[name], lhs, rhs)
    result = g.op(BINARY[name], lhs, rhs)
    if name == node.op or not is_float(element):
        return result
    return g.where(g.isnan(lhs), rhs, g.where(g.isnan(rhs), lhs, result))


@op("div.Tensor", "div.Scalar", "true_divide.Tensor")
def _divide(node: Node) -> SSAValue:
    element = node.computing("self", "other")
    return node.g.divide(node.x("self", element), node.x("other", element))


@op("div.Tensor_mode", "div.Scalar_mode", "floor_divide")
def _rounded_quotient(node: Node) -> SSAValue:
    """Converts a node: the quotient as it is, floored or truncated."""
    mode = "floor" if node.op == "floor_divide" else node["rounding_mode"]
    g, element = node.g, accumulator(node.element())
    lhs, rhs = node.x("self", element), node.x("other", element)
    if mode is None:
        return g.divide(lhs, rhs)
    if mode == "floor":
        return floor_divided(node, lhs, rhs)
    return truncated(node, g.divide(lhs, rhs))


def floor_divided(node: Node, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """Returns the quotient, floored; by zero it is that of a division."""
    g, element = node.g, element_of(lhs)
    result = g.floor_divide(lhs, rhs)
    if not is_float(element):
        return result
    return g.where(g.equal(rhs, node.number(0, element)), g.divide(lhs, rhs), result)


def truncated(node: Node, value: SSAValue) -> SSAValue:
    """Returns floats without their fraction; the sign of zero is kept."""
    g = node.g
    if not is_float(element_of(value)):
        return value
    negative = g.less(value, node.number(0, element_of(value)))
    return g.where(negative, g.ceil(value), g.floor(value))


@op("trunc", "fix")
def _trunc(node: Node) -> SSAValue:
    return truncated(node, node.x("self"))


@op("remainder.Tensor", "remainder.Scalar", "remainder.Scalar_Tensor")
def _remainder(node: Node) -> SSAValue:
    element = node.computing("self", "other")
    return node.g.floor_mod(node.rounded("self", element), node.rounded("other", element))


@op("fmod.Tensor", "fmod.Scalar")
def _fmod(node: Node) -> SSAValue:
    element = node.computing("self", "other")
    return node.g.mod(node.rounded("self", element), node.rounded("other", element))


@op("pow.Tensor_Tensor", "pow.Tensor_Scalar", "pow.Scalar")
def _pow(node: Node) -> SSAValue:
    """Converts a node; small whole exponents are products, as torch has them."""
    g, element = node.g, node.computing("self", "exponent")
    if element == i1:
        # A condition to the power of another one: true but for false to the power of true.
        return g.logical_or(node.x("self"), g.logical_not(node.x("exponent")))
    exponent = node["exponent"]
    if isinstance(exponent, int | float) and is_float(element):
        x = node.x("self", element)
        if exponent == 2:
            return g.square(x)
        if exponent == 3:
            return g.multiply(g.square(x), x)
        if exponent == 0.5:
            return g.sqrt(x)
        if exponent == 1:
            return x
        if exponent == -1:
            return g.divide(node.number(1, element), x)
    return g.power(node.rounded("self", element), node.rounded("exponent", element))


@op("reciprocal")
def _reciprocal(node: Node) -> SSAValue:
    return node.g.divide(node.number(1), node.x("self"))


@op("bitwise_not", "logical_not")
def _not(node: Node) -> SSAValue:
    g = node.g
    if node.op == "logical_not":
        return g.logical_not(truth(node, node.value("self")))
    return g.bitwise_not(node.x("self"))


@op("bitwise_left_shift.Tensor", "bitwise_left_shift.Tensor_Scalar", "bitwise_left_shift.Scalar_Tensor")
def _left_shift(node: Node) -> SSAValue:
    return _shifted(node)


@op("bitwise_right_shift.Tensor", "bitwise_right_shift.Tensor_Scalar", "bitwise_right_shift.Scalar_Tensor")
def _right_shift(node: Node) -> SSAValue:
    return _shifted(node)


@op("__lshift__.Tensor", "__lshift__.Scalar", "__rshift__.Tensor", "__rshift__.Scalar")
def _shift(node: Node) -> SSAValue:
    return _shifted(node)


def _shifted(node: Node) -> SSAValue:
    """Returns shifted integers; by a negative number, or by all bits, everything is shifted out."""
    g, element = node.g, node.element()
    if is_float(element):
        raise Unsupported("shifts of floats have no counterpart")
    x, places = node.x("self"), node.x("other")
    bits = int(str(element).lstrip("ui"))
    inside = g.less(places, node.number(bits, element))
    if not is_unsigned(element):
        inside = g.logical_and(inside, g.greater_equal(places, node.number(0, element)))
    safe = g.where(inside, places, node.number(0, element))
    if "left" in node.op or node.op == "__lshift__":
        return g.where(inside, g.left_shift(x, safe), node.number(0, element))
    sign = node.number(0, element) if is_unsigned(element) else g.right_shift(x, node.number(bits - 1, element))
    return g.where(inside, g.right_shift(x, safe), sign)


# Selection


@op("where.self", "where.ScalarSelf", "where.ScalarOther", "where.Scalar")
def _where(node: Node) -> SSAValue:
    condition = truth(node, node.value("condition"))
    return node.g.where(condition, node.x("self"), node.x("other"))


@op("masked_fill.Scalar", "masked_fill.Tensor")
def _masked_fill(node: Node) -> SSAValue:
    return node.g.where(node.value("mask"), node.x("value"), node.x("self"))


@op("clamp", "clamp.Tensor", "clamp_min", "clamp_max", "clamp_min.Tensor", "clamp_max.Tensor")
def _clamp(node: Node) -> SSAValue:
    """Converts a node. NaN is kept, also that of a bound; the upper bound wins where they cross."""
    g, x = node.g, node.x("self")
    for bound, target in (("min", "maximum"), ("max", "minimum")):
        if node.has(bound):
            x = g.op(target, x, node.x(bound))
    return x


@op("isnan", "isinf", "isfinite")
def _classified(node: Node) -> SSAValue:
    x = node.value("self")
    if element_of(x) == i1:
        return node.g.full_like(x, node.number(node.op == "isfinite", i1))
    return node.g.op(node.op, x)


# Functions that the dialect has no op for


@op("log2", "log10")
def _log_of_base(node: Node) -> SSAValue:
    base = math.log(2) if node.op == "log2" else math.log(10)
    return _in_f64(node, lambda x: node.g.divide(node.g.log(x), node.number(base, f64)))


def _in_f64(node: Node, compute: Callable[[SSAValue], SSAValue]) -> SSAValue:
    """Returns a function of several steps, which f32 would round one by one."""
    return compute(node.cast(node.x("self"), f64))


@op("log1p")
def _log1p(node: Node) -> SSAValue:
    """Converts a node by Kahan's formula: `log(u) * x / (u - 1)` for `u = 1 + x` keeps the digits of a small x."""
    g = node.g

    def compute(x: SSAValue) -> SSAValue:
        unit = node.number(1, f64)
        u = g.add(x, unit)
        step = g.subtract(u, unit)
        exact = g.logical_or(g.equal(step, node.number(0, f64)), g.isinf(u))
        scaled = g.multiply(g.log(u), g.divide(x, g.where(exact, unit, step)))
        return g.where(g.equal(step, node.number(0, f64)), x, g.where(g.isinf(u), g.log(u), scaled))

    return _in_f64(node, compute)


@op("expm1")
def _expm1(node: Node) -> SSAValue:
    """Converts a node by Kahan's formula: `(u - 1) * x / log(u)` for `u = exp(x)` keeps the digits of a small x."""
    return _in_f64(node, lambda x: exponential_less_one(node, x))


def exponential_less_one(node: Node, x: SSAValue) -> SSAValue:
    """Returns `exp(x) - 1` with the digits of a small x."""
    g, unit = node.g, node.number(1, element_of(x))
    zero = node.number(0, element_of(x))
    u = g.exp(x)
    step = g.subtract(u, unit)
    plain = g.logical_or(g.isinf(u), g.less_equal(u, zero))
    logarithm = g.log(g.where(plain, unit, u))
    is_one = g.equal(logarithm, zero)
    scaled = g.multiply(step, g.divide(x, g.where(is_one, unit, logarithm)))
    return g.where(plain, step, g.where(is_one, x, scaled))


@op("exp2")
def _exp2(node: Node) -> SSAValue:
    return node.g.power(node.number(2), node.x("self"))


@op("atan2")
def _atan2(node: Node) -> SSAValue:
    """Converts a node: the angle of the point (other, self), by the signs of both, zeros included."""
    g, zero = node.g, node.number(0, f64)
    y, x = node.cast(node.x("self"), f64), node.cast(node.x("other"), f64)
    pi = node.number(math.pi, f64)
    down, left = signbit(node, y), signbit(node, x)
    size_y, size_x = g.abs(y), g.abs(x)
    infinite = g.logical_and(g.isinf(x), g.isinf(y))
    ratio = g.divide(size_y, g.where(g.equal(size_x, zero), node.number(1, f64), size_x))
    angle = g.where(g.equal(size_x, zero), node.number(math.pi / 2, f64), g.atan(ratio))
    angle = g.where(g.equal(size_y, zero), g.multiply(size_y, zero), angle)
    angle = g.where(infinite, node.number(math.pi / 4, f64), angle)
    angle = g.where(left, g.subtract(pi, angle), angle)
    angle = g.where(down, g.negative(angle), angle)
    return g.where(g.logical_or(g.isnan(x), g.isnan(y)), node.number(math.nan, f64), angle)


def signbit(node: Node, x: SSAValue) -> SSAValue:
    """Returns whether numbers are negative; a zero has the sign of its reciprocal."""
    g, element = node.g, element_of(x)
    zero = node.number(0, element)
    if not is_float(element):
        return g.less(x, zero)
    inverse = g.divide(node.number(1, element), g.where(g.equal(x, zero), x, node.number(1, element)))
    return g.logical_or(g.less(x, zero), g.logical_and(g.equal(x, zero), g.less(inverse, zero)))


@op("signbit")
def _signbit(node: Node) -> SSAValue:
    x = node.value("self")
    return node.g.zeros_like(x) if element_of(x) == i1 else signbit(node, x)


@op("copysign.Tensor", "copysign.Scalar")
def _copysign(node: Node) -> SSAValue:
    g, size = node.g, node.g.abs(node.x("self"))
    return g.where(signbit(node, node.x("other")), g.negative(size), size)


@op("hypot")
def _hypot(node: Node) -> SSAValue:
    """Converts a node in f64, whose range holds the squares of f32; an infinite side wins over NaN."""
    g, inf = node.g, node.number(math.inf, f64)
    sides = [g.abs(node.cast(node.x(name), f64)) for name in ("self", "other")]
    large, small = g.maximum(*sides), g.minimum(*sides)
    is_zero = g.equal(large, node.number(0, f64))
    ratio = g.divide(small, g.where(is_zero, node.number(1, f64), large))
    length = g.multiply(large, g.sqrt(g.add(g.square(ratio), node.number(1, f64))))
    return g.where(g.logical_or(g.equal(sides[0], inf), g.equal(sides[1], inf)), inf, length)


@op("round.decimals")
def _round_to(node: Node) -> SSAValue:
    g, places = node.g, node.int("decimals")
    if not is_float(node.element()):
        return node.x("self")
    element = accumulator(node.element())
    factor = node.number(10.0 ** abs(places), element)
    first, second = (g.multiply, g.divide) if places >= 0 else (g.divide, g.multiply)
    return second(g.round(first(node.x("self", element), factor)), factor)


@op("logaddexp")
def _logaddexp(node: Node) -> SSAValue:
    return node.g.log_add_exp(node.x("self"), node.x("other"))


@op("nan_to_num")
def _nan_to_num(node: Node) -> SSAValue:
    """Converts a node: NaN and the infinities are replaced, by default by 0 and the largest finite numbers."""
    g, x, element = node.g, node.x("self"), node.element()
    if not is_float(element):
        return x
    largest = {"f16": 65504.0, "bf16": 3.3895313892515355e38, "f32": 3.4028234663852886e38}.get(
        str(element), 1.7976931348623157e308
    )

    def or_else(name: str, default: float) -> Any:
        return node.number(node[name] if node.has(name) else default)

    inf, minus = node.number(math.inf), node.number(-math.inf)
    result = g.where(
        g.equal(x, inf), or_else("posinf", largest), g.where(g.equal(x, minus), or_else("neginf", -largest), x)
    )
    return g.where(g.isnan(x), or_else("nan", 0.0), result)


@op("_to_copy", "clone", "alias", "lift_fresh_copy", "lift_fresh", "detach", "contiguous", "copy", "positive", "lift")
def _converted(node: Node) -> SSAValue:
    """Converts a node: layouts and memory formats are no matter of programs; `copy` takes the second operand in the first one's shape."""
    if node.op == "copy":
        return node.g.broadcast_to(node.x("src"), list(node.shape("self")))
    return converted(node, node.value("self"))


@op("prims.convert_element_type.default")
def _convert_element_type(node: Node) -> SSAValue:
    return converted(node, node.value("a"))


@op("prims.device_put.default", "prims.view_of.default")
def _same(node: Node) -> SSAValue:
    return node.value("a")


def converted(node: Node, x: SSAValue) -> SSAValue:
    """Returns a tensor in the element type of the result; conditions are whether elements are not zero, floats are truncated."""
    element = node.element()
    if element == i1:
        return truth(node, x)
    return node.cast(x, element)


@op("lerp.Scalar", "lerp.Tensor")
def _lerp(node: Node) -> SSAValue:
    """Converts a node by the formula whose end is exact: from the nearer one of the two."""
    g, element = node.g, accumulator(node.element())
    start, end, weight = node.x("self", element), node.x("end", element), node.x("weight", element)
    span = g.subtract(end, start)
    near = g.add(start, g.multiply(weight, span))
    far = g.subtract(end, g.multiply(span, g.subtract(node.number(1, element), weight)))
    return g.where(g.less(g.abs(weight), node.number(0.5, element)), near, far)
