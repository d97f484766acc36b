"""Sizes that callers choose are checked before anything is computed with them: negative ones, such as do not fit 64 bits, and memory
that the machine has not; natively and in the interpreter alike."""

from __future__ import annotations

import re

import numpy as np
import pytest
import xdsl_relax
from harness.guard_pages import little_memory
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.interpreter.rule import InterpreterError
from xdsl_relax.runtime.compiler import load
from xdsl_relax.runtime.executable.native_function import ExecutionError

SLICE = """
func.func @main(%x: tensor<8xf32>, %b: !relax.shape<[b]>, %e: !relax.shape<[e]>) -> tensor<?xf32> {{
  %y = relax.strided_slice %x, %b, %e {{axes = array<i64: 0>}} : (tensor<8xf32>, !relax.shape<[b]>, !relax.shape<[e]>) -> {0}
  %z = relax.match_cast %y : ({0}) -> tensor<?xf32>
  return %z : tensor<?xf32>
}}
"""

SCATTER_SLICE = """
func.func @main(%x: tensor<8xf32>, %u: tensor<3xf32>, %b: !relax.shape<[b]>, %e: !relax.shape<[e]>) -> tensor<8xf32> {
  %y = relax.slice_scatter %x, %u, %b, %e : (tensor<8xf32>, tensor<3xf32>, !relax.shape<[b]>, !relax.shape<[e]>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
"""

SCATTER = """
func.func @main(%x: tensor<?x1xf32, #relax.sym<n>>, %i: tensor<{0}xi64>, %u: tensor<{1}f32>) -> tensor<?x1xf32, #relax.sym<n>> {{
  %y = relax.scatter_nd %x, %i, %u : (tensor<?x1xf32, #relax.sym<n>>, tensor<{0}xi64>, tensor<{1}f32>) -> tensor<?x1xf32, #relax.sym<n>>
  return %y : tensor<?x1xf32, #relax.sym<n>>
}}
"""


def ones(*dims: str) -> str:
    """Returns a program that makes ones of a shape in n."""
    listed, marks = ", ".join(dims), "x".join("?" * len(dims))
    made = f"tensor<{marks}xf32, #relax.sym<{listed}>>"
    return f"""
func.func @main(%n: !relax.shape<[n]>) -> {made} {{
  %s = relax.shape : () -> !relax.shape<[{listed}]>
  %y = relax.ones %s {{dtype = f32}} : (!relax.shape<[{listed}]>) -> {made}
  return %y : {made}
}}
"""


INTERMEDIATE = """
func.func @main(%n: !relax.shape<[n]>) -> tensor<f32> {
  %s = relax.shape : () -> !relax.shape<[n, n, n, n]>
  %y = relax.ones %s {dtype = f32} : (!relax.shape<[n, n, n, n]>) -> tensor<?x?x?x?xf32, #relax.sym<n, n, n, n>>
  %c = relax.cumsum %y {axis = 0 : i64} : (tensor<?x?x?x?xf32, #relax.sym<n, n, n, n>>) -> tensor<?x?x?x?xf32, #relax.sym<n, n, n, n>>
  %z = relax.sum %c : (tensor<?x?x?x?xf32, #relax.sym<n, n, n, n>>) -> tensor<f32>
  return %z : tensor<f32>
}
"""

LEAST = """
func.func @main(%n: !relax.shape<[n]>) -> tensor<?xf32, #relax.sym<min(4, n * n * n)>> {
  %s = relax.shape : () -> !relax.shape<[min(4, n * n * n)]>
  %y = relax.ones %s {dtype = f32} : (!relax.shape<[min(4, n * n * n)]>) -> tensor<?xf32, #relax.sym<min(4, n * n * n)>>
  return %y : tensor<?xf32, #relax.sym<min(4, n * n * n)>>
}
"""

VALUE = """
func.func @main(%n: !relax.shape<[n]>) -> !relax.shape<[n * n - 1]> {
  %s = relax.shape : () -> !relax.shape<[n * n - 1]>
  return %s : !relax.shape<[n * n - 1]>
}
"""

