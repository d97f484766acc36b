"""sin, cos and tan, with exact reduction of every argument.

Arguments up to a bound are reduced by pi/2 in three parts with fused multiply-adds (Cody and Waite). Larger ones go
behind a check that no lane, or some lane, needs it: f32 multiplies 1/(2 pi), split into parts of 29 bits, exactly in
f64 and adds the fractions as 64-bit integers; f64 multiplies the mantissa by the 192 bits of 1/(2 pi) that matter
(Payne and Hanek, *Radian reduction for trigonometric functions*, 1983).
"""

from __future__ import annotations

from itertools import pairwise
from math import inf, nan, pi

from xdsl.dialects.builtin import f64, i32, i64

from ....records import record
from . import coefficients as table
from .builder import MathBuilder, Value, width
from .exponential import magic
from .logarithm import two_sum

TWO_OVER_PI = 2 / pi
HALF_PI = {
    32: (1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15),
    64: (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33),
}
LIMIT = {"f32": 2.0**16, "f64": 2.0**27, "lite": 2.0**20}
"""Up to here the three parts are enough."""

INVERSE_TWO_PI_PARTS = (
    0.15915494225919247,
    8.327028684640414e-10,
    5.69002511952534e-19,
    6.317065083361892e-27,
    5.595982707708916e-36,
    6.551007945072098e-45,
    9.301187157400502e-54,
)
"""1/(2 pi) in parts of 29 bits: products with a 24-bit number are exact in f64."""

INVERSE_TWO_PI_WORDS = (
    *(0, 0x28BE60DB, 0x9391054A, 0x7F09D5F4, 0x7D4D3770, 0x36D8A566, 0x4F10E410, 0x7F9458EA, 0xF7AEF158, 0x6DC91B8E),
    *(0x909374B8, 0x01924BBA, 0x82746487, 0x3F877AC7, 0x2C4A69CF, 0xBA208D7D, 0x4BAED121, 0x3A671C09, 0xAD17DF90),
    *(0x4E64758E, 0x60D4CE7D, 0x272117E2, 0xEF7E4A0E, 0xC7FE25FF, 0xF7816603, 0xFBCBC462, 0xD6829B47, 0xDB4D9FB3),
    *(0xC9F2C26D, 0xD3D18FD9, 0xA797FA8B, 0x5D49EEB1, 0xFAF97C5E, 0xCF41CE7D, 0xE294A4BA, 0x9AFED7EC, 0x47E35742),
    *(0x1580CC11, 0xBF1EDAEA),
)
"""The bits of 1/(2 pi) after the point, behind a word of zeros."""


@record
class Angle:
    """x = quadrant * pi/2 + high + low modulo 2 pi, |high| <= pi/4; the low two bits of `quadrant` count."""

    quadrant: Value
    high: Value
    low: Value


def reduce(m: MathBuilder, x: Value) -> Angle:
    """Returns the angle of any finite x; NaN for Inf and NaN."""
    first, second, third = HALF_PI[width(x.element)]
    shifted = x.fma(TWO_OVER_PI, magic(x.element))
    n = shifted - magic(x.element)
    near = n.fma(-first, x)
    # `near` is exact. It may cancel with the second product, which is therefore split.
    product = n * -second
    rounding = n.fma(-second, -product)
    high, error = two_sum(near, product)
    low = n.fma(-third, error + rounding)
    quadrant = shifted.bits()
    big = x.abs() > LIMIT[m.kind]

    def slow() -> tuple[Value, Value, Value]:
        finite = x.where(x.abs() < inf, 0.0)
        if m.kind == "f64":
            far = _reduce_double(m, finite)
        else:
            far = _reduce_single(m, finite)
        far_high = far.high.where(x.abs() < inf, nan)
        return (far.quadrant.where(big, quadrant), far_high.where(big, high), far.low.where(big, low))

    return Angle(*m.branch(m.any(big), slow, lambda: (quadrant, high, low)))


def _reduce_single(m: MathBuilder, x: Value) -> Angle:
    """Adds the fractions of x / (2 pi) as integers of 2**-62 turns, where whole turns overflow."""
    wide = x.extend(f64)
    total: Value | None = None
    for part in INVERSE_TWO_PI_PARTS:
        turns = wide * part
        fraction = ((turns - turns.round_even()) * 2.0**62).to_int(i64)
        total = fraction if total is None else total + fraction
    assert total is not None
    quadrant = (total + (1 << 59)) >> 60
    rest = total - (quadrant << 60)
    angle = rest.to_float(f64) * (pi / 2 * 2.0**-60)
    high = angle.truncate(x.element)
    low = x.like(0.0) if x.element == f64 else (angle - high.extend(f64)).truncate(x.element)
    return Angle(quadrant if x.element == f64 else quadrant.truncate(i32), high, low)


