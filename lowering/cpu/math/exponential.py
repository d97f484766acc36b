"""exp, exp2 and expm1: reduction to |r| <= ln(2)/2, a polynomial, and scaling by two powers of two.

`exp(x) = 2**n * exp(x - n ln 2)` with n the integer nearest to x / ln 2 (Cody and Waite, *Software Manual for the
Elementary Functions*, 1980). n is rounded by adding 1.5 * 2**52 (or 1.5 * 2**23): the low bits of the sum hold the
integer, so that a shift turns them into an exponent. Two factors keep subnormal results and overflow correct; a target with an
instruction that multiplies by powers of two needs neither shifts nor factors. Where nothing overflows the second factor is a constant.
"""

from __future__ import annotations

from xdsl.dialects.builtin import i32
from xdsl.ir import Attribute

from ....records import record
from . import coefficients as table
from .builder import MathBuilder, Value, width

LOG2_E = 1.4426950408889634
BIAS = {32: 127, 64: 1023}
MANTISSA = {32: 23, 64: 52}
LN2_HIGH = {32: 0.693145751953125, 64: 0.6931471805598903}
"""Few enough bits that a product with an exponent is exact."""
LN2_LOW = {32: 1.4286068203094173e-06, 64: 5.497923018708371e-14}


def magic(element: Attribute) -> float:
    """Returns the addend that rounds to an integer and leaves it in the low bits."""
    return 1.5 * 2.0 ** MANTISSA[width(element)]


@record
class Reduced:
    """x = n ln 2 + rest; `shifted` holds `n + bias` in its low bits."""

    n: Value
    rest: Value
    shifted: Value
    low: Value | None = None


def reduce(x: Value, bias: int, *, with_low: bool = False) -> Reduced:
    """Splits off the multiple of ln 2."""
    size = width(x.element)
    offset = magic(x.element) + bias
    shifted = x.fma(LOG2_E, offset)
    n = shifted - offset
    high = n.fma(-LN2_HIGH[size], x)
    rest = n.fma(-LN2_LOW[size], high)
    low = n.fma(-LN2_LOW[size], high - rest) if with_low else None
    return Reduced(n, rest, shifted, low)


def power_of_two(biased: Value) -> Value:
    """Returns 2**k from an integer (or the bits of a shifted float) whose low bits are `k + bias`."""
    return (biased << MANTISSA[32 if biased.element == i32 else 64]).as_float()


def scale(p: Value, n: Value, shifted: Value) -> Value:
    """Returns `p * 2**n`, rounded once: by an instruction, or in two steps; `shifted` holds n plus twice the exponent bias."""
    scaled = p.scaled(n)
    if scaled is not None:
        return scaled
    bias = BIAS[width(p.element)]
    half = n.fma(0.5, magic(p.element) + bias).bits()
    first = power_of_two(half)
    second = power_of_two(shifted.bits() - half)
    return p * first * second


def exp_limits(size: int) -> tuple[float, float]:
    """Returns the arguments beyond which the result is 0 or infinite."""
    return (-104.5, 89.0) if size == 32 else (-746.0, 710.0)


def exp(m: MathBuilder, x: Value) -> Value:
    size = width(x.element)
    low, high = exp_limits(size)
    coefficients = table.EXP[m.kind]
    # Above the limit the rest may be anything, but a polynomial of even degree stays positive, and the instruction makes it infinite.
    if not (m.scales(x.element) and len(coefficients) % 2):
        x = x.at_most(high)
    parts = reduce(x.at_least(low), 2 * BIAS[size])
    return scale(m.polynomial(parts.rest, coefficients), parts.n, parts.shifted)


def exp_of_not_positive(m: MathBuilder, x: Value) -> Value:
    """Returns exp of what is at most 0, or not far above: `p * 2**(n + k)`, which is no subnormal number, times `2**-k`."""
    if m.scales(x.element):
        return exp(m, x)
    size = width(x.element)
    k = (BIAS[size] + 1) // 2
    parts = reduce(x.at_least(exp_limits(size)[0]), BIAS[size] + k)
    return m.polynomial(parts.rest, table.EXP[m.kind]) * power_of_two(parts.shifted.bits()) * 2.0**-k


def exp_in_range(m: MathBuilder, x: Value) -> Value:
    """Returns exp where neither x nor the result is near the limits of the format."""
    parts = reduce(x, BIAS[width(x.element)])
    return m.polynomial(parts.rest, table.EXP[m.kind]) * power_of_two(parts.shifted.bits())


def half_exp(m: MathBuilder, x: Value) -> Value:
    """Returns `exp(x) / 2` for x >= 0, which overflows only where sinh and cosh do."""
    size = width(x.element)
    parts = reduce(x.at_most(exp_limits(size)[1] + 1.0), 2 * BIAS[size])
    return scale(m.polynomial(parts.rest, table.EXP[m.kind]) * 0.5, parts.n, parts.shifted)


def exp2(m: MathBuilder, x: Value) -> Value:
    size = width(x.element)
    low, high = (-151.0, 129.0) if size == 32 else (-1076.0, 1025.0)
    return exp2_sum(m, x.at_most(high).at_least(low), None)


def exp2_sum(m: MathBuilder, x: Value, low: Value | None) -> Value:
    """Returns `2**(x + low)` for x within the exponent range and a small low part."""
    offset = magic(x.element) + 2 * BIAS[width(x.element)]
    shifted = x + offset
    n = shifted - offset
    rest = x - n
    if low is not None:
        rest = rest + low
    return scale(m.polynomial(rest, table.EXP2[m.kind]), n, shifted)


def expm1(m: MathBuilder, x: Value) -> Value:
    """Returns `2**n * ((1 - 2**-n) + expm1(r))`."""
    size = width(x.element)
    bias = BIAS[size]
    clamped = x.at_most(exp_limits(size)[1]).at_least(-17.5 if size == 32 else -38.0)
    parts = reduce(clamped, 2 * bias, with_low=True)
    r, low = parts.rest, parts.low
    assert low is not None
    p = r + (r * r).fma(m.polynomial(r, table.EXPM1[m.kind]), low)
    n = parts.n.at_most(64.0)
    inverse = power_of_two(((magic(x.element) + bias) - n).bits())
    result = scale((1.0 - inverse) + p, parts.n, parts.shifted)
    return result.copysign(x)
