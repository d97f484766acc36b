"""Small files that once took minutes or gigabytes: the time and memory of a file are bounded, whatever it says."""

from __future__ import annotations

import re
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
import xdsl_relax
from xdsl.passes import PassPipeline
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl_relax.dialects.upstream.dense_parser import SPLAT_WRITTEN_OUT
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.runtime.compiler import available_passes, relax_context

SECONDS = 5
MEMORY = 256 << 20


@contextmanager
def bounded() -> Iterator[None]:
    """Requires that what runs inside takes little time and memory of Python."""
    tracemalloc.start()
    start = time.process_time()
    try:
        yield
        _, peak = tracemalloc.get_traced_memory()
        assert time.process_time() - start < SECONDS and peak < MEMORY
    finally:
        tracemalloc.stop()


UNCLOSED = ('"' + "a" * 48, '"' + "a" * 10_000, '"' + r"\n" * 5_000, '"' + r"\00" * 3_000, '"' + 'b\\"' * 3_000)


@pytest.mark.parametrize(
    "prefix", ["", "@", "func.func @main() attributes {a = "], ids=["first", "symbol", "attribute"]
)
@pytest.mark.parametrize("text", UNCLOSED, ids=range(len(UNCLOSED)))
def test_a_missing_closing_quote_is_an_error_at_once(text: str, prefix: str) -> None:
    with bounded(), pytest.raises(ParseError, match="expected a closing quote"):
        xdsl_relax.load(f"{prefix}{text}\n")


@pytest.mark.parametrize("text", [r'"a\"b\\c"', r'"\n\t\0A"', '""'])
def test_strings_that_are_closed_stay_what_they_were(text: str) -> None:
    module = xdsl_relax.load(f"func.func private @f() attributes {{a.b = {text}}}\n")
    assert str(xdsl_relax.load(str(module))) == str(module)


SPLAT = """
func.func @main() -> tensor<{0}> {{
  %0 = relax.constant {{value = dense<{1}> : tensor<{0}>}} : () -> tensor<{0}>
  return %0 : tensor<{0}>
}}
"""


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("268435456xf32", "1.0"),
        ("268435456xf32", '"0x0000803F"'),
        ("99999999x99999999xi8", "3"),
        ("999999999xi1", "true"),
    ],
)
def test_a_large_splat_is_one_element(type_: str, value: str) -> None:
    with bounded():
        text = str(xdsl_relax.load(SPLAT.format(type_, value)))
        assert str(xdsl_relax.load(text)) == text
    assert len(text) < 500


@pytest.mark.parametrize("count", [SPLAT_WRITTEN_OUT, SPLAT_WRITTEN_OUT + 1, 70_001])
@pytest.mark.parametrize(
    ("element", "value", "number"),
    [("f32", "1.5", 1.5), ("bf16", "-2.0", -2.0), ("i8", "-3", -3), ("i64", "7", 7), ("i1", "true", True)],
)
@pytest.mark.parametrize("opt_level", [0, 2])
def test_a_splat_has_all_its_elements_at_run_time(
    count: int, element: str, value: str, number: float, opt_level: int
) -> None:
    program = SPLAT.format(f"{count}x{element}", value)
    for result in (
        xdsl_relax.compile(program, opt_level=opt_level)["main"](),
        Interpreter(xdsl_relax.load(program)).call("main")[0],
    ):
        assert result.shape == (count,) and np.all(np.asarray(result) == number)


def test_a_large_splat_in_other_dialects() -> None:
    program = """
func.func @main(%x: tensor<5000xf32>) -> tensor<5000xf32> {
  %c = arith.constant dense<2.5> : tensor<5000xf32>
  %0 = tensor.empty() : tensor<5000xf32>
  %1 = linalg.add ins(%x, %c : tensor<5000xf32>, tensor<5000xf32>) outs(%0 : tensor<5000xf32>) -> tensor<5000xf32>
  return %1 : tensor<5000xf32>
}
"""
    x = np.arange(5000, dtype=np.float32)
    np.testing.assert_array_equal(xdsl_relax.compile(program)["main"](x), x + 2.5)
    np.testing.assert_array_equal(Interpreter(xdsl_relax.load(program)).call("main", x)[0], x + 2.5)


def test_a_number_of_results_is_checked_before_they_are_inferred() -> None:
    program = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = relax.split %x {sections = 1000000000 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}
"""
    with bounded(), pytest.raises(VerifyException, match="expected 1000000000 results, got 1"):
        xdsl_relax.load(program)


TILES = "\n".join(
    f"  %{i + 1} = relax.tile %{i} {{repeats = array<i64: 10>}} : (tensor<{10**i}xf32>) -> tensor<{10 ** (i + 1)}xf32>"
    for i in range(10)
)
GROWING = {
    "tile": """
  %0 = relax.constant {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %1 = relax.tile %0 {repeats = array<i64: 5000000000>} : (tensor<2xf32>) -> tensor<10000000000xf32>""",
    "tiles": f"""
  %0 = relax.constant {{value = dense<1.0> : tensor<1xf32>}} : () -> tensor<1xf32>
{TILES}""",
    "splats": """
  %0 = relax.constant {value = dense<1.0> : tensor<10000000000xf32>} : () -> tensor<10000000000xf32>
  %1 = relax.negative %0 : (tensor<10000000000xf32>) -> tensor<10000000000xf32>""",
    "outer": """
  %0 = relax.constant {value = dense<1.0> : tensor<100000xf32>} : () -> tensor<100000xf32>
  %1 = relax.outer %0, %0 : (tensor<100000xf32>, tensor<100000xf32>) -> tensor<100000x100000xf32>
  %2 = relax.flatten %1 : (tensor<100000x100000xf32>) -> tensor<10000000000xf32>""",
}


@pytest.mark.parametrize("name", GROWING)
def test_folding_has_a_budget(name: str) -> None:
    body = GROWING[name]
    last = re.findall(r"%\d+", body[body.rindex("\n") :])[0]
    module = xdsl_relax.load(
        f"func.func @main() -> tensor<10000000000xf32> {{{body}\n  return {last} : tensor<10000000000xf32>\n}}"
    )
    with bounded():
        PassPipeline.parse_spec(available_passes(), "relax-fold-constant").apply(relax_context(), module)
    assert len(str(module)) < 10_000_000


def test_the_budget_of_folding_counts_what_is_kept() -> None:
    program = """
func.func @main() -> tensor<6x2xf32> {
  %0 = relax.constant {value = dense<[[1.0, 2.0]]> : tensor<1x2xf32>} : () -> tensor<1x2xf32>
  %1 = relax.tile %0 {repeats = array<i64: 3, 1>} : (tensor<1x2xf32>) -> tensor<3x2xf32>
  %2 = relax.exp %1 : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %3 = relax.tile %2 {repeats = array<i64: 2, 1>} : (tensor<3x2xf32>) -> tensor<6x2xf32>
  return %3 : tensor<6x2xf32>
}
"""
    for growth, remaining in ((40, 0), (39, 1), (16, 1), (15, 3)):
        module = xdsl_relax.load(program)
        spec = f"relax-fold-constant{{max_growth={growth}}}"
        PassPipeline.parse_spec(available_passes(), spec).apply(relax_context(), module)
        computed = [op.name for op in module.walk() if op.name in ("relax.tile", "relax.exp")]
        assert len(computed) == remaining, (growth, computed)
