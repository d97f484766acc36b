"""Arithmetic, comparisons, logic and bits, element by element."""

from __future__ import annotations

import math

import numpy as np
from xdsl.dialects.builtin import f32, f64, i1
from xdsl.ir import Attribute, SSAValue

from ....builder import BlockBuilder
from ....dialects.relax.dtypes import is_float, numpy_dtype
from ...model.value_types import element_of
from ..bits import as_float, as_integer, ordered, signed, unsigned, width
from ..node import Node
from ..table import Entry, Table, converters
from ..values import Value

TABLE: Table = {}
op = converters(TABLE, is_elementwise=True)

UNARY = {
    "abs": "abs",
    "ceil": "ceil",
    "cosine": "cos",
    "exponential": "exp",
    "floor": "floor",
    "is_finite": "isfinite",
    "log": "log",
    "logistic": "sigmoid",
    "negate": "negative",
    "round_nearest_even": "round",
    "rsqrt": "rsqrt",
    "sine": "sin",
    "sqrt": "sqrt",
    "tan": "tan",
    "tanh": "tanh",
}

BINARY = {
    "add": ("add", "logical_or"),
    "multiply": ("multiply", "logical_and"),
    "subtract": ("subtract", "logical_xor"),
    "divide": ("divide", "logical_and"),
    "power": ("power", "logical_or"),
    "maximum": ("maximum", "logical_or"),
    "minimum": ("minimum", "logical_and"),
    "and": ("bitwise_and", "logical_and"),
    "or": ("bitwise_or", "logical_or"),
    "xor": ("bitwise_xor", "logical_xor"),
}
"""The ops on numbers, and on truth values."""

COMPARISONS = {
    "EQ": "equal",
    "NE": "not_equal",
    "LT": "less",
    "LE": "less_equal",
    "GT": "greater",
    "GE": "greater_equal",
}


def _unary(name: str) -> Entry:
    return Entry(lambda node: node.g.op(name, node.x(0)), True)


def _binary(number: str, truth: str) -> Entry:
    return Entry(lambda node: node.g.op(truth if node.element() == i1 else number, node.x(0), node.x(1)), True)


TABLE.update({f"stablehlo.{name}": _unary(target) for name, target in UNARY.items()})
TABLE.update({f"stablehlo.{name}": _binary(*targets) for name, targets in BINARY.items()})


@op("not")
def _not(node: Node) -> SSAValue:
    return node.g.logical_not(node.x(0)) if node.element() == i1 else node.g.bitwise_not(node.x(0))


@op("real")
def _real(node: Node) -> Value:
    return node.inputs[0]


@op("imag")
def _imag(node: Node) -> SSAValue:
    return node.g.zeros_like(node.x(0))


@op("compare")
def _compare(node: Node) -> SSAValue:
    direction = node.word("comparison_direction")
    lhs, rhs = node.x(0), node.x(1)
    if node.word("compare_type") == "TOTALORDER" and is_float(node.element()):
        lhs, rhs = ordered(node.g, lhs), ordered(node.g, rhs)
    return node.g.op(COMPARISONS[direction], lhs, rhs)


@op("select")
def _select(node: Node) -> SSAValue:
    return node.g.where(node.x(0), node.x(1), node.x(2))


@op("clamp")
def _clamp(node: Node) -> SSAValue:
    if node.element(1) == i1:
        return node.g.logical_and(node.g.logical_or(node.x(1), node.x(0)), node.x(2))
    return node.g.minimum(node.g.maximum(node.x(1), node.x(0)), node.x(2))


@op("sign")
def _sign(node: Node) -> SSAValue:
    g, x = node.g, node.x(0)
    if not is_float(node.element()):
        return g.sign(x)
    # Zeros keep their sign, and NaN stays.
    return g.where(g.greater(g.abs(x), 0), g.sign(x), x)


@op("round_nearest_afz")
def _round_away(node: Node) -> SSAValue:
    g, x = node.g, node.x(0)
    magnitude = g.abs(x)
    whole = g.floor(magnitude)
    up = g.greater_equal(g.subtract(magnitude, whole), 0.5)
    rounded = g.where(up, g.add(whole, 1), whole)
    return g.where(g.less(x, 0), g.negative(rounded), g.where(g.equal(x, 0), x, rounded))


# Floats of 16 bits are computed in f32 and rounded once.


def _wide(node: Node) -> SSAValue:
    element = node.element()
    return node.x(0) if element in (f32, f64) else node.cast(node.x(0), f32)


@op("exponential_minus_one")
def _expm1(node: Node) -> SSAValue:
    """Converts an op: near 0 by its series, whose next term is below the precision, else by the power."""
    g, x = node.g, _wide(node)
    terms = 17 if element_of(x) == f64 else 9
    total = g.full_like(x, g.constant(1 / math.factorial(terms), element_of(x)))
    for order in reversed(range(2, terms)):
        total = g.add(g.multiply(total, x), 1 / math.factorial(order))
    near = g.add(x, g.multiply(g.multiply(x, x), total))
    return node.cast(g.where(g.less(g.abs(x), 0.5), near, g.subtract(g.exp(x), 1)), node.element())


