"""Sizes that would be negative are refused, before anything of that size is made: native code and the interpreter alike."""

from __future__ import annotations

import numpy as np
import pytest
import xdsl_relax
from xdsl_relax.runtime.compiler import load
from xdsl_relax.runtime.executable import ExecutionError
from xdsl_relax.runtime.interpreter.engine import Interpreter
from xdsl_relax.runtime.interpreter.rule import InterpreterError
from xdsl_relax.tools.relax_run import main as relax_run

CONV = """
func.func @main(%x: tensor<1x1x?x?xf32, #relax.sym<h, w>>, %k: tensor<1x1x3x3xf32>) -> tensor<1x1x?x?xf32, #relax.sym<h - 2, w - 2>> {
  %y = relax.nn.conv2d %x, %k : (tensor<1x1x?x?xf32, #relax.sym<h, w>>, tensor<1x1x3x3xf32>) -> tensor<1x1x?x?xf32, #relax.sym<h - 2, w - 2>>
  return %y : tensor<1x1x?x?xf32, #relax.sym<h - 2, w - 2>>
}
"""

INNER = """
func.func @main(%x: tensor<?xf32, #relax.sym<n>>) -> tensor<?xf32, #relax.sym<n>> {
  %s = relax.shape : () -> !relax.shape<[n - 3]>
  %y = relax.ones %s {dtype = f32} : (!relax.shape<[n - 3]>) -> tensor<?xf32, #relax.sym<n - 3>>
  %z = relax.sum %y : (tensor<?xf32, #relax.sym<n - 3>>) -> tensor<f32>
  %w = relax.add %x, %z : (tensor<?xf32, #relax.sym<n>>, tensor<f32>) -> tensor<?xf32, #relax.sym<n>>
  return %w : tensor<?xf32, #relax.sym<n>>
}
"""

CALLED = """
func.func @main(%x: tensor<?x4xf32, #relax.sym<m>>) -> tensor<4xf32> {
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
func.func @main(%x: tensor<?xf32, #relax.sym<n>>, %long: i1) -> tensor<f32> {
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

CAST = """
func.func @main(%x: tensor<?xf32>) -> tensor<f32> {
  %y = relax.match_cast %x : (tensor<?xf32>) -> tensor<?xf32, #relax.sym<k>>
  %s = relax.shape : () -> !relax.shape<[k - 3]>
  %o = relax.ones %s {dtype = f32} : (!relax.shape<[k - 3]>) -> tensor<?xf32, #relax.sym<k - 3>>
  %z = relax.sum %o : (tensor<?xf32, #relax.sym<k - 3>>) -> tensor<f32>
  return %z : tensor<f32>
}
"""


def zeros(*shape):
    return np.zeros(shape, np.float32)


REFUSED = {
    "result": (
        CONV,
        (zeros(1, 1, 5, 1), zeros(1, 1, 3, 3)),
        "relax.nn.conv2d: the size w - 2 of the result is negative",
    ),
    "intermediate": (INNER, (zeros(2),), "relax.ones: the size n - 3 of the result is negative"),
    "callee": (CALLED, (zeros(1, 4),), "relax.ones: the size n - 3 of the result is negative"),
    "branch": (BRANCHES, (zeros(99), True), "relax.ones: the size n - 100 of the result is negative"),
    "cast": (CAST, (zeros(2),), "relax.ones: the size k - 3 of the result is negative"),
}

ACCEPTED = {
    "result": (CONV, (zeros(1, 1, 5, 2), zeros(1, 1, 3, 3)), zeros(1, 1, 3, 0)),
    "intermediate": (INNER, (zeros(3),), zeros(3)),
    "callee": (CALLED, (zeros(3, 4),), zeros(4)),
    "branch": (BRANCHES, (zeros(103), True), np.float32(10)),
    "other branch": (BRANCHES, (np.arctanh(np.full(64, 0.5, np.float32)), False), np.float32(22880)),
    "cast": (CAST, (zeros(3),), np.float32(0)),
}


@pytest.mark.parametrize("level", range(4))
@pytest.mark.parametrize("name", REFUSED)
def test_a_negative_size_is_refused(name, level):
    program, args, message = REFUSED[name]
    function = xdsl_relax.compile(program, opt_level=level)["main"]
    with pytest.raises(ExecutionError, match=message):
        function(*args)


@pytest.mark.parametrize("name", REFUSED)
def test_the_interpreter_refuses_it_with_the_size(name):
    program, args, message = REFUSED[name]
    with pytest.raises(InterpreterError, match=f"{message}, -[12]"):
        Interpreter(load(program)).call("main", *args)


@pytest.mark.parametrize("level", range(4))
@pytest.mark.parametrize("name", ACCEPTED)
def test_zero_is_accepted(name, level):
    program, args, expected = ACCEPTED[name]
    [wanted] = Interpreter(load(program)).call("main", *args)
    found = xdsl_relax.compile(program, opt_level=level)["main"](*args)
    np.testing.assert_allclose(wanted, expected, rtol=1e-5)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_relax_run_says_where(tmp_path, capsys):
    path = tmp_path / "conv.mlir"
    path.write_text(CONV)
    for backend in ("native", "interpret"):
        assert relax_run([str(path), "--dim", "h=1", "--backend", backend]) == 1
        first, shown, *_ = capsys.readouterr().err.splitlines()
        assert first.startswith(f"{path}:3:3: error: relax.nn.conv2d: the size h - 2 of the result is negative")
        assert shown.strip().startswith("%y = relax.nn.conv2d")
