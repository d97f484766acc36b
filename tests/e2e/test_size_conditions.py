"""What shape rules leave to run time is checked there, by native code and the interpreter alike: sizes that must be equal, fit, or
not be negative."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import xdsl_relax
from harness.sampling import runs_all
from xdsl.dialects.builtin import ModuleOp
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.rule import InterpreterError
from xdsl_relax.runtime.compiler import load
from xdsl_relax.runtime.executable.executable import Executable
from xdsl_relax.runtime.executable.native_function import ExecutionError
from xdsl_relax.tools.relax_run import main as relax_run

CONV = """
func.func @conv(%x: tensor<1x1x?x?xf32, #relax.sym<h, w>>, %k: tensor<1x1x3x3xf32>) -> tensor<1x1x?x?xf32, #relax.sym<h - 2, w - 2>> {
  %y = relax.nn.conv2d %x, %k : (tensor<1x1x?x?xf32, #relax.sym<h, w>>, tensor<1x1x3x3xf32>) -> tensor<1x1x?x?xf32, #relax.sym<h - 2, w - 2>>
  return %y : tensor<1x1x?x?xf32, #relax.sym<h - 2, w - 2>>
}
"""

INNER = """
func.func @inner(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>> {
  %s = relax.shape : () -> !relax.shape<[n - 3]>
  %y = relax.ones %s {dtype = f32} : (!relax.shape<[n - 3]>) -> tensor<?xf32, #relax.sym<n - 3>>
  %z = relax.sum %y : (tensor<?xf32, #relax.sym<n - 3>>) -> tensor<f32>
  %w = relax.add %x, %z : (tensor<?xf32, #relax.sym<n>>, tensor<f32>) -> tensor<?xf32, #relax.sym<n>>
  return %w : tensor<?xf32, #relax.sym<n>>
}
"""

CALLED = """
func.func @called(%x: tensor<?x4xf32, #relax.sym<m>>) -> tensor<4xf32> {
  %y = func.call @tail(%x) : (tensor<?x4xf32, #relax.sym<m>>) -> tensor<?x4xf32, #relax.sym<m - 3>>
  %z = relax.sum %y {axis = array<i64: 0>} : (tensor<?x4xf32, #relax.sym<m - 3>>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}
func.func private @tail(%x: tensor<?x4xf32, #relax.sym<n>>) -> tensor<?x4xf32, #relax.sym<n - 3>> {
  %s = relax.shape : () -> !relax.shape<[n - 3, 4]>
  %y = relax.ones %s {dtype = f32} : (!relax.shape<[n - 3, 4]>) -> tensor<?x4xf32, #relax.sym<n - 3>>
  %t = relax.tanh %y : (tensor<?x4xf32, #relax.sym<n - 3>>) -> tensor<?x4xf32, #relax.sym<n - 3>>
  return %t : tensor<?x4xf32, #relax.sym<n - 3>>
}
"""

BRANCHES = """
func.func @branches(%x: tensor<?xf32, #relax.sym<n>>, %long: i1) -> tensor<f32> {
  %a = relax.tanh %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
  %r = scf.if %long -> (tensor<f32>) {
    %s = relax.shape : () -> !relax.shape<[n - 100]>
    %y = relax.ones %s {dtype = f32} : (!relax.shape<[n - 100]>) -> tensor<?xf32, #relax.sym<n - 100>>
    %c = relax.cumsum %y {axis = 0 : i64} : (tensor<?xf32, #relax.sym<n - 100>>) -> tensor<?xf32, #relax.sym<n - 100>>
    %t = relax.cumsum %c {axis = 0 : i64} : (tensor<?xf32, #relax.sym<n - 100>>) -> tensor<?xf32, #relax.sym<n - 100>>
    %z = relax.sum %t : (tensor<?xf32, #relax.sym<n - 100>>) -> tensor<f32>
    scf.yield %z : tensor<f32>
  } else {
    %c = relax.cumsum %a {axis = 0 : i64} : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
    %t = relax.cumsum %c {axis = 0 : i64} : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>>
    %z = relax.sum %t : (tensor<?xf32, #relax.sym<n>>) -> tensor<f32>
    scf.yield %z : tensor<f32>
  }
  return %r : tensor<f32>
}
"""

EQUAL = """
func.func @equal(%x: tensor<?x?xf32, #relax.sym<n, k>>, %w: tensor<?x3xf32, #relax.sym<m>>) -> tensor<?x3xf32, #relax.sym<n>> {
  %y = relax.matmul %x, %w : (tensor<?x?xf32, #relax.sym<n, k>>, tensor<?x3xf32, #relax.sym<m>>) -> tensor<?x3xf32, #relax.sym<n>>
  return %y : tensor<?x3xf32, #relax.sym<n>>
}
"""

BATCH = """
func.func @batch(%x: tensor<?x2x3xf32, #relax.sym<n>>, %y: tensor<?x3x4xf32, #relax.sym<m>>) -> tensor<?x2x4xf32, #relax.sym<n>> {
  %r = relax.matmul %x, %y : (tensor<?x2x3xf32, #relax.sym<n>>, tensor<?x3x4xf32, #relax.sym<m>>) -> tensor<?x2x4xf32, #relax.sym<n>>
  return %r : tensor<?x2x4xf32, #relax.sym<n>>
}
"""

DECLARED = """
func.func @declared(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<4xf32> {
  %r = relax.negative %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
"""

HALVES = """
func.func @halves(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?x2xf32, #relax.sym<n floordiv 2>> {
  %s = relax.shape : () -> !relax.shape<[n floordiv 2, 2]>
  %r = relax.reshape %x, %s : (tensor<?xf32, #relax.sym<n>>, !relax.shape<[n floordiv 2, 2]>) -> tensor<?x2xf32, #relax.sym<n floordiv 2>>
  return %r : tensor<?x2xf32, #relax.sym<n floordiv 2>>
}
"""

GROUPS = """
func.func @groups(%x: tensor<2x?x3xf32, #relax.sym<c>>, %g: tensor<?xf32, #relax.sym<c>>) -> tensor<2x?x3xf32, #relax.sym<c>> {
  %r = relax.nn.group_norm %x, %g, %g {num_groups = 2 : i64, channel_axis = 1 : i64, axes = array<i64: 2>} : (tensor<2x?x3xf32, #relax.sym<c>>, tensor<?xf32, #relax.sym<c>>, tensor<?xf32, #relax.sym<c>>) -> tensor<2x?x3xf32, #relax.sym<c>>
  return %r : tensor<2x?x3xf32, #relax.sym<c>>
}
"""

QUOTIENT = """
func.func @quotient(%x: tensor<?x?xf32, #relax.sym<n, m>>) -> tensor<?xf32, #relax.sym<n floordiv m>> {
  %s = relax.shape : () -> !relax.shape<[n floordiv m]>
  %y = relax.ones %s {dtype = f32} : (!relax.shape<[n floordiv m]>) -> tensor<?xf32, #relax.sym<n floordiv m>>
  return %y : tensor<?xf32, #relax.sym<n floordiv m>>
}
"""

UNKNOWN = """
func.func @unknown(%x: tensor<?xf32, #relax.sym<n>>, %w: tensor<4x3xf32>) -> tensor<3xf32> {
  %u = relax.unique %x : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32>
  %v = relax.tanh %w : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %r = relax.matmul %u, %v : (tensor<?xf32>, tensor<4x3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
"""

JOINED = """
func.func @joined(%x: tensor<2x?xf32, #relax.sym<n>>, %y: tensor<1x?xf32, #relax.sym<m>>) -> tensor<3x?xf32, #relax.sym<n>> {
  %r = relax.concat %x, %y {axis = 0 : i64} : (tensor<2x?xf32, #relax.sym<n>>, tensor<1x?xf32, #relax.sym<m>>) -> tensor<3x?xf32, #relax.sym<n>>
  return %r : tensor<3x?xf32, #relax.sym<n>>
}
"""

CAST = """
func.func @cast(%x: tensor<?xf32>) -> tensor<f32> {
  %y = relax.match_cast %x : (tensor<?xf32>) -> tensor<?xf32, #relax.sym<k>>
  %s = relax.shape : () -> !relax.shape<[k - 3]>
  %o = relax.ones %s {dtype = f32} : (!relax.shape<[k - 3]>) -> tensor<?xf32, #relax.sym<k - 3>>
  %z = relax.sum %o : (tensor<?xf32, #relax.sym<k - 3>>) -> tensor<f32>
  return %z : tensor<f32>
}
"""

SUM = """
func.func @sum(%x: tensor<?xf32, #relax.sym<n>>, %y: tensor<?xf32, #relax.sym<m>>) -> tensor<?xf32> {
  %r = relax.add %x, %y : (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<m>>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @sum_with_number(%x: tensor<?xf32, #relax.sym<n>>, %y: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %r = relax.add %x, %y : (tensor<?xf32, #relax.sym<n>>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}
func.func @chosen(%c: tensor<?xi1, #relax.sym<k>>, %x: tensor<?xf32, #relax.sym<n>>, %y: tensor<?xf32, #relax.sym<m>>) -> tensor<?xf32, #relax.sym<k>> {
  %r = relax.where %c, %x, %y : (tensor<?xi1, #relax.sym<k>>, tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<m>>) -> tensor<?xf32, #relax.sym<k>>
  return %r : tensor<?xf32, #relax.sym<k>>
}
func.func @biased(%x: tensor<2x3xf32>, %w: tensor<?x3xf32, #relax.sym<n>>, %b: tensor<?xf32, #relax.sym<m>>) -> tensor<2x?xf32, #relax.sym<n>> {
  %r = relax.linear %x, %w, %b : (tensor<2x3xf32>, tensor<?x3xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<m>>) -> tensor<2x?xf32, #relax.sym<n>>
  return %r : tensor<2x?xf32, #relax.sym<n>>
}
"""

REPEATED = """
func.func @repeated(%x: tensor<?xf32, #relax.sym<n>>, %y: tensor<2x?xf32, #relax.sym<m>>) -> tensor<2x?xf32, #relax.sym<m>> {
  %s = relax.shape_of %y : (tensor<2x?xf32, #relax.sym<m>>) -> !relax.shape<[2, m]>
  %r = relax.broadcast_to %x, %s : (tensor<?xf32, #relax.sym<n>>, !relax.shape<[2, m]>) -> tensor<2x?xf32, #relax.sym<m>>
  return %r : tensor<2x?xf32, #relax.sym<m>>
}
func.func @collapsed(%x: tensor<2x?xf32, #relax.sym<n>>, %y: tensor<?xf32, #relax.sym<m>>) -> tensor<?xf32, #relax.sym<m>> {
  %s = relax.shape_of %y : (tensor<?xf32, #relax.sym<m>>) -> !relax.shape<[m]>
  %r = relax.collapse_sum_to %x, %s : (tensor<2x?xf32, #relax.sym<n>>, !relax.shape<[m]>) -> tensor<?xf32, #relax.sym<m>>
  return %r : tensor<?xf32, #relax.sym<m>>
}
func.func @squeezed(%x: tensor<?x3xf32, #relax.sym<n>>) -> tensor<3xf32> {
  %r = relax.squeeze %x {axis = array<i64: 0>} : (tensor<?x3xf32, #relax.sym<n>>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
func.func @selected(%x: tensor<4x5xf32>, %i: tensor<?xi64, #relax.sym<n>>, %j: tensor<?xi64, #relax.sym<m>>) -> tensor<?xf32, #relax.sym<n>> {
  %r = relax.index_tensor %x, %i, %j : (tensor<4x5xf32>, tensor<?xi64, #relax.sym<n>>, tensor<?xi64, #relax.sym<m>>) -> tensor<?xf32, #relax.sym<n>>
  return %r : tensor<?xf32, #relax.sym<n>>
}
"""

EINSUM = """
func.func @dot(%x: tensor<?xf32, #relax.sym<n>>, %y: tensor<?xf32, #relax.sym<m>>) -> tensor<f32> {
  %r = relax.einsum %x, %y {subscripts = "i,i->"} : (tensor<?xf32, #relax.sym<n>>, tensor<?xf32, #relax.sym<m>>) -> tensor<f32>
  return %r : tensor<f32>
}
func.func @trace(%x: tensor<?x?xf32, #relax.sym<n, m>>) -> tensor<f32> {
  %r = relax.einsum %x {subscripts = "ii->"} : (tensor<?x?xf32, #relax.sym<n, m>>) -> tensor<f32>
  return %r : tensor<f32>
}
"""

HEADS = """
func.func @heads(%q: tensor<1x2x?x4xf32, #relax.sym<h>>, %k: tensor<1x3x?x4xf32, #relax.sym<g>>) -> tensor<1x2x?x4xf32, #relax.sym<h>> {
  %r = relax.nn.attention %q, %k, %k : (tensor<1x2x?x4xf32, #relax.sym<h>>, tensor<1x3x?x4xf32, #relax.sym<g>>, tensor<1x3x?x4xf32, #relax.sym<g>>) -> tensor<1x2x?x4xf32, #relax.sym<h>>
  return %r : tensor<1x2x?x4xf32, #relax.sym<h>>
}
"""


def zeros(*shape):
    return np.zeros(shape, np.float32)


def ones(*shape):
    return np.ones(shape, np.float32)


def whole(size):
    return np.zeros(size, np.int64)


REFUSED = {
    "window": ("conv", (zeros(1, 1, 5, 1), zeros(1, 1, 3, 3)), "relax.nn.conv2d: expected w >= 3", "1 and 3"),
    "intermediate": ("inner", (zeros(2),), "relax.ones: expected n - 3 >= 0", "-1 and 0"),
    "callee": ("called", (zeros(1, 4),), "relax.ones: expected n - 3 >= 0", "-2 and 0"),
    "branch": ("branches", (zeros(99), True), "relax.ones: expected n - 100 >= 0", "-1 and 0"),
    "cast": ("cast", (zeros(2),), "relax.ones: expected k - 3 >= 0", "-1 and 0"),
    "equal": ("equal", (zeros(2, 5), zeros(4, 3)), "relax.matmul: expected k == m", "5 and 4"),
    "batch": ("batch", (zeros(5, 2, 3), zeros(4, 3, 4)), "relax.matmul: expected n == m", "5 and 4"),
    "one in a batch": ("batch", (zeros(5, 2, 3), zeros(1, 3, 4)), "relax.matmul: expected n == m", "5 and 1"),
    "declared": ("declared", (zeros(3),), "relax.negative: expected 4 == n", "4 and 3"),
    "elements": ("halves", (zeros(5),), r"relax.reshape: expected n == 2 \* \(n floordiv 2\)", "5 and 4"),
    "multiple": ("groups", (zeros(2, 3, 3), zeros(3)), "relax.nn.group_norm: expected c mod 2 == 0", "1 and 0"),
    "joined": ("joined", (zeros(2, 3), zeros(1, 4)), "relax.concat: expected n == m", "3 and 4"),
    "unknown": ("unknown", (zeros(7), zeros(4, 3)), "relax.matmul: expected dim 0 of operand 0 == 4", "1 and 4"),
    "added": ("sum", (zeros(3), zeros(4)), "relax.add: expected n == m", "3 and 4"),
    "one that is added": ("sum", (zeros(3), zeros(1)), "relax.add: expected n == m", "3 and 1"),
    "added to a number": ("sum_with_number", (zeros(1), zeros(2, 4)), "relax.add: expected n == 4", "1 and 4"),
    "chosen": ("chosen", (zeros(3) > 0, zeros(3), zeros(2)), "relax.where: expected n == m", "3 and 2"),
    "condition": ("chosen", (zeros(2) > 0, zeros(3), zeros(3)), "relax.where: expected k == n", "2 and 3"),
    "bias": ("biased", (zeros(2, 3), zeros(4, 3), zeros(1)), "relax.linear: expected n == m", "4 and 1"),
    "repeated": ("repeated", (zeros(1), zeros(2, 3)), "relax.broadcast_to: expected n == m", "1 and 3"),
    "collapsed": ("collapsed", (zeros(2, 3), zeros(1)), "relax.collapse_sum_to: expected n == m", "3 and 1"),
    "squeezed": ("squeezed", (zeros(2, 3),), "relax.squeeze: expected n == 1", "2 and 1"),
    "selected": ("selected", (zeros(4, 5), whole(3), whole(2)), "relax.index_tensor: expected n == m", "3 and 2"),
    "label": ("dot", (zeros(3), zeros(1)), "relax.einsum: expected n == m", "3 and 1"),
    "diagonal": ("trace", (zeros(3, 2),), "relax.einsum: expected n == m", "3 and 2"),
    "heads": ("heads", (zeros(1, 2, 3, 4), zeros(1, 3, 2, 4)), "relax.nn.attention: expected h mod g == 0", "1 and 0"),
    "divisor": ("quotient", (zeros(4, 0),), "a divisor in the size n floordiv m is not positive", None),
}

ACCEPTED = {
    "window": ("conv", (zeros(1, 1, 5, 3), zeros(1, 1, 3, 3)), zeros(1, 1, 3, 1)),
    "intermediate": ("inner", (zeros(3),), zeros(3)),
    "callee": ("called", (zeros(3, 4),), zeros(4)),
    "branch": ("branches", (zeros(103), True), np.float32(10)),
    "other branch": ("branches", (np.arctanh(np.full(64, 0.5, np.float32)), False), np.float32(22880)),
    "cast": ("cast", (zeros(3),), np.float32(0)),
    "equal": ("equal", (ones(2, 5), ones(5, 3)), 5 * ones(2, 3)),
    "batch": ("batch", (ones(5, 2, 3), ones(5, 3, 4)), 3 * ones(5, 2, 4)),
    "declared": ("declared", (ones(4),), -ones(4)),
    "elements": ("halves", (ones(6),), ones(3, 2)),
    "multiple": ("groups", (ones(2, 4, 3), ones(4)), ones(2, 4, 3)),
    "joined": ("joined", (ones(2, 3), ones(1, 3)), ones(3, 3)),
    "unknown": ("unknown", (np.arange(4, dtype=np.float32), zeros(4, 3)), zeros(3)),
    "added": ("sum", (ones(3), ones(3)), 2 * ones(3)),
    "added to a number": ("sum_with_number", (ones(4), ones(2, 4)), 2 * ones(2, 4)),
    "chosen": ("chosen", (zeros(3) > 0, zeros(3), ones(3)), ones(3)),
    "bias": ("biased", (ones(2, 3), ones(4, 3), ones(4)), 4 * ones(2, 4)),
    "repeated": ("repeated", (ones(3), zeros(2, 3)), ones(2, 3)),
    "collapsed": ("collapsed", (ones(2, 3), zeros(3)), 2 * ones(3)),
    "squeezed": ("squeezed", (ones(1, 3),), ones(3)),
    "selected": ("selected", (ones(4, 5), whole(3), whole(3)), ones(3)),
    "label": ("dot", (ones(3), ones(3)), np.float32(3)),
    "diagonal": ("trace", (ones(3, 3),), np.float32(3)),
    "heads": ("heads", (zeros(1, 2, 4, 4), ones(1, 3, 2, 4)), ones(1, 2, 4, 4)),
    "equal heads": ("heads", (zeros(1, 2, 3, 4), ones(1, 3, 3, 4)), ones(1, 2, 3, 4)),
    "divisor": ("quotient", (zeros(9, 2),), ones(4)),
}


PROGRAMS = (
    *(CONV, INNER, CALLED, BRANCHES, EQUAL, BATCH, DECLARED, HALVES, GROUPS, QUOTIENT, UNKNOWN, JOINED, CAST),
    *(SUM, REPEATED, EINSUM, HEADS),
)


LEVELS = range(4) if runs_all() else (0, 2)
"""Each compiles all programs."""


@cache
def module() -> ModuleOp:
    """Returns the functions of all programs in one module."""
    return load("".join(PROGRAMS))


@cache
def executable(level: int) -> Executable:
    """Returns the functions of all programs, compiled at a level."""
    return xdsl_relax.compile(module(), opt_level=level)


@pytest.mark.sweep
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused(name, level):
    function, args, message, _ = REFUSED[name]
    with pytest.raises(ExecutionError, match=message):
        executable(level)[function](*args)


@pytest.mark.parametrize("name", REFUSED)
def test_the_interpreter_refuses_it_with_the_sizes(name):
    function, args, message, sizes = REFUSED[name]
    with pytest.raises(InterpreterError, match=message if sizes is None else f"{message}, got {sizes}"):
        Interpreter(module()).call(function, *args)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", ACCEPTED)
def test_the_least_that_fits_is_accepted(name, level):
    function, args, expected = ACCEPTED[name]
    [interpreted] = Interpreter(module()).call(function, *args)
    result = executable(level)[function](*args)
    np.testing.assert_allclose(interpreted, expected, rtol=1e-5)
    np.testing.assert_allclose(result, expected, rtol=1e-5)


def test_relax_run_says_where(tmp_path, capsys):
    path = tmp_path / "conv.mlir"
    path.write_text(CONV)
    for backend in ("native", "interpret"):
        assert relax_run([str(path), "--entry", "conv", "--dim", "h=1", "--backend", backend]) == 1
        first, shown, *_ = capsys.readouterr().err.splitlines()
        assert first.startswith(f"{path}:3:3: error: relax.nn.conv2d: expected h >= 3")
        assert shown.strip().startswith("%y = relax.nn.conv2d")


def test_the_error_tells_the_values_of_symbols() -> None:
    x, w = np.ones((2, 5), np.float32), np.ones((4, 3), np.float32)
    with pytest.raises(ExecutionError, match=r"k == m.* where n = 2, k = 5, m = 4$"):
        xdsl_relax.compile(EQUAL)["equal"](x, w)
    with pytest.raises(InterpreterError, match=r"k == m, got 5 and 4"):
        Interpreter(load(EQUAL)).call("equal", x, w)


def test_indices_fit_their_element_type() -> None:
    program = """
func.func @main(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xi8, #relax.sym<n>> {
  %y = relax.argsort %x {dtype = i8} : (tensor<?xf32, #relax.sym<n>>) -> tensor<?xi8, #relax.sym<n>>
  return %y : tensor<?xi8, #relax.sym<n>>
}"""
    function, interpreter = xdsl_relax.compile(program)["main"], Interpreter(load(program))
    x = np.arange(129, dtype=np.float32)
    np.testing.assert_array_equal(function(x[:128]), np.arange(128))
    with pytest.raises(ExecutionError, match="expected 128 >= n where n = 129"):
        function(x)
    with pytest.raises(InterpreterError):
        interpreter.call("main", x)