def _reduce_double(m: MathBuilder, x: Value) -> Angle:
    """Multiplies the mantissa by a window of 1/(2 pi), in 32-bit digits."""
    mask = (1 << 32) - 1
    bits = x.bits()
    exponent = bits.shift_right_logical(52) & 0x7FF
    mantissa = (bits & ((1 << 52) - 1)) | (1 << 52)
    position = exponent - (1075 - 32)
    words = _window(m, position.shift_right_logical(5) & 31, 7)
    shift = position & 31
    digits = [(((a << 32) | b) << shift).shift_right_logical(32) for a, b in pairwise(words)]
    low, high = mantissa & mask, mantissa.shift_right_logical(32)
    # Column c has the weight 2**(-32 (c + 1)) turns; what lies before the point overflows and is dropped.
    columns: list[Value] = []
    carry: Value | None = None
    products = [low * digit for digit in digits]
    for c in reversed(range(len(digits))):
        column = products[c] & mask
        if c + 1 < len(digits):
            column = column + products[c + 1].shift_right_logical(32) + high * digits[c + 1]
        if carry is not None:
            column = column + carry
        carry = column.shift_right_logical(32)
        columns.insert(0, column & mask)
    turns = (columns[0] << 32) | columns[1]
    quadrant = (turns + (1 << 61)).shift_right_logical(62)
    rest = turns - (quadrant << 62)
    first = (rest >> 32).to_float(f64) * 2.0**-32
    second = (rest & mask).to_float(f64) * 2.0**-64
    third = columns[2].to_float(f64) * 2.0**-96
    fourth = columns[3].to_float(f64) * 2.0**-128
    total = first + second
    error = (second - (total - first)) + (third + fourth)
    fraction = total + error
    tail = error - (fraction - total)
    two_pi = 2 * pi
    angle = fraction * two_pi
    rounding = fraction.fma(two_pi, -angle)
    small = fraction.fma(2.4492935982947064e-16, tail.fma(two_pi, rounding))
    negative = x < 0.0
    return Angle(
        (0 - quadrant).where(negative, quadrant), (-angle).where(negative, angle), (-small).where(negative, small)
    )


def _window(m: MathBuilder, start: Value, count: int) -> list[Value]:
    """Returns `count` words of the table from `start` (below 32) on, by selection."""
    words = [m.constant(word, i64) for word in INVERSE_TWO_PI_WORDS]
    for bit in (16, 8, 4, 2, 1):
        chosen = (start & bit).equals(0)
        words = [
            words[i].where(chosen, words[i + bit]) if i + bit < len(words) else words[i]
            for i in range(min(len(words), count + bit - 1))
        ]
    return words


def sine_and_cosine(m: MathBuilder, angle: Angle) -> tuple[Value, Value]:
    """Returns sine and cosine of the reduced angle."""
    r, low = angle.high, angle.low
    z = r * r
    half = z * 0.5
    sine = r + (r * z).fma(m.polynomial(z, table.SIN[m.kind]), low - low * half)
    whole = 1.0 - half
    rest = ((1.0 - whole) - half) - r * low
    cosine = whole + (z * z).fma(m.polynomial(z, table.COS[m.kind]), rest)
    return sine, cosine


def _signed(y: Value, quadrant: Value) -> Value:
    """Negates y where bit 1 of the quadrant is set."""
    sign = (quadrant & 2) << (width(y.element) - 2)
    return (y.bits() ^ sign).as_float()


def _odd_quadrant(quadrant: Value) -> Value:
    return (quadrant & 1).compare("ne", 0)


def sin(m: MathBuilder, x: Value) -> Value:
    angle = reduce(m, x)
    sine, cosine = sine_and_cosine(m, angle)
    result = _signed(cosine.where(_odd_quadrant(angle.quadrant), sine), angle.quadrant)
    return x.where(x.equals(0.0), result)


def cos(m: MathBuilder, x: Value) -> Value:
    angle = reduce(m, x)
    sine, cosine = sine_and_cosine(m, angle)
    return _signed(sine.where(_odd_quadrant(angle.quadrant), cosine), angle.quadrant + 1)


def tan(m: MathBuilder, x: Value) -> Value:
    angle = reduce(m, x)
    sine, cosine = sine_and_cosine(m, angle)
    odd = _odd_quadrant(angle.quadrant)
    result = (-cosine).where(odd, sine) / sine.where(odd, cosine)
    return x.where(x.equals(0.0), result)
