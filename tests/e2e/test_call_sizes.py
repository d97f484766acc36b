"""Calls whose operands may fit: what nothing proves of their sizes is checked when the program runs, in native code and in the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from xdsl.utils.exceptions import VerifyException
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.rule import InterpreterError
from xdsl_relax.runtime.compiler import available_passes, pipeline_of, relax_context
from xdsl_relax.runtime.executable.native_function import ExecutionError


def vector(size: str) -> str:
    """Returns the type of a vector."""
    return f"tensor<?xf32, #relax.sym<{size}>>"


A, B, N = vector("a"), vector("b"), vector("n")
UNKNOWN, ROWS = "tensor<1x?xi64>", "tensor<1x?xi64, #relax.sym<n>>"
PROGRAM = f"""
func.func private @sum(%x: {N}, %y: {N}) -> {N} {{
  %z = relax.add %x, %y : ({N}, {N}) -> {N}
  return %z : {N}
}}
func.func private @four(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %z = relax.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}}
func.func private @twice(%x: {N}, %y: {vector("2 * n")}) -> {vector("2 * n")} {{
  %c = relax.concat %x, %x {{axis = 0 : i64}} : ({N}, {N}) -> {vector("2 * n")}
  %z = relax.add %c, %y : ({vector("2 * n")}, {vector("2 * n")}) -> {vector("2 * n")}
  return %z : {vector("2 * n")}
}}
func.func private @rows(%x: {ROWS}, %y: {ROWS}) -> {ROWS} {{
  %z = relax.add %x, %y : ({ROWS}, {ROWS}) -> {ROWS}
  return %z : {ROWS}
}}
func.func private @few(%x: {ROWS}) -> {ROWS} attributes {{relax.sym_upper_bounds = {{n = 3 : i64}}}} {{
  %z = relax.add %x, %x : ({ROWS}, {ROWS}) -> {ROWS}
  return %z : {ROWS}
}}
func.func private @shaped(%x: {N}, %s: !relax.shape<[n, 2]>) -> {N} {{
  %z = relax.exp %x : ({N}) -> {N}
  return %z : {N}
}}
func.func @two_symbols(%x: {A}, %y: {B}) -> {A} {{
  %z = func.call @sum(%x, %y) : ({A}, {B}) -> {A}
  return %z : {A}
}}
func.func @a_number(%x: {A}, %y: {B}) -> tensor<4xf32> {{
  %z = func.call @four(%x) : ({A}) -> tensor<4xf32>
  return %z : tensor<4xf32>
}}
func.func @an_expression(%x: {A}, %y: {B}) -> {vector("2 * a")} {{
  %z = func.call @twice(%x, %y) : ({A}, {B}) -> {vector("2 * a")}
  return %z : {vector("2 * a")}
}}
func.func @unknown_sizes(%x: {A}, %y: {B}) -> {UNKNOWN} {{
  %p = relax.nonzero %x : ({A}) -> {UNKNOWN}
  %q = relax.nonzero %y : ({B}) -> {UNKNOWN}
  %z = func.call @rows(%p, %q) : ({UNKNOWN}, {UNKNOWN}) -> {UNKNOWN}
  return %z : {UNKNOWN}
}}
func.func @a_range(%x: {A}, %y: {B}) -> {UNKNOWN} {{
  %p = relax.nonzero %x : ({A}) -> {UNKNOWN}
  %z = func.call @few(%p) : ({UNKNOWN}) -> {UNKNOWN}
  return %z : {UNKNOWN}
}}
func.func @a_shape(%x: {A}, %y: {B}) -> {A} {{
  %s = relax.shape : () -> !relax.shape<[b, 2]>
  %z = func.call @shaped(%x, %s) : ({A}, !relax.shape<[b, 2]>) -> {A}
  return %z : {A}
}}
"""


def indices(x: Any) -> Any:
    return np.stack(np.nonzero(x))


CALLS: dict[str, tuple[Callable[[Any, Any], Any], Callable[[int, int], bool]]] = {
    "two_symbols": (lambda x, y: x + y, lambda a, b: a == b),
    "a_number": (lambda x, y: np.exp(x), lambda a, b: a == 4),
    "an_expression": (lambda x, y: np.concatenate([x, x]) + y, lambda a, b: b == 2 * a),
    "unknown_sizes": (lambda x, y: indices(x) + indices(y), lambda a, b: a == b),
    "a_range": (lambda x, y: 2 * indices(x), lambda a, b: a <= 3),
    "a_shape": (lambda x, y: np.exp(x), lambda a, b: a == b),
}


@pytest.fixture(scope="module", params=["interpreter", "inlined", "-O0", "-O2"])
def call(request: pytest.FixtureRequest) -> Callable[..., Sequence[Any]]:
    """Calls a function of the program."""
    module = xdsl_relax.load(PROGRAM)
    if request.param == "inlined":
        for item in pipeline_of("relax-inline{private_functions=true}", available_passes()):
            item.apply(relax_context(), module)
        # A call alone checks the range of its callee.
        assert str(module).count("func.call") == 1 and "func.call @few" in str(module)
    if not request.param.startswith("-O"):
        return Interpreter(module).call
    executable = xdsl_relax.compile(module, opt_level=int(request.param[2:]))
    return lambda name, *args: executable[name].call(*args)


@pytest.mark.parametrize("name", CALLS)
def test_sizes_are_compared_when_the_program_runs(name: str, call: Callable[..., Sequence[Any]]) -> None:
    expected, fits = CALLS[name]
    for a in (0, 1, 2, 4, 5):
        for b in (0, 1, 4, 5, 8):
            x, y = np.linspace(1, 2, a, dtype=np.float32), np.linspace(1, 3, b, dtype=np.float32)
            if fits(a, b):
                np.testing.assert_allclose(call(name, x, y)[0], expected(x, y), rtol=1e-5)
            else:
                with pytest.raises((InterpreterError, ExecutionError), match="expected"):
                    call(name, x, y)


@pytest.mark.parametrize(
    ("operand", "message"),
    [
        ("tensor<5xf32>", "operand 0: expected tensor<4xf32>, got tensor<5xf32>"),
        (f"tuple<{A}>", "operand 0: expected tensor<4xf32>, got tuple"),
        ("tensor<?xf64>", "operand 0: expected tensor<4xf32>, got tensor<[?]xf64>"),
    ],
)
def test_operands_that_never_fit_are_refused(operand: str, message: str) -> None:
    text = f"""
    func.func private @four(%x: tensor<4xf32>) -> tensor<4xf32> {{
      return %x : tensor<4xf32>
    }}
    func.func @main(%x: {operand}) -> tensor<4xf32> {{
      %z = func.call @four(%x) : ({operand}) -> tensor<4xf32>
      return %z : tensor<4xf32>
    }}"""
    with pytest.raises(VerifyException, match=message):
        xdsl_relax.load(text)


def test_sizes_in_tuples_must_agree_provably() -> None:
    pair = f"tuple<{N}, {N}>"
    given = f"tuple<{A}, {B}>"
    text = f"""
    func.func private @first(%p: {pair}) -> {N} {{
      %x = relax.tuple_get_item %p {{index = 0 : i64}} : ({pair}) -> {N}
      return %x : {N}
    }}
    func.func @main(%x: {A}, %y: {B}) -> {A} {{
      %p = relax.tuple %x, %y : ({A}, {B}) -> {given}
      %z = func.call @first(%p) : ({given}) -> {A}
      return %z : {A}
    }}"""
    with pytest.raises(VerifyException, match=r"expected n \(n is a\) where the operand has b"):
        xdsl_relax.load(text)