SCORES = """
func.func @main(%q: tensor<1x?x1x?xf32, #relax.sym<n, d>>) -> tensor<1x?x1x?xf32, #relax.sym<n, d>> {
  %y = relax.nn.attention %q, %q, %q : (tensor<1x?x1x?xf32, #relax.sym<n, d>>, tensor<1x?x1x?xf32, #relax.sym<n, d>>, tensor<1x?x1x?xf32, #relax.sym<n, d>>) -> tensor<1x?x1x?xf32, #relax.sym<n, d>>
  return %y : tensor<1x?x1x?xf32, #relax.sym<n, d>>
}
"""

CALLED = """
func.func @main(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<f32> {
  %s = relax.shape : () -> !relax.shape<[n - 3]>
  %y = func.call @made(%s) : (!relax.shape<[n - 3]>) -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @made(%s: !relax.shape<[k]>) -> tensor<f32> {
  %y = relax.ones %s {dtype = f32} : (!relax.shape<[k]>) -> tensor<?xf32, #relax.sym<k>>
  %z = relax.sum %y : (tensor<?xf32, #relax.sym<k>>) -> tensor<f32>
  return %z : tensor<f32>
}
"""

REMAINDER = """
func.func @main(%x: tensor<?xf32, #relax.sym<n>>, %y: tensor<?xf32, #relax.sym<m>>) -> !relax.shape<[m mod n]> {
  %s = relax.shape : () -> !relax.shape<[m mod n]>
  return %s : !relax.shape<[m mod n]>
}
"""

GIVEN = """
func.func @main(%t: tensor<1xi64>) -> tensor<f32> {
  %s = relax.tensor_to_shape %t : (tensor<1xi64>) -> !relax.shape<[?]>
  %c = relax.match_cast %s : (!relax.shape<[?]>) -> !relax.shape<[k]>
  %p = relax.shape : () -> !relax.shape<[k * k * k]>
  %u = relax.shape_to_tensor %p : (!relax.shape<[k * k * k]>) -> tensor<1xi64>
  %f = relax.astype %u {dtype = f32} : (tensor<1xi64>) -> tensor<1xf32>
  %z = relax.sum %f : (tensor<1xf32>) -> tensor<f32>
  return %z : tensor<f32>
}
"""

SLICED = SLICE.format("tensor<?xf32, #relax.sym<max(0, min(8, e) - min(8, b))>>")

REFUSED = {
    "negative": (ones("n"), ((-3,),), r"expected n >= 0, got -3 \(a size of relax.ones\)"),
    "negative bound": (SLICED, (np.zeros(8, np.float32), (-3,), (3,)), "expected b >= 0, got -3"),
    "negative bound of writing": (
        SCATTER_SLICE,
        (np.zeros(8, np.float32), np.ones(3, np.float32), (-3,), (3,)),
        "expected b >= 0, got -3",
    ),
    "bytes": (ones("n", "n"), ((2**31,),), "relax.ones: a tensor of n x n elements would take 18446744073709551616 bytes where n = 2147483648"),
    "product": (ones("n * n"), ((2**32,),), r"the size n \* n does not fit 64 bits where n = 4294967296"),
    "multiple": (ones("n * 4611686018427387904"), ((4,),), r"the size 4611686018427387904 \* n does not fit 64 bits where n = 4"),
    "intermediate": (INTERMEDIATE, ((65536,),), "relax.ones: a tensor of n x n x n x n elements would take 73786976294838206464 bytes"),
    "least of two": (LEAST, ((2**22,),), r"the size min\(4, n \* n \* n\) does not fit 64 bits where n = 4194304"),
    "value": (VALUE, ((2**32,),), "does not fit 64 bits where n = 4294967296"),
    "most": (ones("n"), ((2**63 - 1,),), "relax.ones: .* where n = 9223372036854775807"),
    "memory": (ones("n", "n"), ((2**20,),), "bytes .*needed, 67108864 are free where n = 1048576"),
    "scratch": (INTERMEDIATE, ((2**9,),), "bytes .*needed, 67108864 are free where n = 512"),
}  # fmt: skip

AT_RUN_TIME = {
    "callee": (CALLED, (np.zeros(2, np.float32),), "expected .*>= 0"),
    "divisor": (
        REMAINDER,
        (np.zeros(0, np.float32), np.zeros(4, np.float32)),
        "a divisor in the size m mod n is not positive",
    ),
    "tensor as shape": (GIVEN, (np.array([2**22], np.int64),), r"k \* k \* k"),
}

