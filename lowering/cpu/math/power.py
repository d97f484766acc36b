"""powf, cbrt and rsqrt.

`pow(x, y) = 2**(y log2(x))`. f32 takes the logarithm in f64; f64 takes it in pairs of f64 (double-double, Dekker 1971)
with an error below 2**-66, since y multiplies it by up to 1075. Special cases are those of C99, annex F.9.4.4.
"""

from __future__ import annotations

from math import inf, nan

from . import coefficients as table
from .builder import MathBuilder, Value
from .exponential import exp2_sum, power_of_two
from .logarithm import INVERSE_LN2, log2, special_cases, split, two_sum

THIRD = 2.0 / 3.0, 3.700743415417188e-17
CBRT_FACTORS = (1.0, 0.7937005259840998, 0.6299605249474366)
"""2**(-k/3)."""


def _product(a: Value, b: Value) -> tuple[Value, Value]:
    """Returns a * b and its rounding error."""
    high = a * b
    return high, a.fma(b, -high)


def _fast_sum(a: Value, b: Value) -> tuple[Value, Value]:
    """Returns a + b and its rounding error where |a| >= |b|."""
    total = a + b
    return total, b - (total - a)


def _log2_pair(m: MathBuilder, x: Value) -> tuple[Value, Value]:
    """Returns log2 of a positive finite number as a pair."""
    parts = split(m, x, subnormals=True)
    f = parts.f
    # s = f / (2 + f) as a pair.
    denominator = f + 2.0
    denominator_low = f - (denominator - 2.0)
    s = f / denominator
    s_low = (s.fma(-denominator, f) - s * denominator_low) / denominator
    # log((1 + s) / (1 - s)) = 2 s + 2/3 s**3 + s**5 T(s**2).
    z, z_low = _product(s, s)
    z_low = s.fma(s_low + s_low, z_low)
    cube, cube_low = _product(s, z)
    cube_low = cube_low + s.fma(z_low, s_low * z)
    third, third_low = _product(cube, cube.like(THIRD[0]))
    third_low = cube.fma(THIRD[1], cube_low.fma(THIRD[0], third_low))
    tail = (cube * z) * m.polynomial(z, table.LOG_RATIO_TAIL["f64"])
    high, low = _fast_sum(s + s, third)
    low = low + (third_low + (s_low + s_low) + tail)
    high, low = _fast_sum(high, low)
    # times 1 / ln 2, plus the exponent
    scaled, scaled_low = _product(high, high.like(INVERSE_LN2[0]))
    scaled_low = low.fma(INVERSE_LN2[0], high.fma(INVERSE_LN2[1], scaled_low))
    total, rest = two_sum(parts.exponent, scaled)
    return _fast_sum(total, rest + scaled_low)


def powf(m: MathBuilder, x: Value, y: Value) -> Value:
    a = x.abs()
    if m.kind == "lite":
        logarithm = log2(m, a)
        product = logarithm * y
        power = exp2_sum(m, product.at_most(400.0).at_least(-400.0), None)
    else:
        high, low = _log2_pair(m, a)
        logarithm = special_cases(high, a)
        low = low.where((a > 0.0).where(a < inf, a < 0.0), 0.0)
        product = logarithm * y
        error = logarithm.fma(y, -product)
        error = low.fma(y, error)
        inside = product.abs() < 1100.0
        product = product.at_most(1100.0).at_least(-1100.0)
        power = exp2_sum(m, product, error.where(inside, 0.0))
    power = power.like(1.0).where(a.equals(1.0), power).where(y.equals(y), nan)
    # The sign of an odd power, and NaN for roots of negative numbers.
    whole = y.floor().equals(y)
    half = y * 0.5
    odd = whole & half.floor().compare("one", half)
    power = power.copysign(x).where(odd, power)
    invalid = (x < 0.0) & (x > -inf) & y.floor().compare("one", y)
    power = power.like(nan).where(invalid, power)
    trivial = y.equals(0.0) | x.equals(1.0)
    return power.like(1.0).where(trivial, power)


def cbrt(m: MathBuilder, x: Value) -> Value:
    """Newton's method on the inverse cube root of the mantissa, then one step with the exact residual."""
    a = x.abs()
    normal = a
    if m.kind == "f64":
        tiny = a < 2.0**-1000
        normal = (a * 2.0**54).where(tiny, a)
    bits = normal.bits()
    exponent = (bits >> 52) - 1023
    mantissa = ((bits & ((1 << 52) - 1)) | (1023 << 52)).as_float()
    third = ((exponent.to_float(x.element) + 0.5) * (1.0 / 3.0)).floor()
    quotient = third.to_int(bits.element)
    remainder = exponent - quotient * 3
    is_one, is_two = remainder.equals(1), remainder.equals(2)
    factor = x.like(CBRT_FACTORS[2]).where(is_two, x.like(CBRT_FACTORS[1]).where(is_one, 1.0))
    inverse = m.polynomial(mantissa, table.INVERSE_CBRT[m.kind]) * factor
    value = mantissa * x.like(4.0).where(is_two, x.like(2.0).where(is_one, 1.0))
    # y += y h (1/3 + 2/9 h), h = 1 - v y**3, leaves an error of order h**3.
    h = (value * inverse).fma(-(inverse * inverse), 1.0)
    inverse = (inverse * h).fma(h.fma(2.0 / 9.0, 1.0 / 3.0), inverse)
    root = value * inverse * inverse
    if m.kind == "f64":
        square, square_low = _product(root, root)
        residual = square.fma(-root, value) - square_low * root
        root = (residual * (inverse * inverse)).fma(1.0 / 3.0, root)
    root = root * power_of_two(quotient + 1023)
    if m.kind == "f64":
        root = (root * 2.0**-18).where(a < 2.0**-1000, root)
    return root.where(a < inf, a).where(a.compare("une", 0.0), a).copysign(x)


def rsqrt(m: MathBuilder, x: Value) -> Value:
    return 1.0 / x.sqrt()
