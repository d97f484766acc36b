"""The canonical form of expressions: polynomials over canonical quotients, remainders, minima and maxima.

Every rule holds for all values of the leaves inside their ranges, provided that divisors are positive, as the programs check.
"""

from __future__ import annotations

from functools import lru_cache
from math import gcd

from .nodes import EVALUATE, Apply, Known, Leaf
from .order import NO_RANGES, Ranges, at_most, interval, interval_of
from .polynomial import (
    ONE,
    Monomial,
    Terms,
    constant_of,
    content,
    divided,
    expression,
    monomial_product,
    plus,
    scaled,
    terms,
    text_key,
    times,
    without,
)

LARGEST_MINIMUM = 16
"""Operands of a minimum or maximum that are compared with one another; more are kept as they are."""


def simplify(dim: Known, ranges: Ranges = NO_RANGES) -> Known:
    """Returns the canonical form of an expression whose leaves are in their ranges."""
    return dim if isinstance(dim, int) else _simplified(dim, ranges)


@lru_cache(maxsize=65536)
def _simplified(dim: Leaf | Apply, ranges: Ranges) -> Known:
    if isinstance(dim, Leaf):
        low, high = ranges.of(dim) if ranges else (0, None)
        return low if low is not None and low == high else dim
    if dim.op in ("+", "-", "*"):
        return expression(_terms_of_simplified(dim, ranges))
    return canonical(dim.op, simplify(dim.lhs, ranges), simplify(dim.rhs, ranges), ranges)


def _terms_of_simplified(dim: Known, ranges: Ranges) -> Terms:
    """Returns the polynomial of a simplified expression; a long sum is not put in order at each of its terms."""
    if isinstance(dim, Apply) and dim.op in ("+", "-", "*"):
        lhs, rhs = _terms_of_simplified(dim.lhs, ranges), _terms_of_simplified(dim.rhs, ranges)
        return times(lhs, rhs) if dim.op == "*" else plus(lhs, rhs, 1 if dim.op == "+" else -1)
    return terms(simplify(dim, ranges))


@lru_cache(maxsize=65536)
def canonical(op: str, lhs: Known, rhs: Known, ranges: Ranges = NO_RANGES) -> Known:
    """Returns the canonical form of an operator applied to canonical expressions."""
    if isinstance(lhs, int) and isinstance(rhs, int) and not (rhs == 0 and op in ("floordiv", "mod")):
        return EVALUATE[op](lhs, rhs)
    match op:
        case "floordiv":
            return _quotient(lhs, rhs, ranges)
        case "mod":
            return _remainder(lhs, rhs, ranges)
        case "min" | "max":
            return _extreme(op, lhs, rhs, ranges)
        case _:
            return expression(terms(Apply(op, lhs, rhs)))