DIVIDED = """
func.func @main(%x: tensor<?xf32, #relax.sym<n>>, %y: tensor<?xf32, #relax.sym<m>>, %s: !relax.shape<[{}]>) -> tensor<?xf32, #relax.sym<n>> {{
  return %x : tensor<?xf32, #relax.sym<n>>
}}
"""

ACCEPTED = {
    "none": (ones("n"), ((0,),), np.ones(0, np.float32)),
    "few": (ones("n", "n"), ((3,),), np.ones((3, 3), np.float32)),
    "slice": (SLICED, (np.arange(8, dtype=np.float32), (3,), (5,)), np.array([3, 4], np.float32)),
    "long and thin": (ones("n", "1"), ((2**20,),), np.ones((2**20, 1), np.float32)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused(name: str) -> None:
    program, args, message = REFUSED[name]
    function = xdsl_relax.compile(program)["main"]
    with little_memory(), pytest.raises(ArgumentError, match=message):
        function(*args)
    with little_memory(), pytest.raises(InterpreterError, match=message):
        Interpreter(load(program)).call("main", *args)


@pytest.mark.parametrize("size", [0, 2])
@pytest.mark.parametrize("divided", ["m floordiv n", "m mod n", "m floordiv (n - 3)"])
def test_a_divisor_that_is_not_positive_is_refused(divided: str, size: int) -> None:
    program, args = DIVIDED.format(divided), (np.zeros(0, np.float32), np.zeros(4, np.float32), (size,))
    message = re.escape(f"a divisor in the size {divided} is not positive")
    with pytest.raises(ArgumentError, match=f"{message} where m = 4, n = 0"):
        xdsl_relax.compile(program)["main"](*args)
    with pytest.raises(InterpreterError, match=message):
        Interpreter(load(program)).call("main", *args)


@pytest.mark.parametrize("name", AT_RUN_TIME)
def test_what_only_run_time_knows_is_refused(name: str) -> None:
    program, args, message = AT_RUN_TIME[name]
    with pytest.raises(ExecutionError, match=message):
        xdsl_relax.compile(program)["main"](*args)
    with pytest.raises(InterpreterError, match=message):
        Interpreter(load(program)).call("main", *args)


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_fits_is_computed(name: str) -> None:
    program, args, expected = ACCEPTED[name]
    np.testing.assert_array_equal(xdsl_relax.compile(program)["main"](*args), expected)
    np.testing.assert_array_equal(Interpreter(load(program)).call("main", *args)[0], expected)


def test_scratch_that_does_not_fit_64_bits_is_refused() -> None:
    # Of a dim that is 0 the others may be anything: no array of 2^33 elements is needed to make n * n of them overflow.
    q = np.empty((1, 2**33, 1, 0), np.float32)
    with pytest.raises(ArgumentError, match="where n = 8589934592"):
        xdsl_relax.compile(SCORES)["main"](q)


@pytest.mark.parametrize("value", [1.7, "a", 2**63, -(2**63) - 1, None, True, (2,), np.float32(2)], ids=repr)
def test_a_size_that_is_no_integer_is_an_argument_error(value) -> None:
    program = ones("n")
    with pytest.raises(ArgumentError, match="expected an integer"):
        xdsl_relax.compile(program)["main"]((value,))
    with pytest.raises(ArgumentError, match="expected an integer"):
        Interpreter(load(program)).call("main", (value,))


@pytest.mark.parametrize("value", ["a", 1.7, 2**31, None], ids=repr)
def test_a_scalar_that_its_type_cannot_hold_is_an_argument_error(value) -> None:
    program = "func.func @main(%x: i32) -> i32 {\n  return %x : i32\n}"
    with pytest.raises(ArgumentError, match=r"argument 'x': expected an? "):
        xdsl_relax.compile(program)["main"](value)


@pytest.mark.parametrize(("indices", "updates"), [("2x1", "2x1"), ("1", "1"), ("2", "")])
def test_an_index_into_an_empty_dim_touches_nothing(indices: str, updates: str) -> None:
    program = SCATTER.format(indices, f"{updates}x".lstrip("x"))
    x = np.zeros((0, 1), np.float32)
    shapes = [tuple(map(int, filter(None, text.split("x")))) for text in (indices, updates)]
    args = (x, np.zeros(shapes[0], np.int64), np.ones(shapes[1], np.float32))
    assert xdsl_relax.compile(program)["main"](*args).shape == (0, 1)
    assert Interpreter(load(program)).call("main", *args)[0].shape == (0, 1)
