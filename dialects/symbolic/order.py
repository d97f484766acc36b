"""What is known of the values of expressions: ranges of symbols, intervals, and order that holds for every value of the leaves.

Everything here is a proof or nothing: a bound that is told holds, one that is not told may hold all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import field
from functools import lru_cache
from typing import TypeAlias

from ...records import record
from .nodes import Apply, Known, Leaf, Symbol
from .polynomial import LARGEST, ONE, Atom, Terms, plus, scaled, terms, times

Bound: TypeAlias = int | None
"""The least or the greatest value, `None` where there is none."""
Interval: TypeAlias = tuple[Bound, Bound]

MOST_CASES = 4
"""So many minima, maxima and quotients of an expression are looked into, one inside another."""


@record
class Ranges:
    """The least and the greatest size of symbols; a symbol that is not named is not negative, and that is all."""

    intervals: Mapping[str, Interval] = field(default_factory=dict[str, Interval])
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # It is part of the key of every table below.
        object.__setattr__(self, "_hash", hash(frozenset(self.intervals.items())))

    def __hash__(self) -> int:
        return self._hash

    def __bool__(self) -> bool:
        return bool(self.intervals)

    def text(self, name: str) -> str:
        """Returns the range of a symbol as people write it: `2 <= n <= 512`, `n <= 512`, `n >= 2`."""
        low, high = self.intervals[name]
        if high is None:
            return f"{name} >= {low or 0}"
        return f"{low} <= {name} <= {high}" if low else f"{name} <= {high}"

    def holds(self, name: str, size: int) -> bool:
        """Returns whether a size is in the range of a symbol."""
        low, high = self.intervals.get(name, (0, None))
        return (low is None or low <= size) and (high is None or size <= high)

    def nearest(self, name: str, size: int) -> int:
        """Returns the size in the range of a symbol that is the nearest to another."""
        low, high = self.intervals.get(name, (0, None))
        at_least = size if low is None else max(low, size)
        return at_least if high is None else min(high, at_least)

    def restricted(self, names: Container[str]) -> Ranges:
        """Returns the ranges of some symbols."""
        return Ranges({name: bounds for name, bounds in self.intervals.items() if name in names})

    def of(self, leaf: Leaf) -> Interval:
        """Returns the least and the greatest value of a leaf."""
        if isinstance(leaf, Symbol):
            return self.intervals.get(leaf.name, (0, None))
        return leaf.least, None


NO_RANGES = Ranges()


def clamped(symbol: Symbol, ranges: Ranges, may_be_negative: bool = False) -> Known:
    """Returns the size of a symbol held inside its range, which is the symbol itself exactly where it is in the range."""
    low, high = ranges.of(symbol)
    held: Known = symbol if high is None else Apply("min", high, symbol)
    return Apply("max", low or 0, held) if low or may_be_negative else held


def range_of_clamped(dim: Known, symbol: Symbol) -> Ranges | None:
    """Returns the range that `clamped` holds a symbol in, `None` for any other expression."""
    low, high = 0, None
    if dim == symbol:
        return None
    if isinstance(dim, Apply) and dim.op == "max" and isinstance(dim.lhs, int):
        low, dim = dim.lhs, dim.rhs
    if isinstance(dim, Apply) and dim.op == "min" and isinstance(dim.lhs, int):
        high, dim = dim.lhs, dim.rhs
    return Ranges({symbol.name: (low, high)}) if dim == symbol else None


def interval(dim: Known, ranges: Ranges = NO_RANGES) -> Interval:
    """Returns the least and the greatest value that an expression may have, each where it is evident."""
    return _interval(dim, ranges)


def is_nonnegative(dim: Known, ranges: Ranges = NO_RANGES) -> bool:
    """Returns whether an expression is provably not negative."""
    return _is_nonnegative(dim, ranges)


def at_most(lhs: Known, rhs: Known, ranges: Ranges = NO_RANGES) -> bool:
    """Returns whether an expression is provably not above another."""
    return lhs == rhs or terms_are_nonnegative(plus(terms(rhs), terms(lhs), -1), ranges)


@lru_cache(maxsize=65536)
def _is_nonnegative(dim: Known, ranges: Ranges) -> bool:
    return terms_are_nonnegative(terms(dim), ranges)


@lru_cache(maxsize=65536)
def _interval(dim: Known, ranges: Ranges) -> Interval:
    if isinstance(dim, int):
        return dim, dim
    if isinstance(dim, Leaf):
        return ranges.of(dim)
    if dim.op in ("+", "-", "*"):
        return interval_of(terms(dim), ranges)
    return _INTERVAL_RULES[dim.op](_interval(dim.lhs, ranges), _interval(dim.rhs, ranges))


def interval_of(polynomial: Terms, ranges: Ranges) -> Interval:
    """Returns the least and the greatest value that a polynomial may have, each where it is evident."""
    return lower_bound(polynomial, ranges), _negated(lower_bound(scaled(polynomial, -1), ranges))


def lower_bound(polynomial: Terms, ranges: Ranges) -> Bound:
    """Returns what a polynomial is at least: the better bound of its terms as they are, and with each atom counted from its least."""
    known = _lower_bound_of_terms(polynomial, lambda atom: _interval(atom, ranges))
    least = {atom: low for m in polynomial for atom in m if (low := _interval(atom, ranges)[0])}
    if not least:
        return known
    moved = _counted_from(polynomial, least)
    if moved is None:
        return known

    def from_least(atom: Atom) -> Interval:
        low, high = _interval(atom, ranges)
        return (low, high) if low is None else (0, None if high is None else high - low)

    return _greatest(known, _lower_bound_of_terms(moved, from_least))


def _counted_from(polynomial: Terms, least: Mapping[Atom, int]) -> Terms | None:
    """Replaces each atom by its sum with its least value; `None` where that has too many terms."""
    result: Terms = {}
    for monomial, coefficient in polynomial.items():
        product: Terms = {ONE: coefficient}
        for atom in monomial:
            factor: Terms = {(atom,): 1}
            product = times(product, plus(factor, {ONE: least[atom]}) if atom in least else factor)
            if len(product) > LARGEST:
                return None
        result = plus(result, product)
    return result


def _lower_bound_of_terms(polynomial: Terms, interval_of_atom: Callable[[Atom], Interval]) -> Bound:
    total = 0
    for monomial, coefficient in polynomial.items():
        low, high = 1, 1
        for atom in monomial:
            low, high = _product((low, high), interval_of_atom(atom))
        bound = low if coefficient > 0 else high
        if bound is None:
            return None
        total += coefficient * bound
    return total


def terms_are_nonnegative(polynomial: Terms, ranges: Ranges, cases: int = MOST_CASES) -> bool:
    """Returns whether a polynomial is provably not negative.

    Where its terms alone do not tell, a minimum or a maximum is each of its operands in turn, and a quotient by a number is between
    two fractions. A minimum that only adds is held against both operands, one that only subtracts against either.
    """
    # True is a proof; False says nothing. Each case leaves one case less to the recursion, which bounds it.
    if all(coefficient > 0 for coefficient in polynomial.values()) and _atoms_are_nonnegative(polynomial, ranges):
        return True
    least = lower_bound(polynomial, ranges)
    if least is not None and least >= 0:
        return True
    if not cases:
        return False
    for atom in dict.fromkeys(atom for monomial in polynomial for atom in monomial):
        if not isinstance(atom, Apply):
            continue
        if atom.op in ("min", "max"):
            grows = _direction(polynomial, atom, ranges)
            chosen = any if grows is not None and grows == (atom.op == "max") else all
            return chosen(
                terms_are_nonnegative(with_atom(polynomial, atom, operand), ranges, cases - 1)
                for operand in (terms(atom.lhs), terms(atom.rhs))
            )
        if atom.op == "floordiv" and isinstance(atom.rhs, int) and atom.rhs > 0:
            grows = _direction(polynomial, atom, ranges)
            if grows is not None and all(monomial.count(atom) < 2 for monomial in polynomial):
                fraction = plus(terms(atom.lhs), {ONE: atom.rhs - 1}, -1) if grows else terms(atom.lhs)
                return terms_are_nonnegative(_times_divisor(polynomial, atom, fraction, atom.rhs), ranges, cases - 1)
    return False


def _atoms_are_nonnegative(polynomial: Terms, ranges: Ranges) -> bool:
    lows = (_interval(atom, ranges)[0] for monomial in polynomial for atom in monomial)
    return all(low is not None and low >= 0 for low in lows)


def _direction(polynomial: Terms, atom: Atom, ranges: Ranges) -> bool | None:
    """Returns whether a polynomial grows with an atom (True), falls (False), or neither is known."""
    signs: set[bool] = set()
    for monomial, coefficient in polynomial.items():
        if atom in monomial:
            others = [other for other in monomial if other != atom]
            if len(monomial) - len(others) > 1 or not _atoms_are_nonnegative({tuple(others): 1}, ranges):
                return None
            signs.add(coefficient > 0)
    return signs.pop() if len(signs) == 1 else None


def with_atom(polynomial: Terms, atom: Atom, value: Terms) -> Terms:
    """Returns a polynomial with a value in place of an atom."""
    result: Terms = {}
    for monomial, coefficient in polynomial.items():
        product: Terms = {tuple(other for other in monomial if other != atom): coefficient}
        for _ in range(monomial.count(atom)):
            product = times(product, value)
        result = plus(result, product)
    return result


def _times_divisor(polynomial: Terms, atom: Atom, numerator: Terms, divisor: int) -> Terms:
    """Returns `divisor` times a polynomial in which an atom is the fraction `numerator / divisor`."""
    rest = {monomial: coefficient for monomial, coefficient in polynomial.items() if atom not in monomial}
    own = {monomial: coefficient for monomial, coefficient in polynomial.items() if atom in monomial}
    return plus(scaled(rest, divisor), with_atom(own, atom, numerator))


# ---- the interval of each operator, from those of its operands ----


def _negated(bound: Bound) -> Bound:
    return None if bound is None else -bound


def _least(lhs: Bound, rhs: Bound) -> Bound:
    """Returns the smaller of two bounds from above, either of which may be missing."""
    return rhs if lhs is None else lhs if rhs is None else min(lhs, rhs)


def _greatest(lhs: Bound, rhs: Bound) -> Bound:
    """Returns the larger of two bounds from below, either of which may be missing."""
    return rhs if lhs is None else lhs if rhs is None else max(lhs, rhs)


def _product(lhs: Interval, rhs: Interval) -> Interval:
    # An end is `None` where it is not bounded; both factors are told by their lower ends to be non-negative, or all four ends are numbers.
    (a, b), (c, d) = lhs, rhs
    if a is not None and c is not None and a >= 0 and c >= 0:
        high = 0 if b == 0 or d == 0 else None if b is None or d is None else b * d
        return a * c, high
    if a is None or b is None or c is None or d is None:
        return None, None
    corners = (a * c, a * d, b * c, b * d)
    return min(corners), max(corners)


def _quotient(lhs: Interval, rhs: Interval) -> Interval:
    (a, b), (c, d) = lhs, rhs
    if c is None or c < 0:
        return None, None
    # A divisor of 0 is refused at run time.
    c = max(c, 1)
    if a is None:
        low = None
    elif a >= 0:
        low = 0 if d is None else a // max(d, 1)
    else:
        low = a // c
    if b is None:
        return low, None
    return low, b // c if b >= 0 else -1 if d is None else b // max(d, 1)


def _remainder(lhs: Interval, rhs: Interval) -> Interval:
    (a, b), (c, d) = lhs, rhs
    if c is None or c < 0:
        return None, None
    below = None if d is None else max(d, 1) - 1
    return 0, _least(below, b) if a is not None and a >= 0 else below


def _minimum(lhs: Interval, rhs: Interval) -> Interval:
    (a, b), (c, d) = lhs, rhs
    return None if a is None or c is None else min(a, c), _least(b, d)


def _maximum(lhs: Interval, rhs: Interval) -> Interval:
    (a, b), (c, d) = lhs, rhs
    return _greatest(a, c), None if b is None or d is None else max(b, d)


_INTERVAL_RULES: dict[str, Callable[[Interval, Interval], Interval]] = {
    "floordiv": _quotient,
    "mod": _remainder,
    "min": _minimum,
    "max": _maximum,
}
