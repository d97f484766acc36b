"""ipowi and fpowi: multiplication by repeated squaring."""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Block, Region, SSAValue

from .builder import MathBuilder, Value


def _constant_power(base: Value, exponent: int) -> Value | None:
    """Returns base**exponent for a positive exponent; None for 0."""
    result: Value | None = None
    while exponent:
        if exponent & 1:
            result = base if result is None else result * base
        exponent >>= 1
        if exponent:
            base = base * base
    return result


def _ladder(base: Value, exponent: Value, bits: int) -> Value:
    """Selects and multiplies for each bit of a non-negative exponent."""
    result = base.like(1)
    for bit in range(bits):
        chosen = (exponent & (1 << bit)).compare("ne", 0)
        result = (result * base).where(chosen, result)
        if bit + 1 < bits:
            base = base * base
    return result


def _loop(m: MathBuilder, base: Value, exponent: Value) -> Value:
    """Returns the same as a loop over the bits that are set or below one that is; scalars."""
    types: list[Attribute] = [base.element, base.element, exponent.element]
    before, after = Block(arg_types=types), Block(arg_types=types)
    outer = m.ops
    m.ops = []
    more = m.wrap(before.args[2]).compare("ne", m.wrap(exponent.like(0).ssa))
    before.add_ops([*m.ops, scf.ConditionOp(more.ssa, *before.args)])
    m.ops = []
    result, factor, left = (m.wrap(arg) for arg in after.args)
    odd = (left & 1).compare("ne", 0)
    result = (result * factor).where(odd, result)
    squared = factor * factor
    left = left.shift_right_logical(1)
    after.add_ops([*m.ops, scf.YieldOp(result.ssa, squared.ssa, left.ssa)])
    m.ops = outer
    loop = scf.WhileOp([base.like(1).ssa, base.ssa, exponent.ssa], types, Region(before), Region(after))
    m.ops.append(loop)
    return m.wrap(loop.results[0])


def splat_of(value: SSAValue) -> int | None:
    """Returns the integer that a constant holds in every lane."""
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp):
        return None
    attr = owner.value
    numbers = getattr(attr, "get_values", None)
    if numbers is None:
        data = getattr(getattr(attr, "value", None), "data", None)
        return data if isinstance(data, int) else None
    elements = list(numbers())
    return elements[0] if elements and all(n == elements[0] for n in elements) else None


def _power(m: MathBuilder, base: Value, magnitude: Value, bits: int) -> Value:
    return _loop(m, base, magnitude) if m.lanes is None else _ladder(base, magnitude, bits)


def _bits(element: Attribute) -> int:
    return element.width.data if isinstance(element, IntegerType) else 64


def ipowi(m: MathBuilder, base: Value, exponent: Value) -> Value:
    """Wraps on overflow; a negative exponent gives 1/base**n rounded toward 0, and 0 for base 0."""
    constant = splat_of(exponent.ssa)
    if constant is not None and constant >= 0:
        result = _constant_power(base, constant)
        return base.like(1) if result is None else result
    bits = _bits(exponent.element)
    if constant is None:
        # The negative exponents matter for the bases 1 and -1 only, where their lowest bit decides.
        result = _power(m, base, exponent, bits if bits > 1 else 1)
        negative = exponent < 0
    else:
        result, negative = base, None
    unit = (base & exponent.like(1)) if bits == 1 else base
    inverse = unit.where(base.equals(-1), base.like(1).where(base.equals(1), 0))
    even = (exponent & 1).equals(0)
    inverse = base.like(1).where(even & base.equals(-1), inverse)
    return inverse if negative is None else inverse.where(negative, result)


def fpowi(m: MathBuilder, base: Value, exponent: Value) -> Value:
    """Products only; the inverse of the power for negative exponents."""
    constant = splat_of(exponent.ssa)
    if constant is not None:
        result = _constant_power(base, abs(constant))
        if result is None:
            return base.like(1.0)
        return 1.0 / result if constant < 0 else result
    negative = exponent < 0
    magnitude = (exponent.like(0) - exponent).where(negative, exponent)
    result = _power(m, base, magnitude, _bits(exponent.element))
    return (1.0 / result).where(negative, result)
