"""atan, atan2, asin and acos."""

from __future__ import annotations

from math import inf

from xdsl.dialects.builtin import f64

from . import coefficients as table
from .builder import MathBuilder, Value

TAN_PI_8 = 0.41421356237309503
HALF_PI = 1.5707963267948966, 6.123233995736766e-17
QUARTER_PI = 0.7853981633974483, 3.061616997868383e-17


def _series(m: MathBuilder, t: Value, coefficients: tuple[float, ...]) -> Value:
    """Returns `t**3 P(t**2)`."""
    z = t * t
    return (t * z) * m.long_polynomial(z, coefficients)


def atan(m: MathBuilder, x: Value) -> Value:
    """Returns `pi/2 - atan(1/a)` above 1 + sqrt(2), `pi/4 + atan((a - 1) / (a + 1))` in the middle."""
    a = x.abs()
    middle, large = a > TAN_PI_8, a > 1.0 / TAN_PI_8
    numerator = a.like(-1.0).where(large, (a - 1.0).where(middle, a))
    denominator = a.where(large, (a + 1.0).where(middle, 1.0))
    quarters = a.like(2.0).where(large, a.like(1.0).where(middle, 0.0))
    return _combine(m, numerator / denominator, quarters).copysign(x)


def _combine(m: MathBuilder, t: Value, quarters: Value, sign: Value | None = None) -> Value:
    """Returns `quarters * pi/4 + atan(t)` for |t| <= tan(pi/8); `sign` (1 or -1) applies to atan(t)."""
    rest = _series(m, t, table.ATAN[m.kind])
    if sign is not None:
        t, rest = t * sign, rest * sign
    tail = quarters.fma(QUARTER_PI[1], rest)
    return quarters.fma(QUARTER_PI[0], t + tail)


def atan2(m: MathBuilder, y: Value, x: Value) -> Value:
    """Reduces to the octant of the smaller over the larger coordinate; one division."""
    across, up = x.abs(), y.abs()
    swap = up > across
    small, large = across.where(swap, up), up.where(swap, across)
    if x.element == f64 and m.kind == "f64":
        # Sums must not overflow, and a multiple of the larger coordinate must not vanish.
        factor = x.like(0.0625).where(large > 1e300, x.like(2.0**64).where(large < 1e-280, 1.0))
        small, large = small * factor, large * factor
    close = small >= large * TAN_PI_8
    same = small.equals(large)
    numerator = x.like(0.0).where(same, (small - large).where(close, small))
    denominator = x.like(1.0).where(same, (small + large).where(close, large))
    zero = large.equals(0.0)
    quarters = x.like(0.0).where(zero, x.like(1.0).where(close, 0.0))
    sign = x.like(-1.0).where(swap, 1.0)
    quarters = (2.0 - quarters).where(swap, quarters)
    negative = x.bits() < 0
    sign = (-sign).where(negative, sign)
    quarters = (4.0 - quarters).where(negative, quarters)
    return _combine(m, numerator / denominator, quarters, sign).copysign(y)


def _asin_parts(m: MathBuilder, x: Value) -> tuple[Value, Value, Value, Value]:
    """Returns (small, s, rest, s_low): asin is `s + rest` of |x| where small, of sqrt((1 - |x|) / 2) elsewhere."""
    a = x.abs()
    small = a < 0.5
    z = (a * a).where(small, a.fma(-0.5, 0.5))
    root = z.sqrt()
    s = a.where(small, root)
    rest = (s * z) * m.long_polynomial(z, table.ASIN[m.kind])
    error = root.fma(-root, z) / (root + root)
    return small, s, rest, error.where(z > 0.0, 0.0)


def asin(m: MathBuilder, x: Value) -> Value:
    """Returns `pi/2 - 2 asin(sqrt((1 - a) / 2))` from 1/2 on; the rounding error of the root is added back."""
    small, s, rest, error = _asin_parts(m, x)
    tail = (rest + error) * 2.0 - HALF_PI[1]
    large = QUARTER_PI[0] - (tail - (QUARTER_PI[0] - (s + s)))
    return (s + rest).where(small, large).copysign(x)


def acos(m: MathBuilder, x: Value) -> Value:
    small, s, rest, error = _asin_parts(m, x)
    middle = HALF_PI[0] - (s.copysign(x) - (HALF_PI[1] - rest.copysign(x)))
    tail = (s + (rest + error)) * 2.0
    positive, negative = tail, 2.0 * HALF_PI[0] - (tail - 2.0 * HALF_PI[1])
    large = negative.where(x < 0.0, positive)
    result = middle.where(small, large)
    return result.where(x.abs() < inf, x - x)