@op("log_plus_one")
def _log1p(node: Node) -> SSAValue:
    """Converts an op, by Kahan: the logarithm of the rounded sum, corrected by what was rounded off."""
    g, x = node.g, _wide(node)
    total = g.add(x, 1)
    exact = g.divide(g.multiply(g.log(total), x), g.subtract(total, 1))
    near = g.where(g.equal(total, 1), x, exact)
    plain = g.logical_not(g.less(g.abs(x), 1))
    return node.cast(g.where(plain, g.log(total), near), node.element())


@op("cbrt")
def _cbrt(node: Node) -> SSAValue:
    """Converts an op: a power, and one step of Newton's method."""
    g, x = node.g, _wide(node)
    magnitude = g.abs(x)
    is_plain = g.logical_and(g.greater(magnitude, 0), g.isfinite(magnitude))
    safe = g.where(is_plain, magnitude, 1)
    root = g.power(safe, 1 / 3)
    error = g.divide(g.subtract(g.multiply(root, g.multiply(root, root)), safe), g.multiply(g.multiply(root, root), 3))
    root = g.subtract(root, error)
    return node.cast(g.where(is_plain, g.where(g.less(x, 0), g.negative(root), root), x), node.element())


@op("atan2")
def _atan2(node: Node) -> SSAValue:
    """Converts an op. The quotient is at most 1; the signs of zeros count."""
    g, element = node.g, node.element()
    wide = element if element in (f32, f64) else f32
    y, x = node.cast(node.x(0), wide), node.cast(node.x(1), wide)
    ay, ax = g.abs(y), g.abs(x)
    small, large = g.minimum(ay, ax), g.maximum(ay, ax)
    is_diagonal = g.equal(small, large)
    quotient = g.where(is_diagonal, 1, g.divide(small, g.where(g.equal(large, 0), 1, large)))
    angle = g.atan(g.where(g.equal(large, 0), 0, quotient))
    angle = g.where(g.greater(ay, ax), g.subtract(math.pi / 2, angle), angle)
    angle = g.where(_is_negative(g, x), g.subtract(math.pi, angle), angle)
    angle = g.where(_is_negative(g, y), g.negative(angle), angle)
    is_number = g.logical_not(g.logical_or(g.isnan(x), g.isnan(y)))
    return node.cast(g.where(is_number, angle, g.add(x, y)), element)


def _is_negative(g: BlockBuilder, x: SSAValue) -> SSAValue:
    """Returns whether the bit of the sign is set."""
    return g.less(signed(g, as_integer(g, x)), 0)


# Integers


@op("divide")
def _divide(node: Node) -> SSAValue:
    """Converts an op. An integer divided by 0 has all bits set, as XLA has it."""
    g, lhs, rhs = node.g, node.x(0), node.x(1)
    quotient = g.divide(lhs, rhs)
    if is_float(node.element()):
        return quotient
    return g.where(g.equal(rhs, 0), g.bitwise_not(g.subtract(rhs, rhs)), quotient)


@op("remainder")
def _remainder(node: Node) -> SSAValue:
    g, lhs, rhs = node.g, node.x(0), node.x(1)
    rest = g.mod(lhs, rhs)
    return rest if is_float(node.element()) else g.where(g.equal(rhs, 0), lhs, rest)


@op("shift_left")
def _shift_left(node: Node) -> SSAValue:
    return _shifted(node, "left_shift", node.x(0), node.x(1))


@op("shift_right_logical")
def _shift_right_logical(node: Node) -> SSAValue:
    element, small = node.element(), node.result.small
    g, x = node.g, node.x(0)
    x = unsigned(g, x)
    if small is not None:
        x = g.bitwise_and(x, node.constant((1 << small.bits) - 1, element_of(x)))
    return node.cast(_shifted(node, "right_shift", x, unsigned(g, node.x(1))), element)


@op("shift_right_arithmetic")
def _shift_right_arithmetic(node: Node) -> SSAValue:
    g, element, small = node.g, node.element(), node.result.small
    x = node.x(0)
    if small is not None and not small.is_signed:
        places = node.constant(8 - small.bits)
        x = g.right_shift(signed(g, g.left_shift(x, places)), signed(g, places))
    bits = width(element) if small is None else small.bits
    count = unsigned(g, node.x(1))
    count = g.minimum(count, node.constant(bits - 1, element_of(count)))
    x = signed(g, x)
    return node.cast(g.right_shift(x, node.cast(count, element_of(x))), element)


