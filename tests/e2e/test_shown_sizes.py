"""Errors of conditions on sizes that only a call finds out hold the values, in native code and in the interpreter."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.rule import InterpreterError
from xdsl_relax.runtime.compiler import load
from xdsl_relax.runtime.executable.native_function import ExecutionError

FOUND = """
func.func @main(%x: tensor<?xf32, #relax.sym<n>>, %m: tensor<?xi1, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>> {
  %i = relax.nonzero %m : (tensor<?xi1, #relax.sym<n>>) -> tensor<1x?xi64>
  %j = relax.match_cast %i : (tensor<1x?xi64>) -> tensor<1x?xi64, #relax.sym<k>>
  %s = relax.shape : () -> !relax.shape<[k]>
  %g = relax.reshape %j, %s : (tensor<1x?xi64, #relax.sym<k>>, !relax.shape<[k]>) -> tensor<?xi64, #relax.sym<k>>
  %f = relax.astype %g {dtype = f32} : (tensor<?xi64, #relax.sym<k>>) -> tensor<?xf32, #relax.sym<k>>
  %y = relax.add %x, %f : (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<k>>) -> tensor<?xf32, #relax.sym<n>>
  return %y : tensor<?xf32, #relax.sym<n>>
}
"""

GIVEN = """
func.func @main(%t: tensor<2xi64>) -> {1} {{
  %s = relax.tensor_to_shape %t : (tensor<2xi64>) -> !relax.shape<[?, ?]>
  %c = relax.match_cast %s : (!relax.shape<[?, ?]>) -> !relax.shape<[k, j]>
  {0}
  return %r : {1}
}}
"""


def value(size: str) -> str:
    """Returns a program that returns a size in k and j."""
    return GIVEN.format(f"%r = relax.shape : () -> !relax.shape<[{size}]>", f"!relax.shape<[{size}]>")


CAST = GIVEN.format(
    "%r = relax.match_cast %c : (!relax.shape<[k, j]>) -> !relax.shape<[4, k + 1]>", "!relax.shape<[4, k + 1]>"
)

CALLED = """
func.func @main(%t: tensor<1xi64>) -> tensor<f32> {
  %s = relax.tensor_to_shape %t : (tensor<1xi64>) -> !relax.shape<[?]>
  %c = relax.match_cast %s : (!relax.shape<[?]>) -> !relax.shape<[k]>
  %y = func.call @made(%c) : (!relax.shape<[k]>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @made(%s: !relax.shape<[i]>) -> tensor<f32> attributes {relax.sym_upper_bounds = {i = 5 : i64}} {
  %y = relax.ones %s {dtype = f32} : (!relax.shape<[i]>) -> tensor<?xf32, #relax.sym<i>>
  %z = relax.sum %y : (tensor<?xf32, #relax.sym<i>>) -> tensor<f32>
  return %z : tensor<f32>
}
"""


def sizes(*values: int) -> np.ndarray[Any, Any]:
    return np.array(values, np.int64)


CASES: dict[str, tuple[str, tuple[Any, ...], str, str]] = {
    "data": (
        FOUND,
        (np.zeros(3, np.float32), np.array([1, 0, 1], bool)),
        "relax.add: expected n == k where n = 3, k = 2",
        "relax.add: expected n == k, got 3 and 2",
    ),
    "product": (
        value("k * k * j"),
        (sizes(2**22, 2**21),),
        "relax.shape: the size j * k * k is out of range where j = 2097152, k = 4194304",
        "the size j * k * k does not fit 64 bits where j = 2097152, k = 4194304",
    ),
    "divisor": (
        value("j mod k"),
        (sizes(0, 7),),
        "a divisor in the size j mod k is not positive where k = 0",
        "a divisor in the size j mod k is not positive",
    ),
    "negative": (
        value("k"),
        (sizes(3, -2),),
        "tensor_to_shape: size 1 is negative where size 1 = -2",
        "tensor_to_shape: size 1 is negative, got -2",
    ),
    "cast": (
        CAST,
        (sizes(4, 7),),
        "main: match_cast dim 1: expected k + 1 where dim 1 = 7, k + 1 = 5",
        "relax.match_cast: expected k + 1 == j, got 5 and 7",
    ),
    "cast to a number": (
        CAST,
        (sizes(3, 4),),
        "main: match_cast dim 0: expected 4 where dim 0 = 3",
        "relax.match_cast: expected 4 == k, got 4 and 3",
    ),
    "call": (
        CALLED,
        (sizes(6),),
        "call of @made: expected 5 >= k where k = 6",
        "made: argument 's' dim 0: expected i <= 5, got 6",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_error_holds_the_values(name: str) -> None:
    program, args, native, interpreted = CASES[name]
    with pytest.raises(ExecutionError, match=re.escape(native)):
        xdsl_relax.compile(program)["main"](*args)
    with pytest.raises(InterpreterError, match=re.escape(interpreted)):
        Interpreter(load(program)).call("main", *args)


ROWS = """
func.func @main(%x: tensor<4096x64xf32>, %i: tensor<4096xindex>) -> tensor<4096xf32> {
  %e = tensor.empty() : tensor<4096xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%i : tensor<4096xindex>) outs(%e : tensor<4096xf32>) {
  ^bb0(%at: index, %out: f32):
    %row = linalg.index 0 : index
    %v = tensor.extract %x[%row, %at] : tensor<4096x64xf32>
    linalg.yield %v : f32
  } -> tensor<4096xf32>
  return %r : tensor<4096xf32>
}
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_the_values_are_those_of_one_failure(threads: int) -> None:
    function = xdsl_relax.compile(ROWS, threads=threads)["main"]
    x = np.arange(4096 * 64, dtype=np.float32).reshape(4096, 64)
    indices = np.full(4096, 3)
    np.testing.assert_array_equal(function(x, indices), x[:, 3])
    # Both threads fail, each at an index of its own.
    indices[:2048], indices[2048:] = 77, 99
    for _ in range(20):
        with pytest.raises(
            ExecutionError, match=r"index 1 is out of bounds where index 1 = (77|99), the size of dim 1 = 64"
        ):
            function(x, indices)
