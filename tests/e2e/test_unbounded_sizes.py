"""Sizes that depend on data and that nothing bounds: functions are called in steps, each of which knows its sizes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
import xdsl_relax
from harness.guard_pages import call_guarded
from xdsl.utils.exceptions import DiagnosticException
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.interpreter.rule import InterpreterError
from xdsl_relax.runtime.executable.native_function import ExecutionError
from xdsl_relax.runtime.interface.json_form import from_json, to_json

PROGRAM = """
func.func @grid(%t: tensor<2xi64>, %x: tensor<?xf32, #relax.sym<n>>)
    -> (tensor<?x?xf32>, tensor<?xf32, #relax.sym<n>>, tensor<f32>, tensor<?x?xf32>) {
  %s = relax.tensor_to_shape %t : (tensor<2xi64>) -> !relax.shape<[?, ?]>
  %c = relax.match_cast %s : (!relax.shape<[?, ?]>) -> !relax.shape<[rows, columns]>
  %y = relax.ones %c {dtype = f32} : (!relax.shape<[rows, columns]>) -> tensor<?x?xf32, #relax.sym<rows, columns>>
  %z = relax.tril %y : (tensor<?x?xf32, #relax.sym<rows, columns>>) -> tensor<?x?xf32, #relax.sym<rows, columns>>
  %r = relax.match_cast %z : (tensor<?x?xf32, #relax.sym<rows, columns>>) -> tensor<?x?xf32>
  %e = relax.exp %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
  %sum = relax.sum %z : (tensor<?x?xf32, #relax.sym<rows, columns>>) -> tensor<f32>
  return %r, %e, %sum, %r : tensor<?x?xf32>, tensor<?xf32, #relax.sym<n>>, tensor<f32>, tensor<?x?xf32>
}

func.func @range(%t: tensor<3xi64>) -> tensor<?xi64> {
  %s = relax.tensor_to_shape %t : (tensor<3xi64>) -> !relax.shape<[?, ?, ?]>
  %c = relax.match_cast %s : (!relax.shape<[?, ?, ?]>) -> !relax.shape<[start, end, step]>
  %b = relax.shape : () -> !relax.shape<[start, start + end, 2]>
  %y = relax.arange %b {dtype = i64} : (!relax.shape<[start, start + end, 2]>) -> tensor<?xi64, #relax.sym<(end + 1) floordiv 2>>
  %r = relax.match_cast %y : (tensor<?xi64, #relax.sym<(end + 1) floordiv 2>>) -> tensor<?xi64>
  return %r : tensor<?xi64>
}

func.func @intermediate(%t: tensor<1xi64>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %s = relax.tensor_to_shape %t : (tensor<1xi64>) -> !relax.shape<[?]>
  %c = relax.match_cast %s : (!relax.shape<[?]>) -> !relax.shape<[rows]>
  %to = relax.shape : () -> !relax.shape<[rows, 3]>
  %y = relax.broadcast_to %x, %to : (tensor<3xf32>, !relax.shape<[rows, 3]>) -> tensor<?x3xf32, #relax.sym<rows>>
  %z = relax.cumsum %y {axis = 0 : i64} : (tensor<?x3xf32, #relax.sym<rows>>) -> tensor<?x3xf32, #relax.sym<rows>>
  %r = relax.sum %z {axis = array<i64: 0>} : (tensor<?x3xf32, #relax.sym<rows>>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

func.func @dependent(%t: tensor<1xi64>) -> (tensor<?xi64>, tensor<?xf32>) {
  %s = relax.tensor_to_shape %t : (tensor<1xi64>) -> !relax.shape<[?]>
  %c = relax.match_cast %s : (!relax.shape<[?]>) -> !relax.shape<[n]>
  %o = relax.ones %c {dtype = i64} : (!relax.shape<[n]>) -> tensor<?xi64, #relax.sym<n>>
  %two = relax.constant {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
  %d = relax.multiply %o, %two : (tensor<?xi64, #relax.sym<n>>, tensor<1xi64>) -> tensor<?xi64, #relax.sym<n>>
  %total = relax.sum %d {axis = array<i64: 0>, keepdims = true} : (tensor<?xi64, #relax.sym<n>>) -> tensor<1xi64>
  %s2 = relax.tensor_to_shape %total : (tensor<1xi64>) -> !relax.shape<[?]>
  %c2 = relax.match_cast %s2 : (!relax.shape<[?]>) -> !relax.shape<[m]>
  %z = relax.zeros %c2 {dtype = f32} : (!relax.shape<[m]>) -> tensor<?xf32, #relax.sym<m>>
  %a = relax.match_cast %d : (tensor<?xi64, #relax.sym<n>>) -> tensor<?xi64>
  %b = relax.match_cast %z : (tensor<?xf32, #relax.sym<m>>) -> tensor<?xf32>
  return %a, %b : tensor<?xi64>, tensor<?xf32>
}

func.func @calls(%t: tensor<2xi64>, %x: tensor<?xf32, #relax.sym<n>>) -> tensor<f32> {
  %a, %b, %c, %d = func.call @grid(%t, %x) : (tensor<2xi64>, tensor<?xf32, #relax.sym<n>>)
    -> (tensor<?x?xf32>, tensor<?xf32, #relax.sym<n>>, tensor<f32>, tensor<?x?xf32>)
  %r = relax.negative %c : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

func.func @unsigned(%t: tensor<1xi64>, %v: tensor<ui8>, %s: !relax.shape<[k]>) -> (tensor<?xui8>, !relax.shape<[?]>, tensor<ui8>) {
  %z = relax.tensor_to_shape %t : (tensor<1xi64>) -> !relax.shape<[?]>
  %c = relax.match_cast %z : (!relax.shape<[?]>) -> !relax.shape<[n]>
  %y = relax.full %c, %v : (!relax.shape<[n]>, tensor<ui8>) -> tensor<?xui8, #relax.sym<n>>
  %r = relax.match_cast %y : (tensor<?xui8, #relax.sym<n>>) -> tensor<?xui8>
  return %r, %z, %v : tensor<?xui8>, !relax.shape<[?]>, tensor<ui8>
}
"""

SIZES = (0, 1, 2, 7, 97, 1031)
X = np.array([0.5, -1, 2], np.float32)


def _expected(name: str, size: int) -> tuple[tuple[object, ...], tuple[object, ...]]:
    """Returns the arguments of a call and, as numpy computes them, its results."""
    match name:
        case "grid" | "calls":
            grid = np.tril(np.ones((size, 3), np.float32))
            args = np.array([size, 3], np.int64), X
            return args, (grid, np.exp(X), grid.sum(), grid) if name == "grid" else (-grid.sum(),)
        case "range":
            return (np.array([5, size, 2], np.int64),), (np.arange(5, 5 + size, 2),)
        case "intermediate":
            rows = np.broadcast_to(X, (size, 3)).cumsum(0, np.float64)
            return (np.array([size], np.int64), X), (rows.sum(0).astype(np.float32),)
        case "dependent":
            return (np.array([size], np.int64),), (np.full(size, 2, np.int64), np.zeros(2 * size, np.float32))
        case _:
            value = np.array(250, np.uint8)
            return (np.array([size], np.int64), value, (4,)), (np.full(size, 250, np.uint8), (size,), value)


NAMES = ("grid", "range", "intermediate", "dependent", "calls", "unsigned")


@pytest.fixture(scope="module")
def interpreter():
    return Interpreter(xdsl_relax.load(PROGRAM))


@pytest.fixture(scope="module", params=[0, 2])
def executable(request):
    return xdsl_relax.compile(PROGRAM, opt_level=request.param)


def _same(results, expected):
    for result, wanted in zip(results, expected, strict=True):
        if isinstance(wanted, np.ndarray | np.generic):
            expected_array: Any = wanted
            assert result.dtype == wanted.dtype and result.shape == wanted.shape
            np.testing.assert_allclose(result, expected_array, rtol=1e-4)
        else:
            assert result == wanted


@pytest.mark.parametrize("name", NAMES)
def test_results_are_those_of_numpy(executable, interpreter, name):
    for size in SIZES:
        args, expected = _expected(name, size)
        _same(executable[name].call(*args), expected)
        _same(interpreter.call(name, *args), expected)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_out_of_bounds_is_touched(executable, name):
    for size in (0, 1, 13):
        args, expected = _expected(name, size)
        _same(call_guarded(executable[name], args), expected)


def test_results_share_no_memory(executable):
    args, _ = _expected("grid", 5)
    results = executable["grid"].call(*args)
    results[0][...] = 7
    assert results[3].sum() == 12
    args, _ = _expected("unsigned", 2)
    executable["unsigned"].call(*args)[2][...] = 1
    assert args[1] == 250


@pytest.mark.parametrize(
    ("size", "message"),
    [
        (-1, "size 0 is negative"),
        (-(2**63), "size 0 is negative"),
        (2**47, r"(are needed|take|is out of range)"),
        (2**62, r"(would take|is out of range)"),
        (2**63 - 1, r"(would take|is out of range)"),
    ],
)
def test_sizes_that_do_not_fit(executable, interpreter, size, message):
    t = np.array([size, 3], np.int64)
    with pytest.raises((ExecutionError, ArgumentError), match=message):
        executable["grid"](t, X)
    with pytest.raises(InterpreterError, match=message):
        interpreter.call("grid", t, X)


def test_memory_that_the_machine_lacks_is_refused_with_the_size(executable):
    with pytest.raises(
        ArgumentError,
        match=r"grid: results of .* bytes are needed, .* are free where 'rows' = 1099511627776, 'columns' = 3",
    ):
        executable["grid"](np.array([2**40, 3], np.int64), X)


def test_arguments_are_checked_as_in_other_functions(executable):
    with pytest.raises(ArgumentError, match="grid: argument 't' dim 0: expected 2, got 3"):
        executable["grid"](np.zeros(3, np.int64), X)
    with pytest.raises(ArgumentError, match=r"unsigned: argument 's\[0\]': expected an integer, got 1.5"):
        executable["unsigned"](np.zeros(1, np.int64), np.array(1, np.uint8), (1.5,))


def test_steps_are_no_functions_of_the_executable(executable):
    assert set(executable) == set(NAMES)
    assert len(executable) == len(NAMES)


def test_workspace(executable):
    args, _ = _expected("intermediate", 1000)
    assert executable["intermediate"].workspace_bytes(*args) >= 12000


def test_saved_and_linked(executable):
    interface = from_json(to_json(executable.interface))
    assert interface == executable.interface
    args, expected = _expected("dependent", 5)
    _same(xdsl_relax.link(interface, executable.code)["dependent"].call(*args), expected)


FOREIGN = """
func.func private @count(%x: tensor<?xi64>) -> tensor<?xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %v = tensor.extract %x[%zero] : tensor<?xi64>
  %n = arith.index_cast %v : i64 to index
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @twice(%x: tensor<?xi64>) -> (tensor<?xf32>, tensor<?xf32>) {
  %a = func.call @count(%x) : (tensor<?xi64>) -> tensor<?xf32>
  %b = arith.addf %a, %a : tensor<?xf32>
  return %a, %b : tensor<?xf32>, tensor<?xf32>
}
func.func @branch(%x: tensor<?xi64>, %c: i1) -> tensor<f32> {
  %zero = arith.constant 0 : index
  %f = arith.constant 0.0 : f32
  %v = tensor.extract %x[%zero] : tensor<?xi64>
  %n = arith.index_cast %v : i64 to index
  %e0 = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%f : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %r = scf.if %c -> (tensor<f32>) {
    %two = arith.constant 2.0 : f32
    %e = tensor.empty(%n) : tensor<?xf32>
    %t = linalg.fill ins(%two : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %s = linalg.reduce ins(%t : tensor<?xf32>) outs(%init : tensor<f32>) dimensions = [0]
      (%in: f32, %acc: f32) {
        %sum = arith.addf %in, %acc : f32
        linalg.yield %sum : f32
      }
    scf.yield %s : tensor<f32>
  } else {
    scf.yield %init : tensor<f32>
  }
  return %r : tensor<f32>
}
"""


@pytest.mark.parametrize("size", SIZES)
def test_programs_of_others(size):
    executable = xdsl_relax.compile(FOREIGN)
    x = np.array([size, 3], np.int64)
    ones = np.ones(size, np.float32)
    _same(executable["twice"].call(x), (ones, 2 * ones))
    for taken in (True, False):
        _same(executable["branch"].call(x, taken), (np.float32(2 * size * taken),))


def test_negative_size_of_others():
    with pytest.raises(ExecutionError, match=r"tensor.empty: .*negative"):
        xdsl_relax.compile(FOREIGN)["twice"](np.array([-4], np.int64))


BRANCHES = """
func.func @simple(%t: tensor<1xi64>, %c: i1) -> tensor<?xf32> {
  %r = scf.if %c -> (tensor<?xf32>) {
    %s = relax.tensor_to_shape %t : (tensor<1xi64>) -> !relax.shape<[?]>
    %m = relax.match_cast %s : (!relax.shape<[?]>) -> !relax.shape<[n]>
    %o = relax.ones %m {dtype = f32} : (!relax.shape<[n]>) -> tensor<?xf32, #relax.sym<n>>
    %e = relax.match_cast %o : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  } else {
    %s = relax.shape : () -> !relax.shape<[2]>
    %z = relax.zeros %s {dtype = f32} : (!relax.shape<[2]>) -> tensor<2xf32>
    %e = relax.match_cast %z : (tensor<2xf32>) -> tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
func.func @both(%t: tensor<2xi64>, %c: i1) -> tensor<f32> {
  %r = scf.if %c -> (tensor<f32>) {
    %d = relax.add %t, %t : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
    %s = relax.tensor_to_shape %d : (tensor<2xi64>) -> !relax.shape<[?, ?]>
    %m = relax.match_cast %s : (!relax.shape<[?, ?]>) -> !relax.shape<[n, k]>
    %p = relax.shape : () -> !relax.shape<[n * k + 1]>
    %o = relax.ones %p {dtype = f32} : (!relax.shape<[n * k + 1]>) -> tensor<?xf32, #relax.sym<n * k + 1>>
    %e = relax.sum %o : (tensor<?xf32, #relax.sym<n * k + 1>>) -> tensor<f32>
    scf.yield %e : tensor<f32>
  } else {
    %w = relax.sum %t {keepdims = true} : (tensor<2xi64>) -> tensor<1xi64>
    %s = relax.tensor_to_shape %w : (tensor<1xi64>) -> !relax.shape<[?]>
    %m = relax.match_cast %s : (!relax.shape<[?]>) -> !relax.shape<[q]>
    %o = relax.ones %m {dtype = f32} : (!relax.shape<[q]>) -> tensor<?xf32, #relax.sym<q>>
    %n = relax.negative %o : (tensor<?xf32, #relax.sym<q>>) -> tensor<?xf32, #relax.sym<q>>
    %e = relax.sum %n : (tensor<?xf32, #relax.sym<q>>) -> tensor<f32>
    scf.yield %e : tensor<f32>
  }
  return %r : tensor<f32>
}
func.func @nested(%t: tensor<1xi64>, %c: i1, %d: i1) -> tensor<?xi64> {
  %r = scf.if %c -> (tensor<?xi64>) {
    %q = scf.if %d -> (tensor<?xi64>) {
      %s = relax.tensor_to_shape %t : (tensor<1xi64>) -> !relax.shape<[?]>
      %m = relax.match_cast %s : (!relax.shape<[?]>) -> !relax.shape<[n]>
      %o = relax.ones %m {dtype = i64} : (!relax.shape<[n]>) -> tensor<?xi64, #relax.sym<n>>
      %w = relax.sum %o {keepdims = true} : (tensor<?xi64, #relax.sym<n>>) -> tensor<1xi64>
      %w2 = relax.add %w, %t : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
      %s2 = relax.tensor_to_shape %w2 : (tensor<1xi64>) -> !relax.shape<[?]>
      %m2 = relax.match_cast %s2 : (!relax.shape<[?]>) -> !relax.shape<[k]>
      %o2 = relax.zeros %m2 {dtype = i64} : (!relax.shape<[k]>) -> tensor<?xi64, #relax.sym<k>>
      %e = relax.match_cast %o2 : (tensor<?xi64, #relax.sym<k>>) -> tensor<?xi64>
      scf.yield %e : tensor<?xi64>
    } else {
      %e = relax.match_cast %t : (tensor<1xi64>) -> tensor<?xi64>
      scf.yield %e : tensor<?xi64>
    }
    scf.yield %q : tensor<?xi64>
  } else {
    %x = relax.negative %t : (tensor<1xi64>) -> tensor<1xi64>
    %e = relax.match_cast %x : (tensor<1xi64>) -> tensor<?xi64>
    scf.yield %e : tensor<?xi64>
  }
  return %r : tensor<?xi64>
}
"""


@pytest.fixture(scope="module", params=[0, 2])
def branches(request):
    return xdsl_relax.compile(BRANCHES, opt_level=request.param)


def _branch_calls() -> Iterator[tuple[str, tuple[Any, ...], Any]]:
    """Yields functions with a size that a branch finds, arguments, and what numpy computes."""
    for taken in (True, False):
        for n in (0, 1, 5):
            yield "simple", (np.array([n]), taken), np.ones(n, np.float32) if taken else np.zeros(2, np.float32)
        for n, k in ((0, 0), (1, 2), (3, 4)):
            yield "both", (np.array([n, k]), taken), np.float32(4 * n * k + 1 if taken else -n - k)
        for inner, n in product((True, False), (0, 3)):
            expected = np.zeros(2 * n, np.int64) if inner else np.array([n])
            yield "nested", (np.array([n]), taken, inner), expected if taken else -np.array([n])


def test_a_size_that_a_branch_finds(branches):
    interpreter = Interpreter(xdsl_relax.load(BRANCHES))
    for name, args, expected in _branch_calls():
        _same(branches[name].call(*args), (expected,))
        _same(interpreter.call(name, *args), (expected,))


def test_nothing_out_of_bounds_is_touched_in_branches(branches):
    for name, args, expected in _branch_calls():
        _same(call_guarded(branches[name], args), (expected,))


def test_a_branch_that_is_not_taken_has_no_size(branches):
    for n in (-3, 2**62):
        assert branches["simple"](np.array([n]), False).shape == (2,)
    with pytest.raises(ExecutionError, match="size 0 is negative where size 0 = -3"):
        branches["simple"](np.array([-3]), True)
    with pytest.raises(ExecutionError, match="the size n is out of range where n = 4611686018427387904"):
        branches["simple"](np.array([2**62]), True)


SWITCH = """
func.func @switch(%x: tensor<?xi64>, %at: index) -> tensor<?xf32> {
  %zero = arith.constant 0 : index
  %f = arith.constant 1.0 : f32
  %r = scf.index_switch %at -> tensor<?xf32>
  case 7 {
    %e = tensor.empty(%zero) : tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  default {
    %v = tensor.extract %x[%at] : tensor<?xi64>
    %n = arith.index_cast %v : i64 to index
    %e = tensor.empty(%n) : tensor<?xf32>
    %g = linalg.fill ins(%f : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %g : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
"""


def test_what_a_size_in_a_branch_is_found_from_is_guarded():
    function, x = xdsl_relax.compile(SWITCH)["switch"], np.array([3, -4])
    assert function(x, 0).tolist() == [1] * 3 and function(x, 7).shape == (0,)
    with pytest.raises(ExecutionError, match=r"tensor\.extract: index 0 is out of bounds where .*'at' = 2"):
        function(x, 2)
    with pytest.raises(ExecutionError, match=r"tensor\.empty: size 0 is negative where .*'at' = 1"):
        function(x, 1)


IN_A_LOOP = """
func.func @main(%x: tensor<4xi64>) -> tensor<f32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %f = arith.constant 1.0 : f32
  %e0 = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%f : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %r = scf.for %i = %zero to %four step %one iter_args(%acc = %init) -> (tensor<f32>) {
    %v = tensor.extract %x[%i] : tensor<4xi64>
    %n = arith.index_cast %v : i64 to index
    %e = tensor.empty(%n) : tensor<?xf32>
    %g = linalg.fill ins(%f : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %s = linalg.reduce { arith.addf } ins(%g : tensor<?xf32>) outs(%acc : tensor<f32>) dimensions = [0]
    scf.yield %s : tensor<f32>
  }
  return %r : tensor<f32>
}
"""
OF_PYTHON = """
func.func @main(%t: tensor<1xi64>, %c: i1) -> tensor<?xf32> {
  %r = scf.if %c -> (tensor<?xf32>) {
    %u = relax.call_packed %t {callee = "twice"} : (tensor<1xi64>) -> tensor<1xi64>
    %s = relax.tensor_to_shape %u : (tensor<1xi64>) -> !relax.shape<[?]>
    %m = relax.match_cast %s : (!relax.shape<[?]>) -> !relax.shape<[n]>
    %o = relax.ones %m {dtype = f32} : (!relax.shape<[n]>) -> tensor<?xf32, #relax.sym<n>>
    %e = relax.match_cast %o : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  } else {
    %z = relax.astype %t {dtype = f32} : (tensor<1xi64>) -> tensor<1xf32>
    %e = relax.match_cast %z : (tensor<1xf32>) -> tensor<?xf32>
    scf.yield %e : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
"""


@pytest.mark.parametrize(("program", "place"), [(IN_A_LOOP, "scf.for"), (OF_PYTHON, "scf.if")])
def test_a_size_inside_of_a_loop_or_of_python_in_a_branch_is_refused(program: str, place: str):
    message = f"the size of a tensor depends on data inside of {place}, and nothing bounds it"
    with pytest.raises(DiagnosticException, match=message):
        xdsl_relax.compile(program)


def test_results_in_arrays_of_the_caller_and_arguments_by_name(executable):
    args, expected = _expected("dependent", 3)
    out = np.empty(6, np.float32)
    results = executable["dependent"].call(t=args[0], out=(None, out))
    assert results[1] is out
    _same(results, expected)
    with pytest.raises(ArgumentError, match=r"dependent: out\[1\]: expected shape \[6\], got \[5\]"):
        executable["dependent"].call(*args, out=(None, np.empty(5, np.float32)))