def _shifted(node: Node, name: str, x: SSAValue, count: SSAValue) -> SSAValue:
    """Returns a shift; one by all bits, or more, leaves none."""
    g, small = node.g, node.result.small
    bits = width(element_of(x)) if small is None else small.bits
    count = unsigned(g, count)
    if small is not None:
        count = g.bitwise_and(count, node.constant((1 << small.bits) - 1, element_of(count)))
    inside = g.less(count, node.constant(bits, element_of(count)))
    shifted = g.op(name, x, node.cast(g.where(inside, count, 0), element_of(x)))
    return g.where(inside, shifted, g.subtract(x, x))


def _bits(node: Node) -> tuple[SSAValue, int]:
    """Returns an integer without its sign, and the number of its bits."""
    small = node.result.small
    x = unsigned(node.g, node.x(0))
    if small is not None:
        return node.g.bitwise_and(x, node.constant((1 << small.bits) - 1, element_of(x))), small.bits
    return x, width(node.element())


@op("popcnt")
def _population_count(node: Node) -> SSAValue:
    x, bits = _bits(node)
    return node.cast(_population(node, x, bits), node.element())


def _population(node: Node, x: SSAValue, bits: int) -> SSAValue:
    """Returns how many bits are set: sums of neighbors, of twice as many bits from step to step."""
    g, element = node.g, element_of(x)
    step = 1
    while step < bits:
        mask = sum(((1 << step) - 1) << place for place in range(0, width(element), 2 * step))
        low = g.bitwise_and(x, node.constant(_python(mask, element), element))
        high = g.bitwise_and(
            g.right_shift(x, node.constant(step, element)), node.constant(_python(mask, element), element)
        )
        x = g.add(low, high)
        step *= 2
    return x


def _python(value: int, element: Attribute) -> np.generic:
    return numpy_dtype(element).type(value)


@op("count_leading_zeros")
def _leading_zeros(node: Node) -> SSAValue:
    """Converts an op: with all bits below the first one set, the zeros are those that are left."""
    g = node.g
    x, bits = _bits(node)
    element = element_of(x)
    step = 1
    while step < bits:
        x = g.bitwise_or(x, g.right_shift(x, node.constant(step, element)))
        step *= 2
    return node.cast(g.subtract(node.constant(bits, element), _population(node, x, bits)), node.element())


# Bits of floats


@op("reduce_precision")
def _reduce_precision(node: Node) -> SSAValue:
    """Converts an op: the mantissa is rounded in the integer of the bits, then exponents out of range become 0 or infinite."""
    g, x, element = node.g, node.x(0), node.element()
    exponent_bits, mantissa_bits = int(node.attr("exponent_bits")), int(node.attr("mantissa_bits"))
    own_mantissa = {"f64": 52, "f32": 23, "f16": 10, "bf16": 7}[str(element)]
    bits = width(element)
    own_exponent = bits - 1 - own_mantissa
    code = as_integer(g, x)
    integer = element_of(code)

    def number(value: int) -> SSAValue:
        return g.constant(_python(value, integer), integer)

    sign_mask = 1 << (bits - 1)
    if mantissa_bits < own_mantissa:
        dropped = own_mantissa - mantissa_bits
        odd = g.bitwise_and(g.right_shift(code, number(dropped)), number(1))
        code = g.add(code, g.add(odd, number((1 << (dropped - 1)) - 1)))
        code = g.bitwise_and(code, number(((1 << bits) - 1) ^ ((1 << dropped) - 1)))
    if exponent_bits < own_exponent:
        bias, reduced = (1 << (own_exponent - 1)) - 1, (1 << (exponent_bits - 1)) - 1
        exponent = g.bitwise_and(code, number(((1 << own_exponent) - 1) << own_mantissa))
        sign = g.bitwise_and(code, number(sign_mask))
        infinite = g.bitwise_or(sign, number(((1 << own_exponent) - 1) << own_mantissa))
        is_large = g.greater(exponent, number((bias + reduced) << own_mantissa))
        is_small = g.less_equal(exponent, number((bias - reduced) << own_mantissa))
        code = g.where(is_large, infinite, g.where(is_small, sign, code))
    if mantissa_bits == 0:
        # There is no NaN without a mantissa.
        return as_float(g, g.where(g.isnan(x), _infinity(g, x, element), code), element)
    return g.where(g.isnan(x), x, as_float(g, code, element))


def _infinity(g: BlockBuilder, x: SSAValue, element: Attribute) -> SSAValue:
    """Returns the bits of infinity with the sign of each element."""
    code = as_integer(g, x)
    integer = element_of(code)
    sign = g.bitwise_and(code, g.constant(_python(1 << (width(element) - 1), integer), integer))
    return g.bitwise_or(sign, as_integer(g, g.constant(float("inf"), element)))


@op("optimization_barrier")
def _barrier(node: Node) -> list[Value]:
    return list(node.inputs)
