"""What is nested as deeply as docs/stages.md says is parsed, printed, interpreted and compiled; what is deeper is one error with the limit.

What is far deeper than Python has frames is in `test_relax_opt.py`, what the builder nests in `tests/e2e/test_depth.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xdsl_relax
from xdsl.utils.exceptions import ParseError
from xdsl_relax.dialects.upstream.nesting import NESTED, TOO_DEEP
from xdsl_relax.interpreter.engine import Interpreter

T = "tensor<4xf32>"


def _regions(opening: str, innermost: str, closing: str, before: str = "") -> str:
    """Returns a function with regions inside of its own; `{0}` is the number of a region, `{1}` that of the one around it."""
    count = NESTED - 1
    opened = "\n".join(opening.format(k, k - 1) for k in range(count))
    closed = "\n".join(closing.format(k, k + 1) for k in reversed(range(count)))
    return f"""
func.func @main(%a-1: {T}, %c: i1) -> {T} {{
{before}{opened}
{innermost.format(count - 1)}
{closed}
  return %r0 : {T}
}}""".replace("%a-1", "%x")


CONTROL = {
    "scf.if": _regions(
        f"%r{{0}} = scf.if %c -> ({T}) {{{{",
        f"%r{NESTED - 1} = relax.negative %x : ({T}) -> {T}",
        f"scf.yield %r{{1}} : {T}\n}}}} else {{{{\n  scf.yield %x : {T}\n}}}}",
    ),
    "scf.for": _regions(
        f"%r{{0}} = scf.for %i{{0}} = %zero to %one step %one iter_args(%a{{0}} = %a{{1}}) -> ({T}) {{{{",
        f"%r{NESTED - 1} = relax.negative %a{{0}} : ({T}) -> {T}",
        f"scf.yield %r{{1}} : {T}\n}}}}",
        "%zero = arith.constant 0 : index\n%one = arith.constant 1 : index\n",
    ),
}


@pytest.mark.parametrize("name", CONTROL)
def test_control_flow_is_interpreted_and_compiled(name: str):
    module = xdsl_relax.load(CONTROL[name])
    x = np.arange(4, dtype=np.float32)
    assert str(xdsl_relax.load(str(module))) == str(module)
    np.testing.assert_array_equal(Interpreter(module).call("main", x, True)[0], -x)
    np.testing.assert_array_equal(xdsl_relax.compile(module)["main"](x, True), -x)


def _attribute(opening: str, innermost: str, closing: str, count: int = NESTED) -> str:
    return f"module attributes {{acme.a = {opening * count}{innermost}{closing * count}}} {{\n}}"


def _type(opening: str, innermost: str, closing: str, count: int = NESTED) -> str:
    nested = f"{opening * count}{innermost}{closing * count}"
    return f"func.func @f(%x: {nested}) -> {nested} {{\n  return %x : {nested}\n}}"


WRITTEN = {
    "modules": "module {\n" * NESTED + "}\n" * NESTED,
    "arrays": _attribute("[", "1", "]"),
    "dictionaries": _attribute("{a = ", "1", "}"),
    "types of functions": _attribute("() -> (", "i1", ")"),
    "affine expressions": _attribute("", f"affine_map<(d) -> ({'(' * NESTED}d{')' * NESTED})>", ""),
    "tuples": _type("tuple<", T, ">"),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_what_is_printed_is_parsed_again(name: str):
    module = xdsl_relax.load(WRITTEN[name])
    assert str(xdsl_relax.load(str(module))) == str(module)


@pytest.mark.parametrize(
    "text",
    ["module {" * 2000, _attribute("[", "1", "]", 2000), _type("tuple<", T, ">", 2000)],
    ids=["regions", "attributes", "types"],
)
def test_what_is_deeper_is_one_error_with_the_limit(text: str):
    with pytest.raises(ParseError, match=TOO_DEEP):
        xdsl_relax.load(text)


def test_the_page_says_the_limit():
    page = (Path(__file__).parents[3] / "docs" / "stages.md").read_text()
    assert f"{NESTED} regions, and {NESTED} types or attributes, inside of one another" in page
