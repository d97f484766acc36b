"""tanh, sinh, cosh and erf: a polynomial near 0, exponentials elsewhere."""

from __future__ import annotations

from . import coefficients as table
from .builder import MathBuilder, Value, width
from .exponential import exp_in_range, half_exp, magic


def _odd(m: MathBuilder, a: Value, coefficients: tuple[float, ...]) -> Value:
    """Returns `a + a**3 P(a**2)`."""
    z = a * a
    return (a * z).fma(m.polynomial(z, coefficients), a)


def tanh(m: MathBuilder, x: Value) -> Value:
    """Returns `1 - 2 / (exp(2 a) + 1)` from 0.625 on."""
    a = x.abs()
    clamped = a.at_most(10.0 if width(x.element) == 32 else 20.0)
    large = 1.0 - 2.0 / (exp_in_range(m, clamped + clamped) + 1.0)
    return _odd(m, a, table.TANH[m.kind]).where(a < 0.625, large).copysign(x)


def sinh(m: MathBuilder, x: Value) -> Value:
    """Returns `exp(a) / 2 - 1 / (2 exp(a))` from 1 on."""
    a = x.abs()
    half = half_exp(m, a)
    large = half - 0.25 / half
    return _odd(m, a, table.SINH[m.kind]).where(a < 1.0, large).copysign(x)


def cosh(m: MathBuilder, x: Value) -> Value:
    half = half_exp(m, x.abs())
    return half + 0.25 / half


def erf(m: MathBuilder, x: Value) -> Value:
    """Returns `x + x P(x**2)` up to 1, then `1 - exp(Q(x))` with Q a polynomial for log(erfc(x)).

    f32 has `1 - Q(x)**2` with Q a polynomial for the square root of erfc(x), which is shorter than Q and exp together.

    Where an instruction takes entries of tables, f32 is `erf(c) + t P(t)` with t = x - c and a polynomial for each of 16 centers c, of
    which erf is nearly an f32 (Gal, *Computing Elementary Functions*, 1986); c = 0 has `x + x P(x)`.
    """
    a = x.abs()
    single = width(x.element) == 32
    if single and m.looks_up():
        return _erf_by_table(m, a).copysign(x)
    small = a.fma(m.polynomial(a * a, table.ERF[m.kind]), a)
    t = a.at_most(3.95 if single else 6.0) - 1.0
    if single:
        root = m.polynomial(t, table.ROOT_ERFC[m.kind])
        large = root.negated_product(root, a.like(1.0))
    else:
        large = 1.0 - exp_in_range(m, m.polynomial(t, table.LOG_ERFC[m.kind]))
    return small.where(a < 1.0, large).copysign(x)


def _erf_by_table(m: MathBuilder, a: Value) -> Value:
    a = a.at_most(table.ERF_LIMIT)
    # The sum rounds to an integer, in the low bits.
    shifted = a.fma(table.ERF_PIECES_PER_UNIT, magic(a.element))
    piece = shifted.bits()
    t = a - piece.looked_up(table.ERF_CENTERS)
    *lower, result = (piece.looked_up(column) for column in table.ERF_COLUMNS)
    for coefficient in reversed(lower):
        result = result.fma(t, coefficient)
    start = piece.looked_up(table.ERF_AT_CENTERS)
    return result.fma(t, a.where(shifted.equals(magic(a.element)), start))
