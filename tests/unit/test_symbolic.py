"""Symbolic dims: text, algebra, evaluation."""

from __future__ import annotations

import itertools
import subprocess
import sys

import pytest
from xdsl.utils.exceptions import ParseError
from xdsl_relax.dialects.symbolic.expressions import Apply, Symbol, apply, equal, evaluate, simplify
from xdsl_relax.dialects.symbolic.parser import dim_from_string

N, M = Symbol("n"), Symbol("m")


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("n", "n"),
        ("n + 0", "n"),
        ("n * 2", "2 * n"),
        ("1 + n", "n + 1"),
        ("n - 3", "n - 3"),
        ("n + n", "2 * n"),
        ("2 * (n + 1)", "2 * n + 2"),
        ("n - n", "0"),
        ("(n * 4) floordiv 4", "n"),
        ("n floordiv 2", "n floordiv 2"),
        ("(n + 1) floordiv 2", "(n + 1) floordiv 2"),
        ("n mod 4", "n mod 4"),
        ("max(n, m)", "max(m, n)"),
        ("min(n, n)", "n"),
        ("n * m * 3", "3 * m * n"),
        ("7 floordiv 2", "3"),
    ],
)
def test_canonical_form(text, canonical):
    dim = dim_from_string(text)
    assert str(dim) == canonical
    assert dim_from_string(str(dim)) == dim


@pytest.mark.parametrize(
    "text", ["n + 2", "n - 2", "3 * n", "n * m", "(n + m) floordiv 3", "(2 * n + 1) mod 5", "max(n, m) - n"]
)
def test_the_canonical_form_has_the_same_value(text):
    for n, m in itertools.product((0, 1, 2, 5, 64), repeat=2):
        names = {"n": n, "m": m}
        expected = eval(text.replace("floordiv", "//").replace("mod", "%"), {"max": max, "min": min}, names)
        dim = dim_from_string(text)
        assert dim is not None
        assert evaluate(dim, names) == expected


@pytest.mark.parametrize("op", ["+", "-", "*"])
@pytest.mark.parametrize(("lhs", "rhs"), [(N, 3), (3, N), (N, -3), (N, N), (N, M)])
def test_the_short_way_agrees_with_sympy(op, lhs, rhs):
    from xdsl_relax.dialects.symbolic.expressions import from_sympy, to_sympy

    assert apply(op, lhs, rhs) == from_sympy(to_sympy(Apply(op, lhs, rhs)))


def test_equality_is_true_false_or_unknown():
    assert equal(simplify(Apply("+", N, N)), simplify(Apply("*", 2, N))) is True
    assert equal(Apply("+", N, 1), N) is False
    assert equal(N, M) is None
    assert equal(N, 4) is None
    assert equal(N, -1) is False
    assert equal(None, 4) is None


def test_sympy_is_not_loaded_for_simple_sums_and_multiples():
    code = (
        "import sys; from xdsl_relax.dialects.symbolic.expressions import *; "
        "apply('*', Symbol('n'), 5); apply('+', 2, Symbol('n')); apply('-', Symbol('n'), 2); assert 'sympy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("text", ["n floordiv 0", "n mod (2 - 2)", "n floordiv -1"])
def test_a_divisor_is_positive(text):
    with pytest.raises(ParseError, match=r"expected a positive divisor, got (0|-1)"):
        dim_from_string(text)
