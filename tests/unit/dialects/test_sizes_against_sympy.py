"""The algebra of sizes against sympy, and against the values of random expressions."""

from __future__ import annotations

import itertools
import random

import pytest
from xdsl_relax.dialects.symbolic.expressions import Apply, Symbol, equal, evaluate, simplify
from xdsl_relax.dialects.symbolic.order import Ranges, interval
from xdsl_relax.dialects.symbolic.parser import dim_from_string

NAMES = ("n", "m", "k")
SIZES = (0, 1, 2, 3, 7, 10)


def random_dim(rng, depth):
    """Returns an expression as a person may write it, with divisors that are positive."""
    if depth == 0 or rng.random() < 0.15:
        return rng.choice([Symbol(rng.choice(NAMES)), Symbol(rng.choice(NAMES)), rng.randint(-3, 8)])
    op = rng.choice(["+", "+", "-", "*", "floordiv", "mod", "min", "max"])
    if op in ("floordiv", "mod"):
        rhs = rng.randint(1, 6) if rng.random() < 0.8 else Apply("+", Symbol(rng.choice(NAMES)), rng.randint(1, 3))
    else:
        rhs = random_dim(rng, depth - 1)
    return Apply(op, random_dim(rng, depth - 1), rhs)


def rewritten(rng, dim):
    """Returns an expression that always has the same value."""
    if not isinstance(dim, Apply):
        return dim
    lhs, rhs = rewritten(rng, dim.lhs), rewritten(rng, dim.rhs)
    chance = rng.random()
    if dim.op in ("+", "*", "min", "max") and chance < 0.4:
        lhs, rhs = rhs, lhs
    if dim.op == "*" and isinstance(rhs, Apply) and rhs.op == "+" and chance < 0.8:
        return Apply("+", Apply("*", lhs, rhs.lhs), Apply("*", lhs, rhs.rhs))
    if dim.op == "-" and chance < 0.5:
        return Apply("+", lhs, Apply("*", -1, rhs))
    if dim.op == "floordiv" and isinstance(rhs, int) and chance < 0.5:
        return Apply("-", Apply("floordiv", Apply("+", lhs, rhs * 2), rhs), 2)
    if dim.op == "floordiv" and isinstance(rhs, int) and chance < 0.8:
        return Apply("floordiv", Apply("*", lhs, 3), 3 * rhs)
    if dim.op == "mod" and isinstance(rhs, int) and chance < 0.5:
        return Apply("mod", Apply("+", lhs, Apply("*", rhs, Symbol("k"))), rhs)
    return Apply(dim.op, lhs, rhs)


def pairs(seed, count):
    """Yields expressions, each with an equal one or with one that is other for some sizes."""
    rng = random.Random(seed)
    for _ in range(count):
        dim = random_dim(rng, rng.choice([1, 2, 2, 3, 3, 4]))
        other = rewritten(rng, dim)
        yield dim, Apply("+", other, rng.choice([0, 1, Symbol("n")])) if rng.random() < 0.3 else other


def values(dim, sizes=SIZES):
    """Returns the values of an expression for all sizes of its symbols."""
    return [evaluate(dim, dict(zip(NAMES, row, strict=True))) for row in itertools.product(sizes, repeat=len(NAMES))]


def test_simplification_keeps_the_value():
    for dim, _ in pairs(1, 1000):
        canonical = simplify(dim)
        assert values(canonical) == values(dim), dim
        assert simplify(canonical) == canonical, dim
        assert isinstance(canonical, int) or dim_from_string(str(canonical)) == canonical, dim


def test_what_is_said_of_order_and_equality_holds():
    proved = 0
    for dim, other in pairs(2, 1000):
        known, given = values(dim), values(other)
        low, high = interval(dim)
        assert (low is None or low <= min(known)) and (high is None or max(known) <= high), dim
        same = equal(dim, other)
        proved += same is True
        assert same is not True or known == given, (dim, other)
        assert same is not False or all(a != b for a, b in zip(known, given, strict=True)), (dim, other)
    assert proved > 600


def test_ranges_are_used_and_never_too_far():
    ranges = Ranges({"n": (2, 7), "m": (0, 3), "k": (3, None)})
    domains = range(2, 8), range(4), (3, 4, 9, 20)
    shorter = 0
    for dim, other in pairs(3, 1000):
        canonical = simplify(dim, ranges)
        low, high = interval(dim, ranges)
        same = equal(dim, other, ranges)
        shorter += canonical != simplify(dim)
        for row in itertools.product(*domains):
            sizes: dict[str, int] = dict(zip(NAMES, row, strict=True))
            value = evaluate(dim, sizes)
            assert evaluate(canonical, sizes) == value, (dim, canonical)
            assert (low is None or low <= value) and (high is None or value <= high), dim
            assert same is None or (evaluate(other, sizes) == value) is same, (dim, other)
    assert shorter > 30


def test_whatever_sympy_proves_is_proved():
    pytest.importorskip("sympy")
    from oracles.sympy_sizes import sympy_equal

    proved = 0
    for dim, other in pairs(4, 200):
        expected = sympy_equal(dim, other)
        proved += expected is not None
        assert expected is None or equal(dim, other) is expected, (simplify(dim), simplify(other))
    assert proved > 150
