"""What docs/ops.md says of indices out of range holds for compiled code and the interpreter, between inaccessible pages as well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from harness.guard_pages import call_guarded, faults
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.runtime.compiler import load

SIZE = 3
INDICES = np.array([-(2**63), -4, -3, -1, 0, 2, 3, 9, 2**63 - 1])
DATA = np.array([10, 20, 30], np.float32)
PAGE = (Path(__file__).parents[2] / "docs" / "ops.md").read_text()


def from_the_end(index: int) -> int:
    return index + SIZE if index < 0 else index


def nearest(index: int) -> int:
    return min(max(index, 0), SIZE - 1)


def scattered(index: int) -> list[float]:
    place = from_the_end(index)
    return [float(value) if i != place else 1.0 for i, value in enumerate(DATA)]


def one_op(op: str, types: Sequence[str], result: str, attributes: str = "") -> str:
    """Returns a program of one op."""
    names = [f"%a{i}" for i in range(len(types))]
    arguments = ", ".join(f"{name}: {type_}" for name, type_ in zip(names, types, strict=True))
    return f"""
func.func @main({arguments}) -> {result} {{
  %r = relax.{op} {", ".join(names)} {attributes} : ({", ".join(types)}) -> {result}
  return %r : {result}
}}"""


VECTOR, INDEX, UPDATE = "tensor<3xf32>", "tensor<1xi64>", "tensor<1xf32>"
ONE = np.ones(1, np.float32)

CASES: dict[str, tuple[str, Callable[[int], tuple[Any, ...]], Callable[[int], Any]]] = {
    "take": (one_op("take", (VECTOR, INDEX), UPDATE), lambda i: (DATA, np.array([i])), lambda i: [DATA[nearest(from_the_end(i))]]),
    "take clip": (one_op("take", (VECTOR, INDEX), UPDATE, '{mode = "clip"}'), lambda i: (DATA, np.array([i])),
                  lambda i: [DATA[nearest(i)]]),
    "take wrap": (one_op("take", (VECTOR, INDEX), UPDATE, '{mode = "wrap"}'), lambda i: (DATA, np.array([i])),
                  lambda i: [DATA[i % SIZE]]),
    "take nan": (one_op("take", (VECTOR, INDEX), UPDATE, '{mode = "nan"}'), lambda i: (DATA, np.array([i])),
                 lambda i: [DATA[i] if 0 <= i < SIZE else np.nan]),
    "gather_elements": (one_op("gather_elements", (VECTOR, INDEX), UPDATE), lambda i: (DATA, np.array([i])),
                        lambda i: [DATA[nearest(from_the_end(i))]]),
    "gather_nd": (one_op("gather_nd", (VECTOR, "tensor<1x1xi64>"), UPDATE), lambda i: (DATA, np.array([[i]])),
                  lambda i: [DATA[nearest(from_the_end(i))]]),
    "index_tensor": (one_op("index_tensor", (VECTOR, INDEX), UPDATE), lambda i: (DATA, np.array([i])),
                     lambda i: [DATA[nearest(from_the_end(i))]]),
    "scatter_elements": (one_op("scatter_elements", (VECTOR, INDEX, UPDATE), VECTOR), lambda i: (DATA, np.array([i]), ONE), scattered),
    "scatter_nd": (one_op("scatter_nd", (VECTOR, "tensor<1x1xi64>", UPDATE), VECTOR), lambda i: (DATA, np.array([[i]]), ONE), scattered),
    "nn.nll_loss": (one_op("nn.nll_loss", ("tensor<1x3xf32>", INDEX), UPDATE, '{reduction = "none"}'),
                    lambda i: (DATA.reshape(1, 3), np.array([i])), lambda i: [-DATA[i] if 0 <= i < SIZE else np.nan]),
    "dynamic_strided_slice": (
        one_op("dynamic_strided_slice", (VECTOR, INDEX, INDEX, INDEX), "tensor<?xf32>"),
        lambda i: (DATA, np.array([i]), np.array([SIZE]), np.array([1])), lambda i: DATA[slice(i, SIZE)]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_compiled_code_and_the_interpreter_do_what_the_page_says(name: str) -> None:
    program, operands, expected = CASES[name]
    function, interpreter = xdsl_relax.compile(program)["main"], Interpreter(load(program))
    for index in map(int, INDICES):
        np.testing.assert_array_equal(function(*operands(index)), expected(index), err_msg=str(index))
        np.testing.assert_array_equal(
            interpreter.call("main", *operands(index))[0], expected(index), err_msg=str(index)
        )


def test_nothing_outside_is_touched() -> None:
    calls: list[tuple[str, Callable[[], str | None]]] = []
    for name, (program, operands, _) in CASES.items():
        function = xdsl_relax.compile(program)["main"]
        for index in map(int, INDICES):

            def call(function: Any = function, operands: Any = operands(index)) -> str | None:
                call_guarded(function, operands)
                return None

            calls.append((f"{name} {index}", call))
    assert not (failures := faults(calls)), "\n".join(failures)


@pytest.mark.parametrize("name", sorted({name.split()[0] for name in CASES}))
def test_the_page_names_the_op(name: str) -> None:
    assert f"`relax.{name}`" in PAGE.partition("## Indices out of range")[2]
