"""Upper bounds of sizes: right for every value that the symbols may have, and as small as can be for simple expressions."""

from __future__ import annotations

from itertools import product

import pytest
from xdsl_relax.dialects.symbolic.expressions import evaluate, symbols
from xdsl_relax.dialects.symbolic.extremes import upper_bound
from xdsl_relax.dialects.symbolic.order import Ranges
from xdsl_relax.dialects.symbolic.parser import dim_from_string

DECLARED = Ranges({"n": (0, 9), "m": (2, 5)})
RANGES = {"n": range(10), "m": range(2, 6), "k": range(12)}

NUMBERS = {
    "7": 7,
    "n": 9,
    "2 * n + 1": 19,
    "n * m": 45,
    "n - m": 7,
    "n floordiv 2": 4,
    "n floordiv m": 4,
    "n mod 4": 3,
    "n mod 20": 9,
    "min(n, m)": 5,
    "max(n, m)": 9,
    "k mod 4": 3,
    "min(k, n)": 9,
    "n - k": 9,
    "(n - 4) * m": 37,
}
LOOSE = ("(n - 4) * m",)
"""Simplification writes a symbol twice, and each has its own extreme."""
EXPRESSIONS = {
    "k": "k",
    "k + n": "k + 9",
    "k - m": "k - 2",
    "k * n": "9 * k",
    "(k + n) floordiv 2": "(k + 9) floordiv 2",
    "max(k, n)": "max(k, 9)",
    "k mod m": "4",
    "k floordiv n": "k floordiv n",
}


@pytest.mark.parametrize("text", NUMBERS)
def test_bound_is_a_number(text: str):
    dim = dim_from_string(text)
    assert dim is not None
    assert upper_bound(dim, DECLARED) == NUMBERS[text]
    names = sorted(set(symbols(dim)))
    values = [evaluate(dim, dict(zip(names, sizes))) for sizes in product(*(RANGES[name] for name in names))]
    assert max(values) <= NUMBERS[text]
    assert (max(values) == NUMBERS[text]) is (text not in LOOSE)


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_bound_keeps_symbols_without_bound(text: str):
    assert upper_bound(dim_from_string(text), DECLARED) == dim_from_string(EXPRESSIONS[text])


def test_unknown_stays_unknown():
    assert upper_bound(None, DECLARED) is None
