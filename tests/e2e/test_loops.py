"""What loops carry: values that pass unchanged or swapped, types that become more precise, sizes that would change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from xdsl.utils.exceptions import VerifyException
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.rule import InterpreterError
from xdsl_relax.runtime.compiler import available_passes, pipeline_of, relax_context
from xdsl_relax.runtime.executable.native_function import ExecutionError

REFUSED = (InterpreterError, ExecutionError)
X, Y = np.array([0.5, -1.0, 2.0], np.float32), np.array([3.0, 0.25, -2.0], np.float32)
LONG = np.array([1.0, 2.0, 3.0, 4.0], np.float32)
MATRIX = np.arange(6, dtype=np.float32).reshape(2, 3) / 4


def program(name: str, arguments: str, body: str, result: str = "N") -> str:
    """Returns a function of some arguments and of `%t`, a number of iterations; `N` and `M` are vectors, `U` one of unknown size."""
    text = f"""
func.func @{name}({arguments}, %t: index) -> {result} {{
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
{body}
}}"""
    for short, long in (("N", "?xf32, #relax.sym<n>"), ("M", "?xf32, #relax.sym<m>"), ("U", "?xf32"), ("R", "?x3xf32")):
        text = text.replace(f"!{short}", f"tensor<{long}>")
    return text


def swapped(x: Any, y: Any, t: int, change: Callable[[Any], Any] = lambda x: x) -> tuple[Any, Any]:
    for _ in range(t):
        x, y = change(y), x
    return x, y


def repeated(x: Any, t: int, change: Callable[[Any], Any]) -> Any:
    for _ in range(t):
        x = change(x)
    return x


def triangle(x: Any, y: Any, t: int) -> tuple[Any, Any]:
    a, b = x, x + y
    for i in range(t):
        c, d = b, a
        for _ in range(i):
            c, d = d, np.sin(c)
        a, b = c, -d
    return a, b


PROGRAMS: Mapping[str, tuple[str, Callable[..., Any], Sequence[Sequence[Any]]]] = {
    "swap": (
        program(
            "swap",
            "%x: !N, %y: !N",
            """  %a, %b = scf.for %i = %0 to %t step %1 iter_args(%p = %x, %q = %y) -> (!N, !N) {
    scf.yield %q, %p : !N, !N
  }
  return %a, %b : !N, !N""",
            "(!N, !N)",
        ),
        swapped,
        [(X, Y)],
    ),
    "swap_and_change": (
        program(
            "swap_and_change",
            "%x: !N, %y: !N",
            """  %a, %b = scf.for %i = %0 to %t step %1 iter_args(%p = %x, %q = %y) -> (!N, !N) {
    %r = relax.exp %q : (!N) -> !N
    scf.yield %r, %p : !N, !N
  }
  return %a, %b : !N, !N""",
            "(!N, !N)",
        ),
        lambda x, y, t: swapped(x, y, t, np.exp),
        [(X, Y)],
    ),
    "rotation": (
        program(
            "rotation",
            "%x: !N, %y: !N",
            """  %c, %a, %b = scf.while (%i = %0, %p = %x, %q = %y) : (index, !N, !N) -> (index, !N, !N) {
    %g = arith.cmpi slt, %i, %t : index
    scf.condition(%g) %i, %q, %p : index, !N, !N
  } do {
  ^bb0(%i: index, %p: !N, %q: !N):
    %j = arith.addi %i, %1 : index
    scf.yield %j, %p, %q : index, !N, !N
  }
  return %a, %b : !N, !N""",
            "(!N, !N)",
        ),
        lambda x, y, t: swapped(x, y, t + 1),
        [(X, Y)],
    ),
    "the_same_twice": (
        program(
            "the_same_twice",
            "%x: !N",
            """  %a, %b = scf.for %i = %0 to %t step %1 iter_args(%p = %x, %q = %x) -> (!N, !N) {
    %e = relax.exp %p : (!N) -> !N
    scf.yield %e, %p : !N, !N
  }
  return %a, %b : !N, !N""",
            "(!N, !N)",
        ),
        lambda x, t: (repeated(x, t, np.exp), repeated(x, max(t - 1, 0), np.exp)),
        [(X * 0.1,)],
    ),
    "unknown_sizes": (
        program(
            "unknown_sizes",
            "%x: !U",
            """  %a = scf.for %i = %0 to %t step %1 iter_args(%p = %x) -> (!U) {
    %r = relax.sin %p : (!U) -> !U
    scf.yield %r : !U
  }
  return %a : !U""",
            "!U",
        ),
        lambda x, t: repeated(x, t, np.sin),
        [(X,)],
    ),
    "a_body_that_says_more": (
        program(
            "a_body_that_says_more",
            "%x: tensor<4xf32>",
            """  %u = relax.exp %x : (tensor<4xf32>) -> !U
  %a = scf.for %i = %0 to %t step %1 iter_args(%p = %u) -> (!U) {
    %r = relax.add %p, %x : (!U, tensor<4xf32>) -> !U
    scf.yield %r : !U
  }
  %b = relax.add %a, %x : (!U, tensor<4xf32>) -> !U
  return %b : !U""",
            "!U",
        ),
        lambda x, t: np.exp(x) + x * (t + 1),
        [(LONG,)],
    ),
    "two_symbols": (
        program(
            "two_symbols",
            "%x: !N, %y: !M",
            """  %u = relax.exp %x : (!N) -> !U
  %v = relax.exp %y : (!M) -> !U
  %a, %b = scf.for %i = %0 to %t step %1 iter_args(%p = %u, %q = %v) -> (!U, !U) {
    %r = relax.negative %q : (!U) -> !U
    scf.yield %r, %p : !U, !U
  }
  return %a, %b : !U, !U""",
            "(!U, !U)",
        ),
        lambda x, y, t: swapped(np.exp(x), np.exp(y), t, np.negative),
        [(X, Y)],
    ),
    "nested": (
        program(
            "nested",
            "%x: !R, %y: !R",
            """  %z = relax.add %x, %y : (!R, !R) -> !R
  %a, %b = scf.for %i = %0 to %t step %1 iter_args(%p = %x, %q = %z) -> (!R, !R) {
    %c, %d = scf.for %j = %0 to %i step %1 iter_args(%r = %q, %s = %p) -> (!R, !R) {
      %e = relax.sin %r : (!R) -> !R
      scf.yield %s, %e : !R, !R
    }
    %f = relax.negative %d : (!R) -> !R
    scf.yield %c, %f : !R, !R
  }
  return %a, %b : !R, !R""",
            "(!R, !R)",
        ),
        triangle,
        [(MATRIX, np.ones_like(MATRIX))],
    ),
    "passed_on_in_another_size": (
        program(
            "passed_on_in_another_size",
            "%x: !U",
            """  %c, %a = scf.while (%i = %0, %p = %x) : (index, !U) -> (index, !U) {
    %g = arith.cmpi slt, %i, %t : index
    %e = relax.sin %p : (!U) -> !U
    %h = relax.concat %e, %e {axis = 0 : i64} : (!U, !U) -> !U
    scf.condition(%g) %i, %h : index, !U
  } do {
  ^bb0(%i: index, %p: !U):
    %j = arith.addi %i, %1 : index
    %s:2 = relax.split %p {axis = 0 : i64, sections = 2 : i64} : (!U) -> (!U, !U)
    scf.yield %j, %s#0 : index, !U
  }
  return %a : !U""",
            "!U",
        ),
        lambda x, t: np.tile(repeated(x, t + 1, np.sin), 2),
        [(X,)],
    ),
    "a_value_from_outside": (
        program(
            "a_value_from_outside",
            "%x: !N, %y: !N",
            """  %a, %b = scf.for %i = %0 to %t step %1 iter_args(%p = %x, %q = %y) -> (!N, !N) {
    scf.yield %y, %q : !N, !N
  }
  return %a, %b : !N, !N""",
            "(!N, !N)",
        ),
        lambda x, y, t: (y if t else x, y),
        [(X, Y)],
    ),
    "a_branch_inside": (
        program(
            "a_branch_inside",
            "%x: !U, %f: i1",
            """  %a = scf.for %i = %0 to %t step %1 iter_args(%p = %x) -> (!U) {
    %r = scf.if %f -> (!U) {
      %e = relax.sin %p : (!U) -> !U
      scf.yield %e : !U
    } else {
      scf.yield %p : !U
    }
    scf.yield %r : !U
  }
  return %a : !U""",
            "!U",
        ),
        lambda x, f, t: repeated(x, t if f else 0, np.sin),
        [(X, np.True_), (X, np.False_)],
    ),
    "a_tuple": (
        program(
            "a_tuple",
            "%x: !U, %y: !U",
            """  %u = relax.tuple %x, %y : (!U, !U) -> tuple<!U, !U>
  %a = scf.for %i = %0 to %t step %1 iter_args(%p = %u) -> (tuple<!U, !U>) {
    %c = relax.tuple_get_item %p {index = 0 : i64} : (tuple<!U, !U>) -> !U
    %d = relax.tuple_get_item %p {index = 1 : i64} : (tuple<!U, !U>) -> !U
    %e = relax.sin %d : (!U) -> !U
    %r = relax.tuple %e, %c : (!U, !U) -> tuple<!U, !U>
    scf.yield %r : tuple<!U, !U>
  }
  %c = relax.tuple_get_item %a {index = 0 : i64} : (tuple<!U, !U>) -> !U
  %d = relax.tuple_get_item %a {index = 1 : i64} : (tuple<!U, !U>) -> !U
  return %c, %d : !U, !U""",
            "(!U, !U)",
        ),
        lambda x, y, t: swapped(x, y, t, np.sin),
        [(X, Y)],
    ),
    "a_shape_that_changes": (
        program(
            "a_shape_that_changes",
            "%x: !N, %s: !relax.shape<[a]>",
            """  %u = relax.shape_of %x : (!N) -> !relax.shape<[?]>
  %v = scf.for %i = %0 to %t step %1 iter_args(%p = %u) -> (!relax.shape<[?]>) {
    %w = relax.match_cast %s : (!relax.shape<[a]>) -> !relax.shape<[?]>
    scf.yield %w : !relax.shape<[?]>
  }
  return %v : !relax.shape<[?]>""",
            "!relax.shape<[?]>",
        ),
        lambda x, s, t: np.array(s if t else x.shape),
        [(X, (7,))],
    ),
}


@pytest.fixture(scope="module", params=["interpreter", "-O0", "-O2"])
def call(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Calls a function of all programs together."""
    module = xdsl_relax.load("\n".join(text for text, *_ in PROGRAMS.values()))
    if request.param == "interpreter":
        return Interpreter(module).call
    executable = xdsl_relax.compile(module, opt_level=int(request.param[2:]))
    return lambda name, *args: executable[name].call(*args)


