"""Dimension expressions of TVM: each means the same as a dim, and comes back as it was written."""

from __future__ import annotations

import importlib.util
import itertools
import random

import pytest

if importlib.util.find_spec("tvm") is None:
    pytest.skip("needs the extra tvm", allow_module_level=True)

from tvm import tirx
from tvm.sym import Analyzer
from tvm_ffi import structural_equal
from xdsl_relax.dialects.symbolic.expressions import Symbol, evaluate, simplify
from xdsl_relax.frontend.tvm.diagnostics import Unsupported
from xdsl_relax.frontend.tvm.dims import decoded, dim_of, encoded, expression_of, form_of

VARIABLES = {name: tirx.Var(name, "int64") for name in "nm"}
COMPARISONS = ["==", "!=", "<", "<=", ">", ">="]


def random_condition(rng, depth):
    kind = rng.choice(COMPARISONS if depth < 1 else [*COMPARISONS, "and", "or", "not"])
    if kind == "not":
        return (kind, random_condition(rng, depth - 1))
    operand = random_condition if kind in ("and", "or") else random_form
    return (kind, operand(rng, depth - 1), operand(rng, depth - 1))


def random_form(rng, depth):
    if depth < 1:
        return rng.choice(["n", "m", rng.randint(1, 7)])
    kind = rng.choice(["+", "-", "*", "floordiv", "mod", "min", "max", "if", "select"])
    if kind in ("if", "select"):
        return (kind, random_condition(rng, depth - 1), random_form(rng, depth - 1), random_form(rng, depth - 1))
    right = rng.randint(1, 5) if kind in ("floordiv", "mod") else random_form(rng, depth - 1)
    return (kind, random_form(rng, depth - 1), right)


def by_tvm(expression, sizes):
    """Returns what TVM computes."""
    analyzer = Analyzer()
    for name, size in sizes.items():
        analyzer.bind(VARIABLES[name], tirx.IntImm("int64", size))
    result = analyzer.simplify(expression)
    assert isinstance(result, tirx.IntImm)
    return int(result)


@pytest.mark.parametrize("seed", range(60))
def test_a_form_means_what_tvm_computes(seed):
    form = random_form(random.Random(seed), 3)
    expression = expression_of(form, VARIABLES.__getitem__)
    dim = dim_of(form)
    for n, m in itertools.product((0, 1, 2, 5, 12), repeat=2):
        sizes = {"n": n, "m": m}
        assert evaluate(dim, sizes) == by_tvm(expression, sizes), (form, sizes)


@pytest.mark.parametrize("seed", range(60))
def test_a_form_comes_back(seed):
    form = random_form(random.Random(seed), 3)
    assert decoded(encoded(form)) == form
    expression = expression_of(form, VARIABLES.__getitem__)
    again = form_of(expression, lambda variable: Symbol(variable.name))
    assert structural_equal(expression_of(again, VARIABLES.__getitem__), expression)


def test_a_division_that_rounds_up_is_one():
    """As TVM writes the size of a pool with `ceil_mode`."""
    form = ("if", ("==", ("mod", "n", 2), 0), ("floordiv", "n", 2), ("+", ("floordiv", "n", 2), 1))
    assert str(simplify(dim_of(form))) == "(n + 1) floordiv 2"
    other = ("if", ("==", ("mod", "n", 3), 0), ("floordiv", "n", 2), ("+", ("floordiv", "n", 2), 1))
    assert [evaluate(dim_of(other), {"n": n}) for n in range(7)] == [0, 1, 2, 1, 3, 3, 3]


def test_what_is_no_dimension_is_named():
    with pytest.raises(Unsupported, match=r"dimension expression n << T.int64\(2\) \(LShift\)"):
        form_of(tirx.shift_left(VARIABLES["n"], 2), lambda variable: Symbol(variable.name))
