"""remf: the exact remainder, by reducing the dividend until it is less than the divisor.

Where the rounded quotient is less than the numbers between which there are no others, it is at most 1 too large, and a fused multiply-add
gives the remainder by it exactly. A larger one goes behind a check whether some lane has one: there the remainder by 2**k times the divisor
is taken, which has the same remainder by the divisor and at least `step` bits less, until nothing is left to take.
"""

from __future__ import annotations

from math import inf

from xdsl.dialects import scf
from xdsl.dialects.builtin import f64
from xdsl.ir import Attribute, Block, Region

from .builder import MathBuilder, Value

LIMIT = {"f32": 2.0**23, "f64": 2.0**52}
"""Below, quotients are rounded by at most a half."""
STEP = 51
"""Bits of a quotient that the loop takes at once, one less than below the limit of f64."""
STEP_WITHOUT_FMA = 27
"""Those of which the product with an f32 is exact in f64."""


def remf(m: MathBuilder, x: Value, y: Value) -> Value:
    """Returns `fmod` of C, exactly: NaN where x is infinite or y is 0, x where y alone is infinite."""
    dividend, divisor = x.abs(), y.abs()
    quotient = (dividend / divisor).floor()
    near = _positive(quotient.negated_product(divisor, dividend), divisor)
    # The quotient 0 times an infinite divisor would be NaN.
    near = dividend.where((dividend < inf) & divisor.equals(inf), near)
    is_far = quotient.compare("oge", LIMIT[m.kind]) & (dividend < inf) & (divisor > 0.0)

    def far() -> tuple[Value]:
        return (_reduced(m, dividend.where(is_far, 0.0), divisor.where(is_far, 1.0)).where(is_far, near),)

    (rest,) = m.branch(m.any(is_far), far, lambda: (near,))
    return rest.copysign(x)


def _positive(rest: Value, divisor: Value) -> Value:
    """Returns a remainder by a quotient that may be 1 too large."""
    return (rest + divisor).where(rest < 0.0, rest)


def _reduced(m: MathBuilder, dividend: Value, divisor: Value) -> Value:
    """Returns the remainder of finite positive numbers, in f64."""
    element, step = dividend.element, STEP
    if element != f64 and not m.fuses:
        step = STEP_WITHOUT_FMA
    small = divisor.extend(f64)
    exponent = _exponent(small)
    start = dividend.extend(f64)
    types: list[Attribute] = [start.ssa.type]
    before, after = Block(arg_types=types), Block(arg_types=types)
    outer, m.ops = m.ops, []
    more = m.any(m.wrap(before.args[0]).compare("oge", small))
    before.add_ops([*m.ops, scf.ConditionOp(more, *before.args)])
    m.ops = []
    rest = m.wrap(after.args[0])
    shift = _exponent(rest) - exponent - step
    shift = shift.where(shift > 0, 0)
    half = shift >> 1
    scaled = small * _power_of_two(half) * _power_of_two(shift - half)
    quotient = (rest / scaled).floor()
    product = quotient.negated_product(scaled, rest) if step == STEP else rest - quotient * scaled
    reduced = _positive(product, scaled)
    after.add_ops([*m.ops, scf.YieldOp(reduced.ssa)])
    m.ops = outer
    loop = scf.WhileOp([start.ssa], types, Region(before), Region(after))
    m.ops.append(loop)
    return m.wrap(loop.results[0]).truncate(element)


def _exponent(x: Value) -> Value:
    """Returns the exponent of a positive f64, subnormal ones included, up to a constant."""
    is_small = x < 2.0**-900
    exponent = (x * 2.0**100).where(is_small, x).bits() >> 52
    return (exponent - 100).where(is_small, exponent)


def _power_of_two(exponent: Value) -> Value:
    return ((exponent + 1023) << 52).as_float()
