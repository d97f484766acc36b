"""Tensors whose sizes are found inside of branches and loops: they work where a bound is known, and are one error where none is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from xdsl.utils.exceptions import ParseError
from xdsl_relax.dialects.upstream.op_error import OpError
from xdsl_relax.interpreter.engine import Interpreter

A, U, ROWS = "tensor<?xf32, #relax.sym<a>>", "tensor<?xf32>", "tensor<1x?xi64>"
KNOWN = "tensor<1x?xi64, #relax.sym<k>>"


def branch(name: str, then: str, otherwise: str, result: str) -> str:
    """Returns a function that yields one of two tensors of its vector `%x` and its matrix `%d` of indices."""
    return f"""
func.func @{name}(%x: {A}, %d: tensor<1x3xi64>, %f: i1) -> {result} {{
  %begin = relax.constant {{value = dense<0> : tensor<1xi64>}} : () -> tensor<1xi64>
  %step = relax.constant {{value = dense<1> : tensor<1xi64>}} : () -> tensor<1xi64>
  %r = scf.if %f -> ({result}) {{
    {then}
  }} else {{
    {otherwise}
  }}
  return %r : {result}
}}"""


LOOP = f"""
func.func @loop(%x: {A}, %d: tensor<1x3xi64>, %f: i1) -> tensor<i64> {{
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %3 = arith.constant 3 : index
  %z = relax.constant {{value = dense<0> : tensor<i64>}} : () -> tensor<i64>
  %r, %y = scf.for %i = %0 to %3 step %1 iter_args(%p = %z, %w = %x) -> (tensor<i64>, {A}) {{
    %k = relax.nonzero %w : ({A}) -> {ROWS}
    %k1 = relax.match_cast %k : ({ROWS}) -> {KNOWN}
    %m = relax.sum %k1 : ({KNOWN}) -> tensor<i64>
    %s = relax.add %p, %m : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %w1 = relax.subtract %w, %x : ({A}, {A}) -> {A}
    scf.yield %s, %w1 : tensor<i64>, {A}
  }}
  return %r : tensor<i64>
}}"""
PROGRAMS: dict[str, tuple[str, Callable[[Any, Any, bool], Any]]] = {
    "both_bounded": (
        branch(
            "both_bounded",
            f"%p = relax.nonzero %x : ({A}) -> {ROWS}\n scf.yield %p : {ROWS}",
            f"%n = relax.cos %x : ({A}) -> {A}\n %p = relax.nonzero %n : ({A}) -> {ROWS}\n scf.yield %p : {ROWS}",
            ROWS,
        ),
        lambda x, d, f: np.stack(np.nonzero(x if f else np.cos(x))),
    ),
    "a_bound_and_a_number": (
        branch(
            "a_bound_and_a_number",
            f"%p = relax.nonzero %x : ({A}) -> {ROWS}\n scf.yield %p : {ROWS}",
            f"%q = relax.match_cast %d : (tensor<1x3xi64>) -> {ROWS}\n scf.yield %q : {ROWS}",
            ROWS,
        ),
        lambda x, d, f: np.stack(np.nonzero(x)) if f else d,
    ),
    "a_symbol_of_the_branch": (
        branch(
            "a_symbol_of_the_branch",
            f"""%p = relax.nonzero %x : ({A}) -> {ROWS}
    %q = relax.match_cast %p : ({ROWS}) -> {KNOWN}
    %s = relax.add %q, %q : ({KNOWN}, {KNOWN}) -> {ROWS}
    scf.yield %s : {ROWS}""",
            f"%p = relax.nonzero %x : ({A}) -> {ROWS}\n scf.yield %p : {ROWS}",
            ROWS,
        ),
        lambda x, d, f: np.stack(np.nonzero(x)) * (2 if f else 1),
    ),
    "two_sizes": (
        branch(
            "two_sizes",
            f"%p = relax.concat %x, %x {{axis = 0 : i64}} : ({A}, {A}) -> {U}\n scf.yield %p : {U}",
            f"%q = relax.negative %x : ({A}) -> {U}\n scf.yield %q : {U}",
            U,
        ),
        lambda x, d, f: np.concatenate([x, x]) if f else -x,
    ),
    "a_slice": (
        branch(
            "a_slice",
            f"""%three = relax.shape : () -> !relax.shape<[3]>
    %e = relax.reshape %d, %three : (tensor<1x3xi64>, !relax.shape<[3]>) -> tensor<3xi64>
    %e1 = relax.strided_slice %e {{axes = array<i64: 0>, begin = array<i64: 2>, end = array<i64: 3>}} : (tensor<3xi64>) -> tensor<1xi64>
    %p = relax.dynamic_strided_slice %x, %begin, %e1, %step : ({A}, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> {U}
    scf.yield %p : {U}""",
            f"%q = relax.negative %x : ({A}) -> {U}\n scf.yield %q : {U}",
            U,
        ),
        lambda x, d, f: x[: d[0, 2]] if f else -x,
    ),
    "loop": (LOOP, lambda x, d, f: np.array(np.nonzero(x)[0].sum() + np.nonzero(-x)[0].sum())),
}


@pytest.fixture(scope="module", params=["interpreter", "-O0", "-O2"])
def call(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Calls a function of all programs together."""
    module = xdsl_relax.load("\n".join(text for text, _ in PROGRAMS.values()))
    if request.param == "interpreter":
        return Interpreter(module).call
    executable = xdsl_relax.compile(module, opt_level=int(request.param[2:]))
    return lambda name, *args: executable[name].call(*args)


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_have_their_sizes(name: str, call: Callable[..., Any]) -> None:
    _, expected = PROGRAMS[name]
    for x in (np.array([1, 0, 3, 0], np.float32), np.zeros(2, np.float32), np.zeros(0, np.float32)):
        for last in (0, 2, 9):
            for flag in (False, True):
                indices = np.array([[4, 5, last]])
                (result,) = call(name, x, indices, np.bool_(flag))
                np.testing.assert_array_equal(result, expected(x, indices, flag))


def test_a_size_in_a_branch_that_nothing_bounds_is_found_before_it() -> None:
    text = branch(
        "main",
        f"""%e = relax.strided_slice %d {{axes = array<i64: 1>, begin = array<i64: 2>, end = array<i64: 3>}} : (tensor<1x3xi64>) -> tensor<1x1xi64>
    %e1 = relax.squeeze %e {{axis = array<i64: 0>}} : (tensor<1x1xi64>) -> tensor<1xi64>
    %p = relax.tensor_to_shape %e1 : (tensor<1xi64>) -> !relax.shape<[?]>
    %q = relax.match_cast %p : (!relax.shape<[?]>) -> !relax.shape<[k]>
    %o = relax.ones %q {{dtype = f32}} : (!relax.shape<[k]>) -> {U}
    scf.yield %o : {U}""",
        f"%q = relax.negative %x : ({A}) -> {U}\n scf.yield %q : {U}",
        U,
    )
    function, x = xdsl_relax.compile(text)["main"], np.ones(4, np.float32)
    for last in (0, 2, 9):
        np.testing.assert_array_equal(function(x, np.array([[4, 5, last]]), True), np.ones(last, np.float32))
        np.testing.assert_array_equal(function(x, np.array([[4, 5, last]]), False), -x)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "%y = tensor.gather %x[%i] gather_dims([0]) : (tensor<4x8xf32>, tensor<3x1xindex>) -> tensor<3x1x8xf32>",
            "operation tensor.gather is not registered; a gather is linalg.generic with tensor.extract",
        ),
        (
            '%y = "tensor.scatter"(%x, %x, %i) <{scatter_dims = array<i64: 0>}> : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<3x1xindex>) -> ()',
            "operation tensor.scatter is not registered; a scatter is scf.for with tensor.insert_slice",
        ),
    ],
)
def test_ops_of_upstream_that_no_stage_takes_are_named_with_what_does(line: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        xdsl_relax.load(
            f"func.func @main(%x: tensor<4x8xf32>, %i: tensor<3x1xindex>) -> tensor<4x8xf32> {{\n  {line}\n  return %x : tensor<4x8xf32>\n}}"
        )


@pytest.mark.parametrize("op", ["pack", "unpack"])
def test_packing_of_unknown_sizes_is_one_error(op: str) -> None:
    types = ["tensor<?x16xf32>", "tensor<?x2x8x8xf32>"]
    source, target = types if op == "pack" else types[::-1]
    text = f"""
func.func @main(%x: {source}, %o: {target}) -> {target} {{
  %y = linalg.{op} %x inner_dims_pos = [0, 1] inner_tiles = [8, 8] into %o : {source} -> {target}
  return %y : {target}
}}"""
    with pytest.raises(OpError, match=rf"3:3: error: .*linalg\.{op} with dynamic sizes or tiles is not supported"):
        xdsl_relax.compile(text)
