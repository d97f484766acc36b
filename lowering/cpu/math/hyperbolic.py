"""tanh, sinh, cosh and erf: a polynomial near 0, exponentials elsewhere."""

from __future__ import annotations

from . import coefficients as table
from .builder import MathBuilder, Value, width
from .exponential import exp_in_range, half_exp


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
    """Returns `x + x P(x**2)` up to 1, then `1 - exp(Q(x))` with Q a polynomial for log(erfc(x))."""
    a = x.abs()
    single = width(x.element) == 32
    small = a.fma(m.polynomial(a * a, table.ERF[m.kind]), a)
    t = a.at_most(4.0 if single else 6.0) - 1.0
    large = 1.0 - exp_in_range(m, m.polynomial(t, table.LOG_ERFC[m.kind]))
    return small.where(a < 1.0, large).copysign(x)