@pytest.mark.parametrize("name", PROGRAMS)
def test_iterations(name: str, call: Callable[..., Any]) -> None:
    _, expected, runs = PROGRAMS[name]
    for run in runs:
        for trips in (0, 1, 2, 3):
            wanted = expected(*run, trips)
            results = call(name, *run, trips)
            wanted = wanted if isinstance(wanted, tuple) else (wanted,)
            for got, array in zip(results, wanted, strict=True):
                np.testing.assert_allclose(got, array, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("x", [X[:2], X[:0]])
def test_a_size_that_would_change_is_refused(x: Any, call: Callable[..., Any]) -> None:
    assert call("two_symbols", x, Y, 0)[0].shape == x.shape
    with pytest.raises(REFUSED, match=r"must not change the size|match_cast dim 0: expected"):
        call("two_symbols", x, Y, 1)


def test_inferred_types_are_as_precise_as_what_is_carried() -> None:
    module = xdsl_relax.load(PROGRAMS["nested"][0])
    (infer,) = pipeline_of("relax-infer-shapes", available_passes())
    infer.apply(relax_context(), module)
    module.verify()
    text = str(module)
    # The one cast says that `%y`, whose size has another name, fits the sum.
    assert "tensor<?x3xf32>" not in text and "match_cast" not in text


STEP = """
func.func @main(%x: tensor<3xf32>, %step: index) -> tensor<3xf32> {
  %0 = arith.constant 0 : index
  %5 = arith.constant 5 : index
  %a = scf.for %i = %0 to %5 step %step iter_args(%p = %x) -> (tensor<3xf32>) {
    %z = relax.add %p, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    scf.yield %z : tensor<3xf32>
  }
  return %a : tensor<3xf32>
}"""


def test_a_loop_that_would_not_end_is_refused() -> None:
    executable, module = xdsl_relax.compile(STEP), xdsl_relax.load(STEP)
    np.testing.assert_array_equal(executable["main"](X, 2), 4 * X)
    for step in (0, -1, -(2**62)):
        for function in (executable["main"], lambda *args: Interpreter(module).call("main", *args)):
            with pytest.raises(REFUSED, match=r"scf\.for: expected a step > 0"):
                function(X, step)


TYPES = {
    "%a = scf.if %f -> (!X) { scf.yield %x : !X } else { scf.yield %y : !Y }": "the second region yields: expected",
    "%a = scf.if %f -> (!X) { scf.yield %x : !X } else { scf.yield }": r"expected \(tensor<4xf32>\), got \(\)",
    "%a = scf.if %f -> (!X) { scf.yield %x : !X }": "the second region must be one block that ends with scf.yield",
    "%a = scf.if %f -> (!X) { %e = relax.exp %x : (!X) -> !X } else { scf.yield }": "the first region yields",
    "%a = scf.while (%p = %x) : (!X) -> !X { scf.condition(%f) %y : !Y } do {\n^bb0(%q: !X):\n scf.yield %q : !X }": (
        "the first region passes"
    ),
    "%a = scf.while (%p = %x) : (!X) -> !X { scf.condition(%f) %x : !X } do {\n^bb0(%q: !X):\n scf.yield %y : !Y }": (
        "the second region yields"
    ),
    "%a = scf.while (%p = %x) : (!X) -> !X { scf.condition(%f) %x : !X } do {\n^bb0(%q: !Y):\n scf.yield %x : !X }": (
        "the arguments of the second region"
    ),
    "%a = scf.while (%p = %x) : (!X) -> !X { scf.condition(%f) %x : !X } do {\n^bb0:\n scf.yield %x : !X }": (
        "the arguments of the second region"
    ),
    "%a = scf.while (%p = %x) : (!X) -> !X { scf.yield %x : !X } do {\n^bb0(%q: !X):\n scf.yield %x : !X }": (
        "ends with scf.condition, got scf.yield"
    ),
    '%a = "scf.for"(%i, %i, %i, %x) ({\n^bb0(%j: index, %p: !X):\n scf.yield %p : !X }) : (index, index, index, !X) -> !Y': (
        "the results: expected"
    ),
    "%a = scf.for %j = %i to %i step %i iter_args(%p = %x) -> (!X) { scf.yield %y : !Y }": "the body yields",
    "%a = scf.index_switch %i -> !X\n case 0 { scf.yield %y : !Y }\n default { scf.yield %x : !X }": "case 0 yields",
    "%a = scf.while (%p = %x) : (!X) -> !X { scf.condition(%f) %x : !X } do {\n^bb0(%q: !X):\n func.return }": "func.return",
}


@pytest.mark.parametrize("text", TYPES)
def test_terminators_of_other_types_are_refused(text: str) -> None:
    body = text.replace("!X", "tensor<4xf32>").replace("!Y", "tensor<3xf32>")
    arguments = "%x: tensor<4xf32>, %y: tensor<3xf32>, %f: i1, %i: index"
    with pytest.raises(VerifyException, match=TYPES[text]):
        xdsl_relax.load(f"func.func @main({arguments}) {{\n {body}\n return\n}}")
