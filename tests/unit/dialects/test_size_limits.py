"""Sizes that are numbers and too large: refused by the verifier, or by the interpreter before it takes memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.utils.exceptions import DiagnosticException, VerifyException
from xdsl_relax.dialects.relax.program import MOST_DIMS
from xdsl_relax.interpreter.host.errors import ArgumentError
from xdsl_relax.interpreter.rule import InterpreterError
from xdsl_relax.runtime.compiler import compile, load
from xdsl_relax.runtime.interpreted import interpret


def _tiled(count: int) -> str:
    return f"""
func.func @main(%x: tensor<4xi8>) -> tensor<{4 * count}xi8> {{
  %y = relax.tile %x {{repeats = array<i64: {count}>}} : (tensor<4xi8>) -> tensor<{4 * count}xi8>
  return %y : tensor<{4 * count}xi8>
}}"""


@pytest.mark.parametrize("count", [2**61, 2**62])
def test_a_size_beyond_64_bits_is_no_type(count: int):
    with pytest.raises(
        DiagnosticException, match=r"a size of result 0 is too large: got \d+, expected less than 2\^63"
    ):
        load(_tiled(count))


@pytest.mark.parametrize(
    ("count", "reason"), [(2**58, r"would take \d+ bytes"), (2**45, r"\d+ bytes of memory are needed, \d+ are free")]
)
def test_the_interpreter_takes_no_memory_that_there_is_not(count: int, reason: str):
    with pytest.raises(InterpreterError, match=rf"relax\.tile: .*{reason}"):
        interpret(load(_tiled(count)))("main", np.zeros(4, np.int8))


@pytest.mark.parametrize("count", [2**40, 2**62])
@pytest.mark.parametrize("op", ["ones %q", "zeros %q", "full %q, %v"])
def test_sizes_from_data_take_no_memory_that_there_is_not(count: int, op: str):
    operands = "!relax.shape<[k]>, tensor<f32>" if op.startswith("full") else "!relax.shape<[k]>"
    program = f"""
func.func @main(%d: tensor<1xi64>, %v: tensor<f32>) -> tensor<?xf32> {{
  %p = relax.tensor_to_shape %d : (tensor<1xi64>) -> !relax.shape<[?]>
  %q = relax.match_cast %p : (!relax.shape<[?]>) -> !relax.shape<[k]>
  %o = relax.{op} {{dtype = f32}} : ({operands}) -> tensor<?xf32>
  return %o : tensor<?xf32>
}}"""
    with pytest.raises(InterpreterError, match=rf"relax\.{op.split()[0]}: {4 * count} bytes of memory are needed"):
        interpret(load(program))("main", np.array([count]), np.float32(1))


def test_a_copy_of_an_argument_takes_no_memory_that_there_is_not():
    function = compile("func.func @main(%x: tensor<?x8xf32, #relax.sym<n>>) {\n  return\n}")["main"]
    with pytest.raises(ArgumentError, match=rf"main: argument 'x': {2**40 * 32} bytes of memory are needed for a copy"):
        function(np.broadcast_to(np.float32(1), (2**40, 8)))


def _of_rank(rank: int) -> dict[str, str]:
    """Returns programs in which a tensor of a rank is an argument, in a tuple, a constant, made by an op, made by an op of others."""
    deep, sizes = f"tensor<{'1x' * rank}f32>", f"!relax.shape<[{', '.join('1' * rank)}]>"
    reassociation = f"[[{', '.join(map(str, range(rank)))}]]"
    return {
        "argument": f"func.func @main(%x: {deep}) {{\n  return\n}}",
        "tuple": f"func.func @main(%x: tuple<f32, tuple<{deep}>>) {{\n  return\n}}",
        "constant": f"""
func.func @main() -> {deep} {{
  %y = relax.constant {{value = dense<1.0> : {deep}}} : () -> {deep}
  return %y : {deep}
}}""",
        "inside": f"""
func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {{
  %s = relax.shape : () -> {sizes}
  %y = relax.reshape %x, %s : (tensor<1xf32>, {sizes}) -> {deep}
  %z = relax.flatten %y : ({deep}) -> tensor<1xf32>
  return %z : tensor<1xf32>
}}""",
        "of others": f"""
func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {{
  %y = tensor.expand_shape %x {reassociation} output_shape [{", ".join("1" * rank)}] : tensor<1xf32> into {deep}
  %z = tensor.collapse_shape %y {reassociation} : {deep} into tensor<1xf32>
  return %z : tensor<1xf32>
}}""",
    }


@pytest.mark.parametrize("name", _of_rank(1))
def test_a_tensor_has_no_more_dims_than_arrays_have(name: str):
    with pytest.raises(VerifyException, match=rf"expected a tensor of at most {MOST_DIMS} dims, got {MOST_DIMS + 1}"):
        load(_of_rank(MOST_DIMS + 1)[name])


def test_as_many_dims_as_arrays_have_are_computed_with():
    given = np.ones((1,) * MOST_DIMS, np.float32)
    arguments: dict[str, list[Any]] = {"argument": [given], "tuple": [(1.0, (given,))], "constant": []}
    for name, program in _of_rank(MOST_DIMS).items():
        operands = arguments.get(name, [given.reshape(1)])
        for results in (compile(program)["main"].call(*operands), interpret(load(program))("main", *operands)):
            assert all(np.size(result) == 1 and np.all(result == 1) for result in results), name
