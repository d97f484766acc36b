"""Symbolic dims: text, algebra, evaluation."""

from __future__ import annotations

import itertools
import time

import pytest
from xdsl.utils.exceptions import ParseError
from xdsl_relax.dialects.symbolic.expressions import Apply, Symbol, apply, equal, evaluate, simplify, substitute
from xdsl_relax.dialects.symbolic.order import Ranges, is_nonnegative
from xdsl_relax.dialects.symbolic.parser import DEEPEST, dim_from_string

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
        ("m + 2 - n", "m - n + 2"),
        ("2 - n", "(-1) * n + 2"),
        ("(n + 5) floordiv 2", "(n + 5) floordiv 2"),
        ("(n + 4) floordiv 2", "n floordiv 2 + 2"),
        ("(n * m + m) floordiv m", "n + 1"),
        ("(n * m + m) floordiv (n + 1)", "m"),
        ("(6 * n + 5) floordiv 4", "3 * n floordiv 2 + 1"),
        ("n floordiv 2 floordiv 3", "n floordiv 6"),
        ("(n mod 4) floordiv 4", "0"),
        ("(n mod 4) mod 2", "n mod 2"),
        ("(4 * n + 1) mod 6", "2 * (2 * n mod 3) + 1"),
        ("(n - 1) mod 2", "(n + 1) mod 2"),
        ("min(n, 2 * n)", "n"),
        ("min(max(n, m), n)", "n"),
        ("min(n, n floordiv 2)", "n floordiv 2"),
        ("max(4 * ((n + 3) floordiv 4), n)", "4 * ((n + 3) floordiv 4)"),
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


def test_equality_is_true_false_or_unknown():
    assert equal(simplify(Apply("+", N, N)), simplify(Apply("*", 2, N))) is True
    assert equal(Apply("+", N, 1), N) is False
    assert equal(N, M) is None
    assert equal(N, 4) is None
    assert equal(N, -1) is False
    assert equal(None, 4) is None


@pytest.mark.parametrize(
    ("lhs", "rhs", "expected"),
    [
        ("(n + 3) floordiv 2", "(n + 1) floordiv 2 + 1", True),
        ("n - 3 * (n floordiv 3)", "n mod 3", True),
        ("3 * n floordiv 2", "n + n floordiv 2", True),
        ("n - max(n - 4, 0)", "min(4, n)", True),
        ("max(n, m) + min(n, m)", "n + m", True),
        ("2 * n", "2 * m + 1", False),
        ("max(n, m) + 1", "min(n, m)", False),
        ("max(n, m)", "n", None),
        ("n * m", "m", None),
    ],
)
def test_equality_looks_into_quotients_and_minima(lhs, rhs, expected):
    assert equal(dim_from_string(lhs), dim_from_string(rhs)) is expected


@pytest.mark.parametrize("count", [4, 16, 64])
def test_a_product_of_many_sums_is_not_expanded(count):
    dim = dim_from_string(" * ".join(f"(a{i} + b{i})" for i in range(count)))
    assert dim is not None and len(str(dim)) < 5000
    assert evaluate(dim, {f"{name}{i}": 1 for i in range(count) for name in "ab"}) == 2**count
    assert dim_from_string(str(dim)) == dim
    assert equal(dim, apply("+", dim, 1)) is False


@pytest.mark.parametrize("text", ["n floordiv 0", "n mod (2 - 2)", "n floordiv -1"])
def test_a_divisor_is_positive(text):
    with pytest.raises(ParseError, match=r"expected a positive divisor, got (0|-1)"):
        dim_from_string(text)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("n//2", "1:2", "did you mean floordiv"),
        ("n // 2", "1:3", "did you mean floordiv"),
        ("n.a", "1:1", "expected a symbol of letters, digits, '_' and '$', got 'n.a'"),
        ("2 * n.a", "1:5", "got 'n.a'"),
        ("n + mod", "1:5", "expected a symbol that is no operator, got 'mod'"),
        ("floordiv", "1:1", "expected a symbol that is no operator, got 'floordiv'"),
        ("max", "1:4", "Expected '('"),
        ("min", "1:4", "Expected '('"),
        ("n mod 99999999999999999999999", "1:7", "expected integers of 64 bits in a dim, got one of 78 bits"),
        (f"n + {'9' * 5000}", "1:5", "expected integers of 64 bits in a dim"),
        ("n + 9223372036854775808", "1:5", "got one of 65 bits"),
        ("min(n * 9223372036854775807 * 9, 9)", "1:1", "got one of 68 bits"),
        ("4294967296 * 4294967296", "1:1", "got one of 66 bits"),
    ],
)
def test_what_no_dim_may_have_is_refused_where_it_stands(text, place, message):
    with pytest.raises(ParseError) as refused:
        dim_from_string(text)
    assert message in str(refused.value) and f"<dim>:{place}" in str(refused.value)


@pytest.mark.parametrize("number", [2**63 - 1, -(2**63)])
def test_integers_of_64_bits_are_read(number):
    assert dim_from_string(str(number)) == number


@pytest.mark.parametrize(
    ("opening", "closing"), [("(", ")"), ("(1 + ", ")"), ("min(a, ", ")"), ("a + ", ""), ("", " floordiv m")]
)
def test_a_dim_is_at_most_as_deep_as_the_limit(opening, closing):
    deepest = f"{opening * DEEPEST}n{closing * DEEPEST}"
    assert dim_from_string(str(dim_from_string(deepest))) == dim_from_string(deepest)
    with pytest.raises(ParseError, match=f"expected a dim of at most {DEEPEST} nested operators or parentheses"):
        dim_from_string(f"{opening * (DEEPEST + 1)}n{closing * (DEEPEST + 1)}")


NESTED = {
    "remainders": "({}) mod a + b",
    "quotients of remainders": "(({}) mod a + b) floordiv 2",
    "remainders by numbers": "(({}) mod 6 + b) floordiv 4",
    "multiples": "(({}) mod a * 3 + b) floordiv 2",
    "extremes": "max(({}) - a, 0) floordiv 2 + min(b, 7)",
}


@pytest.mark.parametrize("pattern", NESTED)
def test_questions_about_nested_dims_take_little_work(pattern):
    text = "n"
    for _ in range(30):
        text = NESTED[pattern].format(text)
    dim = dim_from_string(text)
    assert dim is not None
    renamed, moved = substitute(dim, {"n": Symbol("k")}), substitute(dim, {"n": apply("+", Symbol("k"), 1)})
    start = time.process_time()
    assert equal(dim, dim) is True
    assert equal(dim, apply("+", dim, 1)) is False
    assert equal(apply("*", dim, 2), apply("+", dim, dim)) is True
    assert equal(dim, renamed) is not False and equal(renamed, moved) is not False
    assert is_nonnegative(dim)
    assert simplify(dim, Ranges({"n": (2, 512)})) is not None
    assert time.process_time() - start < 10
