"""log, log2, log10, log1p and the inverse hyperbolic functions, which are logarithms of sums.

x = 2**e * m with m in [sqrt(1/2), sqrt(2)); then either a polynomial in m - 1 (for f32 results), or the series of
`log((1 + s) / (1 - s))` with s = (m - 1) / (m + 1) (f64), as in Muller, *Elementary Functions* (3rd edition, 2016).
"""

from __future__ import annotations

from math import inf, nan

from ....records import record
from . import coefficients as table
from .builder import MathBuilder, Value, width
from .exponential import LN2_HIGH, LN2_LOW, MANTISSA

SQRT_HALF_BITS = {32: 0x3F3504F3, 64: 0x3FE6A09E667F3BCD}
SMALLEST_NORMAL = {32: 2.0**-126, 64: 2.0**-1022}

INVERSE_LN2 = 1.4426950408889634, 2.0355273740931033e-17
INVERSE_LN10 = 0.4342944819032518, 1.098319650216765e-17
LOG10_2 = 0.30102999566395283, 2.8363394551044964e-14


@record
class Split:
    """x = 2**exponent * (1 + f)."""

    exponent: Value
    f: Value


def split(m: MathBuilder, x: Value, *, subnormals: bool) -> Split:
    """Returns exponent and mantissa of a positive number; anything for others."""
    size = width(x.element)
    offset = None
    if subnormals and m.kind != "lite":
        tiny = x < SMALLEST_NORMAL[size]
        power = MANTISSA[size] + 1
        x = (x * 2.0**power).where(tiny, x)
        offset = x.like(-float(power)).where(tiny, 0.0)
    bits = x.bits()
    exponent = (bits - SQRT_HALF_BITS[size]) >> MANTISSA[size]
    mantissa = (bits - (exponent << MANTISSA[size])).as_float()
    e = exponent.to_float(x.element)
    if offset is not None:
        e = e + offset
    return Split(e, mantissa - 1.0)


def special_cases(result: Value, x: Value) -> Value:
    """Returns NaN below 0, -Inf at 0, +Inf and NaN as they are."""
    below = x.like(-inf).where(x.equals(0.0), nan)
    return result.where(x < inf, x).where(x > 0.0, below)


def log_mantissa(m: MathBuilder, f: Value, addend: Value | None) -> Value:
    """Returns `log(1 + f) + addend` for a small addend."""
    square = f * f
    if m.kind == "f64":
        s = f / (f + 2.0)
        z = s * s
        half = square * 0.5
        rest = z.fma(m.polynomial(z, table.LOG_RATIO["f64"]), half)
        return f - (half - (s * rest if addend is None else s.fma(rest, addend)))
    rest = f * m.long_polynomial(f, table.LOG[m.kind])
    half = square * -0.5 if addend is None else square.fma(-0.5, addend)
    return f + square.fma(rest, half)


def log_sum(m: MathBuilder, x: Value, low: Value | None = None, scale: Value | None = None) -> Value:
    """Returns `log((x + low) * 2**scale)` for positive finite x; `low` is at most half an ulp of x."""
    size = width(x.element)
    parts = split(m, x, subnormals=low is None)
    e = parts.exponent if scale is None else parts.exponent + scale
    small = e * LN2_LOW[size]
    if low is not None:
        # For f32 results the low part matters near x = 1 only.
        small = small + (low / x if m.kind == "f64" else low.where(x < 2.0, 0.0))
    return e.fma(LN2_HIGH[size], log_mantissa(m, parts.f, small))


def log(m: MathBuilder, x: Value) -> Value:
    return special_cases(log_sum(m, x), x)


def log2(m: MathBuilder, x: Value) -> Value:
    parts = split(m, x, subnormals=True)
    mantissa, e = log_mantissa(m, parts.f, None), parts.exponent
    if m.kind == "lite":
        return special_cases(mantissa.fma(INVERSE_LN2[0], e), x)
    return special_cases(e + mantissa.fma(INVERSE_LN2[0], mantissa * INVERSE_LN2[1]), x)


def log10(m: MathBuilder, x: Value) -> Value:
    parts = split(m, x, subnormals=True)
    mantissa, e = log_mantissa(m, parts.f, None), parts.exponent
    low = mantissa.fma(INVERSE_LN10[1], e * LOG10_2[1])
    return special_cases(e.fma(LOG10_2[0], mantissa.fma(INVERSE_LN10[0], low)), x)


def two_sum(a: Value, b: Value) -> tuple[Value, Value]:
    """Returns a + b and its rounding error (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def log1p(m: MathBuilder, x: Value) -> Value:
    total, low = two_sum(x.like(1.0), x)
    return special_cases(log_sum(m, total, low), total).copysign(x)


def asinh(m: MathBuilder, x: Value) -> Value:
    """Returns `log1p(a + a**2 / (1 + sqrt(a**2 + 1)))`, and `log(2 a)` where the square would not matter."""
    a = x.abs()
    square = a * a
    root = square.fma(1.0, 1.0).sqrt()
    return _log1p_or_log_twice(m, a, a, square / (root + 1.0)).copysign(x)


def acosh(m: MathBuilder, x: Value) -> Value:
    """Returns `log1p(t + sqrt(t**2 + 2 t))` with t = x - 1."""
    t = x - 1.0
    result = _log1p_or_log_twice(m, x, t, t.fma(t, t + t).sqrt())
    return result.where(x >= 1.0, nan)


def _log1p_or_log_twice(m: MathBuilder, a: Value, first: Value, second: Value) -> Value:
    """Returns `log(1 + first + second)`, or `log(2 a)` for large a."""
    partial, low = two_sum(first, second)
    total, lower = two_sum(a.like(1.0), partial)
    large = a > 2.0**28
    scale = a.like(1.0).where(large, 0.0)
    value = a.where(large, total)
    low = a.like(0.0).where(large, low + lower)
    return special_cases(log_sum(m, value, low, scale), value)


def atanh(m: MathBuilder, x: Value) -> Value:
    """Returns `log1p(2 a / (1 - a)) / 2`."""
    a = x.abs()
    return (log1p(m, (a + a) / (1.0 - a)) * 0.5).copysign(x)