def _quotient(lhs: Known, rhs: Known, ranges: Ranges) -> Known:
    """Takes the whole part out of a quotient, then divides both sides by what they have in common."""
    if isinstance(rhs, int) and rhs < 1:
        return Apply("floordiv", lhs, rhs)
    dividend, divisor = terms(lhs), terms(rhs)
    whole, rest = _whole_part(dividend, divisor)
    if not rest:
        return expression(whole)
    shorter, smaller = _without_common_factor(rest, divisor)
    if smaller != divisor:
        return _plus(whole, _quotient(expression(shorter), expression(smaller), ranges))
    size = constant_of(divisor)
    if size is not None:
        low, high = interval_of(rest, ranges)
        if low is not None and high is not None and low // size == high // size:
            return expression(plus(whole, {ONE: low // size} if low // size else {}))
        inner = _quotient_inside(rest)
        if inner is not None:
            # ((x floordiv a) + c) floordiv b = (x + a * c) floordiv (a * b)
            numerator = plus(terms(inner.lhs), {ONE: rest.get(ONE, 0) * inner.rhs} if ONE in rest else {})  # pyright: ignore[reportOperatorIssue]
            return _plus(whole, _quotient(expression(numerator), size * inner.rhs, ranges))  # pyright: ignore[reportOperatorIssue, reportArgumentType]
    return _plus(whole, Apply("floordiv", expression(rest), expression(divisor)))


def _plus(polynomial: Terms, dim: Known) -> Known:
    return expression(plus(polynomial, terms(dim)))


def _quotient_inside(polynomial: Terms) -> Apply | None:
    """Returns the quotient by a number that a polynomial is, up to a constant."""
    monomials = [monomial for monomial in polynomial if monomial]
    if len(monomials) != 1 or len(monomials[0]) != 1 or polynomial[monomials[0]] != 1:
        return None
    atom = monomials[0][0]
    if isinstance(atom, Apply) and atom.op == "floordiv" and isinstance(atom.rhs, int) and atom.rhs > 0:
        return atom
    return None


def _whole_part(dividend: Terms, divisor: Terms) -> tuple[Terms, Terms]:
    """Splits a dividend into a multiple of the divisor, given as the factor, and a rest."""
    if len(divisor) == 1:
        ((monomial, factor),) = divisor.items()
        whole: dict[Monomial, int] = {}
        for term, coefficient in dividend.items():
            part = without(term, monomial)
            if part is not None and coefficient % factor == 0:
                whole[part] = coefficient // factor
        rest = plus(dividend, {monomial_product(part, monomial): c * factor for part, c in whole.items()}, -1)
        return whole, rest
    whole_quotient = divided(dividend, divisor)
    return ({}, dividend) if whole_quotient is None else (whole_quotient, {})


def _without_common_factor(dividend: Terms, divisor: Terms) -> tuple[Terms, Terms]:
    """Divides both sides of a quotient by their common factor.

    By a number the constant of the dividend is divided too, rounded down: (g * x + c) floordiv (g * k) is
    (x + c floordiv g) floordiv k.
    """
    common = _common_atoms([*dividend, *divisor])
    if common:
        dividend, divisor = ({_left(m, common): c for m, c in side.items()} for side in (dividend, divisor))
    moving = [c for m, c in dividend.items() if m or constant_of(divisor) is None]
    factor = gcd(*moving, content(divisor))
    if factor > 1:
        dividend = {m: q for m, c in dividend.items() if (q := c // factor)}
        divisor = {m: c // factor for m, c in divisor.items()}
    return dividend, divisor


def _left(monomial: Monomial, factor: Monomial) -> Monomial:
    left = without(monomial, factor)
    assert left is not None
    return left


def _common_atoms(monomials: list[Monomial]) -> Monomial:
    common = list(monomials[0])
    for monomial in monomials[1:]:
        rest = list(monomial)
        kept = []
        for atom in common:
            if atom in rest:
                rest.remove(atom)
                kept.append(atom)
        common = kept
    return tuple(common)


def _remainder(lhs: Known, rhs: Known, ranges: Ranges) -> Known:
    """Leaves out the multiples of the divisor, and takes a common factor out of both sides."""
    if isinstance(rhs, int) and rhs < 1:
        return Apply("mod", lhs, rhs)
    divisor = terms(rhs)
    size = constant_of(divisor)
    dividend = terms(lhs)
    if size is not None:
        dividend = _reduced(dividend, size)
    _, rest = _whole_part(dividend, divisor)
    if not rest:
        return 0
    low, high = interval_of(rest, ranges)
    least = interval(rhs, ranges)[0]
    if low is not None and high is not None and least is not None and low >= 0 and high < least:
        return expression(rest)
    common = _common_atoms([*rest, *divisor])
    if common:
        return _times_monomial(common, _remainder(*_both(rest, divisor, common), ranges))
    factor = gcd(*(c for m, c in rest.items() if m or size is None), content(divisor))
    if factor > 1:
        # (g * x + c) mod (g * k) = g * ((x + c floordiv g) mod k) + c mod g
        offset = rest.get(ONE, 0) % factor if size is not None else 0
        inner = _remainder(
            expression({m: q for m, c in rest.items() if (q := c // factor)}),
            expression({m: c // factor for m, c in divisor.items()}),
            ranges,
        )
        return expression(plus(scaled(terms(inner), factor), {ONE: offset} if offset else {}))
    return Apply("mod", expression(rest), rhs)


def _reduced(dividend: Terms, size: int) -> Terms:
    """Returns a dividend that has the same remainder, with coefficients below the divisor and without remainders inside."""
    result: Terms = {}
    for monomial, coefficient in dividend.items():
        atom = monomial[0] if len(monomial) == 1 else None
        if isinstance(atom, Apply) and atom.op == "mod" and isinstance(atom.rhs, int) and atom.rhs % size == 0:
            result = plus(result, scaled(terms(atom.lhs), coefficient))
        else:
            result = plus(result, {monomial: coefficient})
    return {monomial: rest for monomial, coefficient in result.items() if (rest := coefficient % size)}


def _both(dividend: Terms, divisor: Terms, common: Monomial) -> tuple[Known, Known]:
    lhs, rhs = (expression({_left(m, common): c for m, c in side.items()}) for side in (dividend, divisor))
    return lhs, rhs


def _times_monomial(monomial: Monomial, dim: Known) -> Known:
    return expression({monomial_product(monomial, term): c for term, c in terms(dim).items()})


def _extreme(op: str, lhs: Known, rhs: Known, ranges: Ranges) -> Known:
    """Leaves out every operand that another one is provably never beyond."""
    operands = list(dict.fromkeys((*_operands(op, lhs), *_operands(op, rhs))))
    if len(operands) <= LARGEST_MINIMUM:
        kept: list[Known] = []
        for position, operand in enumerate(operands):
            others = (*kept, *operands[position + 1 :])
            if not any(_is_beyond(op, operand, other, ranges) for other in others):
                kept.append(operand)
        operands = kept
    operands.sort(key=text_key)
    result = operands[0]
    for operand in operands[1:]:
        result = Apply(op, result, operand)
    return result


def _operands(op: str, dim: Known) -> list[Known]:
    if isinstance(dim, Apply) and dim.op == op:
        return [*_operands(op, dim.lhs), *_operands(op, dim.rhs)]
    return [dim]


def _is_beyond(op: str, operand: Known, other: Known, ranges: Ranges) -> bool:
    """Returns whether an operand never decides a minimum or maximum because of another one."""
    return at_most(other, operand, ranges) if op == "min" else at_most(operand, other, ranges)
