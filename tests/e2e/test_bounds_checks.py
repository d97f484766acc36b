"""`tensor` ops of other front ends are refused where they leave their operands, natively and in the interpreter alike."""

from __future__ import annotations

import numpy as np
import pytest
import xdsl_relax
from xdsl.utils.exceptions import PassFailedException
from xdsl_relax.interpreter.engine import Interpreter
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.interpreter.rule import InterpreterError
from xdsl_relax.runtime.compiler import load
from xdsl_relax.runtime.executable.native_function import ExecutionError

PROGRAMS = {
    "extract": """
func.func @main(%x: tensor<?xf32>, %i: index) -> f32 {
  %v = tensor.extract %x[%i] : tensor<?xf32>
  return %v : f32
}""",
    "insert": """
func.func @main(%x: tensor<?xf32>, %i: index) -> tensor<?xf32> {
  %c = arith.constant 1.0 : f32
  %v = tensor.insert %c into %x[%i] : tensor<?xf32>
  return %v : tensor<?xf32>
}""",
    "extract_slice": """
func.func @main(%x: tensor<?xf32>, %i: index) -> tensor<2xf32> {
  %v = tensor.extract_slice %x[%i] [2] [3] : tensor<?xf32> to tensor<2xf32>
  return %v : tensor<2xf32>
}""",
    "extract_slice size": """
func.func @main(%x: tensor<?xf32>, %i: index) -> tensor<?xf32> {
  %v = tensor.extract_slice %x[1] [%i] [1] : tensor<?xf32> to tensor<?xf32>
  return %v : tensor<?xf32>
}""",
    "insert_slice": """
func.func @main(%x: tensor<?xf32>, %i: index) -> tensor<?xf32> {
  %c = arith.constant dense<1.0> : tensor<2xf32>
  %v = tensor.insert_slice %c into %x[%i] [2] [1] : tensor<2xf32> into tensor<?xf32>
  return %v : tensor<?xf32>
}""",
    "body": """
func.func @main(%x: tensor<?xf32>, %i: index) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %v = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<3xf32>) {
  ^bb0(%o: f32):
    %d = linalg.index 0 : index
    %j = arith.addi %d, %i : index
    %w = tensor.extract %x[%j] : tensor<?xf32>
    linalg.yield %w : f32
  } -> tensor<3xf32>
  return %v : tensor<3xf32>
}""",
}

INSIDE = {"extract": 4, "insert": 4, "extract_slice": 1, "extract_slice size": 4, "insert_slice": 3, "body": 2}
"""The largest value that fits where the tensor has five elements."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_last_element_is_reached_and_none_behind_it(name: str) -> None:
    x, program, last = np.arange(5, dtype=np.float32), PROGRAMS[name], INSIDE[name]
    function, interpreter = xdsl_relax.compile(program)["main"], Interpreter(load(program))
    np.testing.assert_array_equal(function(x, last), interpreter.call("main", x, last)[0])
    for value in (last + 1, -1, -(2**63), 2**62, 2**63 - 1):
        # A size that no result can have is refused before the call.
        with pytest.raises((ExecutionError, ArgumentError), match=r"tensor\.\w+: .* out of bounds|do not fit 64 bits"):
            function(x, value)
        with pytest.raises(InterpreterError):
            interpreter.call("main", x, value)


@pytest.mark.parametrize("size", [0, 3, 5])
def test_a_cast_to_a_size_that_the_operand_has_not_is_refused(size: int) -> None:
    program = """
func.func @main(%x: tensor<?xf32>) -> tensor<4xf32> {
  %v = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
  return %v : tensor<4xf32>
}"""
    with pytest.raises(ExecutionError, match=r"tensor\.cast: expected size 4 of dim 0"):
        xdsl_relax.compile(program)["main"](np.zeros(size, np.float32))
    with pytest.raises(InterpreterError, match=r"tensor\.cast: expected size 4 of dim 0"):
        Interpreter(load(program)).call("main", np.zeros(size, np.float32))


def test_checks_can_be_dropped() -> None:
    assert xdsl_relax.compile(PROGRAMS["extract"]).interface.assertions
    assert not xdsl_relax.compile(PROGRAMS["extract"], bounds_checks=False).interface.assertions


def test_a_constant_index_out_of_bounds_is_refused_when_compiled() -> None:
    program = PROGRAMS["extract"].replace("tensor<?xf32>", "tensor<4xf32>").replace("%i: index", "")
    program = program.replace(", )", ")").replace("  %v =", "  %i = arith.constant 4 : index\n  %v =")
    with pytest.raises(PassFailedException, match="index 4 of dim 0 is out of bounds of 4"):
        xdsl_relax.compile(program)
