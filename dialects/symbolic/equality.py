"""Whether an expression is 0 for every value of its leaves, or for none.

For this question quotients by a number are reduced further than in the canonical form, whose text people recognize: coefficients and
the constant of a dividend are below the divisor, and a remainder is what a quotient leaves. That names the dividend twice, so that it is
not done where expressions would become heavy.
"""

from __future__ import annotations

from functools import lru_cache

from .nodes import Apply, Known, Leaf
from .order import MOST_CASES, Ranges, terms_are_nonnegative, with_atom
from .polynomial import (
    HEAVIEST,
    ONE,
    Monomial,
    Terms,
    constant_of,
    content,
    expression,
    plus,
    scaled,
    terms,
    terms_weight,
    times,
)
from .simplify import canonical, simplify

_GROWTH = 4
"""A reduced expression has at most so many times the nodes, beyond those that any may have."""


def is_zero(dim: Known, ranges: Ranges) -> bool | None:
    """Returns whether an expression is provably 0 (True), provably not 0 (False), or neither (None)."""
    return _is_zero(reduced(simplify(dim, ranges)), ranges, MOST_CASES)


def _is_zero(polynomial: Terms, ranges: Ranges, cases: int) -> bool | None:
    known = constant_of(polynomial)
    if known is not None:
        return known == 0
    if _is_never_zero(polynomial, ranges, cases):
        return False
    if not cases:
        return None
    for atom in dict.fromkeys(atom for monomial in polynomial for atom in monomial):
        if isinstance(atom, Apply) and atom.op in ("min", "max"):
            # One operand is the least: what holds whichever it is holds.
            answers = {
                _is_zero(_with_order(polynomial, least, most), ranges, cases - 1)
                for least, most in ((atom.lhs, atom.rhs), (atom.rhs, atom.lhs))
            }
            return answers.pop() if len(answers) == 1 else None
    return None


def _with_order(polynomial: Terms, least: Known, most: Known) -> Terms:
    """Replaces every minimum and maximum that is decided by which of two expressions is the smaller one."""
    distance = plus(reduced(most), reduced(least), -1)
    for atom in dict.fromkeys(atom for monomial in polynomial for atom in monomial):
        if isinstance(atom, Apply) and atom.op in ("min", "max"):
            own = plus(reduced(atom.rhs), reduced(atom.lhs), -1)
            if own in (distance, scaled(distance, -1)):
                takes_lhs = (own == distance) == (atom.op == "min")
                polynomial = with_atom(polynomial, atom, reduced(atom.lhs if takes_lhs else atom.rhs))
    return polynomial


def _is_never_zero(polynomial: Terms, ranges: Ranges, cases: int) -> bool:
    constant = polynomial.get(ONE, 0)
    divisor = content({monomial: c for monomial, c in polynomial.items() if monomial})
    if constant % divisor:
        return True
    return any(terms_are_nonnegative(plus(scaled(polynomial, sign), {ONE: -1}), ranges, cases) for sign in (1, -1))


@lru_cache(maxsize=65536)
def reduced(dim: Known) -> Terms:
    """Returns a polynomial in which equal quotients and remainders by numbers are the same atoms."""
    if isinstance(dim, int | Leaf):
        return terms(dim)
    result = _reduced(dim)
    return result if terms_weight(result) <= max(HEAVIEST, _GROWTH * dim.weight) else terms(dim)


def _reduced(dim: Apply) -> Terms:
    if dim.op in ("+", "-"):
        return plus(reduced(dim.lhs), reduced(dim.rhs), 1 if dim.op == "+" else -1)
    if dim.op == "*":
        return times(reduced(dim.lhs), reduced(dim.rhs))
    lhs, rhs = reduced(dim.lhs), reduced(dim.rhs)
    if dim.op == "floordiv":
        return _quotient(lhs, rhs)
    if dim.op == "mod":
        return plus(lhs, times(_quotient(lhs, rhs), rhs), -1)
    return terms(canonical(dim.op, expression(lhs), expression(rhs)))


def _quotient(dividend: Terms, divisor: Terms) -> Terms:
    size = constant_of(divisor)
    if size is None or size < 1:
        return terms(canonical("floordiv", expression(dividend), expression(divisor)))
    whole: dict[Monomial, int] = {monomial: q for monomial, c in dividend.items() if (q := c // size)}
    rest = {monomial: r for monomial, c in dividend.items() if (r := c % size)}
    return plus(whole, terms(canonical("floordiv", expression(rest), size)))
