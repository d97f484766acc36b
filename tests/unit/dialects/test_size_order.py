"""Bounds of dims, against every value that the dims take for small symbols."""

from __future__ import annotations

import itertools
import random

import pytest
from xdsl_relax.dialects.symbolic.expressions import Apply, Symbol, evaluate, simplify
from xdsl_relax.dialects.symbolic.order import interval, is_nonnegative
from xdsl_relax.dialects.symbolic.parser import dim_from_string


def random_dim(rng, depth):
    if depth == 0:
        return rng.choice([Symbol("n"), Symbol("m"), rng.randint(-3, 6)])
    op = rng.choice(["+", "-", "*", "floordiv", "mod", "min", "max"])
    rhs = rng.randint(1, 5) if op in ("floordiv", "mod") else random_dim(rng, depth - 1)
    return Apply(op, random_dim(rng, depth - 1), rhs)


@pytest.mark.parametrize("canonical", [False, True])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_no_value_is_outside(depth, canonical):
    rng = random.Random(depth)
    told = 0
    for _ in range(150):
        dim = random_dim(rng, depth)
        dim = simplify(dim) if canonical else dim
        low, high = interval(dim)
        told += low is not None or high is not None
        for n, m in itertools.product(range(9), repeat=2):
            value = evaluate(dim, {"n": n, "m": m})
            assert low is None or low <= value, dim
            assert high is None or value <= high, dim
    assert told > 75


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n", True),
        ("n - 1", False),
        ("2 * n + 1", True),
        ("(n - 1) floordiv 2 + 1", True),
        ("(n - 3) floordiv 2 + 1", False),
        ("(n + 3) floordiv 4", True),
        ("n - m", False),
        ("max(0, n - m)", True),
        ("min(n, m - 1)", False),
        ("(n - 5) mod 4", True),
        ("n * m", True),
        ("4 - min(n, 4)", True),
        ("n floordiv m", True),
    ],
)
def test_nonnegative(text, expected):
    dim = dim_from_string(text)
    assert dim is not None
    assert is_nonnegative(dim) is expected
