"""Polynomials with integer coefficients over atoms: the normal form of `+`, `-` and `*`.

An atom is a leaf, or an application that is no polynomial: a quotient, a remainder, a minimum, a maximum, or a sum that stands in a
product too large to expand. Its operands are canonical; this module does not look into it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from hashlib import blake2b
from math import gcd
from typing import TypeAlias

from .nodes import Apply, Known, Symbol, weight

Atom: TypeAlias = Known
Monomial: TypeAlias = tuple[Atom, ...]
"""A product of atoms in the order of `atom_key`; the empty one is 1."""
Terms: TypeAlias = Mapping[Monomial, int]
"""The coefficient of each monomial, none of them 0. Never changed once it is made."""

LARGEST = 64
"""A product of two sums that would have more terms stays a product: 16 sums of two terms each would have 65536."""

HEAVIEST = 4096
"""So many nodes an expression may have to be looked into: what repeats a size in a size doubles with each level."""

ONE: Monomial = ()


@lru_cache(maxsize=65536)
def atom_key(atom: Atom) -> tuple[int, str]:
    """Returns what atoms are sorted by: symbols by name, then all others by their text."""
    return (0, atom.name) if isinstance(atom, Symbol) else (1, text_key(atom))


def text_key(dim: Known) -> str:
    """Returns what expressions are sorted by: the text, the digest of a heavy one."""
    return str(dim) if weight(dim) <= HEAVIEST else f"~{_digest(dim)}"


@lru_cache(maxsize=65536)
def _digest(dim: Known) -> str:
    if isinstance(dim, int):
        return str(dim)
    text = f"({_digest(dim.lhs)} {dim.op} {_digest(dim.rhs)})" if isinstance(dim, Apply) else dim.text(_digest)
    return blake2b(text.encode(), digest_size=16).hexdigest()


def terms_weight(polynomial: Terms) -> int:
    """Returns the nodes of all atoms."""
    return sum(weight(atom) for monomial in polynomial for atom in monomial)


_END = (2, "")


def _monomial_key(monomial: Monomial) -> tuple[tuple[int, str], ...]:
    """Returns what terms are sorted by: `m * m`, `m * n`, `m`, `n`, 1."""
    return (*map(atom_key, monomial), _END)


@lru_cache(maxsize=65536)
def terms(dim: Known) -> Terms:
    """Returns the polynomial of an expression."""
    if isinstance(dim, int):
        return {ONE: dim} if dim else {}
    if isinstance(dim, Apply):
        match dim.op:
            case "+":
                return plus(terms(dim.lhs), terms(dim.rhs))
            case "-":
                return plus(terms(dim.lhs), terms(dim.rhs), -1)
            case "*":
                return times(terms(dim.lhs), terms(dim.rhs))
            case _:
                pass
    return {(dim,): 1}


def plus(lhs: Terms, rhs: Terms, factor: int = 1) -> Terms:
    """Returns `lhs + factor * rhs`."""
    result = dict(lhs)
    for monomial, coefficient in rhs.items():
        total = result.get(monomial, 0) + factor * coefficient
        if total:
            result[monomial] = total
        else:
            result.pop(monomial, None)
    return result


def times(lhs: Terms, rhs: Terms) -> Terms:
    """Returns the product, expanded unless it has too many terms."""
    sums = len(lhs) > 1, len(rhs) > 1
    # Once a product is left as it is, no other sum is expanded into it: its terms would grow without end.
    if (all(sums) and len(lhs) * len(rhs) > LARGEST) or (any(sums) and (_is_product(lhs) or _is_product(rhs))):
        lhs, rhs = _as_atom(lhs), _as_atom(rhs)
    result: dict[Monomial, int] = {}
    for a, c in lhs.items():
        for b, d in rhs.items():
            product = monomial_product(a, b)
            result[product] = result.get(product, 0) + c * d
    return {monomial: coefficient for monomial, coefficient in result.items() if coefficient}


def monomial_product(lhs: Monomial, rhs: Monomial) -> Monomial:
    """Returns the product of two monomials."""
    return tuple(sorted((*lhs, *rhs), key=atom_key)) if lhs and rhs else lhs or rhs


def _is_product(polynomial: Terms) -> bool:
    return any(isinstance(atom, Apply) and atom.op in ("+", "-") for monomial in polynomial for atom in monomial)


def _as_atom(polynomial: Terms) -> Terms:
    return polynomial if len(polynomial) == 1 else {(expression(polynomial),): 1}


def scaled(polynomial: Terms, factor: int) -> Terms:
    """Returns the product with an integer."""
    return {monomial: coefficient * factor for monomial, coefficient in polynomial.items()} if factor else {}


def constant_of(polynomial: Terms) -> int | None:
    """Returns the value of a polynomial without atoms."""
    if not polynomial:
        return 0
    return polynomial.get(ONE) if len(polynomial) == 1 else None


def content(polynomial: Terms) -> int:
    """Returns the greatest common divisor of all coefficients, 0 for the polynomial 0."""
    return gcd(*polynomial.values())


def divided(polynomial: Terms, divisor: Terms) -> Terms | None:
    """Returns the quotient of a polynomial by another one that divides it, else None."""
    lead = min(divisor, key=_monomial_key)
    quotient: Terms = {}
    rest = polynomial
    while rest:
        if len(quotient) > LARGEST:
            return None
        first = min(rest, key=_monomial_key)
        part = without(first, lead)
        if part is None or rest[first] % divisor[lead]:
            return None
        step = {part: rest[first] // divisor[lead]}
        quotient, rest = plus(quotient, step), plus(rest, times(step, divisor), -1)
    return quotient


def without(monomial: Monomial, factor: Monomial) -> Monomial | None:
    """Returns what is left of a monomial without some of its atoms, `None` if it has not all of them."""
    left = list(monomial)
    for atom in factor:
        if atom not in left:
            return None
        left.remove(atom)
    return tuple(left)


def expression(polynomial: Terms) -> Known:
    """Returns the canonical expression: terms and factors in a fixed order, a positive term first, the constant last."""
    ordered = sorted((m for m in polynomial if m), key=_monomial_key)
    lead = next((index for index, monomial in enumerate(ordered) if polynomial[monomial] > 0), 0)
    result: Known | None = None
    for monomial in (*ordered[lead : lead + 1], *ordered[:lead], *ordered[lead + 1 :]):
        coefficient = polynomial[monomial]
        if result is None:
            result = _term(monomial, coefficient)
        else:
            result = Apply("+" if coefficient > 0 else "-", result, _term(monomial, abs(coefficient)))
    constant = polynomial.get(ONE, 0)
    if result is None:
        return constant
    if constant:
        return Apply("+" if constant > 0 else "-", result, abs(constant))
    return result


def _term(monomial: Iterable[Atom], coefficient: int) -> Known:
    result: Known | None = None if coefficient == 1 else coefficient
    for atom in monomial:
        result = atom if result is None else Apply("*", result, atom)
    assert result is not None
    return result
